import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// The smallest store there is: the state of every record, in memory, folded out of the bytes of events.
struct FoldedStore {
    private(set) var states: [RecordID: RecordState] = [:]
    private(set) var names = Names()
    private var position: Position = 0
    private var schema: KindSchema?
    /// Whether every state goes through its row after every event, as in a store that is closed after each.
    var savesEachStep = false

    init(schema: KindSchema? = nil, savesEachStep: Bool = false) {
        self.schema = schema
        self.savesEachStep = savesEachStep
    }

    init(folding events: some Sequence<FramedEvent>, schema: KindSchema? = nil, savesEachStep: Bool = false) throws {
        self.init(schema: schema, savesEachStep: savesEachStep)
        for event in events { try fold(event) }
    }

    /// Takes in one event as the projections do: checked to its end first, then folded.
    mutating func fold(_ event: FramedEvent) throws {
        try event.bytes.withSpan { bytes in
            let frame = try Frame(verifying: bytes)
            let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
            let start = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            var check = start
            try check.validate(shape: shape, values: values)
            position += 1
            for record in [start.record] + start.related(in: shape) {
                var reader = start
                try reader.skipNote(in: values)
                try states[record, default: RecordState()].fold(
                    &reader, of: record, shape: shape, values: values, event: frame.id, stamp: frame.stamp,
                    position: position, names: &names)
                if savesEachStep { states[record] = try states[record]!.savedAndLoaded() }
            }
        }
    }

    /// Puts every state and the names through their bytes, as closing and opening a store does.
    mutating func closeAndOpen() throws {
        for (record, state) in states { states[record] = try state.savedAndLoaded() }
        names = try names.encode().withSpan { bytes throws(ByteCodingError) in try Names(decoding: bytes) }
    }

    /// What `record` shows, or `nil` where nothing of it was ever met.
    subscript(record: RecordID) -> Record? {
        states[record].map { Record(kind: "thing", id: record, state: $0, names: names, schema: schema) }
    }

    /// All records as facts: what must not depend on the order of events.
    var facts: [RecordID: Facts] {
        states.filter { !$0.value.isEmpty }.mapValues { state in
            Facts(Record(kind: "thing", id: RecordID(high: 0, low: 0), state: state, names: names, schema: schema))
        }
    }

    func said(_ value: String, of field: FieldKey, by source: SourceID, in record: RecordID) -> Bool? {
        guard let field = names.knownOrdinal(of: field), let source = names.knownOrdinal(of: source) else { return nil }
        return states[record]?.asserts(Array(value.utf8), of: field, by: source)
    }
}

extension RecordState {
    /// The row of this state.
    var row: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// What is left of this state after it was written to its row and read again.
    func savedAndLoaded() throws -> RecordState {
        var copy = RecordState()
        try row.withSpan { try copy.decode($0) }
        return copy
    }
}

/// A record without its local positions.
struct Facts: Hashable {
    struct Head: Hashable {
        let id: HeadID
        let stamp: Stamp
        let source: SourceID?
        let value: [UInt8]?
        let isWithheld: Bool
    }
    struct Deletion: Hashable {
        let event: EventID
        let stamp: Stamp
        let covered: [EventID]
    }
    let fields: [FieldKey: [Head]]
    let deletions: [Deletion]
    let isVisible: Bool
    let hasConflict: Bool
    let eventCount: Int

    init(_ record: Record) {
        fields = Dictionary(
            uniqueKeysWithValues: record.fields.map { field in
                let heads = field.heads.map {
                    Head(id: $0.id, stamp: $0.stamp, source: $0.source, value: $0.value, isWithheld: $0.isWithheld)
                }
                return (field.key, heads)
            })
        deletions = record.deletions.map { Deletion(event: $0.event, stamp: $0.stamp, covered: $0.covered) }
        isVisible = record.isVisible
        hasConflict = record.hasConflict
        eventCount = record.eventCount
    }
}
