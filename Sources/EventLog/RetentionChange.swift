import GroundwaveEvents
import GroundwaveLogFormat

/// The decision which ranges of one replica are retained, of those retained before and those received now. Does not
/// access a log.
package struct RetentionChange {
    /// The most bytes of retained ranges of one replica. The ranges furthest from entering are dropped first, and
    /// received again later.
    package static let byteLimit = 16 << 20

    /// Ranges that are no longer retained: another range covers them, or there is no room.
    package private(set) var released: [RangeFrame] = []
    /// Ranges that are newly retained.
    package private(set) var retained: [RangeFrame] = []

    /// Decides whether to retain `frames` beside `present`.
    package init(_ frames: [RangeFrame], beside present: [RangeFrame], byteLimit: Int = Self.byteLimit) {
        let all = (present.map { (frame: $0, isNew: false) } + frames.map { ($0, true) }).sorted { left, right in
            let (one, other) = (left.frame.range, right.frame.range)
            return (one.first, other.last, left.isNew ? 1 : 0) < (other.first, one.last, right.isNew ? 1 : 0)
        }
        var kept: [RangeFrame] = []
        var room = byteLimit
        for (frame, isNew) in all {
            // Of two ranges with the same first event the longer one comes first here, and covers the other.
            let isCovered = kept.contains { $0.range.first == frame.range.first && $0.covers(frame) }
            if !isCovered { room -= frame.bytes.count }
            if isCovered || room < 0 && !kept.isEmpty {
                if !isNew { released.append(frame) }
            } else {
                kept.append(frame)
                if isNew { retained.append(frame) }
            }
        }
    }
}
