import GroundwaveByteCoding
import GroundwaveLMDB

/// The tables of a log whose rows carry a checksum: all except `events`, whose frames have their own.
///
/// A row is its value followed by the CRC-32C (4 bytes) of the table's number (1 byte), the key and the value. So a
/// row on a page that no tree leads to still identifies its table, and a row is not accepted under another key or in
/// another table.
@usableFromInline
package enum LogTable: UInt8, CaseIterable, Sendable {
    case runs = 1
    case heads = 2
    case arrivals = 3
    case trees = 4
    case nodes = 5
    case erased = 6
    case signed = 7
    case waiting = 8
    case streams = 9
    case base = 10
    case meta = 11
    case holes = 12
    case lacking = 13
    case late = 14
    case filled = 15

    /// The size of the checksum after each value, in bytes.
    @usableFromInline package static let checksumSize = 4

    /// The name of the table in LMDB.
    package var name: String {
        switch self {
        case .runs: "runs"
        case .heads: "heads"
        case .arrivals: "arrivals"
        case .trees: "trees"
        case .nodes: "nodes"
        case .erased: "erased"
        case .signed: "signed"
        case .waiting: "waiting"
        case .streams: "streams"
        case .base: "base"
        case .meta: "meta"
        case .holes: "holes"
        case .lacking: "lacking"
        case .late: "late"
        case .filled: "filled"
        }
    }

    /// What a row contains, in plain words, for error messages.
    @usableFromInline package var row: String {
        switch self {
        case .runs: "the runs of a replica"
        case .heads: "the last event of a replica"
        case .arrivals: "the arrival times of events"
        case .trees: "the right edge of a tree"
        case .nodes: "a node of a tree"
        case .erased: "what an event erases"
        case .signed: "the signed head of a replica"
        case .waiting: "a pending range"
        case .streams: "the forks of a replica's history"
        case .base: "the snapshot of archived history"
        case .meta: "a row of the log's own data"
        case .holes: "a row of lost events"
        case .lacking: "a row of events without values"
        case .late: "an event that arrived late"
        case .filled: "the record of an event that arrived late"
        }
    }

    /// Finds the table with the LMDB name `name`; `nil` for `events`, and for tables of later versions.
    package init?(name: String) {
        guard let table = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = table
    }

    /// Computes the checksum of a row with `value` under `key`.
    @inlinable package func checksum(of value: RawSpan, under key: RawSpan) -> UInt32 {
        CRC32C.checksum(value, continuing: checksum(ofKey: key))
    }

    /// Computes the checksum over the table's number and the key.
    @inlinable package func checksum(ofKey key: RawSpan) -> UInt32 {
        CRC32C.checksum(key, continuing: Self.starts[Int(rawValue)])
    }

    /// Returns the size of the value in `row` under `key`, without the checksum; `nil` if the checksum is wrong.
    @inlinable package func contentSize(of row: RawSpan, under key: RawSpan) -> Int? {
        let count = row.byteCount - Self.checksumSize
        guard count >= 0, checksum(of: row.extracting(0..<count), under: key) == row.uint32(at: count) else {
            return nil
        }
        return count
    }

    /// Returns the row for `value` under `key`: the value and its checksum.
    package func sealed(_ value: RawSpan, under key: RawSpan) -> [UInt8] {
        var writer = ByteWriter(capacity: value.byteCount + Self.checksumSize)
        writer.append(contentsOf: value)
        writer.append(littleEndian: checksum(of: value, under: key))
        return writer.bytes
    }

    /// The checksum of each table's number alone.
    @usableFromInline package static let starts: [UInt32] = (0...UInt8(15)).map { number in
        [number].withSpan { CRC32C.checksum($0) }
    }
}

/// A table of a log that adds a checksum to each row it stores, and checks it on each read.
@usableFromInline
package struct CheckedTable<Key: TableKey>: Sendable {
    @usableFromInline package let kind: LogTable
    @usableFromInline package let table: Table<Key>

    /// Opens the table of `kind` in this state of the log.
    package init(_ kind: LogTable, in transaction: borrowing some ReadableTransaction & ~Copyable) throws {
        guard let table = try transaction.table(kind.name, of: Key.self) else { throw EventLogError.notALog }
        self.kind = kind
        self.table = table
    }

    /// Opens the table of `kind`, and creates it if it does not exist.
    package init(creating kind: LogTable, in transaction: borrowing WriteTransaction) throws {
        self.kind = kind
        table = try transaction.openOrCreate(kind.name, of: Key.self)
    }

    /// Throws unless the checksum of `row` is right for `key`.
    @inlinable package func check(_ key: RawSpan, _ row: RawSpan) throws {
        guard kind.contentSize(of: row, under: key) != nil else { throw EventLogError.damaged(kind.row) }
    }
}

