import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages

// Rebuilds a log from the found events. Each event keeps its bytes except for its chain. If an event is missing before
// a later one of its replica, a placeholder takes its place: numbers and positions stay contiguous, and the event can
// be filled in if a peer turns out to have it.
extension Salvage {
    /// The result of rebuilding.
    package struct Written: Hashable, Sendable {
        /// The number of events that were written.
        package let events: Int
        /// The number of placeholders for lost events.
        package let placeholders: Int
        /// Whether the archive snapshot was lost with the file.
        package let isBaseLost: Bool
    }

    /// Writes a new log with the found events to `path`, where no file exists, and returns a summary.
    ///
    /// It is written under another name and then renamed: an interruption leaves nothing that looks like a log. The
    /// table `holes` lists the missing events.
    ///
    /// - Parameters:
    ///   - log: The id of the log.
    ///   - epoch: Another epoch than that of the file, since positions differ.
    ///   - arrival: The present moment, for events whose arrival time was lost.
    ///   - missing: The events that are missing, as in ``missing``.
    ///   - snapshot: The snapshot that replaces everything up to its vector, in pieces of ``LogBase/pieceSize``; if
    ///     `nil`, the archive snapshot of the file is used.
    /// - Throws: `LMDBError` if it cannot be written; `EventLogError` if event numbers imply more lost events than the
    ///   file could have held.
    /// - Complexity: O(events), each of which is read again.
    package func write(
        to path: String, log: LogID, epoch: UInt64, arrival: Arrival, missing: [EventRange],
        snapshot: (vector: VersionVector, pieces: [[UInt8]])? = nil,
        options: Environment.Options = Environment.Options()
    ) throws -> Written {
        // A frame has more bytes than its placeholder, so the file cannot have held more events than this.
        let placeLimit = byteCount / Frame.lostLength
        let generation = rows.meta(String(decoding: LogGeneration.key, as: UTF8.self)).flatMap { row in
            row.withSpan { LogGeneration($0) }
        }
        let base = snapshot.map { SalvagedBase($0.vector, $0.pieces) } ?? LogBase.whole(in: rows)
        var written = Written(events: 0, placeholders: 0, isBaseLost: false)
        try Environment.create(at: path, options: options) { transaction in
            try LogTables.create(in: transaction, after: generation)
            let tables = try LogTables(in: transaction)
            var writer = SalvageWriter(file, tables, firstOf: placeLimit)
            for frame in frames { try writer.append(frame, transaction) }
            try writer.finish(arrival, arrivals(), transaction)
            try write(log: log, epoch: epoch, writer, transaction, tables)
            try tables.holes.replace(with: EventSet(missing), in: transaction)
            if let base { try base.write(transaction, tables) }
            written = Written(
                events: frames.count, placeholders: writer.placeholderCount,
                isBaseLost: base == nil && rows.meta("base") != nil)
        }
        return written
    }

    /// Returns when the events arrived, by their former positions.
    private func arrivals() -> [(position: Position, row: ArrivalRow)] {
        rows.allRows(of: .arrivals).compactMap { key, value in
            value.withSpan { ArrivalRow($0) }.map { (key.span.bytes.bigEndianUInt64(at: 0), $0) }
        }.sorted { $0.position < $1.position }
    }

