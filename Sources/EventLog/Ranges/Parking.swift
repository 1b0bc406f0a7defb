import Events

/// Which ranges of one replica wait, decided without touching a log: those that waited and those that came now.
package struct Parking {
    /// The most bytes of ranges of one replica that wait; what is furthest from entering goes first, and comes again.
    package static let byteLimit = 16 << 20

    /// Ranges that waited and do not any more: a longer one says more, or there is no room.
    package private(set) var leaving: [RangeFrame] = []
    /// Ranges that wait from now on.
    package private(set) var coming: [RangeFrame] = []

    /// Lets `frames` wait beside `present`.
    package init(_ frames: [RangeFrame], beside present: [RangeFrame]) {
        // Of two that begin alike the longer one says more.
        var byFirst: [SequenceNumber: RangeFrame] = [:]
        for frame in present + frames where (byFirst[frame.range.first]?.range.last ?? 0) < frame.range.last {
            byFirst[frame.range.first] = frame
        }
        var room = Self.byteLimit
        var kept: Set<RangeFrame> = []
        for frame in byFirst.values.sorted(by: { $0.range.first < $1.range.first }) {
            room -= frame.bytes.count
            if room >= 0 || byFirst.count == 1 { kept.insert(frame) }
        }
        leaving = present.filter { !kept.contains($0) }
        let before = Set(present)
        coming = frames.filter { kept.contains($0) && !before.contains($0) }
    }
}
