import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// Missing values: events that are here without their values, which other stores may have. The sender did not have the
// values or withheld them, or this device has dropped them. The table `lacking` lists these events.
extension EventLog {
    /// Returns the events that are here without their values, neither erased nor archived here: other stores may have
    /// the values.
    ///
    /// - Complexity: O(runs of such events).
    public func missingValues() throws -> EventSet {
        try read { transaction in try Self.missingValues(in: transaction, LogTables(in: transaction)) }
    }

    private static func missingValues(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> EventSet {
        let missing = try tables.lacking.events(in: transaction)
        if missing.isEmpty { return missing }
        let archived = try tables.base(in: transaction)?.vector ?? VersionVector()
        let ranges = archived.entries.map { EventRange($0.replica, 1, through: $0.sequence) }
        return try missing.subtracting(tables.erased.events(in: transaction)).subtracting(EventSet(ranges))
    }

    /// Removes the values of `events` from this log; other stores may still have them, and a peer may send them again.
    ///
    /// The log is rewritten, as in ``erase(_:dropCopies:baseWithout:)``: leaves, roots, positions and runs stay.
    ///
    /// - Returns: The number of events whose values were removed.
    /// - Throws: As ``erase(_:dropCopies:baseWithout:)``; then nothing has changed.
    /// - Complexity: O(bytes of the log).
    @discardableResult
    public func letGo(_ events: EventSet) throws -> Int {
        var withheld = EventSet()
        try rewrite { old, new in
            withheld = EventSet()
            try Self.copyAll(old, new) { frame, _ in
                guard !frame.isPartial, events.contains(frame.id) else { return .same }
                withheld.insert(frame.id)
                return .withheld
            }
            try Self.copyBase(old, new)
            let tables = try LogTables(in: new)
            try tables.lacking.insert(withheld, in: new)
        }
        return Int(withheld.count)
    }

    /// Returns the frames of those of `events`, which are here without values, whose values `frames` contain.
    ///
    /// - Parameter frames: Verified ranges.
    public func values(of events: EventSet, in frames: [RangeFrame]) throws -> [EventID: [UInt8]] {
        try RangeFrame.values(of: events, from: frames, streams: streams()) { try leaf(of: $0) }
    }

    /// Stores the values of events here that are missing them, as found by ``values(of:in:)``.
    ///
    /// They are stored as late events: nothing here is rewritten, and leaves, roots, positions and runs stay.
    ///
    /// - Returns: The number of events that have their values now: events that were erased meanwhile, or whose leaf
    ///   differs, are skipped.
    /// - Throws: As an append; then nothing has changed.
    /// - Complexity: O(log *n*) for each event in a log of *n* events, O(runs of events with missing values), and one
    ///   commit.
    @discardableResult
    public func fill(_ values: [EventID: [UInt8]]) throws -> Int {
        let wanted = try missingValues()
        guard values.keys.contains(where: wanted.contains) else { return 0 }
        return try commit { transaction, tables, _ in
            let missing = try Self.missingValues(in: transaction, tables)
            var (filled, count, changesRoster) = (EventSet(), 0, false)
            for event in values.keys.sorted() where missing.contains(event) {
                guard let bytes = values[event], let position = try Self.position(of: event, in: transaction, tables),
                    let frame = try Self.frame(of: bytes, filling: event, at: position, in: transaction, tables)
                else { continue }
                try Self.putLate(frame, at: position, in: transaction)
                changesRoster = try Self.isStatement(frame, at: position) || changesRoster
                filled.insert(event)
                count += 1
            }
            try tables.lacking.remove(filled, in: transaction)
            if changesRoster { try followRoster(since: nil, transaction, tables) }
            return count
        }
    }

    /// Returns the frame of `event` with the values in `bytes`; `nil` if these belong to another event, or the event
    /// here has values.
    private static func frame(
        of bytes: [UInt8], filling event: EventID, at position: Position, in transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws -> ByteWriter? {
        try withEvent(event, at: position, in: transaction, tables) { frame, present in
            let whole = try Frame(bytes.span.bytes, at: position)
            var hasher = MerkleHasher()
            let leaf = hasher.leaf(of: frame, in: present)
            guard frame.isWithheld, !whole.isPartial, hasher.leaf(of: whole, in: bytes.span.bytes) == leaf else {
                return nil
            }
            var writer = ByteWriter(capacity: bytes.count + 64)
            writer.append(
                whole, in: bytes.span.bytes, readAs: frame.names(in: present).resolutions, after: frame.previousChecksum
            )
            return writer
        }
    }
}

extension RangeFrame {
    /// Returns the frames, in `frames`, of those of `events` whose values are there.
    ///
    /// - Parameter leaf: Returns the leaf of an event of the log, to check that it is the same event.
    package static func values(
        of events: EventSet, from frames: [RangeFrame], streams: Streams, leaf: (EventID) throws -> Hash256?
    ) throws -> [EventID: [UInt8]] {
        var found: [EventID: [UInt8]] = [:]
        for frame in frames {
            for range in events.ranges where streams.origin(of: range.replica) == frame.range.replica {
                let base = streams.base(of: range.replica)
                let numbers = streams.numbers(of: range)
                let (first, last) = (
                    max(numbers.lowerBound, frame.range.first), min(numbers.upperBound, frame.range.last)
                )
                guard first <= last else { continue }
                for sequence in first...last {
                    let event = EventID(range.replica, sequence - base)
                    try frame.withEvent(sequence) { frameOfEvent, bytes in
                        guard !frameOfEvent.isWithheld,
                            try leaf(event) == frame.leaves[Int(sequence - frame.range.first)]
                        else { return }
                        found[event] = bytes.toArray()
                    }
                }
            }
        }
        return found
    }
}
