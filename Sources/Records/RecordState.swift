import GroundwaveByteCoding
import GroundwaveEvents

/// The state of one record: everything that the fold keeps and needs to continue.
///
/// A head is a write that no other write has superseded. The fold removes what an operation names and adds what it
/// writes, so it needs no vectors and no clocks and gives the same state for every order of events (decision
/// 2: operations name what they supersede).
///
/// Heads refer to the table of writers and to one buffer of values, so that a reused state costs no allocation for a
/// record.
public struct RecordState: Sendable {
    /// An event whose writes to this record are still in use.
    public struct Writer: Hashable, Sendable {
        /// The local number of the replica.
        public var replica: UInt32
        /// The number of the event.
        public var sequence: SequenceNumber
        /// When it was written.
        public var stamp: Stamp
        /// The position of the event in this store's log.
        public var position: Position
        /// The local number of the import source; 0 for none.
        public var source: UInt32
    }

    /// One write that nothing has superseded.
    public struct Head: Sendable {
        /// The field.
        public var field: FieldOrdinal
        /// The writer: an index into ``RecordState/writers``.
        public var writer: UInt32
        /// The index of the addition or candidate in its event; 0 for plain values.
        public var index: UInt32
        /// Set, clear, add, revive or candidate.
        public var code: OperationCode
        /// Whether the value is withheld.
        public var isWithheld: Bool
        /// Whether what its source says counts as what a person says.
        public var isTrusted = false
        /// When its source first wrote to the field; `nil` if that was with this head.
        public var since: Stamp?
        /// The range of the value in ``RecordState/values``; empty for a clear.
        public var value: Range<Int>
    }

    /// A delete that no later write has superseded.
    public struct Deletion: Sendable {
        /// The event that deleted: an index into ``RecordState/writers``.
        public var writer: UInt32
        /// The events whose heads it covers: local replica and number.
        public var covered: [(replica: UInt32, sequence: SequenceNumber)]
    }

    /// A head that was superseded before it was received.
    struct Superseded: Hashable {
        var field: FieldOrdinal
        var replica: UInt32
        var sequence: SequenceNumber
        var index: UInt32

        /// The sort order in a row, so that one state has one row.
        var order: (SequenceNumber, FieldOrdinal, UInt32, UInt32) { (sequence, field, replica, index) }
    }

    /// The last assertion of an import source about a field, if no head holds it.
    struct Assertion: Hashable {
        var field: FieldOrdinal
        var source: UInt32
        var replica: UInt32
        var sequence: SequenceNumber
        var stamp: Stamp
        var valueHash: UInt64
        /// Whether it is an element of a collection, of which there may be several.
        var isElement: Bool
        /// Whether it was made without a head: within one event that is the last assertion.
        var hasNoHead: Bool

        /// The order of the assertions of one source about one plain field: the greatest is the last one.
        var order: (Stamp, SequenceNumber, Int, UInt64) { (stamp, sequence, hasNoHead ? 1 : 0, valueHash) }
    }

    /// The events that wrote the heads and deletes below.
    public internal(set) var writers: [Writer] = []
    /// The heads of all fields, in no particular order.
    public internal(set) var heads: [Head] = []
    /// The deletes.
    public internal(set) var deletions: [Deletion] = []
    /// Whether the record was erased. Then it has nothing but its history, whatever its events wrote.
    public internal(set) var isErased = false
    /// The values of the heads, one after the other, with gaps left by removed heads.
    public internal(set) var values: [UInt8] = []
    /// The number of bytes of ``values`` that belong to no head any more.
    var unusedBytes = 0
    var superseded: Set<Superseded> = []
    var assertions: [Assertion] = []
    /// The positions of all events of this record in this store's log, ascending, as they arrived.
    public internal(set) var history = History()

