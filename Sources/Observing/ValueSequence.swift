import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Returns what `body` reads, now and each time that this changes, by a commit of this or any other process.
    ///
    /// The first value comes at once, then one after each commit that makes a difference. Commits close together are
    /// combined; the last state is always delivered, and no value equals the one before it. The sequence ends when its
    /// task is cancelled.
    ///
    /// ```swift
    /// let failures = store.values(of: ["inspection"]) { try $0.sums(of: Results.self, ["Ladder", "failed"]) }
    /// for try await sums in failures { show(sums.first ?? 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - kinds: The kinds of the records that `body` reads: only commits that touch records of these kinds wake it.
    ///   - body: Reads a value from one state of the views. It runs on a thread of its own, never on the caller's actor,
    ///     and may run again for the same state.
    /// - Throws: From the sequence: the errors of ``Store/read(_:)``; those of `body` pass unchanged.
    public func values<Value: Equatable & Sendable>(
        of kinds: Set<String>, _ body: @escaping @Sendable (borrowing ViewReader) throws -> Value
    ) -> ValueSequence<Value> {
        ValueSequence(self, ObservedRead(kinds: kinds, body: body))
    }
}

/// The values of a query as they change. Each iteration starts with the present one.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
    private let start: @Sendable () -> @Sendable () async throws -> Value?

    package init<Source: ObservedSource>(_ store: Store, _ source: Source) where Source.Value == Value {
        start = {
            let observation = Observation(store, source)
            return { try await observation.next() }
        }
    }

    /// Starts with the present value.
    public func makeAsyncIterator() -> Iterator { Iterator(read: start()) }

    /// Returns one value after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let read: @Sendable () async throws -> Value?

        /// Waits for the next value that differs and returns it; `nil` if the task is cancelled. Nothing runs on `actor`
        /// meanwhile.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? { try await read() }

        /// Waits for the next value that differs and returns it; `nil` if the task is cancelled.
        public mutating func next() async throws -> Value? { try await read() }
    }
}

/// A closure that is run again whenever records of some kinds were touched.
package struct ObservedRead<Value: Equatable & Sendable>: ObservedSource {
    let kinds: Set<String>
    let body: @Sendable (borrowing ViewReader) throws -> Value
    private var last: Value?

    package init(kinds: Set<String>, body: @escaping @Sendable (borrowing ViewReader) throws -> Value) {
        (self.kinds, self.body) = (kinds, body)
    }

    package mutating func read(_ view: borrowing ViewReader, touched: TouchedRecords) throws -> Value? {
        guard touched.includes(anyOf: kinds) else { return nil }
        let value = try body(view)
        if value == last { return nil }
        last = value
        return value
    }
}

// Records as values of a ``TypedRecord``.
extension Store {
    /// Returns the records that show of a kind, in order of id, now and each time that one of them changes: see
    /// ``values(of:_:)``.
    public func values<Kind: TypedRecord>(of kind: Kind.Type) -> ValueSequence<[Saved<Kind>]> {
        values(of: [Kind.name]) { try $0.all(kind) }
    }

    /// Returns the records that `index` finds, now and each time that they change: see ``values(of:_:)``. The parameters are
    /// those of ``ViewReader/all(_:prefix:text:isBackwards:limit:)``.
    public func values<Kind: TypedRecord>(
        of index: RecordIndex<Kind>, prefix: ProjectionKey = [], text: String? = nil, isBackwards: Bool = false,
        limit: Int = .max
    ) -> ValueSequence<[Saved<Kind>]> {
        values(of: [Kind.name]) {
            try $0.all(index, prefix: prefix, text: text, isBackwards: isBackwards, limit: limit)
        }
    }
}
