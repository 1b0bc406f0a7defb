import GroundwaveEvents

/// Which ranges of one replica are kept as they came, decided without touching a log: those that were kept and those that
/// came now.
package struct Parking {
    /// The most bytes of ranges of one replica that wait; what is furthest from entering goes first, and comes again.
    package static let byteLimit = 16 << 20

    /// Ranges that were kept and are not any more: another one has all their events, or there is no room.
    package private(set) var leaving: [RangeFrame] = []
    /// Ranges that are kept from now on.
    package private(set) var coming: [RangeFrame] = []

    /// Keeps `frames` beside `present`.
    package init(_ frames: [RangeFrame], beside present: [RangeFrame], byteLimit: Int = Self.byteLimit) {
        let all = (present.map { (frame: $0, isNew: false) } + frames.map { ($0, true) }).sorted { left, right in
            let (one, other) = (left.frame.range, right.frame.range)
            return (one.first, other.last, left.isNew ? 1 : 0) < (other.first, one.last, right.isNew ? 1 : 0)
        }
        var kept: [RangeFrame] = []
        var room = byteLimit
        for (frame, isNew) in all {
            // Of two that begin alike the longer one comes first here, and says more.
            let isCovered = kept.contains { $0.range.first == frame.range.first && $0.covers(frame) }
            if !isCovered { room -= frame.bytes.count }
            if isCovered || room < 0 && !kept.isEmpty {
                if !isNew { leaving.append(frame) }
            } else {
                kept.append(frame)
                if isNew { coming.append(frame) }
            }
        }
    }
}
