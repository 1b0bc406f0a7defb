import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveStore

/// A moment in the history of a log. Each names one set of events: see ``Store/resolve(_:)``.
///
/// A time, before an event and after it are between batches, since a batch is written at once. A position, a vector and
/// what a replica knew are taken by the event, so they may also lie inside a batch, such as that of an import.
public enum Point: Hashable, Sendable {
    /// The events that this store had when the event at this position was its last one; 0 is before everything.
    case position(Position)
    /// The batches written up to this moment, in milliseconds since 1970, by the stamps of their authors; and those
    /// that these authors had seen by then, even if their own stamp is later.
    case time(milliseconds: Int64)
    /// The events that this store had before the batch of this event.
    case before(EventID)
    /// The events that this store had with the batch of this event.
    case after(EventID)
    /// The events of this vector.
    case vector(VersionVector)
    /// As `time(milliseconds:)`.
    public static func time(_ moment: Date) -> Point {
        let milliseconds = (moment.timeIntervalSince1970 * 1000).rounded(.down)
        return .time(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }
    /// The events that the author of this event had seen when writing it, and the event.
    case known(EventID)
}

/// The set of events that a point names.
public struct ResolvedPoint: Hashable, Sendable {
    /// The vector of the events, all of them in this log.
    public let vector: VersionVector
    /// Events that belong to the point but are not in this log.
    public internal(set) var missing: [EventRange] = []
    /// For a moment in time, the number of events that count although they are stamped later, because an author had
    /// seen them by then.
    public internal(set) var laterCount: UInt64 = 0
    /// The names by which ``vector`` names events: a fork that comes later renames some.
    fileprivate(set) var names: EventNames?
    /// The time of the point.
    package internal(set) var time = PointTime.stamp(milliseconds: 0)
}

/// The time of a point. What ends with time, such as the lease of a meter, is judged by it.
package enum PointTime: Hashable, Sendable {
    /// By the clocks of this device: when the last event of the point arrived here; for the present, now.
    case arrival(Arrival)
    /// By the stamps of the authors, in milliseconds since 1970.
    case stamp(milliseconds: Int64)
}

extension Store {
    /// Returns the events that `point` names.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if the point names an event or position that is not here.
    public func resolve(_ point: Point) throws -> ResolvedPoint {
        try describing {
            // Again if the log is rewritten meanwhile: a fork renames events.
            for _ in 0..<5 {
                let generation = try log.generation()
                var resolved = try resolveOnce(point)
                resolved.names = try log.eventNames()
                if try log.generation() == generation { return resolved }
            }
            throw StoreError(
                .busy, "Other programs keep rewriting the log of \(url.path).", hint: "Try again later.")
        }
    }

    private func resolveOnce(_ point: Point) throws -> ResolvedPoint {
        switch point {
        case .position(let position):
            let last = try log.lastPosition()
            guard position <= last else {
                throw StoreError(
                    .notFound, "There is no position @\(position).", hint: "The last one is @\(last).")
            }
            return try resolve(through: position)
        case .time(let milliseconds): return try resolve(milliseconds: milliseconds)
        case .before(let event): return try resolve(besides: event) { $0.lowerBound - 1 }
        case .after(let event): return try resolve(besides: event) { $0.upperBound }
        case .vector(let vector): return try resolve(wanted: vector)
        case .known(let event):
            guard let context = try log.context(of: event) else { throw Self.noEvent(event) }
            return try resolve(wanted: context)
        }
    }

    private func resolve(milliseconds: Int64) throws -> ResolvedPoint {
        // Include the whole millisecond.
        let stamp = Stamp(milliseconds: milliseconds, counter: .max)
        var plain = VersionVector()
        var joined = VersionVector()
        let declared = try views.declaredClocks()
        for entry in try log.vector().entries {
            let last = try log.lastSequence(of: entry.replica, countedUpTo: stamp, by: declared)
            plain[entry.replica] = last
            if last > 0, let context = try log.context(of: EventID(entry.replica, last)) { joined.join(context) }
        }
        var point = try resolve(wanted: log.alignedDown(joined))
        point.missing = joined.ranges(missingFrom: point.vector)
        point.laterCount = point.vector.ranges(missingFrom: plain).reduce(0) { $0 + $1.count }
        point.time = .stamp(milliseconds: milliseconds)
        return point
    }

    private func resolve(through position: Position) throws -> ResolvedPoint {
        var point = ResolvedPoint(vector: try log.vector(through: position))
        // An arrival that cannot be read does not keep anybody from reading the events.
        if let arrival = try? log.arrival(of: position) {
            point.time = .arrival(arrival)
        } else {
            point.time = .stamp(milliseconds: try greatestStamp(of: point.vector))
        }
        return point
    }

    private func resolve(
        besides event: EventID, _ end: (ClosedRange<Position>) -> Position
    ) throws -> ResolvedPoint {
        guard let batch = try log.batch(of: event),
            let first = try log.position(of: EventID(event.replica, batch.lowerBound))
        else { throw Self.noEvent(event) }
        return try resolve(through: end(first...first + (batch.upperBound - batch.lowerBound)))
    }

    private func resolve(wanted: VersionVector) throws -> ResolvedPoint {
        var vector = VersionVector()
        for entry in try log.vector().entries { vector[entry.replica] = min(entry.sequence, wanted[entry.replica]) }
        var point = ResolvedPoint(vector: vector)
        point.missing = wanted.ranges(missingFrom: point.vector)
        point.time = .stamp(milliseconds: try greatestStamp(of: point.vector))
        return point
    }

    /// The greatest stamp that counts among the last events of `vector`, in milliseconds since 1970; 0 if it is empty.
    /// O(replicas) look-ups, since the stamps of one replica never go down.
    package func greatestStamp(of vector: VersionVector) throws -> Int64 {
        let declared = try views.declaredClocks()
        return try vector.entries.reduce(0) { greatest, entry in
            guard let position = try log.position(of: EventID(entry.replica, entry.sequence)) else { return greatest }
            let stamp = try log.withEvent(at: position) { frame, _ in declared.stamp(frame.stamp, of: entry.replica) }
            return max(greatest, stamp?.milliseconds ?? 0)
        }
    }
}
