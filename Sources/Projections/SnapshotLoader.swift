import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages
import GroundwaveRecords

extension Views {
    /// Builds a view in a new file at `path` from a snapshot, ready for further events.
    ///
    /// The snapshot must be of `log`: the trees of its replicas are compared with those of the log.
    ///
    /// - Parameter start: The position after which to resume: the snapshot has all of its events at or before this
    ///   position.
    /// - Parameter end: The position through which to fold the events of `filter` immediately. They are merged with
    ///   the rows of the snapshot in record order, so that each row is written once.
    /// - Parameter content: The content of the log before anything of it was read.
    /// - Parameter isBase: Whether it is the log's archive snapshot. Then it may be of any layout, since it is the only
    ///   source of what it covers.
    /// - Returns: The view. Its checkpoint is at `end`, or, without one, at `start`.
    /// - Throws: ``SnapshotError`` if the snapshot is unusable; then no usable view is left at `path`.
    /// - Complexity: O(records), about 2 us each.
    static func load(
        _ reader: SnapshotReader, at path: String, of log: EventLog, kinds: Kinds, resumingAfter start: Position,
        through end: Position? = nil, _ filter: EventFilter = EventFilter(), isBase: Bool = false,
        content: LogContent
    ) throws -> Environment {
        guard reader.head.log == log.id else { throw SnapshotError.otherHistory }
        guard try isBase || reader.head.layout == Kinds.layout(for: log, of: reader.head.vector) else {
            throw SnapshotError.otherVersion
        }
        // The archive snapshot still covers lost ranges, whose trees can no longer be computed.
        let lost = isBase ? try log.lostRanges() : []
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

    /// Makes a replay into the view of `transaction` resume after `start`.
    static func setCheckpoint(
        after start: Position, in transaction: borrowing WriteTransaction, of log: EventLog
    ) throws {
        var checkpoint = try Replayer.checkpoint(in: transaction, ViewTables(in: transaction))
        checkpoint.position = start
        checkpoint.checksum = try log.checksum(at: start) ?? 0
        try RowWriter(transaction).put(checkpoint, transaction)
    }
}

/// The rows made from one chunk of a snapshot's records, and those that are derived from them.
private struct LoadedPart: Sendable {
    /// The key of each row, and the ends of its row and of what was derived from it.
    private(set) var records: [(key: [UInt8], rowEnd: Int, derivedEnd: Int)] = []
    private(set) var rows = ByteWriter()
    private(set) var derived = RowList()

    init(
        _ content: [UInt8], kinds: Kinds, _ derivations: KnownDerivations, names: Names, _ runs: RunIndex
    ) throws {
        try content.withSpan { bytes in
            do {
                var reader = ByteReader()
                let kind = try reader.text(in: bytes)
                let count = try reader.count(in: bytes, limit: RecordColumnsReader.limit)
                let columns = bytes.extracting(reader.offset..<bytes.byteCount)
                try read(
                    columns, RecordColumnsReader(columns, count: count), kind, kinds, derivations, names, runs)
            } catch is ByteCodingError { throw SnapshotError.damaged("a part") } catch is RowError {
                throw SnapshotError.damaged("a record")
            }
        }
    }

    private mutating func read(
        _ bytes: RawSpan, _ reader: RecordColumnsReader, _ kind: String, _ kinds: Kinds,
        _ derivations: KnownDerivations, _ names: Names, _ runs: RunIndex
    ) throws {
        var reader = reader
        var state = RecordState()
        var found = IndexEntries()
        while let id = try reader.next(
            bytes, into: &state, names: names,
            position: { replica, sequence in
                Int(replica) < names.replicas.count ? runs.position(of: names.replicas[Int(replica)], sequence) : 0
            })
        {
            let key = RecordKey.of(kind: kind, id)
            state.encode(into: &rows, keyChecksum: key.withSpan { CRC32C.checksum($0) })
            for place in kinds.derivations(of: kind) {
                kinds.derivations[place].makeRows(of: id, kind, state, names, kinds[kind], into: &found)
                derived.append(found, of: derivations.numbers[place], id)
            }
            records.append((key, rows.count, derived.count))
        }
    }
}

/// The rows of a snapshot in key order, made on all cores.
struct SnapshotRows {
    private let reader: SnapshotReader
    private let kinds: Kinds
    private let derivations: KnownDerivations
    private let runs: RunIndex
    private var work = OrderedWork<Result<LoadedPart, any Error>>()
    private var offset = 0
    private var isAtEnd = false
    private var part: LoadedPart?
    private var index = 0
    /// The events that neither the writer nor this version can fold.
    private(set) var unread: [(position: Position, reason: [UInt8])] = []
    /// The blocks of series.
    private(set) var blocks: [SnapshotBlock] = []

    init(of reader: SnapshotReader, kinds: Kinds, _ derivations: KnownDerivations, _ runs: RunIndex) {
        self.reader = reader
        self.kinds = kinds
        self.derivations = derivations
        self.runs = runs
    }

    /// Yields the next rows, through the one under `key`; without a key, all remaining ones. What was derived from a row is
    /// in `range` of `derived`.
    mutating func pass(
        through key: [UInt8]?,
        _ body: (_ key: [UInt8], _ row: RawSpan, _ derived: RowList, _ range: Range<Int>) throws -> Void
    ) throws {
        while true {
            guard let part, index < part.records.count else {
                guard try readPart() else { return }
                continue
            }
            let record = part.records[index]
            if let key, key.lexicographicallyPrecedes(record.key) { return }
            let (row, first) =
                index == 0 ? (0, 0) : (part.records[index - 1].rowEnd, part.records[index - 1].derivedEnd)
            index += 1
            try part.rows.withSpan { rows in
                try body(record.key, rows.extracting(row..<record.rowEnd), part.derived, first..<record.derivedEnd)
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
                work.add { [kinds, derivations, runs, names = reader.head.names] in
                    Result { try LoadedPart(content, kinds: kinds, derivations, names: names, runs) }
                }
            case .blocks: blocks += try SnapshotBlock.read(content, runs)
            default: note(residue: content)
            }
        }
        guard let next = work.next() else { return false }
        part = try next.get()
        index = 0
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
