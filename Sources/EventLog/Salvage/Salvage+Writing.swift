import ByteCoding
import Events
import LMDB

// A log that is made anew from what was found. Each event keeps its bytes but for its chain. Where an event is missing
// before a later one of its replica, its place is held by a frame that says so: numbers and positions stay without
// holes, and the event can take its place when somebody turns out to have it.
extension Salvage {
    /// What is written.
    package struct Written: Hashable, Sendable {
        /// How many events were written.
        package let events: Int
        /// How many places are held for lost ones.
        package let places: Int
        /// Whether the snapshot that stands for archived history was lost with the file.
        package let isBaseLost: Bool
    }

    /// Writes a new log with what was found to `path`, where there is no file, and returns what it has.
    ///
    /// It is made aside and renamed: whoever is stopped in between leaves nothing that looks like a log. The table
    /// `holes` names what is missing.
    ///
    /// - Parameters:
    ///   - log: The name of the log.
    ///   - epoch: Another one than that of the file: positions are others.
    ///   - arrival: The present moment, for events of which no time of arrival is left.
    ///   - missing: The events that are missing, as ``missing`` says.
    ///   - snapshot: What shall stand for everything up to its vector, in pieces of ``LogBase/pieceSize``; where it is
    ///     `nil`, what stood in the file for archived history.
    /// - Throws: `LMDBError` where it cannot be written; `EventLogError` where the file claims more events than it can
    ///   have had.
    /// - Complexity: O(events), each read once more.
    package func write(
        to path: String, log: LogID, epoch: UInt64, arrival: Arrival, missing: [EventRange],
        snapshot: (vector: VersionVector, pieces: [[UInt8]])? = nil,
        options: Environment.Options = Environment.Options()
    ) throws -> Written {
        // A frame has more bytes than its place: what is more than the file could hold was never in it.
        let placeLimit = byteCount / Frame.lostLength
        let generation = rows.meta(String(decoding: LogGeneration.key, as: UTF8.self)).flatMap { row in
            row.withSpan { LogGeneration($0) }
        }
        let base = snapshot.map { SalvagedBase($0.vector, $0.pieces) } ?? LogBase.whole(in: rows)
        var written = Written(events: 0, places: 0, isBaseLost: false)
        try Environment.create(at: path, options: options) { transaction in
            try LogTables.create(in: transaction, after: generation)
            let tables = try LogTables(in: transaction)
            var writer = SalvageWriter(file, tables, firstOf: placeLimit)
            for frame in frames { try writer.append(frame, transaction) }
            try writer.finish(arrival, arrivals(), transaction)
            try write(log: log, epoch: epoch, writer, transaction, tables)
            try EventLog.put(EventSet(missing), tables.holes, in: transaction)
            if let base { try base.write(transaction, tables) }
            written = Written(
                events: frames.count, places: writer.placeCount,
                isBaseLost: base == nil && rows.meta("base") != nil)
        }
        return written
    }

    /// When the events arrived, by their former positions.
    private func arrivals() -> [(position: Position, row: ArrivalRow)] {
        rows.allRows(of: .arrivals).compactMap { key, value in
            value.withSpan { ArrivalRow($0) }.map { (key.span.bytes.bigEndianUInt64(at: 0), $0) }
        }.sorted { $0.position < $1.position }
    }

