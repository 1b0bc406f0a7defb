import GroundwaveByteCoding
import GroundwaveEvents

/// The values that a record shows, directly from its state: for an index, or for a walk over many records.
///
/// Cheaper than a ``Record``: it resolves only what is requested, and a value is a slice of the state's. Where a field
/// has several heads, its policy decides as in a ``Record``. It is only lent, since a walk uses it again for each record.
public struct ShownValues: ~Copyable, Sendable {
    /// The state that the values are read from.
    package var state: RecordState
    package let names: Names
    private let schema: KindSchema?

    /// The values that `state` shows by the policies of `schema`.
    public init(_ state: RecordState, _ names: Names, schema: KindSchema?) {
        self.state = state
        self.names = names
        self.schema = schema
    }

    /// Whether the record is shown.
    public var isVisible: Bool { state.isVisible }

    /// The position of the first event that touched the record, in this store's log.
    package var firstPosition: Position { state.history.first }

    /// The position of the last event that touched the record, in this store's log.
    package var lastPosition: Position { state.history.last }

    /// Whether a shown value was written at this time or later, in milliseconds.
    package func isShown(since milliseconds: Int64) -> Bool {
        if state.heads.count > Self.fewHeads {
            return record("", RecordID(high: 0, low: 0)).fields.contains { $0.shown.stamp.milliseconds >= milliseconds }
        }
        return state.heads.contains { head in
            guard state.writers[Int(head.writer)].stamp.milliseconds >= milliseconds else { return false }
            return state.heads.count { $0.field == head.field } == 1
                || field(head.field).shown.stamp.milliseconds >= milliseconds
        }
    }

    /// The import sources that have asserted anything of the record, in order of their ids.
    public var sources: [SourceID] {
        let sources = state.sources
        return sources.count < 2
            ? sources.map { names.sources[Int($0) - 1] }
            : sources.map { names.sources[Int($0) - 1] }.sorted { $0.rawValue < $1.rawValue }
    }

    /// The text shown for the field `name`, or for the member `name` of a register; `nil` if there is none, or if it is
    /// withheld. That of a collection is its elements as one text, each once: see ``ListSyntax``.
    public func text(_ name: String) -> String? {
        guard let schema else { return value(named: name).map { String(decoding: $0, as: UTF8.self) } }
        if let register = schema.register(of: name), let place = register.members.firstIndex(of: name) {
            guard let value = value(register.number) else { return nil }
            return Register(decoding: Array(value), memberCount: register.members.count).values[place].map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        let value =
            switch schema.key(for: name) {
            case .number(let number): schema.policy(of: .number(number)) == .union ? elements(number) : value(number)
            case .name: value(named: name)
            }
        return value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the value that would be shown for the field `name`, or for the register that `name` is a member of, is not
    /// here or was erased.
    public func isWithheld(_ name: String) -> Bool {
        guard let ordinal = names.knownOrdinal(of: schema?.key(for: name) ?? .name(name)),
            state.heads.contains(where: { $0.field == ordinal })
        else { return false }
        return field(ordinal).shown.isWithheld
    }

    /// The value shown for the field `number`, or `nil` if it has none.
    public func value(_ number: UInt32) -> ArraySlice<UInt8>? {
        var shown = -1
        for index in state.heads.indices where state.heads[index].field == number {
            if shown >= 0 { return field(number).value?[...] }
            shown = index
        }
        return shown < 0 ? nil : value(ofHead: shown)
    }

    /// Whether `value` is, byte by byte, what is shown for the field with this local number.
    package func shows(_ value: RawSpan, in number: FieldOrdinal) -> Bool {
        var shown = -1
        for index in state.heads.indices where state.heads[index].field == number {
            if shown >= 0 { return field(number).value?.withSpan { $0.elementsEqual(value) } ?? false }
            shown = index
        }
        guard shown >= 0 else { return false }
        let head = state.heads[shown]
        return head.code.hasValue && !head.isWithheld
            && state.values.span.bytes.extracting(head.value).elementsEqual(value)
    }

    /// The value shown for the field `name`, which has no number.
    public func value(named name: String) -> ArraySlice<UInt8>? {
        names.knownOrdinal(of: .name(name)).flatMap { value($0) }
    }

    /// The elements of the collection `number` as one text, each once; `nil` if it has none.
    package func elements(_ number: UInt32) -> ArraySlice<UInt8>? {
        switch state.heads.count(where: { $0.field == number }) {
        case 0: nil
        case 1 where schema?.hasQuotedLists != true: value(number)
        default: schema?.elements(of: field(number))?[...]
        }
    }

    /// Puts the places of the state's heads into `order`, sorted by the keys of their fields, then by their ids: the same
    /// order in every store. Reuses the memory of `order`, and the order that this has put there for another record: most
    /// records have the same fields as the one before.
    package func sortHeads(into order: inout [Int]) {
        let isSorted =
            order.count == state.heads.count
            && !order.indices.dropFirst().contains { head(order[$0], precedes: order[$0 - 1]) }
        if !isSorted { order.sortPlaces(state.heads.count) { head($0, precedes: $1) } }
    }

    private func head(_ left: Int, precedes right: Int) -> Bool {
        let (a, b) = (state.heads[left].field, state.heads[right].field)
        if a == b { return id(ofHead: left) < id(ofHead: right) }
        // Field numbers are their own ordinals, and come before names.
        return a < .firstNamed || b < .firstNamed ? a < b : names.field(a) < names.field(b)
    }

    /// The id of the head at a place in the state.
    package func id(ofHead index: Int) -> HeadID {
        let writer = state.writers[Int(state.heads[index].writer)]
        return HeadID(EventID(names.replicas[Int(writer.replica)], writer.sequence), index: state.heads[index].index)
    }

    /// The deletes of the record, in order of event.
    package var deletions: [Record.Deletion] { Record.deletions(of: state, names) }

    /// Passes every field that has heads to `body`: its local number, and its value. The value is `nil` for a field that
    /// was cleared or whose value is withheld; that of a collection is its elements as one text, each once.
    ///
    /// - Parameter order: What ``sortHeads(into:)`` has put there.
    package func forEachField(
        in order: [Int], _ body: (_ field: FieldOrdinal, _ value: ArraySlice<UInt8>?) throws -> Void
    ) rethrows {
        var start = 0
        while start < order.count {
            let number = state.heads[order[start]].field
            var end = start + 1
            while end < order.count, state.heads[order[end]].field == number { end += 1 }
            if end == start + 1, schema?.hasQuotedLists != true {
                try body(number, value(ofHead: order[start]))
            } else {
                let field = field(number)
                try body(number, field.policy == .union ? schema?.elements(of: field)?[...] : field.value?[...])
            }
            start = end
        }
    }

    /// Up to so many heads are looked through for each of them: no record that a person made has more.
    private static let fewHeads = 64

    private func value(ofHead index: Int) -> ArraySlice<UInt8>? {
        let head = state.heads[index]
        return head.code.hasValue && !head.isWithheld ? state.values[head.value] : nil
    }

    /// The field as a ``Record`` has it.
    func field(_ number: FieldOrdinal) -> Record.Field {
        let heads = state.heads.filter { $0.field == number }.map { Record.Head($0, of: state, names) }
        return Record.Field(names.field(number), heads, schema: schema)
    }

    /// The record as a value that can be kept.
    package func record(_ kind: String, _ id: RecordID) -> Record {
        Record(kind: kind, id: id, state: state, names: names, schema: schema)
    }
}