    /// Whether a field has several heads, or the record a delete: without that there is nothing to choose between.
    package var hasSeveral: Bool {
        if !deletions.isEmpty { return true }
        // Most records have fewer than 64 fields, whose numbers differ in their last six bits.
        var seen: UInt64 = 0
        for (index, head) in heads.enumerated() {
            let bit = UInt64(1) << UInt64(truncatingIfNeeded: head.field & 63)
            if seen & bit != 0, heads[..<index].contains(where: { $0.field == head.field }) { return true }
            seen |= bit
        }
        return false
    }

    /// A record without any events.
    public init() {}

    /// Removes everything and keeps the memory.
    public mutating func removeAll() {
        removeContent()
        history.removeAll()
        isErased = false
    }

    /// Removes everything but the history, for ever.
    mutating func erase() {
        removeContent()
        isErased = true
    }

    private mutating func removeContent() {
        writers.removeAll(keepingCapacity: true)
        heads.removeAll(keepingCapacity: true)
        deletions.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        unusedBytes = 0
        if !superseded.isEmpty { superseded.removeAll() }
        assertions.removeAll(keepingCapacity: true)
    }

    /// Whether the record is shown: it has a head that no delete covers.
    public var isVisible: Bool {
        if deletions.isEmpty { return !heads.isEmpty }
        return heads.contains { head in
            let writer = writers[Int(head.writer)]
            return !deletions.contains { deletion in
                deletion.covered.contains { $0.replica == writer.replica && $0.sequence == writer.sequence }
            }
        }
    }

    /// Whether the record has neither heads nor deletes.
    public var isEmpty: Bool { heads.isEmpty && deletions.isEmpty }

    /// Whether an edit was concurrent with a delete: the record is shown, and listed as a conflict.
    public var hasContestedDeletion: Bool { !deletions.isEmpty && isVisible }
}

/// The positions of a record's events: the first as a number, the others as differences, all varints.
public struct History: Sendable {
    /// The number of events.
    public private(set) var count = 0
    /// The last position; 0 if there is none.
    public private(set) var last: Position = 0
    private(set) var deltas = ByteWriter()

    /// No events.
    public init() {}

    /// Reads the history whose differences are in `row` from `start` to its end; they must be `count`, and add up to
    /// `last`. Keeps the memory.
    mutating func read(
        count: Int, last: Position, deltasFrom start: Int, of row: RawSpan
    ) throws(ByteCodingError) {
        var reader = ByteReader(at: start)
        var position: Position = 0
        var found = 0
        while reader.offset < row.byteCount {
            let (sum, overflow) = position.addingReportingOverflow(try reader.varint(in: row))
            guard !overflow, sum > position else { throw .malformedVarint(offset: reader.offset) }
            position = sum
            found += 1
        }
        guard found == count, position == last else {
            throw .trailingBytes(offset: start, count: row.byteCount - start)
        }
        self.count = count
        self.last = last
        deltas.removeAll()
        deltas.append(contentsOf: row.extracting(start..<row.byteCount))
    }

    mutating func removeAll() {
        count = 0
        last = 0
        deltas.removeAll()
    }

    /// Adds a position, unless it is there already.
    ///
    /// Cost: O(1) for a position after the last one, as nearly all are; else O(events).
    mutating func insert(_ position: Position) {
        guard position > last else {
            var positions = positions
            guard position > 0, !positions.contains(position) else { return }
            positions.append(position)
            removeAll()
            for position in positions.sorted() { insert(position) }
            return
        }
        deltas.append(varint: position - last)
        last = position
        count += 1
    }

    /// The first position; 0 if there is none.
    public var first: Position {
        deltas.withSpan { bytes in
            var reader = ByteReader()
            return (try? reader.varint(in: bytes)) ?? 0
        }
    }

    /// All positions, ascending.
    public var positions: [Position] {
        deltas.withSpan { bytes in
            var reader = ByteReader()
            var position: Position = 0
            var result: [Position] = []
            result.reserveCapacity(count)
            while reader.offset < bytes.byteCount, let delta = try? reader.varint(in: bytes) {
                position += delta
                result.append(position)
            }
            return result
        }
    }
}
