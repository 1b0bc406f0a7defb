import ByteCoding
import Events
import LMDB

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
        in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
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
}

extension EventLog {
    /// Puts events that came back in the places that are held for them, and forgets those holes.
    ///
    /// The log is written anew, as when values are erased: positions, runs and numbers stay, and every view is folded anew.
    ///
    /// - Returns: How many events were lost and are here now, and how many of these take places that were held for them:
    ///   those behind the last event were appended.
    /// - Throws: Then nothing has changed; the holes stay, so the same is asked for again.
    func fillHoles(from returning: [Returning]) throws -> (returned: Int, placed: Int) {
        if returning.isEmpty { return (0, 0) }
        let holes = EventSet(try holes())
        let heads = try vector()
        var found: [EventID: [UInt8]] = [:]
        var come = EventSet()
        for part in returning where try isOfSameHistory(part, holes) {
            for sequence in part.range {
                let event = EventID(part.stream, sequence - part.base)
                guard holes.contains(event) else { continue }
                come.insert(event)
                // Behind the last event no place was held: those were appended.
                if event.sequence <= heads[event.replica], try isPlace(event) {
                    try part.frame.withEvent(sequence) { _, bytes in found[event] = bytes.toArray() }
                }
            }
        }
        guard !come.isEmpty else { return (0, 0) }
        let erased = try erased()
        var lacking = EventSet()
        for (event, bytes) in found where try Frame(bytes.span.bytes, at: 0).isWithheld { lacking.insert(event) }
        try rewrite { old, new in
            try Self.copyAll(old, new) { frame, _ in
                guard frame.isLost, let bytes = found[frame.id] else { return .same }
                guard erased.contains(frame.id) else { return .other(bytes) }
                let whole = try Frame(bytes.span.bytes, at: 0)
                var writer = ByteWriter(capacity: bytes.count)
                writer.append(withholding: whole, in: bytes.span.bytes, after: 0)
                return .other(writer.bytes)
            }
            try Self.copyBase(old, new)
            let tables = try LogTables(in: new)
            try Self.put(holes.subtracting(come), tables.holes, in: new)
            try Self.put(Self.events(tables.lacking, in: new).union(lacking), tables.lacking, in: new)
        }
        return (Int(come.count), found.count)
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

    private func isPlace(_ event: EventID) throws -> Bool {
        guard let position = try position(of: event) else { return false }
        return try withEvent(at: position) { frame, _ in frame.isLost } ?? false
    }
}
