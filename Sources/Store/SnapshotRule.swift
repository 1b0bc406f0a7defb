import GroundwaveProjections

/// When a snapshot is due, and which ones are kept: a pure function of clock and state.
///
/// A snapshot is due when something changed since the newest one and that is six hours old. So many are kept that they
/// take no more than half of what the log takes, and at most 24; which ones go is decided by how far they lie apart:
/// always the one whose neighbours are the fewest events from one another. What is kept is then spread over the whole
/// of the history, and any moment is about as far from a snapshot as any other. The newest is always kept.
struct SnapshotRule {
    /// How old the newest one must be, in milliseconds.
    static let dueMilliseconds: Int64 = 6 * 3600 * 1000
    /// How many are kept at most.
    static let countLimit = 24

    /// - Parameters:
    ///   - newest: The newest one; `nil` where there is none.
    ///   - events: How many events the log has, and when the first of them was written, in milliseconds.
    static func isDue(
        newest: SnapshotInformation?, events: UInt64, firstWritten: Int64, now: Int64
    ) -> Bool {
        guard events > (newest?.vector.eventCount ?? 0) else { return false }
        return now >= next(after: newest, firstWritten: firstWritten)
    }

    /// Before when none is due, in milliseconds.
    static func next(after newest: SnapshotInformation?, firstWritten: Int64) -> Int64 {
        (newest?.created ?? firstWritten) + dueMilliseconds
    }

    /// Those of `snapshots` that go, for a log of `logBytes`.
    static func superfluous(_ snapshots: [SnapshotInformation], logBytes: Int) -> [SnapshotInformation] {
        var kept = snapshots.sorted { ($0.vector.eventCount, $0.created) < ($1.vector.eventCount, $1.created) }
        var gone: [SnapshotInformation] = []
        while kept.count > 1, kept.count > countLimit || kept.reduce(0, { $0 + $1.byteCount }) > logBytes / 2 {
            let gaps = kept.indices.dropLast().map { place in
                kept[place + 1].vector.eventCount - (place == 0 ? 0 : kept[place - 1].vector.eventCount)
            }
            let place = gaps.indices.min { gaps[$0] < gaps[$1] } ?? 0
            gone.append(kept.remove(at: place))
        }
        return gone
    }
}
