import Everything
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveTesting
import Testing

/// What a point in the past means, by looking at every event; and points by chance.
enum PastOracle {
    /// The vector of `point` as a person with all the time in the world would find it.
    static func vector(of point: Point, in store: Store) throws -> VersionVector {
        var frames: [(position: Position, frame: Frame, observed: [ObservedHead])] = []
        try store.log.scan(from: 1) { position, frame, bytes in
            frames.append((position, frame, frame.observed(in: bytes)))
            return true
        }
        let forks = try store.forks()
        func context(_ event: EventID) -> VersionVector {
            var vector = VersionVector()
            // A history of a fork goes on from what it has in common with the others.
            for fork in forks where fork.after > 0 && fork.branches.contains(where: { $0.stream == event.replica }) {
                vector.join(context(EventID(fork.stream, fork.after)))
            }
            for entry in frames
            where entry.frame.id.replica == event.replica && entry.frame.id.sequence <= event.sequence {
                vector[event.replica] = entry.frame.id.sequence
                for head in entry.observed where head.event.sequence > vector[head.event.replica] {
                    vector[head.event.replica] = head.event.sequence
                }
            }
            return vector
        }
        func wholeBatches(_ vector: VersionVector) -> VersionVector {
            var result = VersionVector()
            for entry in frames where entry.frame.rest == 0 && vector.contains(entry.frame.id) {
                result[entry.frame.id.replica] = max(result[entry.frame.id.replica], entry.frame.id.sequence)
            }
            return result
        }
        func upTo(_ position: Position) -> VersionVector {
            var vector = VersionVector()
            for entry in frames where entry.position <= position {
                vector[entry.frame.id.replica] = entry.frame.id.sequence
            }
            return vector
        }
        func batch(of event: EventID) -> (first: Position, last: Position) {
            let place = frames.firstIndex { $0.frame.id == event } ?? 0
            var first = place
            while first > 0, frames[first - 1].frame.id.replica == event.replica, frames[first - 1].frame.rest > 0 {
                first -= 1
            }
            return (frames[first].position, frames[place].position + UInt64(frames[place].frame.rest))
        }
        switch point {
        case .position(let position): return upTo(position)
        case .before(let event): return upTo(batch(of: event).first - 1)
        case .after(let event): return upTo(batch(of: event).last)
        case .vector(let vector):
            var held = VersionVector()
            for entry in frames where vector.contains(entry.frame.id) {
                held[entry.frame.id.replica] = max(held[entry.frame.id.replica], entry.frame.id.sequence)
            }
            return held
        case .known(let event): return context(event)
        case .time(let milliseconds):
            var joined = VersionVector()
            for replica in Set(frames.map(\.frame.id.replica)) {
                let last = frames.last { $0.frame.id.replica == replica && $0.frame.stamp.milliseconds <= milliseconds }
                if let last { joined.join(context(last.frame.id)) }
            }
            return wholeBatches(joined)
        }
    }

    static func point(in store: Store, _ numbers: inout SeededGenerator) throws -> Point {
        let last = try store.log.lastPosition()
        let position = Position.random(in: 1...last, using: &numbers)
        let frame = try #require(try store.log.withEvent(at: position) { frame, _ in frame })
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: return .position(position)
        case 1: return .time(milliseconds: frame.stamp.milliseconds - Int64.random(in: 0...1, using: &numbers))
        case 2: return .before(frame.id)
        case 3: return .after(frame.id)
        case 4: return .known(frame.id)
        default:
            var vector = VersionVector()
            for entry in try store.log.vector().entries {
                vector[entry.replica] = SequenceNumber.random(in: 0...entry.sequence + 3, using: &numbers)
            }
            return .vector(vector)
        }
    }
}
