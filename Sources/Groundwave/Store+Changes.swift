import EventLog
import Events
import Projections
import Records

extension Store {
    /// The place behind the last event: from here on, ``changes(since:matching:)`` has only what is still to come.
    public func currentToken() throws -> ChangeToken {
        try describing { ChangeToken(epoch: log.epoch, position: try log.lastPosition()) }
    }

    /// The batches after `token` that match, as they come, by this or any other process: none is missed, none comes
    /// twice, and a batch comes whole.
    ///
    /// The sequence waits for what is still to come, and ends when its task is cancelled.
    ///
    /// - Parameter token: Where to go on; from the beginning of the log where it is `nil`.
    /// - Throws: From the first element on: ``StoreError`` with code `expired` where the token is of another history, or of
    ///   one that was archived since.
    public func changes(since token: ChangeToken?, matching filter: ChangeFilter = .all) -> ChangeSequence {
        ChangeSequence(store: self, token: token, filter: filter)
    }
}

/// The changes of a store from one place of its history on. Each iteration starts there.
public struct ChangeSequence: AsyncSequence, Sendable {
    let store: Store
    let token: ChangeToken?
    let filter: ChangeFilter

    /// Starts at the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: ChangeFeed(store: store, filter: filter, position: 0), token: token)
    }

    /// Hands out the changes one by one.
    public struct Iterator: AsyncIteratorProtocol {
        var feed: ChangeFeed
        var token: ChangeToken?

        /// The next changes; waits for them.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ChangeSet? {
            if let token {
                try feed.start(at: token)
                self.token = nil
            }
            while !Task.isCancelled {
                let generation = feed.store.commits.generation
                if let set = try feed.next() { return set }
                await feed.store.commits.wait(beyond: generation)
            }
            return nil
        }

        /// The next changes; waits for them.
        public mutating func next() async throws -> ChangeSet? { try await next(isolation: nil) }
    }
}

/// Reads the log batch by batch.
struct ChangeFeed {
    let store: Store
    let filter: ChangeFilter
    /// The last event that was read.
    private(set) var position: Position
    /// The lost events that were seen last, and of which content of the log.
    private var lost: (events: EventSet, content: LogContent)?
    /// Events that came back behind this feed, to be told next.
    private var returned: ArraySlice<BatchPlace> = []
    private var devices: [ReplicaID: String] = [:]

    init(store: Store, filter: ChangeFilter, position: Position) {
        self.store = store
        self.filter = filter
        self.position = position
    }

    mutating func start(at token: ChangeToken) throws {
        let last = try store.currentToken()
        guard token.epoch == last.epoch, token.position <= last.position, try !isArchived(behind: token) else {
            throw StoreError(
                .expired, "The token \(token) belongs to a history that this store no longer has.",
                hint: "Read the present state of the store, and continue from \(last).")
        }
        position = token.position
    }

    /// Whether the values of events behind `token` were moved to an archive, so that the changes cannot be told.
    private func isArchived(behind token: ChangeToken) throws -> Bool {
        try store.describing {
            guard let archived = try store.log.base()?.vector else { return false }
            return try !store.log.vector(through: token.position).covers(archived)
        }
    }

    /// The next batch that matches, or what came back of one; `nil` where none is there yet.
    mutating func next() throws -> ChangeSet? {
        try store.describing {
            while let batch = try nextReturned() ?? nextBatch() {
                position = max(position, batch.last)
                if let set = try changeSet(of: batch) { return set }
            }
            return nil
        }
    }

    private struct BatchPlace {
        var first: Position
        var last: Position
        var replica: ReplicaID
        var stamp: Stamp
    }

    /// Where the next batch stands, once all of it is there.
    private func nextBatch() throws -> BatchPlace? {
        let first = position + 1
        let found = try store.log.withEvent(at: first) { frame, _ in
            BatchPlace(first: first, last: first + UInt64(frame.rest), replica: frame.id.replica, stamp: frame.stamp)
        }
        guard let batch = found, try batch.last <= store.log.lastPosition() else { return nil }
        return batch
    }

    /// Events that had been lost and came back behind this feed since it looked last: those of one batch that stand together.
    private mutating func nextReturned() throws -> BatchPlace? {
        let content = try store.log.content()
        if content != lost?.content {
            let now = EventSet(try store.log.holes())
            if let before = lost?.events {
                for range in before.subtracting(now).ranges {
                    try store.log.scan(range) { position, frame, _ in
                        if position <= self.position { note(frame, at: position) }
                        return true
                    }
                }
            }
            lost = (now, content)
        }
        return returned.popFirst()
    }

    private mutating func note(_ frame: Frame, at position: Position) {
        if let last = returned.last, last.replica == frame.id.replica, last.stamp == frame.stamp,
            last.last + 1 == position
        {
            returned[returned.endIndex - 1].last = position
        } else {
            returned.append(
                BatchPlace(first: position, last: position, replica: frame.id.replica, stamp: frame.stamp))
        }
    }

    private mutating func changeSet(of batch: BatchPlace) throws -> ChangeSet? {
        let isLocal = batch.replica == store.replica
        if filter.excludesThisDevice, isLocal { return nil }
        let audit = store.audit
        var note = AuditNote()
        var changes: [ChangeSet.RecordChange] = []
        for position in batch.first...batch.last {
            // An event that changed nothing that shows is no change to tell.
            guard let entry = try audit.entry(at: position), !entry.changes.isEmpty else { continue }
            note = entry.note
            let change = ChangeSet.RecordChange(
                event: entry.event, kind: entry.kind, record: entry.record, isImported: entry.isImported,
                fields: entry.changes)
            if filter.matches(change) { changes.append(change) }
        }
        if changes.isEmpty { return nil }
        return ChangeSet(
            token: ChangeToken(epoch: store.log.epoch, position: position), stamp: batch.stamp,
            replica: batch.replica, device: try device(of: batch.replica), author: note.author, note: note.text,
            isLocal: isLocal, changes: changes)
    }

    private mutating func device(of replica: ReplicaID) throws -> String {
        if let name = devices[replica] { return name }
        devices = try store.deviceNames()
        return devices[replica] ?? replica.short
    }
}
