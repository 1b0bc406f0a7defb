import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// What a device shows: the fold of its log, event by event in the order in which they arrived.
struct View {
    static let kind = "thing"
    static let frequency = FieldKey.number(1)
    static let notes = FieldKey.name("notes")
    static let parks = FieldKey.number(3)
    static let schema = KindSchema(name: kind, fields: [.init(1, "freq"), .init(3, "parks", .union)])

    private(set) var states: [RecordID: RecordState] = [:]
    private(set) var names = Names()
    /// How far it has come.
    private(set) var position: Position = 0
    /// What is to be erased, by the event that says so.
    private(set) var erasures: [EventID: EventSet] = [:]
    /// Events that this version does not know.
    private(set) var unknownCount = 0

    init() {}

    /// What `record` shows; `nil` where nothing of it was ever met.
    subscript(record: RecordID) -> Record? {
        states[record].map { Record(kind: Self.kind, id: record, state: $0, names: names, schema: Self.schema) }
    }

    /// The positions of all events of the records that were erased.
    var positionsOfErased: [Position] {
        states.values.filter(\.isErased).flatMap { $0.history.positions }.sorted()
    }

    /// What is kept beside the records.
    var withoutRecords: View { with([:], Names()) }

    func with(_ states: [RecordID: RecordState], _ names: Names) -> View {
        var view = self
        (view.states, view.names) = (states, names)
        return view
    }

    /// All records that were ever met, in order.
    var records: [RecordID] { states.keys.sorted() }

    /// Folds what has come since.
    mutating func catchUp(with log: some SimulatedLog) throws {
        var (rest, author) = (0, ReplicaID(high: 0, low: 0))
        try log.forEach(from: position + 1) { position, frame, bytes in
            guard rest == 0 || frame.rest == rest - 1 && frame.id.replica == author else {
                throw BrokenPromise("The events of a batch do not stand together at position \(position).")
            }
            (rest, author) = (frame.rest, frame.id.replica)
            self.position = position
            try receive(frame, bytes)
        }
        guard rest == 0 else { throw BrokenPromise("The log shows half a batch.") }
    }

    /// Folds the records anew of which an event was erased.
    mutating func refold(_ erased: EventSet, from log: some SimulatedLog) throws {
        var records: Set<RecordID> = []
        try log.forEach(from: 1) { position, frame, bytes in
            guard erased.contains(frame.id), position <= self.position else { return }
            records.formUnion(try Self.records(frame, bytes))
        }
        for record in records.sorted() {
            let positions = states[record]?.history.positions ?? []
            states[record] = RecordState()
            for position in positions {
                try log.withEvent(at: position) { frame, bytes in try fold(frame, bytes, of: record, at: position) }
            }
        }
    }

    /// The record that the event writes to, and those related to it.
    private static func records(_ frame: Frame, _ bytes: RawSpan) throws -> Set<RecordID> {
        let shape = bytes.extracting(frame.shape)
        guard shape.byte(at: 0) == 1 else { return [] }
        let reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        return Set([reader.record] + reader.related(in: shape))
    }

    private mutating func receive(_ frame: Frame, _ bytes: RawSpan) throws {
        switch bytes.extracting(frame.shape).byte(at: 0) {
        case 1: for record in try Self.records(frame, bytes) { try fold(frame, bytes, of: record, at: position) }
        case SpecialEvent.erasure:
            let names = frame.names(in: bytes)
            let erased = try SpecialEvent.erased(bytes.extracting(frame.shape))
            erasures[frame.id] = EventSet(erased.ranges.flatMap { names($0) })
        default: unknownCount += 1
        }
    }

    private mutating func fold(
        _ frame: Frame, _ bytes: RawSpan, of record: RecordID, at position: Position
    ) throws {
        let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
        var reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        try reader.skipNote(in: values)
        try states[record, default: RecordState()].fold(
            &reader, of: record, shape: shape, values: values, event: frame.id, stamp: frame.stamp, position: position,
            names: &names)
    }
}

/// Events that are no changes of records.
enum SpecialEvent {
    static let erasure: UInt8 = 0x7E
    static let unknown: UInt8 = 0x55

    static func appendErasure(of events: EventSet, to batch: inout DraftBatch) {
        batch.append(
            shape: { writer in
                writer.append(erasure)
                for range in events.ranges {
                    writer.append(range.replica)
                    writer.append(littleEndian: range.first)
                    writer.append(littleEndian: range.last)
                }
            }, values: { _ in })
    }

    static func erased(_ shape: RawSpan) throws -> EventSet {
        EventSet(
            stride(from: 1, to: shape.byteCount, by: 32).map { start in
                EventRange(
                    ReplicaID(at: start, of: shape), shape.uint64(at: start + 16),
                    through: shape.uint64(at: start + 24))
            })
    }

    /// An event of a later version.
    static func appendUnknown(_ number: UInt64, to batch: inout DraftBatch) {
        batch.append(
            shape: { writer in
                writer.append(unknown)
                writer.append(littleEndian: number)
            }, values: { $0.append(littleEndian: number) })
    }
}
