import ByteCoding
import EventLog
import Events
import LMDB
import Records

/// One state of the views, lent for a while: what a query, a listing or a digest reads.
public struct ViewReader: ~Copyable {
    let transaction: ReadTransaction
    let tables: ViewTables
    /// The kinds that are known.
    public let kinds: Kinds
    /// The local numbers of replicas, sources and fields.
    public let names: Names
    private let checkpoint: Checkpoint

    private init(
        _ transaction: consuming ReadTransaction, _ tables: ViewTables, _ checkpoint: Checkpoint, _ names: Names,
        _ kinds: Kinds
    ) {
        self.transaction = transaction
        self.tables = tables
        self.checkpoint = checkpoint
        self.names = names
        self.kinds = kinds
    }

    /// Lends a reader of the state that `transaction` sees to `body`.
    static func lend<Result>(
        _ transaction: borrowing ReadTransaction, kinds: Kinds, to body: (borrowing ViewReader) throws -> Result
    ) throws -> Result {
        let tables = try ViewTables(in: transaction)
        let checkpoint = try Replayer.checkpoint(in: transaction, tables)
        guard checkpoint.signature == kinds.signature else { throw ViewError.stale }
        let names = try SliceWriter.names(in: transaction, tables)
        // The copy of the transaction is lent like the original, and ends before it.
        let reader = ViewReader(ReadTransaction(sharing: transaction), tables, checkpoint, names, kinds)
        return try body(reader)
    }

    /// The position of the last event that was folded.
    public var position: Position { checkpoint.position }

    // MARK: - Records

    /// The state of a record, or `nil` where no event of it was folded.
    public func state(of kind: String, _ record: RecordID) throws -> RecordState? {
        try transaction.withValue(RecordKey.of(kind: kind, record), in: tables.records) { row in
            try Self.decode(row)
        }
    }

    private static func decode(_ row: RawSpan) throws -> RecordState {
        var state = RecordState()
        do { try state.decode(row) } catch { throw ViewError.damaged("the checksum of a record is wrong") }
        return state
    }

