import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords

/// Tells how old a lease is at the time of a state.
struct LeaseClock {
    /// The log that the lease is in.
    let log: EventLog
    /// The time of the state.
    let time: PointTime

    /// How many earlier events of its author a lease is compared with.
    private static let comparedCount = 4
    /// How many events before the lease are searched for them.
    private static let searchedCount: UInt64 = 32
    /// How long before the lease they have to have arrived: what came together, as at a join, is equally late.
    private static let settledMilliseconds: Int64 = 60_000

    /// When the lease of age `age` ends, by the clock of ``time``: milliseconds since 1970.
    func end(ofAge age: Int64) -> Int64 {
        switch time {
        case .arrival(let now): now.wallMilliseconds + MeterLease.milliseconds - age
        case .stamp(let milliseconds): milliseconds + MeterLease.milliseconds - age
        }
    }

    /// The age of the lease with this head in milliseconds; below zero if a wall clock was set back meanwhile.
    ///
    /// For a state of this device that is the time since the lease arrived and, since it may have arrived late, its
    /// delay. For a moment by stamps it is the time since its stamp.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` if the row of its arrival is.
    func age(of head: Record.Head) throws -> Int64 {
        let written = head.stamp.milliseconds
        switch time {
        case .stamp(let milliseconds): return max(0, milliseconds - written)
        case .arrival(let now):
            guard head.position > 0, let arrival = try log.arrival(of: head.position) else {
                return now.wallMilliseconds - written
            }
            return arrival.milliseconds(until: now) + delay(of: head, arrival)
        }
    }

    /// How much longer the lease took to arrive than the quickest of some earlier events of its author, in milliseconds.
    ///
    /// A clock that differs from ours by less than ``MeterLease/clockTolerance`` does no harm, since it does so for all
    /// of these. If there are none, our clocks are taken to be equal. A stamp that its author did not read from its
    /// clock tells nothing: then the lease is taken to have arrived at once.
    private func delay(of head: Record.Head, _ arrival: Arrival) -> Int64 {
        let (event, written) = (head.id.event, head.stamp.milliseconds)
        let lag = arrival.wallMilliseconds - written
        if lag >= MeterLease.clockTolerance { return lag }
        // The clock of the author is declared as wrong.
        if let own = received(event), own.stamp != head.stamp { return 0 }
        var isRead = head.stamp.counter == 0
        var delays: [Int64] = []
        for distance in 1...Self.searchedCount where distance < event.sequence && delays.count < Self.comparedCount {
            guard let earlier = received(EventID(event.replica, event.sequence - distance)) else { continue }
            let span = earlier.arrival.milliseconds(until: arrival)
            if earlier.stamp.milliseconds == written {
                // The clock of the author is behind its stamps: it was set back.
                if span >= Self.settledMilliseconds { return 0 }
                isRead = earlier.stamp.counter == 0
            } else if earlier.stamp.counter == 0, span >= Self.settledMilliseconds {
                delays.append(span - (written - earlier.stamp.milliseconds))
            }
        }
        return isRead ? max(0, delays.max() ?? lag) : 0
    }

    /// The stamp of an event, and when it arrived; `nil` if it is not here or cannot be read.
    private func received(_ event: EventID) -> (stamp: Stamp, arrival: Arrival)? {
        guard let position = try? log.position(of: event), let arrival = try? log.arrival(of: position),
            let stamp = try? log.withEvent(at: position, { frame, _ in frame.stamp })
        else { return nil }
        return (stamp, arrival)
    }
}

extension Arrival {
    /// The milliseconds from here to `later`: by the monotonic clock within one boot, else by the wall clock.
    fileprivate func milliseconds(until later: Arrival) -> Int64 {
        isOfSameBoot(as: later)
            ? later.monotonicMilliseconds - monotonicMilliseconds : later.wallMilliseconds - wallMilliseconds
    }
}
