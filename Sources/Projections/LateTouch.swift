import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords

/// The records and series blocks that late events touch.
struct LateTouch {
    /// A record, and the positions of its late events.
    struct Late {
        let kind: String
        let record: RecordID
        var positions: [Position] = []
    }

    /// The positions of all late events.
    private(set) var positions: [Position] = []
    /// The locations, in the memory map of the log's snapshot, of the events that add to series.
    private(set) var blocks: [(position: Position, place: Place)] = []
    /// The events that cannot be read.
    private(set) var unread: [(position: Position, reason: [UInt8])] = []
    private var records: [[UInt8]: Late] = [:]

    /// Whether a record of `kind` is touched.
    func includes(kind: String) -> Bool { records.values.contains { $0.kind == kind } }

    /// The number of touched records.
    var recordCount: Int { records.count }

    /// The touched records with their keys, in key order.
    var recordsInOrder: [(key: [UInt8], late: Late)] {
        records.keys.inByteOrder().compactMap { key in records[key].map { (key, $0) } }
    }

    /// Adds an event that `snapshot` has yielded.
    ///
    /// - Parameter roster: Who decides whether the event counts; `nil` if all do.
    mutating func note(
        _ frame: Frame, _ bytes: RawSpan, at position: Position, in snapshot: borrowing LogSnapshot,
        counting roster: Roster?
    ) {
        do throws(ChangeError) {
            let shape = bytes.extracting(frame.shape)
            let reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            guard roster?.folds(frame.id, reader, in: shape) ?? true else { return }
            positions.append(position)
            if reader.block != nil { return blocks.append((position, snapshot.place(of: bytes))) }
            noteRecords(of: reader, in: shape, at: position)
        } catch  where roster?.counts(frame.id) ?? true {
            positions.append(position)
            unread.append((position, UnreadEvent.encode(error)))
        } catch {}
    }

    /// Adds the records that an event touches, if it can be read.
    mutating func noteRecords(of frame: Frame, _ bytes: RawSpan, at position: Position) {
        let shape = bytes.extracting(frame.shape)
        let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        if let reader, reader.block == nil { noteRecords(of: reader, in: shape, at: position) }
    }

    private mutating func noteRecords(of reader: ChangeReader, in shape: RawSpan, at position: Position) {
        let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
        for id in [reader.record] + reader.related(in: shape) {
            records[RecordKey.of(kind: kind, id), default: Late(kind: kind, record: id)].positions.append(position)
        }
    }
}

extension Replayer {
    /// Folds late events that arrived since the view's checkpoint: refolds what they touch. Considers only events at
    /// or before the checkpoint's position, since the replay reaches the later ones anyway. Returns whether there
    /// were late events.
    ///
    /// - Complexity: O(events of these records, and blocks of these cells), whatever the length of the log.
    func foldLate(into environment: Environment, _ outcome: inout Outcome) throws -> Bool {
        guard let history else { return false }
        let start = try environment.read { try Self.checkpoint(in: $0, ViewTables(in: $0)) }
        try check(start)
        guard try start.content.late < log.content().late else { return false }
        // Events covered by the archive snapshot are not refolded.
        let archived = try log.base()?.vector ?? VersionVector()
        try log.withSnapshot { snapshot in
            let content = try snapshot.content()
            guard content.generation == start.content.generation else { throw ViewError.stale }
            var (touched, last) = (LateTouch(), start)
            last.content = content
            let roster = try snapshot.roster()
            try snapshot.scanLate(after: start.content.late) { number, position, frame, bytes in
                if position <= start.position, isWanted(frame.id), !archived.contains(frame.id) {
                    touched.note(frame, bytes, at: position, in: snapshot, counting: roster)
                }
                guard touched.positions.count == sliceCount else { return true }
                last.content = LogContent(generation: content.generation, late: number)
                return false
            }
            try environment.write { transaction in
                // If another process has advanced the view meanwhile, keep its result, and read the rest again.
                guard try Self.checkpoint(in: transaction, ViewTables(in: transaction)) == start else { return }
                var writer = try SliceWriter(transaction, kinds: kinds, filter)
                try writer.fold(touched, history, archived: archived, from: snapshot, transaction)
                try writer.finish(through: last, unread: touched.unread, transaction)
                if touched.includes(kind: ClockDeclaration.kind) { try followClocks(transaction) }
                outcome.events += touched.positions.count
                outcome.unread += touched.unread.count + writer.unread.count
            }
        }
        return true
    }
}
