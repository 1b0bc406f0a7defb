import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

/// What events touch that came late: the records, and the blocks of series.
struct LateTouch {
    /// A record, and where events of it came late.
    struct Late {
        let kind: String
        let record: RecordID
        var positions: [Position] = []
    }

    /// The positions of all of these events.
    private(set) var positions: [Position] = []
    /// Where the events that add to series lie in the map of the log's snapshot.
    private(set) var blocks: [(position: Position, place: Place)] = []
    /// The events that cannot be read.
    private(set) var unread: [(position: Position, reason: [UInt8])] = []
    private var records: [[UInt8]: Late] = [:]

    /// The records by their keys, in order of these.
    var recordsInOrder: [(key: [UInt8], late: Late)] {
        ByteOrder.sorted(Array(records.keys)).compactMap { key in records[key].map { (key, $0) } }
    }

    /// Takes in an event that was handed out by `snapshot`.
    mutating func note(_ frame: Frame, _ bytes: RawSpan, at position: Position, in snapshot: borrowing LogSnapshot) {
        positions.append(position)
        do throws(ChangeError) {
            let shape = bytes.extracting(frame.shape)
            let reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            if reader.block != nil { return blocks.append((position, snapshot.place(of: bytes))) }
            let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
            records[RecordKey.of(kind: kind, reader.record), default: Late(kind: kind, record: reader.record)]
                .positions.append(position)
        } catch {
            unread.append((position, UnreadEvent.encode(error)))
        }
    }
}

extension Replayer {
    /// Folds anew what events touch that came late since the view's checkpoint, and stand at or before it; those behind it
    /// are met in their turn. Returns whether there was any.
    ///
    /// - Complexity: O(events of these records, and blocks of these cells), whatever the length of the log.
    func foldLate(into environment: Environment, _ outcome: inout Outcome) throws -> Bool {
        guard let history else { return false }
        let start = try environment.read { try Self.checkpoint(in: $0, ViewTables(in: $0)) }
        try check(start)
        guard try start.content.late < log.content().late else { return false }
        // What an archive stands for stays as it says.
        let archived = try log.base()?.vector ?? VersionVector()
        try log.withSnapshot { snapshot in
            let content = try snapshot.content()
            guard content.generation == start.content.generation else { throw ViewError.stale }
            var (touched, last) = (LateTouch(), start)
            last.content = content
            try snapshot.scanLate(after: start.content.late) { number, position, frame, bytes in
                if position <= start.position, isWanted(frame.id), !archived.contains(frame.id) {
                    touched.note(frame, bytes, at: position, in: snapshot)
                }
                guard touched.positions.count == sliceCount else { return true }
                last.content = LogContent(generation: content.generation, late: number)
                return false
            }
            try environment.write { transaction in
                // Another process may have come first: then its work stands, and the rest is read anew.
                guard try Self.checkpoint(in: transaction, ViewTables(in: transaction)) == start else { return }
                var writer = try SliceWriter(transaction, kinds: kinds, filter)
                try writer.fold(touched, history, archived: archived, from: snapshot, transaction)
                try writer.finish(through: last, unread: touched.unread, transaction)
                outcome.events += touched.positions.count
                outcome.unread += touched.unread.count + writer.unread.count
            }
        }
        return true
    }
}