    /// Writes the rows that do not follow from the events.
    private func write(
        log: LogID, epoch: UInt64, _ writer: SalvageWriter, _ transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws {
        try EventLog.putNames(log: log, epoch: epoch, in: transaction, tables)
        var state = writer.state
        if let known = rows.meta("state").flatMap({ $0.withSpan { LogState($0) } }) {
            state.clock = Swift.max(state.clock, known.clock)
        }
        try transaction.put(state.bytes.span.bytes, for: LogState.key, in: tables.meta)
        if let row = rows.meta(String(decoding: NameState.key, as: UTF8.self)) {
            try transaction.put(row.span.bytes, for: NameState.key, in: tables.meta)
        }
        for (key, value) in rows.allRows(of: .erased) {
            guard let key = ReplicaNumberKey(keyBytes: key.span.bytes) else { continue }
            try transaction.put(value.span.bytes, for: key, in: tables.erased)
        }
        let erased = try EventLog.erased(in: transaction, tables)
        try EventLog.put(writer.withheld.subtracting(erased), tables.lacking, in: transaction)
        for (key, value) in rows.rows(of: .streams) where writer.heads[ReplicaID(key)] != nil {
            try transaction.put(value.span.bytes, for: ReplicaKey(ReplicaID(key)), in: tables.streams)
        }
        for (key, value) in rows.rows(of: .waiting) where (try? RangeFrame(reading: value, of: log)) != nil {
            try transaction.put(value.span.bytes, for: key, in: tables.waiting)
        }
        // A head that proves more than is here proves nothing here; it comes again with what it proves.
        for (key, value) in rows.rows(of: .signed) where value.count == 136 {
            guard let whole = writer.wholeHeads[ReplicaID(key)], value.span.bytes.uint64(at: 0) <= whole else {
                continue
            }
            try transaction.put(value.span.bytes, for: ReplicaKey(ReplicaID(key)), in: tables.signed)
        }
    }
}

/// Appends events that were found to a new log, and keeps what has to be said of them at its end.
private struct SalvageWriter {
    private(set) var state = LogState(nextPosition: 1, lastChecksum: 0, clock: Stamp(rawValue: 0))
    private(set) var heads: [ReplicaID: HeadRow] = [:]
    /// The last event of each replica before its first hole.
    private(set) var wholeHeads: [ReplicaID: SequenceNumber] = [:]
    private(set) var placeCount = 0
    /// The events that came without values, or lost them.
    private(set) var withheld = EventSet()

    private let tables: LogTables
    private let placeLimit: Int
    private var buffer = ByteWriter(capacity: 1024)
    private var window: FrameWindow
    /// Where each event that was found stood, and where it stands now.
    private var moved: [(old: Position, new: Position)] = []

    init(_ file: PageFile, _ tables: LogTables, firstOf placeLimit: Int) {
        window = FrameWindow(file)
        self.tables = tables
        self.placeLimit = placeLimit
    }

    mutating func append(_ found: FoundFrame, _ transaction: borrowing WriteTransaction) throws {
        let replica = found.event.replica
        let expected = (heads[replica]?.sequence ?? 0) + 1
        guard found.event.sequence >= expected else { return }
        if found.event.sequence > expected {
            guard found.event.sequence - expected <= UInt64(Swift.max(0, placeLimit - placeCount)) else {
                throw EventLogError.damaged("event \(found.event.short), whose number is impossible")
            }
            if wholeHeads[replica] == nil { wholeHeads[replica] = expected - 1 }
            let stamp = heads[replica]?.stamp ?? found.stamp
            for sequence in expected..<found.event.sequence {
                try put(EventID(replica, sequence), stamp, transaction) { buffer, event, previous in
                    buffer.append(lost: event, stamp: stamp, after: previous)
                }
                placeCount += 1
            }
        }
        if moved.last.map({ $0.new + (found.position - $0.old) != state.nextPosition }) ?? true {
            moved.append((found.position, state.nextPosition))
        }
        let bytes = try window.bytes(of: found)
        if try Frame(bytes.span.bytes, at: 0).isWithheld { withheld.insert(found.event) }
        try put(found.event, found.stamp, transaction) { buffer, _, previous in
            buffer.append(rechaining: bytes.span.bytes, after: previous)
        }
    }