    /// A record, hidden or not, or `nil` where no event of it was folded. Cost: a few microseconds.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? {
        try state(of: kind, id).map {
            Record(kind: kind, id: id, state: $0, names: names, schema: kinds[kind])
        }
    }

    /// Hands out all records of a kind in order of id, hidden ones included, until `body` says `false`.
    public func forEachRecord(of kind: String, _ body: (Record) throws -> Bool) throws {
        let schema = kinds[kind]
        try forEachState(of: kind) { id, state in
            try body(Record(kind: kind, id: id, state: state, names: names, schema: schema))
        }
    }

    /// Hands out the states of all records of a kind in order of id until `body` says `false`.
    public func forEachState(of kind: String, _ body: (RecordID, RecordState) throws -> Bool) throws {
        let prefix = RecordKey.prefix(kind: kind)
        var state = RecordState()
        try transaction.withCursor(tables.records) { cursor in
            try cursor.forEach(from: prefix) { key, row in
                guard key.byteCount == prefix.count + 16, Self.key(key, hasPrefix: prefix) else { return false }
                do { try state.decode(row) } catch { throw ViewError.damaged("the checksum of a record is wrong") }
                return try body(RecordID(at: prefix.count, of: key), state)
            }
        }
    }

    /// The names of all kinds that have records, in byte order, registered or not.
    public func kindsWithRecords() throws -> [String] {
        var result: [String] = []
        try transaction.withCursor(tables.records) { cursor in
            var isThere = try cursor.first()
            while isThere {
                let kind = try cursor.withEntry { key, _ in RecordKey.parse(key)?.kind }
                guard let kind else { throw ViewError.damaged("the key of a record is malformed") }
                result.append(kind)
                // The first key behind all of this kind: the separator is 0, so 1 is behind it.
                isThere = try cursor.seek(atOrAfter: [UInt8](kind.utf8) + [1])
            }
        }
        return result
    }

    // MARK: - Indexes

    /// Hands out the records whose entry in `index` lies in `range`, in order of the entries or backwards, until
    /// `body` says `false`.
    ///
    /// - Parameters:
    ///   - prefix: Only entries that start with these bytes.
    ///   - from: Only entries at or behind these bytes, which follow the prefix.
    ///   - isBackwards: From the last entry to the first.
    public func forEachEntry(
        of kind: String, index: UInt8, prefix: [UInt8] = [], from: [UInt8] = [], isBackwards: Bool = false,
        _ body: (_ key: RawSpan, _ record: RecordID) throws -> Bool
    ) throws {
        let base = IndexKey.prefix(kind: kind, index: index)
        let start = base + prefix
        func handOut(_ key: RawSpan, _ value: RawSpan) throws -> Bool {
            guard key.byteCount >= base.count + 16, Self.key(key, hasPrefix: start) else { return false }
            guard value.byteCount == 4, CRC32C.checksum(key) == value.uint32(at: 0) else {
                throw ViewError.damaged("the checksum of an index entry is wrong")
            }
            return try body(
                key.extracting(base.count..<(key.byteCount - 16)), RecordID(at: key.byteCount - 16, of: key))
        }
        try transaction.withCursor(tables.index) { cursor in
            guard isBackwards else {
                return try cursor.forEach(from: start + from, handOut)
            }
            var isThere =
                if let end = Self.successor(of: start), try cursor.seek(atOrAfter: end) { try cursor.previous() } else {
                    try cursor.last()
                }
            while isThere {
                let goesOn = try cursor.withEntry { key, value in
                    guard !key.lexicographicallyPrecedes((start + from).span.bytes) else { return false }
                    return try handOut(key, value)
                }
                isThere = goesOn ? try cursor.previous() : false
            }
        }
    }

    /// The first key behind all that start with `prefix`, or `nil` where there is none.
    private static func successor(of prefix: [UInt8]) -> [UInt8]? {
        guard let place = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var next = Array(prefix[...place])
        next[place] += 1
        return next
    }

    static func key(_ key: RawSpan, hasPrefix prefix: [UInt8]) -> Bool {
        key.byteCount >= prefix.count && prefix.withSpan { key.extracting(0..<prefix.count).elementsEqual($0) }
    }

    // MARK: - What is not folded

    /// The events that are in the log and not in these views, in order of position.
    public func unreadEvents() throws -> [UnreadEvent] {
        var result: [UnreadEvent] = []
        try transaction.withCursor(tables.unread) { cursor in
            try cursor.forEach(from: nil) { key, row in
                result.append(UnreadEvent(position: key.bigEndianUInt64(at: 0), row: row))
                return true
            }
        }
        return result
    }
}

extension ViewReader {
    /// Hands out the ids of `kind` whose base32 form starts with `textPrefix`, in order, until `body` says `false`.
    ///
    /// Cost: O(matches), since ids are sorted as their texts are.
    public func forEachRecordID(
        of kind: String, textPrefix: String, _ body: (RecordID) throws -> Bool
    ) throws {
        guard let digits = Base32.digits(of: textPrefix), digits.count <= 26 else { return }
        // The least id that starts so: the digits, filled up with zeros to whole bytes.
        let padded = digits + [UInt8](repeating: 0, count: 26 - digits.count)
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        guard let first = RecordID(text: String(padded.map { alphabet[Int($0)] })) else { return }
        try forEachRecordID(of: kind, from: first) { id in
            guard Base32.digits(of: id.description)?.starts(with: digits) == true else { return false }
            return try body(id)
        }
    }

    private func forEachRecordID(of kind: String, from first: RecordID, _ body: (RecordID) throws -> Bool) throws {
        let prefix = RecordKey.prefix(kind: kind)
        try transaction.withCursor(tables.records) { cursor in
            try cursor.forEach(from: RecordKey.of(kind: kind, first)) { key, _ in
                guard key.byteCount == prefix.count + 16, Self.key(key, hasPrefix: prefix) else { return false }
                return try body(RecordID(at: prefix.count, of: key))
            }
        }
    }
}
