import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// Looks for events by their stamps, where the clock of a replica was wrong.
extension EventLog {
    /// Returns the stamp of the last event of `replica`; `nil` if there is none. Cost: a look-up.
    package func lastStamp(of replica: ReplicaID) throws -> Stamp? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            return try transaction.withValue(ReplicaKey(replica), in: tables.heads) { HeadRow($0)?.stamp } ?? nil
        }
    }

    /// Returns the stamp of an event; `nil` if it is not here.
    package func stamp(of event: EventID) throws -> Stamp? {
        try position(of: event).flatMap { try withEvent(at: $0) { frame, _ in frame.stamp } }
    }

    /// Returns the last event of `replica` whose stamp counts as `stamp` or an earlier one, rounded down to the end of a
    /// batch; 0 for none. Cost: as ``lastSequence(of:stampedUpTo:)``.
    package func lastSequence(
        of replica: ReplicaID, countedUpTo stamp: Stamp, by declared: ClockDeclarations
    ) throws -> SequenceNumber {
        let last = try lastSequence(of: replica, stampedUpTo: stamp)
        guard let first = declared.firstStamp(of: replica, countedUpTo: stamp) else { return last }
        // Everything from that stamp on counts as written by then, and with it whatever the replica had written before.
        return try events(stampedFrom: [replica: first]).isEmpty
            ? last : lastSequence(of: replica, stampedUpTo: Stamp(rawValue: .max))
    }

    /// Returns the events of each replica that have its stamp in `first`, or a later one.
    package func events(stampedFrom first: [ReplicaID: Stamp]) throws -> [EventRange] {
        let vector = try vector()
        return try first.sorted { $0.key < $1.key }.compactMap { replica, stamp in
            let before =
                stamp.rawValue == 0
                ? 0 : try lastSequence(of: replica, stampedUpTo: Stamp(rawValue: stamp.rawValue - 1))
            return before < vector[replica] ? EventRange(replica, before + 1, through: vector[replica]) : nil
        }
    }
}