// The operations of an LMDB table, with checksums. A row with a wrong checksum throws `EventLogError.damaged`. If a
// key is not found, the rows next to where it would be are checked too.
extension ReadableTransaction where Self: ~Copyable {
    /// Lends the value of `key` to `body`; returns `nil` if there is no such row.
    @inlinable package func withValue<Key: TableKey, Result>(
        _ key: Key, in table: CheckedTable<Key>, _ body: (RawSpan) throws -> Result
    ) throws -> Result? {
        let start = key.withKeyBytes { table.kind.checksum(ofKey: $0) }
        return try withValue(key, in: table.table, confirming: table.check) { row in
            let count = row.byteCount - LogTable.checksumSize
            guard count >= 0,
                CRC32C.checksum(row.extracting(0..<count), continuing: start) == row.uint32(at: count)
            else { throw EventLogError.damaged(table.kind.row) }
            return try body(row.extracting(0..<count))
        }
    }

    /// Returns a copy of the value of `key`; `nil` if there is no such row.
    @inlinable package func value<Key: TableKey>(_ key: Key, in table: CheckedTable<Key>) throws -> [UInt8]? {
        try withValue(key, in: table) { $0.toArray() }
    }

    /// Lends the rows from `start` (or the first one) in order to `body`, until that returns `false`.
    @inlinable package func forEach<Key: TableKey>(
        in table: CheckedTable<Key>, from start: Key? = nil,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws {
        try withCursor(table.table) { cursor in
            try cursor.forEach(from: start, confirming: table.check) { key, row in
                guard let count = table.kind.contentSize(of: row, under: key) else {
                    throw EventLogError.damaged(table.kind.row)
                }
                return try body(key, row.extracting(0..<count))
            }
        }
    }

    /// Lends the last row whose key is `key` or comes before it to `body`; returns `nil` if there is none.
    @inlinable package func withLast<Key: TableKey, Result>(
        atOrBefore key: Key, in table: CheckedTable<Key>, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Result
    ) throws -> Result? {
        try withCursor(table.table) { cursor in
            var isThere = try cursor.seek(atOrAfter: key, confirming: table.check)
            if isThere {
                let isExact = try cursor.withEntry { found, _ in key.withKeyBytes { found.elementsEqual($0) } }
                if !isExact { isThere = try cursor.previous() }
            } else {
                isThere = try cursor.last()
            }
            guard isThere else { return nil }
            // The seek has checked this row already: it is next to the searched key.
            return try cursor.withEntry { found, row in
                try body(found, row.extracting(0..<row.byteCount - LogTable.checksumSize))
            }
        }
    }

    /// Returns how much of the file the table takes.
    package func statistics<Key: TableKey>(of table: CheckedTable<Key>) throws -> TableStatistics {
        try statistics(of: table.table)
    }
}

extension WriteTransaction {
    /// Stores `value` under `key`, replacing an existing row.
    @inlinable package func put<Key: TableKey>(_ value: RawSpan, for key: Key, in table: CheckedTable<Key>) throws {
        try put(value, for: key, in: table, append: false)
    }

    /// Appends `value` under `key`, which comes after all other keys.
    @inlinable package func append<Key: TableKey>(_ value: RawSpan, for key: Key, in table: CheckedTable<Key>) throws {
        try put(value, for: key, in: table, append: true)
    }

    @inlinable package func put<Key: TableKey>(
        _ value: RawSpan, for key: Key, in table: CheckedTable<Key>, append: Bool
    ) throws {
        let start = key.withKeyBytes { table.kind.checksum(ofKey: $0) }
        let checksum = CRC32C.checksum(value, continuing: start)
        try put(value, trailer: checksum, for: key, in: table.table, append: append)
    }

    /// Removes the row of `key`; returns whether there was one.
    @discardableResult
    package func remove<Key: TableKey>(_ key: Key, in table: CheckedTable<Key>) throws -> Bool {
        try remove(key, in: table.table)
    }

    /// Removes all rows.
    package func removeAll<Key: TableKey>(in table: CheckedTable<Key>) throws { try removeAll(in: table.table) }
}
