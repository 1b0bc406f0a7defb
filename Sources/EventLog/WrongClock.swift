import GroundwaveEvents
import GroundwaveLogFormat

/// What a replica stamped far ahead of the present: its clock was wrong when it did, and is right now.
package struct WrongClock: Hashable, Sendable {
    /// The events with such stamps: from the first one on to the last one.
    package let events: EventRange
    /// What is declared of them.
    package let declaration: ClockDeclaration
    /// The stamp of the last one.
    package let last: Stamp

    /// The earliest present that is believed: 2025-01-01. A clock that shows an earlier time was never set, as on a machine
    /// without a battery for it, and proves nothing about others.
    static let earliestPresent: Int64 = 1_735_689_600_000

    /// Finds what `replica` stamped ahead of `now`; `nil` unless its last stamp is a day or more ahead.
    ///
    /// The ceiling is when the last of these events came into this log, if the steady clock of the machine still tells, else
    /// the present. It is never before the last stamp that was right.
    ///
    /// Cost: a look-up; O(log events) look-ups if there is such a stamp.
    package init?(of replica: ReplicaID, in log: EventLog, at now: Arrival) throws {
        guard now.wallMilliseconds >= Self.earliestPresent, let last = try log.lastStamp(of: replica),
            last.isFarAhead(ofWall: now.wallMilliseconds)
        else { return nil }
        let present = Stamp(milliseconds: now.wallMilliseconds, counter: .max)
        guard let events = try log.events(stampedFrom: [replica: present.next]).first,
            let first = try log.stamp(of: EventID(replica, events.first))
        else { return nil }
        var ceiling = now.wallMilliseconds
        if let position = try log.position(of: EventID(replica, events.last)),
            let arrival = try log.arrival(of: position), arrival.isOfSameBoot(as: now),
            arrival.monotonicMilliseconds >= 0, now.monotonicMilliseconds >= arrival.monotonicMilliseconds
        {
            ceiling -= now.monotonicMilliseconds - arrival.monotonicMilliseconds
        }
        let before = try events.first > 1 ? log.stamp(of: EventID(replica, events.first - 1)) : nil
        self.events = events
        self.last = last
        declaration = ClockDeclaration(from: first.milliseconds, ceiling: max(ceiling, before?.milliseconds ?? 0))
    }

    /// How far the last stamp was ahead, in milliseconds.
    package var aheadMilliseconds: Int64 { last.milliseconds - declaration.ceiling }
}
