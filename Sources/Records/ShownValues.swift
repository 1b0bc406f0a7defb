import GroundwaveEvents

/// The values that a record shows, directly from its state, for building an index.
///
/// Cheaper than a ``Record``: it resolves only what is requested.
public struct ShownValues: Sendable {
    private let state: RecordState
    private let names: Names
    private let schema: KindSchema

    /// The values that `state` shows by the policies of `schema`.
    public init(_ state: RecordState, _ names: Names, schema: KindSchema) {
        self.state = state
        self.names = names
        self.schema = schema
    }

    /// Whether the record is shown.
    public var isVisible: Bool { state.isVisible }

    /// The import sources that have asserted anything of the record, in order of their local numbers.
    public var sources: [SourceID] { state.sources.map { names.sources[Int($0) - 1] } }

    /// The value shown for the field `number`, or `nil` if it has none.
    public func value(_ number: UInt32) -> ArraySlice<UInt8>? {
        var shown: RecordState.Head?
        for head in state.heads where head.field == number {
            if shown != nil { return valueOfSeveral(number) }
            shown = head
        }
        guard let shown, shown.code.hasValue, !shown.isWithheld else { return nil }
        return state.values[shown.value]
    }

    private func valueOfSeveral(_ number: UInt32) -> ArraySlice<UInt8>? {
        let heads = state.heads.filter { $0.field == number }.map { Record.Head($0, of: state, names) }
        return Record.Field(names.field(number), heads, schema: schema).value?[...]
    }

    /// The value shown for the field `name`, which has no number.
    public func value(named name: String) -> ArraySlice<UInt8>? {
        names.knownOrdinal(of: .name(name)).flatMap { value($0) }
    }
}
