import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// Lost ranges: events that this store had and lost with a damaged file, in the table `holes`. A lost range stays until
// its events are received again. The replica's events behind it are here and valid, but this log cannot prove them,
// since a tree cannot be computed without all its leaves. So to other stores this log has only the replica's events
// before its first lost range, and it requests the rest like any missing events.
extension EventLog {
    /// Returns the events that were here and are lost, in order of replica and number.
    public func lostRanges() throws -> [EventRange] {
        try read { transaction in try Self.lostRanges(in: transaction, LogTables(in: transaction)) }
    }

    /// Returns the vector of the events that this log can prove: those of each replica before its first lost range.
    package func wholeVector() throws -> VersionVector {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            var vector = try tables.vector(in: transaction)
            for range in try Self.lostRanges(in: transaction, tables) where vector[range.replica] >= range.first {
                vector[range.replica] = range.first - 1
            }
            return vector
        }
    }

    static func lostRanges(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> [EventRange] {
        try tables.holes.events(in: transaction).ranges
    }
}

/// Some events of a received range, of a branch that has lost ranges here.
struct ReturnedFrame {
    let stream: ReplicaID
    /// The number of events in the history before the branch; range numbers include them.
    let base: SequenceNumber
    let frame: RangeFrame
    /// The events of the range that fit the history here, in the numbers of the range.
    let range: ClosedRange<SequenceNumber>

    /// These events, as the log numbers them.
    var events: EventSet {
        EventSet([EventRange(stream, range.lowerBound - base, through: range.upperBound - base)])
    }
}

extension EventLog {
    /// Stores received events at the positions reserved for lost ones, and removes these lost ranges.
    ///
    /// They are stored as late events: nothing here is rewritten, and positions, runs and numbers stay. A part whose
    /// history differs from the one here is skipped.
    ///
    /// - Returns: The number of lost events that are here now (`returned`), and the number of these that fill
    ///   placeholders (`placed`); the others had been behind the last event, and were appended by the caller.
    /// - Throws: As an append; then nothing has changed: the lost ranges stay, and the same events are requested again.
    /// - Complexity: O(log *n*) for each event in a log of *n* events, O(lost ranges), and one commit.
    func fillLostRanges(from returning: [ReturnedFrame]) throws -> (returned: Int, placed: Int) {
        let lost = EventSet(try lostRanges())
        guard returning.contains(where: { !lost.intersection($0.events).isEmpty }) else { return (0, 0) }
        return try commit { transaction, tables, _ in
            let lostRanges = EventSet(try Self.lostRanges(in: transaction, tables))
            let erased = try tables.erased.events(in: transaction)
            let streams = try Self.streams(in: transaction, tables)
            var (returned, placed, missing) = (EventSet(), 0, EventSet())
            var changesRoster = false
            for part in returning where try isOfSameHistory(part, lostRanges) {
                for sequence in part.range {
                    let event = EventID(part.stream, sequence - part.base)
                    guard lostRanges.contains(event), !returned.contains(event) else { continue }
                    returned.insert(event)
                    // Lost events behind the last one had no placeholder: they were appended.
                    guard let position = try Self.position(of: event, in: transaction, tables),
                        let previous = try Self.previousChecksum(
                            ofPlace: event, at: position, in: transaction, tables)
                    else { continue }
                    let (frame, isWithheld) = try Self.frame(
                        of: event, part, streams.resolutions(to: part.stream), isErased: erased.contains(event),
                        previous)
                    try Self.putLate(frame, at: position, in: transaction)
                    changesRoster = try Self.isStatement(frame, at: position) || changesRoster
                    if isWithheld, !erased.contains(event) { missing.insert(event) }
                    placed += 1
                }
            }
            try tables.holes.remove(returned, in: transaction)
            try tables.lacking.insert(missing, in: transaction)
            if changesRoster { try followRoster(since: nil, transaction, tables) }
            return (Int(returned.count), placed)
        }
    }

    /// Returns the checksum of the previous frame that the placeholder of `event` stores; `nil` if the event is here.
    private static func previousChecksum(
        ofPlace event: EventID, at position: Position, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> UInt32? {
        try withEvent(event, at: position, in: transaction, tables) { frame, _ in
            frame.isLost ? frame.previousChecksum : nil
        }
    }

    /// Returns the frame of `event` from `part`, without its values if they were erased; and whether it has none.
    private static func frame(
        of event: EventID, _ part: ReturnedFrame, _ resolutions: [NameResolution], isErased: Bool, _ previous: UInt32
    ) throws -> (ByteWriter, isWithheld: Bool) {
        var writer = ByteWriter(capacity: 1024)
        var isWithheld = isErased
        try part.frame.withEvent(event.sequence + part.base) { frame, bytes in
            isWithheld = isWithheld || frame.isWithheld
            writer.append(frame, in: bytes, readAs: resolutions, after: previous)
        }
        guard isErased else { return (writer, isWithheld) }
        let bytes = writer.bytes
        writer.removeAll()
        writer.append(withholding: try Frame(bytes.span.bytes, at: 0), in: bytes.span.bytes, after: previous)
        return (writer, true)
    }

    /// Returns whether the events of `part` that are here, and not lost, have the same leaves.
    private func isOfSameHistory(_ part: ReturnedFrame, _ lostRanges: EventSet) throws -> Bool {
        for sequence in part.range {
            let event = EventID(part.stream, sequence - part.base)
            if lostRanges.contains(event) { continue }
            if let leaf = try leaf(of: event), leaf != part.frame.leaves[Int(sequence - part.frame.range.first)] {
                return false
            }
        }
        return true
    }
}
