import GroundwaveByteCoding
import GroundwaveEvents

/// When a snapshot is left at a remote, and which ones stay there: a pure function of clock and state.
///
/// One is due if the newest one there is six hours old and does not have all of what is here now, whichever device has
/// left it. The last three stay, and the last one of each month.
package enum PlacedSnapshotRule {
    /// The age of the newest snapshot from which on another one is due, in milliseconds.
    package static let dueMilliseconds: Int64 = 6 * 3_600_000
    /// The number of newest snapshots that stay.
    static let newestCount = 3
    /// The age at which an upload that was not finished is removed, in milliseconds. Also how far a clock may be ahead.
    static let dayMilliseconds: Int64 = 24 * 3_600_000

    /// Whether a time stated by another device is not more than a day ahead of the clock here. Beyond, its clock or ours is
    /// wrong, and what it states says nothing about now.
    package static func isBelievable(_ created: Int64, now: Int64) -> Bool {
        let (ahead, overflow) = created.subtractingReportingOverflow(now)
        return !overflow && ahead <= dayMilliseconds
    }

    /// Returns whether a snapshot of the store with `vector` is due.
    ///
    /// - Parameters:
    ///   - newest: When the newest one at the remote was made, and whether its vector is `vector`; `nil` if there is none.
    ///   - vector: The events of the store.
    ///   - now: Milliseconds since 1970.
    package static func isDue(
        newest: (created: Int64, isSame: Bool)?, vector: VersionVector, now: Int64
    ) -> Bool {
        guard vector.eventCount > 0 else { return false }
        guard let newest, isBelievable(newest.created, now: now) else { return true }
        let (age, overflow) = now.subtractingReportingOverflow(newest.created)
        return !newest.isSame && (overflow || age >= dueMilliseconds)
    }

    /// Returns the snapshots that are not kept, oldest first.
    ///
    /// - Parameter names: All that are valid, in any order.
    static func superfluous(_ names: [PlacedSnapshotName]) -> [PlacedSnapshotName] {
        let sorted = names.sorted()
        var kept = Set(sorted.suffix(newestCount))
        var lastOfMonth: [Int64: PlacedSnapshotName] = [:]
        for name in sorted { lastOfMonth[month(name.created)] = name }
        kept.formUnion(lastOfMonth.values)
        return sorted.filter { !kept.contains($0) }
    }

    /// Whether an upload that was begun with a snapshot of that time, or a head that is not valid, is to be removed.
    static func isRemains(_ created: Int64, now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(created)
        return overflow ? created < now : age > dayMilliseconds
    }

    /// Returns the number of a month in UTC.
    private static func month(_ milliseconds: Int64) -> Int64 {
        let date = CivilDate.date(ofDay: CivilDate.floorDivided(milliseconds, 86_400_000).quotient)
        return date.year * 12 + date.month
    }
}
