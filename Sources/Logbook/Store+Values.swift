import GroundwaveProjections
import GroundwaveRadio
import GroundwaveStore

extension Store {
    /// What `query` finds, now and after every change of it, by this or any other process.
    ///
    /// The first element comes at once. Changes that come together are told together; the last state is always told,
    /// and none twice in a row. The sequence ends when its task is cancelled.
    public func values(of query: ContactQuery) -> ContactSequence { ContactSequence(store: self, query: query) }
}

/// The contacts of a query as they change. Each iteration starts with what is there.
public struct ContactSequence: AsyncSequence, Sendable {
    let store: Store
    let query: ContactQuery

    /// Starts with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, query: query) }

    /// Hands out one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let store: Store
        let query: ContactQuery
        private var last: [Contact]?
        private var seen: UInt64?

        init(store: Store, query: ContactQuery) {
            self.store = store
            self.query = query
        }

        /// The next state that differs; waits for it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Contact]? {
            while true {
                if let seen { await store.commits.wait(beyond: seen) }
                if Task.isCancelled { return nil }
                // Taken before reading: what is committed while this reads is looked at once more.
                seen = store.commits.generation
                let contacts = try store.read { try $0.all(query) }.map { Contact($0) }
                if contacts == last { continue }
                last = contacts
                return contacts
            }
        }

        /// The next state that differs; waits for it.
        public mutating func next() async throws -> [Contact]? { try await next(isolation: nil) }
    }
}
