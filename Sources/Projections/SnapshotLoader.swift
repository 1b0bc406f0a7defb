import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveMDBPages
import GroundwaveRecords

extension Views {
    /// Builds a view in a new file at `path` from the snapshot at `snapshotPath`, to be gone on with.
    ///
    /// The snapshot must be of `log`: the trees of its replicas are compared with those of the log.
    ///
    /// - Parameter start: Where to go on: everything at or before this position that belongs to it is in the snapshot.
    /// - Parameter end: Through where to go on at once, with the events of `filter`: the rows of the snapshot and these
    ///   events are merged in order of the records, so that every row is written once.
    /// - Parameter content: That of the log before anything of it was looked at.
    /// - Parameter isBase: Whether the log itself begins with it: then it also counts where it was made for other kinds,
    ///   since the rows of records know none.
    /// - Returns: The view. Its checkpoint stands at `end`; without one, at `start`.
    /// - Throws: ``SnapshotError`` where it cannot be used; then nothing is left at `path` that anybody would take for a
    ///   view.
    /// - Complexity: O(records), about 2 us each.
    static func load(
        _ reader: SnapshotReader, at path: String, of log: EventLog, kinds: Kinds, goingOnAfter start: Position,
        through end: Position? = nil, _ filter: EventFilter = EventFilter(), isBase: Bool = false,
        content: LogContent
    ) throws -> Environment {
        guard reader.head.log == log.id else { throw SnapshotError.otherHistory }
        guard try isBase || reader.head.signature == kinds.signature(for: log) else { throw SnapshotError.otherVersion }
        // The base still stands for what was lost with a damaged file: nobody can hash that again.
        let lost = isBase ? try log.holes() : []
        for replica in reader.head.replicas {
            let last = replica.last
            if lost.contains(where: { $0.replica == last.replica && $0.first <= last.sequence }) { continue }
            let edge = try log.edge(of: last.replica, through: last.sequence)
            guard edge == replica.edge else { throw SnapshotError.otherHistory }
        }
        let environment = try create(at: path, log: log, kinds: kinds, content)
        do {
            try environment.write { try setCheckpoint(after: start, in: $0, of: log) }
            let replayer = Replayer(log: log, kinds: kinds, filter: filter, folded: reader.head.vector)
            try replayer.begin(environment, with: reader, through: end ?? start)
            _ = try replayer.catchUp(environment, through: end ?? start)
            return environment
        } catch {
            environment.close()
            throw error
        }
    }

    /// Has a replay into the view of `transaction` go on behind `start`.
    static func setCheckpoint(
        after start: Position, in transaction: borrowing WriteTransaction, of log: EventLog
    ) throws {
        var checkpoint = try Replayer.checkpoint(in: transaction, ViewTables(in: transaction))
        checkpoint.position = start
        checkpoint.checksum = try log.checksum(at: start) ?? 0
        try RowWriter(transaction).put(checkpoint, transaction)
    }
}

/// The rows and index entries that the records of one part of a snapshot make.
private struct LoadedPart: Sendable {
    /// The keys of the rows, and where each one's row and entries end.
    private(set) var records: [(key: [UInt8], rowEnd: Int, entryEnd: Int)] = []
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
            for entry in schema?.indexEntries(ShownValues(state, names)) ?? [] {
                entries.append(IndexKey.of(kind: kind, entry, id))
            }
            records.append((key, rows.count, entries.count))
        }
    }
}

/// The rows of a snapshot in order of their keys, which are made on all cores.
struct SnapshotRows {
    private let reader: SnapshotReader
    private let kinds: Kinds
    private let runs: RunIndex
    private var work = OrderedWork<Result<LoadedPart, any Error>>()
    private var offset = 0
    private var isAtEnd = false
    private var part: LoadedPart?
    private var place = 0
    /// The events that the writer could not fold, and that a program of the same version cannot either.
    private(set) var unread: [(position: Position, reason: [UInt8])] = []
    /// The blocks of series.
    private(set) var blocks: [SnapshotBlock] = []

    init(of reader: SnapshotReader, kinds: Kinds, _ runs: RunIndex) {
        self.reader = reader
        self.kinds = kinds
        self.runs = runs
    }

    /// Hands out the rows up to and with the one under `key`, those from the last call on; all that are left without one.
    mutating func pass(
        through key: [UInt8]?,
        _ body: (_ key: [UInt8], _ row: RawSpan, _ entries: ArraySlice<[UInt8]>) throws -> Void
    ) throws {
        while true {
            guard let part, place < part.records.count else {
                guard try readPart() else { return }
                continue
            }
            let record = part.records[place]
            if let key, key.lexicographicallyPrecedes(record.key) { return }
            let (row, entry) = place == 0 ? (0, 0) : (part.records[place - 1].rowEnd, part.records[place - 1].entryEnd)
            place += 1
            try part.rows.withSpan { rows in
                try body(record.key, rows.extracting(row..<record.rowEnd), part.entries[entry..<record.entryEnd])
            }
            if record.key == key { return }
        }
    }

    private mutating func readPart() throws -> Bool {
        while !isAtEnd, !work.isFull {
            guard let (type, content) = try reader.nextChunk(at: &offset) else {
                isAtEnd = true
                break
            }
            switch type {
            case .records:
                work.add { [kinds, runs, names = reader.head.names] in
                    Result { try LoadedPart(content, kinds: kinds, names: names, runs) }
                }
            case .blocks: blocks += try SnapshotBlock.read(content, runs)
            default: note(residue: content)
            }
        }
        guard let next = work.next() else { return false }
        part = try next.get()
        place = 0
        return true
    }

    private mutating func note(residue content: [UInt8]) {
        content.withSpan { bytes in
            var offset = 0
            while let frame = try? Frame(parsing: bytes.extracting(offset..<bytes.byteCount)) {
                let event = bytes.extracting(offset..<(offset + frame.length))
                let position = runs.position(of: frame.id.replica, frame.id.sequence)
                do throws(ChangeError) {
                    var reader = try ChangeReader(
                        shape: event.extracting(frame.shape), isWithheld: frame.isWithheld, by: frame.names(in: event))
                    try reader.validate(shape: event.extracting(frame.shape), values: event.extracting(frame.values))
                } catch { if position > 0 { unread.append((position, UnreadEvent.encode(error))) } }
                offset += frame.length
                if offset == bytes.byteCount { return }
            }
        }
    }
}
