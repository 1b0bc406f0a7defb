import Events

/// The values that a record shows, directly from its state, for building an index.
///
/// Cheaper than a ``Record``: it resolves only what is requested.
public struct ShownValues: Sendable {
    private let state: RecordState
    private let names: Names

    /// The values that `state` shows.
    public init(_ state: RecordState, _ names: Names) {
        self.state = state
        self.names = names
    }

    /// Whether the record is shown.
    public var isVisible: Bool { state.isVisible }

    /// The import sources that have asserted anything of the record, in order of their local numbers.
    public var sources: [SourceID] { state.sources.map { names.sources[Int($0) - 1] } }

    /// The value shown for the field `number` by the greatest stamp, or `nil` if it has none.
    public func value(_ number: UInt32) -> ArraySlice<UInt8>? {
        var shown: RecordState.Head?
        for head in state.heads where head.field == number {
            if let known = shown, !isShown(head, over: known) { continue }
            shown = head
        }
        guard let shown, shown.code.hasValue, !shown.isWithheld else { return nil }
        return state.values[shown.value]
    }

    /// The value shown for the field `name`, which has no number.
    public func value(named name: String) -> ArraySlice<UInt8>? {
        names.knownOrdinal(of: .name(name)).flatMap { value($0) }
    }

    private func isShown(_ head: RecordState.Head, over other: RecordState.Head) -> Bool {
        let (a, b) = (state.writers[Int(head.writer)], state.writers[Int(other.writer)])
        if a.stamp != b.stamp { return a.stamp > b.stamp }
        let (left, right) = (names.replicas[Int(a.replica)], names.replicas[Int(b.replica)])
        if left != right { return left > right }
        return (a.sequence, head.index) > (b.sequence, other.index)
    }
}
