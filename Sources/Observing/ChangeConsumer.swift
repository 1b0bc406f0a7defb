import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveStore

/// A reader of changes whose place is kept with the log: for an index, a server or a file of the application's own, which
/// follows the store across restarts.
///
/// ```swift
/// let consumer = try store.consumer("search", matching: .kind("inspection"))
/// for try await step in consumer.steps() {
///     switch step {
///     case .reset: index.removeAll(); try index.fill(from: store)
///     case .changes(let set): for change in set.changes { index.apply(change) }
///     }
///     try await consumer.acknowledge(step)
/// }
/// ```
///
/// Each change comes at least once: what was not acknowledged comes again after a restart, with the same
/// ``ChangeSet/RecordChange/event``. Programs that use one name share one place.
public struct ChangeConsumer: Sendable {
    /// What a consumer has to do next.
    public enum Step: Sendable {
        /// Drop what was made of earlier changes, and make it anew of the present state of the store. The first step of a new
        /// consumer; also of one whose place is in a history that the store no longer has, and of one that was
        /// written by a program with other kinds, which may have passed over what this one can read.
        case reset(ChangeToken)
        /// Follow a batch. It may have no changes: then only the place moves.
        case changes(ChangeSet)

        /// The place behind the step.
        public var token: ChangeToken {
            switch self {
            case .reset(let token): token
            case .changes(let set): set.token
            }
        }
    }

    /// Its name.
    public let name: String
    let store: Store
    let filter: ChangeFilter
    /// Stands for the kinds of the changes: see ``Kinds/fingerprint(of:)``.
    private let kinds: String

    init(name: String, store: Store, filter: ChangeFilter) {
        (self.name, self.store, self.filter) = (name, store, filter)
        kinds = String(store.kinds.fingerprint(of: filter.kind), radix: 16)
    }

    /// Returns the place behind the last acknowledged step; `nil` if the next step is a reset.
    ///
    /// - Throws: ``StoreError`` if the log cannot be read. Cost: a look-up.
    public func place() throws -> ChangeToken? {
        try store.describing {
            // The token, a space, and the fingerprint of the kinds.
            let parts = try store.log.consumer(name)?.split(separator: " ") ?? []
            guard parts.count == 2, parts[1] == kinds, let token = ChangeToken(String(parts[0])),
                try store.log.hasHistory(of: token)
            else { return nil }
            return token
        }
    }

    /// Returns the steps from the present place on, as they become due.
    ///
    /// - Parameter end: The token behind which the sequence ends, such as ``Store/currentToken()``; `nil` to wait for more.
    /// - Throws: From the first element on: ``StoreError`` if the log cannot be read.
    public func steps(through end: ChangeToken? = nil) -> Steps { Steps(consumer: self, end: end) }

    /// Keeps the place behind `step`, durably. What lies before it does not come again. While the store is suspended, this
    /// waits as the steps do.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only; `usage` if the log has 256 other consumers.
    ///   `CancellationError` if the task is cancelled while the store is suspended. Then the place is where it was.
    /// - Complexity: One commit, as for a batch: acknowledge as seldom as repeats may be many.
    public func acknowledge(_ step: Step) async throws {
        guard await store.log.usage.follow() else { throw CancellationError() }
        defer { store.log.usage.end() }
        guard try await keep("\(step.token) \(kinds)") else {
            throw StoreError(
                .usage, "The log has \(EventLog.consumerCount) consumers already.",
                hint: "Forget those that are no longer used.")
        }
    }

    /// Forgets the place: the next step is a reset.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only.
    /// - Complexity: One commit.
    public func forget() async throws { _ = try await keep(nil) }

    private func keep(_ text: String?) async throws -> Bool {
        guard let writer = store.writer else {
            throw StoreError(.notPermitted, "The store \(store.files.folder.path) is read-only.")
        }
        return try await store.passing {
            try await writer.exclusively { [log = store.log, name] in try log.setConsumer(name, text) }
        }
    }

    /// The steps of a consumer. Each iteration starts at its place.
    public struct Steps: AsyncSequence, Sendable {
        let consumer: ChangeConsumer
        let end: ChangeToken?

        /// Starts at the place of the consumer.
        public func makeAsyncIterator() -> Iterator { Iterator(consumer: consumer, end: end) }

        /// Returns the steps one by one.
        public struct Iterator: AsyncIteratorProtocol {
            let consumer: ChangeConsumer
            let end: ChangeToken?
            private var changes: ChangeSequence.Iterator?
            private let queue = ReadingQueue("groundwave.steps")

            init(consumer: ChangeConsumer, end: ChangeToken?) { (self.consumer, self.end) = (consumer, end) }

            private mutating func start(at token: ChangeToken) {
                changes = consumer.store.changes(since: token, through: end, matching: consumer.filter)
                    .makeAsyncIterator()
                changes?.isFollowing = true
            }

            private mutating func reset(isolation actor: isolated (any Actor)?) async throws -> Step {
                let token = try await queue.run { [consumer] in try consumer.store.currentToken() }
                start(at: token)
                return .reset(token)
            }

            /// Waits for the next step and returns it; `nil` at the end, or if the task is cancelled.
            ///
            /// - Throws: ``StoreError`` if the log cannot be read.
            /// - Complexity: As that of ``ChangeSequence``; a reset costs nothing.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Step? {
                if Task.isCancelled { return nil }
                if changes == nil {
                    let place = try await queue.run { [consumer] in try consumer.place() }
                    guard let token = place else { return try await reset(isolation: actor) }
                    start(at: token)
                }
                do {
                    return try await changes?.next(isolation: actor).map { .changes($0) }
                } catch let error as StoreError where error.code == .expired {
                    guard await consumer.store.log.usage.follow() else { return nil }
                    defer { consumer.store.log.usage.end() }
                    return try await reset(isolation: actor)
                }
            }

            /// Waits for the next step and returns it; `nil` at the end, or if the task is cancelled.
            ///
            /// - Throws: ``StoreError`` if the log cannot be read.
            public mutating func next() async throws -> Step? { try await next(isolation: nil) }
        }
    }
}

extension Store {
    /// Returns the consumer of changes called `name`, which goes on where it was acknowledged last.
    ///
    /// - Parameter filter: The changes that it gets. With another kind or other versions of the kinds, it is reset.
    /// - Throws: ``StoreError`` with code `usage` if the name is empty, longer than 64 bytes, or has a control character.
    public func consumer(_ name: String, matching filter: ChangeFilter = .all) throws -> ChangeConsumer {
        guard !name.isEmpty, name.utf8.count <= EventLog.consumerNameBytes, !name.utf8.contains(where: { $0 < 0x20 })
        else {
            throw StoreError(
                .usage, "“\(name)” cannot be the name of a consumer.",
                hint: "A name has 1 to 64 bytes, and no control characters.")
        }
        return ChangeConsumer(name: name, store: self, filter: filter)
    }

    /// Returns the names of the consumers that have a place in the log, in byte order.
    ///
    /// - Throws: ``StoreError`` if the log cannot be read.
    public func consumers() throws -> [String] { try describing { try log.consumers() } }
}
