import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Returns the batches after `token` that match, as they arrive, written by this or any other process: none is
    /// missed, none comes twice, and a batch comes whole. Each says what it changed in what records show.
    ///
    /// Batches that do not match are passed over, and a set without changes tells how far: the token of the last set is
    /// always behind everything that was read. What arrives for an earlier place, such as events that had been lost, is told
    /// when it arrives.
    ///
    /// The sequence waits for further batches, unless `end` is given, and ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - token: The token to resume after; `nil` for the beginning of the log.
    ///   - end: The token behind which the sequence ends, such as ``currentToken()``; `nil` to wait for more.
    /// - Throws: From the first element on: ``StoreError`` with code `expired` if the token is of another history of
    ///   the log, or if events after it were archived since.
    /// - Complexity: About a microsecond for each event that a changed record has had, and for each batch.
    public func changes(
        since token: ChangeToken?, through end: ChangeToken? = nil, matching filter: ChangeFilter = .all
    ) -> ChangeSequence {
        ChangeSequence(store: self, token: token, end: end, filter: filter)
    }
}

/// The changes of a store after a token. Each iteration starts there.
public struct ChangeSequence: AsyncSequence, Sendable {
    let store: Store
    let token: ChangeToken?
    let end: ChangeToken?
    let filter: ChangeFilter

    /// Starts at the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: ChangeFeed(store: store, filter: filter), token: token, end: end)
    }

    /// Returns the changes one by one.
    public struct Iterator: AsyncIteratorProtocol {
        var feed: ChangeFeed
        var token: ChangeToken?
        let end: ChangeToken?
        /// Whether it waits while the store is suspended: all but the first read.
        var isFollowing = false
        private let queue = ReadingQueue("groundwave.changes")

        init(feed: ChangeFeed, token: ChangeToken?, end: ChangeToken?) {
            (self.feed, self.token, self.end) = (feed, token, end)
        }

        /// Waits for the next matching batch and returns it; `nil` at the end, or if the task is cancelled. Nothing is read
        /// on `actor`.
        ///
        /// - Throws: ``StoreError`` with code `expired` if the token is of another history; else if the log cannot be
        ///   read.
        /// - Complexity: The events of each record that the batch changed.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ChangeSet? {
            while !Task.isCancelled, try await feed.store.log.usage.begin(following: isFollowing) {
                isFollowing = true
                let generation = feed.store.commits.generation
                if let set = try await readAndEnd(isolation: actor) { return set }
                if let end, feed.hasReached(end) { return nil }
                if feed.isAheadOfViews {
                    // The views of a read-only store are brought up to date by another program, which makes no commit.
                    await feed.store.commits.pause()
                } else {
                    await feed.store.commits.wait(beyond: generation)
                }
            }
            return nil
        }

        /// Reads the next set, and ends the use of the store that `next` has begun.
        private mutating func readAndEnd(isolation actor: isolated (any Actor)?) async throws -> ChangeSet? {
            defer { feed.store.log.usage.end() }
            let set: ChangeSet?
            (feed, set) = try await queue.run { [feed, token, end] in
                var feed = feed
                if let token { try feed.start(at: token) }
                // Before the feed is returned, which reading moves.
                let set = try feed.next(through: end)
                return (feed, set)
            }
            token = nil
            return set
        }

        /// Waits for the next matching batch and returns it; `nil` at the end, or if the task is cancelled.
        ///
        /// - Throws: As ``next(isolation:)``.
        public mutating func next() async throws -> ChangeSet? { try await next(isolation: nil) }
    }
}

/// Reads the log batch by batch.
struct ChangeFeed: Sendable {
    let store: Store
    let filter: ChangeFilter
    /// The place after the last event that was read; `nil` for the beginning of the log, whatever its history.
    private var token: ChangeToken?
    /// The file of the log in which ``token`` was found last.
    private var generation: LogGeneration?
    /// The events that were lost at the last check, and the content of the log at that time.
    private var lost: (events: EventSet, content: LogContent)?
    /// Lost events at or before ``position`` that came back, to be returned next.
    private var returned: ArraySlice<BatchPlace> = []
    /// The set without changes that stands for the batches passed over since the last set was returned.
    private var passed: ChangeSet?
    /// The position through which the views have folded the log, when that was last asked for.
    private var folded: Position = 0
    /// Whether the next batch is in the log, and the views have not folded it yet.
    private(set) var isAheadOfViews = false
    private var devices: [ReplicaID: String] = [:]

    init(store: Store, filter: ChangeFilter) {
        self.store = store
        self.filter = filter
    }

    /// The position of the last event that was read.
    private var position: Position { token?.position ?? 0 }

    mutating func start(at token: ChangeToken) throws {
        self.token = token
        try store.describing { try checkHistory(in: store.log.generation()) }
    }

    /// Refuses to go on where another program has cleared or rebuilt the log, or archived what was not read yet: what
    /// is at the next position need not be what follows.
    private mutating func checkHistory(in present: LogGeneration) throws {
        guard present != generation else { return }
        if let token {
            guard try store.log.hasHistory(of: token), try !isArchived(behind: token) else {
                throw StoreError(
                    .expired, "The token \(token) belongs to a history that this store no longer has.",
                    hint: "Read the present state of the store, and continue from \(try store.currentToken()).")
            }
        }
        generation = present
    }

