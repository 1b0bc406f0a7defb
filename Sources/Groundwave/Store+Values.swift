import Projections
import Radio

extension Store {
    /// Returns the contacts of `query`, now and after every change of them, by this or any other process.
    ///
    /// The first element comes at once. Changes close together are combined; the last state is always delivered, and
    /// none twice in a row. The sequence ends when its task is cancelled.
    public func values(of query: ContactQuery) -> ContactSequence { ContactSequence(store: self, query: query) }
}

/// The contacts of a query as they change. Each iteration starts with the present state.
public struct ContactSequence: AsyncSequence, Sendable {
    let store: Store
    let query: ContactQuery

    /// Starts with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, query: query) }

    /// Returns one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let store: Store
        let query: ContactQuery
        private var last: [Contact]?
        private var seen: UInt64?

        init(store: Store, query: ContactQuery) {
            self.store = store
            self.query = query
        }

        /// Waits for the next state that differs and returns it; `nil` if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Contact]? {
            while true {
                if let seen { await store.commits.wait(beyond: seen) }
                if Task.isCancelled { return nil }
                // Taken before reading, so that a commit during the read causes another read.
                seen = store.commits.generation
                let contacts = try store.read { try $0.all(query) }.map { Contact($0) }
                if contacts == last { continue }
                last = contacts
                return contacts
            }
        }

        /// Waits for the next state that differs and returns it; `nil` if the task is cancelled.
        public mutating func next() async throws -> [Contact]? { try await next(isolation: nil) }
    }
}