    private mutating func put(
        _ event: EventID, _ stamp: Stamp, _ transaction: borrowing WriteTransaction,
        _ fill: (inout ByteWriter, EventID, UInt32) -> UInt32
    ) throws {
        try EventLog.startRun(
            of: event.replica, at: state.nextPosition, after: heads[event.replica], transaction, tables)
        buffer.removeAll()
        state.lastChecksum = fill(&buffer, event, state.lastChecksum)
        try buffer.withSpan { try transaction.append($0, for: state.nextPosition, in: tables.events) }
        heads[event.replica] = HeadRow(sequence: event.sequence, position: state.nextPosition, stamp: stamp)
        state.nextPosition += 1
        state.clock = Swift.max(state.clock, stamp)
    }

    /// Writes what is to be said of the events.
    mutating func finish(
        _ now: Arrival, _ arrivals: [(position: Position, row: ArrivalRow)], _ transaction: borrowing WriteTransaction
    ) throws {
        for (replica, head) in heads.sorted(by: { $0.key < $1.key }) {
            if wholeHeads[replica] == nil { wholeHeads[replica] = head.sequence }
            try transaction.put(head.bytes.span.bytes, for: ReplicaKey(replica), in: tables.heads)
        }
        // What no row tells of came with this file.
        var next: Position = 1
        for (old, row) in arrivals {
            guard let first = newPosition(of: old), first >= next else { continue }
            let (behind, overflow) = old.addingReportingOverflow(row.count)
            let end = Swift.max(first, (overflow ? nil : newPosition(of: behind)) ?? state.nextPosition)
            try EventLog.put(now, of: next..<first, in: transaction, tables)
            try EventLog.put(row.arrival, of: first..<end, in: transaction, tables)
            next = end
        }
        try EventLog.put(now, of: next..<state.nextPosition, in: transaction, tables)
    }

    /// Where the first event stands now that stood at `position` or behind it.
    private func newPosition(of position: Position) -> Position? {
        var (low, high) = (0, moved.count)
        while low < high {
            let middle = (low + high) / 2
            if moved[middle].old <= position { low = middle + 1 } else { high = middle }
        }
        if low > 0 {
            let new = moved[low - 1].new + (position - moved[low - 1].old)
            let end = low < moved.count ? moved[low].new : state.nextPosition
            if new < end { return new }
        }
        return low < moved.count ? moved[low].new : nil
    }
}

/// The snapshot that stands for archived history, as it was found.
private struct SalvagedBase {
    let row: [UInt8]
    let pieces: [[UInt8]]

    init(row: [UInt8], pieces: [[UInt8]]) { (self.row, self.pieces) = (row, pieces) }

    init(_ vector: VersionVector, _ pieces: [[UInt8]]) {
        var hashes = ByteWriter()
        for piece in pieces { hashes.append(Hash256(hashing: piece.span.bytes)) }
        let base = LogBase(vector: vector, byteCount: pieces.reduce(0) { $0 + UInt64($1.count) })
        self.init(row: base.bytes(hash: hashes.withSpan { Hash256(hashing: $0) }), pieces: pieces)
    }

    func write(_ transaction: borrowing WriteTransaction, _ tables: LogTables) throws {
        for (index, piece) in pieces.enumerated() {
            try transaction.append(piece.span.bytes, for: UInt64(index), in: tables.base)
        }
        try transaction.put(row.span.bytes, for: LogBase.key, in: tables.meta)
    }
}

extension LogBase {
    /// The base among `rows`, where all of it is there.
    fileprivate static func whole(in rows: SalvagedRows) -> SalvagedBase? {
        guard let row = rows.meta("base"), let (base, hash) = row.withSpan({ LogBase.parse($0) }) else { return nil }
        let pieces = rows.rows(of: .base)
        var (hashes, count) = (ByteWriter(), UInt64(0))
        for (index, piece) in pieces.enumerated() {
            guard piece.key.span.bytes.bigEndianUInt64(at: 0) == UInt64(index) else { return nil }
            hashes.append(Hash256(hashing: piece.value.span.bytes))
            count += UInt64(piece.value.count)
        }
        guard count == base.byteCount, hashes.withSpan({ Hash256(hashing: $0) }) == hash else { return nil }
        return SalvagedBase(row: row, pieces: pieces.map(\.value))
    }
}