    /// Returns whether values of events after `token` were archived, so that their changes cannot be reported.
    private func isArchived(behind token: ChangeToken) throws -> Bool {
        guard let archived = try store.log.base()?.vector else { return false }
        return try !store.log.vector(through: token.position).covers(archived)
    }

    /// Whether everything through `end` was read.
    func hasReached(_ end: ChangeToken) -> Bool { position >= end.position }

    /// Returns the next batch that matches, or the part of one that came back; if there is none yet, or none through `end`,
    /// the set that stands for what was passed over, once, and then `nil`.
    mutating func next(through end: ChangeToken?) throws -> ChangeSet? {
        try store.describing {
            while true {
                let content = try store.log.content()
                try checkHistory(in: content.generation)
                try findReturned(in: content)
                let isAtEnd = returned.isEmpty && end.map { hasReached($0) } ?? false
                guard !isAtEnd, let batch = try returned.first ?? nextBatch() else {
                    defer { passed = nil }
                    return passed
                }
                let read = try store.log.token(at: max(position, batch.last))
                let set = try changeSet(of: batch, token: read)
                // What was read may be of two files, if one was put in the place of the other meanwhile.
                guard try store.log.generation() == generation else { continue }
                _ = returned.popFirst()
                token = read
                passed = set.changes.isEmpty ? set : nil
                if !set.changes.isEmpty { return set }
            }
        }
    }

    private struct BatchPlace {
        var first: Position
        var last: Position
        var replica: ReplicaID
        var stamp: Stamp
    }

    /// Returns the place of the next batch, once all of it is there and in the views, which list the events of each record.
    private mutating func nextBatch() throws -> BatchPlace? {
        let first = position + 1
        let found = try store.log.withEvent(at: first) { frame, _ in
            BatchPlace(first: first, last: first + UInt64(frame.rest), replica: frame.id.replica, stamp: frame.stamp)
        }
        guard let batch = found, try batch.last <= store.log.lastPosition() else { return nil }
        if folded < batch.last {
            try store.catchUpForReading()
            folded = try store.views.read { $0.position }
        }
        isAheadOfViews = folded < batch.last
        return isAheadOfViews ? nil : batch
    }

    /// Finds the lost events at or before ``position`` that came back since the last check, in groups: events of one
    /// batch at consecutive positions.
    private mutating func findReturned(in content: LogContent) throws {
        guard content != lost?.content else { return }
        let now = EventSet(try store.log.lostRanges())
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

    private mutating func changeSet(of batch: BatchPlace, token: ChangeToken) throws -> ChangeSet {
        let isLocal = batch.replica == store.replica
        let isLeftOut = filter.excludesThisDevice && isLocal
        let changes = try isLeftOut ? [] : changes(in: batch)
        let note = try changes.isEmpty ? AuditNote() : store.audit.noteOfBatch(with: batch.first)
        return ChangeSet(
            token: token, stamp: batch.stamp, replica: batch.replica, device: try device(of: batch.replica),
            author: note.author, note: note.text, correlation: note.correlation, causation: note.causation,
            isLocal: isLocal, changes: changes)
    }

    /// What the events of `batch` change in what records show, in the order of their first events.
    private func changes(in batch: BatchPlace) throws -> [ChangeSet.RecordChange] {
        let read = position
        func isBefore(_ position: Position) -> Bool {
            // Of what came back, everything else that was read was there before.
            position <= max(read, batch.last) && !(batch.first...batch.last).contains(position)
        }
        func isAfter(_ position: Position) -> Bool { position <= max(read, batch.last) }
        var touched = try StandingChanges.touched(by: batch.first...batch.last, in: store.log)
        var declared = try (before: store.views.declaredClocks(), after: store.views.declaredClocks())
        let declaring = touched.first { $0.kind == ReplicaKind.name }
        // Most logs have never had a wrong clock.
        if declaring != nil || !declared.after.isEmpty {
            declared = try (
                store.views.declaredClocks(among: isBefore), store.views.declaredClocks(among: isAfter)
            )
        }
        if let declaring, declared.before != declared.after {
            touched += try StandingChanges.restamped(
                from: declared.before, to: declared.after, by: declaring, besides: touched, in: store.log)
        }
        return try touched.compactMap { touched in
            guard filter.matches(kind: touched.kind) else { return nil }
            let before = try store.views.record(
                touched.kind, touched.record, declared: declared.before, foldedFrom: isBefore)
            let after = try store.views.record(
                touched.kind, touched.record, declared: declared.after, foldedFrom: isAfter)
            let change = try StandingChanges.change(touched, from: before, to: after, store)
            return change.flatMap { filter.matches($0) ? $0 : nil }
        }
    }

    private mutating func device(of replica: ReplicaID) throws -> String {
        if let name = devices[replica] { return name }
        devices = try store.deviceNames()
        return devices[replica] ?? replica.short
    }
}