    /// Writes the rows that cannot be derived from the events.
    private func write(
        log: LogID, epoch: UInt64, _ writer: SalvageWriter, _ transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws {
        try tables.putNames(log: log, epoch: epoch, in: transaction)
        var state = writer.state
        if let known = rows.meta("state").flatMap({ $0.withSpan { LogState($0) } }) {
            state.clock = Swift.max(state.clock, known.clock)
        }
        try transaction.put(state.bytes.span.bytes, for: LogState.key, in: tables.meta)
        if let row = rows.meta(String(decoding: NameState.key, as: UTF8.self)) {
            try transaction.put(row.span.bytes, for: NameState.key, in: tables.meta)
        }
        for (key, value) in rows.allRows(of: .erased) {
            guard let key = RefusalKey(keyBytes: key.span.bytes) else { continue }
            try transaction.put(value.span.bytes, for: key, in: tables.erased)
        }
        let erased = try tables.erased.events(in: transaction)
        try tables.lacking.replace(with: writer.withheld.subtracting(erased), in: transaction)
        for (key, value) in rows.rows(of: .streams) where writer.heads[ReplicaID(key)] != nil {
            try transaction.put(value.span.bytes, for: ReplicaKey(ReplicaID(key)), in: tables.streams)
        }
        for (key, value) in rows.rows(of: .waiting) where (try? RangeFrame(reading: value, of: log)) != nil {
            try transaction.put(value.span.bytes, for: key, in: tables.waiting)
        }
        // A head that covers more events than are here proves nothing here; it is received again with these events.
        for (key, value) in rows.rows(of: .signed) where value.count == 136 {
            guard let whole = writer.wholeHeads[ReplicaID(key)], value.span.bytes.uint64(at: 0) <= whole else {
                continue
            }
            try transaction.put(value.span.bytes, for: ReplicaKey(ReplicaID(key)), in: tables.signed)
        }
    }
}

/// Appends found events to a new log, and collects the rows to write at its end.
private struct SalvageWriter {
    private(set) var state = LogState(nextPosition: 1, lastChecksum: 0, clock: Stamp(rawValue: 0))
    private(set) var heads: [ReplicaID: HeadRow] = [:]
    /// The last event of each replica before its first lost range.
    private(set) var wholeHeads: [ReplicaID: SequenceNumber] = [:]
    private(set) var placeholderCount = 0
    /// The events without values.
    private(set) var withheld = EventSet()

    private let tables: LogTables
    private let placeLimit: Int
    private var buffer = ByteWriter(capacity: 1024)
    private var window: FrameWindow
    /// The former and the new position of each run of found events.
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
            guard found.event.sequence - expected <= UInt64(Swift.max(0, placeLimit - placeholderCount)) else {
                throw EventLogError.damaged("event \(found.event.short), whose number is impossible")
            }
            if wholeHeads[replica] == nil { wholeHeads[replica] = expected - 1 }
            let stamp = heads[replica]?.stamp ?? found.stamp
            for sequence in expected..<found.event.sequence {
                try put(EventID(replica, sequence), stamp, transaction) { buffer, event, previous in
                    buffer.append(lost: event, stamp: stamp, after: previous)
                }
                placeholderCount += 1
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
        try tables.startRun(of: event.replica, at: state.nextPosition, after: heads[event.replica], in: transaction)
        buffer.removeAll()
        state.lastChecksum = fill(&buffer, event, state.lastChecksum)
        try buffer.withSpan { try transaction.append($0, for: state.nextPosition, in: tables.events) }
        heads[event.replica] = HeadRow(sequence: event.sequence, position: state.nextPosition, stamp: stamp)
        state.nextPosition += 1
        state.clock = Swift.max(state.clock, stamp)
    }

    /// Writes the rows derived from the events.
    mutating func finish(
        _ now: Arrival, _ arrivals: [(position: Position, row: ArrivalRow)], _ transaction: borrowing WriteTransaction
    ) throws {
        for (replica, head) in heads.sorted(by: { $0.key < $1.key }) {
            if wholeHeads[replica] == nil { wholeHeads[replica] = head.sequence }
            try transaction.put(head.bytes.span.bytes, for: ReplicaKey(replica), in: tables.heads)
        }
        // Events without an arrival row get the time of this recovery.
        var next: Position = 1
        for (old, row) in arrivals {
            guard let first = newPosition(of: old), first >= next else { continue }
            let (behind, overflow) = old.addingReportingOverflow(row.count)
            let end = Swift.max(first, (overflow ? nil : newPosition(of: behind)) ?? state.nextPosition)
            try tables.put(now, of: next..<first, in: transaction)
            try tables.put(row.arrival, of: first..<end, in: transaction)
            next = end
        }
        try tables.put(now, of: next..<state.nextPosition, in: transaction)
    }

    /// Returns the new position of the first event that was at `position` or behind it.
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

/// The archive snapshot as it was found.
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
    /// Returns the archive snapshot in `rows`; `nil` if it is incomplete.
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
