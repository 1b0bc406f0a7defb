import ByteCoding
import EventLog
import Events
import LMDB
import Records

extension Views {
    /// Builds a view in a new file at `path` from the snapshot at `snapshotPath`, to be gone on with.
    ///
    /// The snapshot must be of `log`: the trees of its replicas are compared with those of the log.
    ///
    /// - Parameter start: Where to go on: everything at or before this position that belongs to it is in the snapshot.
    /// - Parameter isBase: Whether the log itself begins with it: then it also counts where it was made for other kinds,
    ///   since the rows of records know none.
    /// - Returns: The view. It stands at the vector of the snapshot, and its checkpoint at `start`.
    /// - Throws: ``SnapshotError`` where it cannot be used; then nothing is left at `path` that anybody would take for a
    ///   view.
    /// - Complexity: O(records), about 2 us each.
    static func load(
        _ reader: SnapshotReader, at path: String, of log: EventLog, kinds: Kinds, goingOnAfter start: Position,
        isBase: Bool = false
    ) throws -> Environment {
        guard reader.head.log == log.id else { throw SnapshotError.otherHistory }
        guard isBase || reader.head.signature == kinds.signature else { throw SnapshotError.otherVersion }
        for replica in reader.head.replicas {
            let edge = try log.edge(of: replica.last.replica, through: replica.last.sequence)
            guard edge == replica.edge else { throw SnapshotError.otherHistory }
        }
        let environment = try create(at: path, log: log, kinds: kinds)
        do {
            let runs = try log.runIndex()
            let names = reader.head.names
            try environment.write { transaction in
                var loader = SnapshotLoader(try ViewTables(in: transaction), names: names, runs)
                // One core appends the rows that the others make.
                var work = OrderedWork<Result<LoadedPart, any Error>>()
                try reader.forEachChunk { type, content in
                    guard type == .records else { return loader.note(residue: content) }
                    if work.isFull, let part = work.next() { try loader.append(try part.get(), transaction) }
                    work.add { Result { try LoadedPart(content, kinds: kinds, names: names, runs) } }
                }
                while let part = work.next() { try loader.append(try part.get(), transaction) }
                try loader.finish(transaction)
                try setCheckpoint(after: start, in: transaction, of: log, kinds: kinds)
            }
            return environment
        } catch {
            environment.close()
            throw error
        }
    }

    /// Has a replay into the view of `transaction` go on behind `start`.
    static func setCheckpoint(
        after start: Position, in transaction: borrowing WriteTransaction, of log: EventLog, kinds: Kinds
    ) throws {
        let checksum = try log.withEvent(at: start) { frame, bytes in frame.checksum(in: bytes) }
        let checkpoint = Checkpoint(
            log: log.id, epoch: log.epoch, signature: kinds.signature, position: start, checksum: checksum ?? 0)
        try transaction.put(
            CheckedRow.seal(checkpoint.bytes).span.bytes, for: Checkpoint.key, in: ViewTables(in: transaction).meta)
    }
}

/// The rows and index entries that the records of one part of a snapshot make.
private struct LoadedPart: Sendable {
    /// The keys of the rows, and where each row ends in ``rows``.
    private(set) var keys: [(key: [UInt8], end: Int)] = []
    private(set) var rows = ByteWriter()
    private(set) var entries: [[UInt8]] = []

    init(_ content: [UInt8], kinds: Kinds, names: Names, _ runs: RunIndex) throws {
        try content.withSpan { bytes in
            do {
                var reader = ByteReader()
                let kind = try reader.text(in: bytes)
                let count = try reader.count(in: bytes, limit: RecordColumnsReader.limit)
                let columns = bytes.extracting(reader.offset..<bytes.byteCount)
                try read(columns, RecordColumnsReader(columns, count: count), kind, kinds[kind], names, runs)
            } catch is ByteCodingError { throw SnapshotError.damaged("a part") } catch is RowError {
                throw SnapshotError.damaged("a record")
            }
        }
    }

    private mutating func read(
        _ bytes: RawSpan, _ reader: RecordColumnsReader, _ kind: String, _ schema: KindSchema?, _ names: Names,
        _ runs: RunIndex
    ) throws {
        var reader = reader
        var state = RecordState()
        while let id = try reader.next(
            bytes, into: &state, names: names,
            position: { replica, sequence in
                Int(replica) < names.replicas.count ? runs.position(of: names.replicas[Int(replica)], sequence) : 0
            })
        {
            let key = RecordKey.of(kind: kind, id)
            state.encode(into: &rows, keyChecksum: key.withSpan { CRC32C.checksum($0) })
            keys.append((key, rows.count))
            for entry in schema?.indexEntries(ShownValues(state, names)) ?? [] {
                entries.append(IndexKey.of(kind: kind, entry, id))
            }
        }
    }
}

/// Appends the records of a snapshot to the tables of an empty view, in order of their keys.
private struct SnapshotLoader {
    private let tables: ViewTables
    private let names: Names
    private let runs: RunIndex
    private var entries: [[UInt8]] = []
    private var unread: [(position: Position, reason: [UInt8])] = []

    init(_ tables: ViewTables, names: Names, _ runs: RunIndex) {
        self.tables = tables
        self.names = names
        self.runs = runs
    }

    mutating func append(_ part: LoadedPart, _ transaction: borrowing WriteTransaction) throws {
        var start = 0
        try part.rows.withSpan { rows in
            for (key, end) in part.keys {
                try transaction.append(rows.extracting(start..<end), for: key, in: tables.records)
                start = end
            }
        }
        entries += part.entries
    }

    /// Notes events that the writer could not fold, and that a program of the same version cannot either.
    mutating func note(residue content: [UInt8]) {
        content.withSpan { bytes in
            var offset = 0
            while let frame = try? Frame(parsing: bytes.extracting(offset..<bytes.byteCount)) {
                let event = bytes.extracting(offset..<(offset + frame.length))
                let position = runs.position(of: frame.id.replica, frame.id.sequence)
                do throws(ChangeError) {
                    var reader = try ChangeReader(
                        shape: event.extracting(frame.shape), isWithheld: frame.isWithheld, by: frame.id.replica)
                    try reader.validate(shape: event.extracting(frame.shape), values: event.extracting(frame.values))
                } catch { if position > 0 { unread.append((position, UnreadEvent.encode(error))) } }
                offset += frame.length
                if offset == bytes.byteCount { return }
            }
        }
    }

    mutating func finish(_ transaction: borrowing WriteTransaction) throws {
        for key in ByteOrder.sorted(entries) {
            var checksum = ByteWriter(capacity: 4)
            checksum.append(littleEndian: key.withSpan { CRC32C.checksum($0) })
            try checksum.withSpan { try transaction.append($0, for: key, in: tables.index) }
        }
        for entry in unread.sorted(by: { $0.position < $1.position }) {
            try transaction.put(entry.reason.span.bytes, for: entry.position, in: tables.unread)
        }
        try transaction.put(
            CheckedRow.seal(names.encode()).span.bytes, for: SliceWriter.namesKey, in: tables.meta)
    }
}
