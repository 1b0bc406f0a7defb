import GroundwaveProjections

/// When a snapshot is due, and which ones are kept: a pure function of clock and state.
///
/// A snapshot is due if something changed since the newest one and that one is six hours old. At most 24 are kept,
/// and they take at most half as many bytes as the log. The one to delete is always the one whose neighbours are the
/// fewest events apart: the rest spread over the whole history, and any moment is about equally far from a snapshot.
/// The newest is always kept.
struct SnapshotRule {
    /// The minimum age of the newest one, in milliseconds.
    static let dueMilliseconds: Int64 = 6 * 3600 * 1000
    /// The maximum number kept.
    static let countLimit = 24

    /// - Parameters:
    ///   - newest: The newest snapshot; `nil` if there is none.
    ///   - events: The number of events in the log.
    ///   - firstWritten: When the first event was written, in milliseconds.
    ///   - now: The time on the wall clock, in milliseconds.
    static func isDue(
        newest: SnapshotInformation?, events: UInt64, firstWritten: Int64, now: Int64
    ) -> Bool {
        guard events > (newest?.vector.eventCount ?? 0) else { return false }
        return now >= next(after: newest, firstWritten: firstWritten)
    }

    /// Returns the time before which none is due, in milliseconds.
    static func next(after newest: SnapshotInformation?, firstWritten: Int64) -> Int64 {
        (newest?.created ?? firstWritten) + dueMilliseconds
    }

    /// Returns the snapshots to delete, for a log of `logBytes` bytes.
    static func superfluous(_ snapshots: [SnapshotInformation], logBytes: Int) -> [SnapshotInformation] {
        var kept = snapshots.sorted { ($0.vector.eventCount, $0.created) < ($1.vector.eventCount, $1.created) }
        var dropped: [SnapshotInformation] = []
        while kept.count > 1, kept.count > countLimit || kept.reduce(0, { $0 + $1.byteCount }) > logBytes / 2 {
            let gaps = kept.indices.dropLast().map { index in
                kept[index + 1].vector.eventCount - (index == 0 ? 0 : kept[index - 1].vector.eventCount)
            }
            let index = gaps.indices.min { gaps[$0] < gaps[$1] } ?? 0
            dropped.append(kept.remove(at: index))
        }
        return dropped
    }
}
