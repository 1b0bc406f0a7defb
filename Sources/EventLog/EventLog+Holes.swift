import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

// Events that this store had and lost with a damaged file: the table `holes`. A hole stays until somebody brings the
// events. Those of its replica behind it are here and count; but nothing here can prove them, since a tree cannot be
// computed without its leaves. So to others this log has the replica's events before its first hole, and asks for the
// rest as for any that it lacks.
extension EventLog {
    /// The events that were here and are lost, in order of replica and number.
    public func holes() throws -> [EventRange] {
        try read { transaction in try Self.holes(in: transaction, LogTables(in: transaction)) }
    }

    /// The last event of each replica before its first hole: as far as this log can prove what it has.
    package func wholeVector() throws -> VersionVector {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            var vector = try Self.vector(in: transaction, tables)
            for hole in try Self.holes(in: transaction, tables) where vector[hole.replica] >= hole.first {
                vector[hole.replica] = hole.first - 1
            }
            return vector
        }
    }

    static func holes(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> [EventRange] {
        try events(tables.holes, in: transaction).ranges
    }
}

/// Some events of a range that came, of a replica of which events were lost here.
struct Returning {
    let stream: ReplicaID
    /// How many events come before the stream, in the numbers of the range.
    let base: SequenceNumber
    let frame: RangeFrame
    /// Which of its events go with what is here.
    let range: ClosedRange<SequenceNumber>

    /// These events, as the log names them.
    var events: EventSet {
        EventSet([EventRange(stream, range.lowerBound - base, through: range.upperBound - base)])
    }
}

extension EventLog {
    /// Puts events that came back in the places that are held for them, and forgets those holes.
    ///
    /// They come late: nothing that is here is written anew, and positions, runs and numbers stay.
    ///
    /// - Returns: How many events were lost and are here now, and how many of these take places that were held for them:
    ///   those behind the last event were appended.
    /// - Throws: Then nothing has changed; the holes stay, so the same is asked for again.
    /// - Complexity: O(log *n*) for each of them in a log of *n* events, O(holes), and one commit.
    func fillHoles(from returning: [Returning]) throws -> (returned: Int, placed: Int) {
        let lost = EventSet(try holes())
        guard returning.contains(where: { !lost.intersection($0.events).isEmpty }) else { return (0, 0) }
        return try commit { transaction, tables, _ in
            let holes = EventSet(try Self.holes(in: transaction, tables))
            let erased = try Self.erased(in: transaction, tables)
            let streams = try Self.streams(in: transaction, tables)
            var (come, placed, lacking) = (EventSet(), 0, EventSet())
            for part in returning where try isOfSameHistory(part, holes) {
                for sequence in part.range {
                    let event = EventID(part.stream, sequence - part.base)
                    guard holes.contains(event), !come.contains(event) else { continue }
                    come.insert(event)
                    // Behind the last event no place was held: those were appended.
                    guard let position = try Self.position(of: event, in: transaction, tables),
                        let previous = try Self.previousChecksum(
                            ofPlace: event, at: position, in: transaction, tables)
                    else { continue }
                    let (frame, isWithheld) = try Self.frame(
                        of: event, part, streams.readings(to: part.stream), isErased: erased.contains(event), previous)
                    try Self.putLate(frame, at: position, in: transaction)
                    if isWithheld, !erased.contains(event) { lacking.insert(event) }
                    placed += 1
                }
            }
            try Self.remove(come, from: tables.holes, in: transaction)
            try Self.noteLacking(lacking, in: transaction, tables)
            return (Int(come.count), placed)
        }
    }

    /// What the frame that holds the place of `event` names as the one before it; `nil` where the event is here.
    private static func previousChecksum(
        ofPlace event: EventID, at position: Position, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> UInt32? {
        try withEvent(event, at: position, in: transaction, tables) { frame, _ in
            frame.isLost ? frame.previousChecksum : nil
        }
    }

    /// The frame of `event` as `part` has it, without values where it was erased; and whether it has none.
    private static func frame(
        of event: EventID, _ part: Returning, _ readings: [StreamReading], isErased: Bool, _ previous: UInt32
    ) throws -> (ByteWriter, isWithheld: Bool) {
        var writer = ByteWriter(capacity: 1024)
        var isWithheld = isErased
        try part.frame.withEvent(event.sequence + part.base) { frame, bytes in
            isWithheld = isWithheld || frame.isWithheld
            writer.append(frame, in: bytes, readAs: readings, after: previous)
        }
        guard isErased else { return (writer, isWithheld) }
        let bytes = writer.bytes
        writer.removeAll()
        writer.append(withholding: try Frame(bytes.span.bytes, at: 0), in: bytes.span.bytes, after: previous)
        return (writer, true)
    }

    /// Whether the events of `part` that are here are the same ones.
    private func isOfSameHistory(_ part: Returning, _ holes: EventSet) throws -> Bool {
        for sequence in part.range {
            let event = EventID(part.stream, sequence - part.base)
            if holes.contains(event) { continue }
            if let leaf = try leaf(of: event), leaf != part.frame.leaves[Int(sequence - part.frame.range.first)] {
                return false
            }
        }
        return true
    }
}
