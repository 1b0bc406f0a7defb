import Dispatch
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import Logging
import Synchronization

/// The only writer of a store in this process: takes batches in turn, and commits those that wait at the same time
/// together.
///
/// All of it runs on one serial queue, since a commit blocks and LMDB binds a write to its thread. Batches that
/// arrive while a commit is being flushed share the next one: writes of several threads cost one flush, not several.
package final class Writer: Sendable {
    let incarnation: Incarnation
    /// The replica that this process appends as.
    let author: Mutex<Author>
    package var surroundings: Surroundings { incarnation.surroundings }
    let log: EventLog
    let views: Views
    private let erasing: Erasing
    private let followUp: FollowUp
    private let components: [StoreComponent]
    private let describer: KindDescriber
    private let queue = DispatchQueue(label: "groundwave.writer")
    private let waiting = Mutex(Waiting())
    let logger = Subsystem.writer.logger

    struct Author {
        var identity: Identity
        /// The name of this device, used until the log has one for the replica.
        var deviceName: String
        /// The replica that this one continues; `nil` if there is none.
        var former: ReplicaID?
        /// Whether this process has taken ownership of the log.
        var hasClaimed = false
        /// Whether the log has the event that introduces the replica.
        var isIntroduced = false
    }

    private struct Waiting {
        var requests: [any Request] = []
        /// Whether ``drain()`` is on the queue or running.
        var isScheduled = false
    }

    /// The maximum number of batches in one commit.
    private static let groupLimit = 256

    init(
        log: EventLog, views: Views, _ erasing: Erasing, _ followUp: FollowUp, _ incarnation: Incarnation,
        _ components: [StoreComponent], describing kinds: [KindSchema], deviceName: String
    ) throws {
        self.components = components
        describer = KindDescriber(kinds)
        self.log = log
        self.views = views
        self.erasing = erasing
        self.incarnation = incarnation
        self.followUp = followUp
        author = Mutex(Author(identity: try incarnation.files.readIdentity(), deviceName: deviceName))
    }

    /// The replica that this process appends as.
    package var replica: ReplicaID { author.withLock { $0.identity.replica } }

    /// The name of this device, used until the log has one for ``replica``.
    package var deviceName: String {
        get { author.withLock { $0.deviceName } }
        set { author.withLock { $0.deviceName = newValue } }
    }

    /// The id and the key of ``replica``.
    package var identity: Identity { author.withLock { $0.identity } }

    /// Ensures, before every append, that this process appends as a replica that only this store writes.
    ///
    /// The first time in a process, it checks that the store is still the original. Later it checks whether another
    /// process has found that it is not, or whether events of this replica came from elsewhere.
    func claim() throws {
        let (known, hasClaimed) = author.withLock { ($0.identity.replica, $0.hasClaimed) }
        if hasClaimed, try log.claim()?.replica == known { return }
        let (identity, former) = try incarnation.claim()
        // A store that continues as a new replica is still the same device, even if the record of its name was
        // cleared.
        let name =
            try former.flatMap { former in try views.read { try $0.deviceName(of: former) } } ?? log.deviceWhenCleared()
        author.withLock {
            if $0.identity.replica != identity.replica { $0.isIntroduced = false }
            $0.identity = identity
            $0.former = former
            $0.hasClaimed = true
            if let name { $0.deviceName = name }
        }
    }

    /// Records the heads of the log outside the store, if this process has written to it.
    func noteHeads() throws { if author.withLock({ $0.hasClaimed }) { try incarnation.noteHeads() } }

    /// Continues as a new replica, before the events of the present one are cleared. Called only on the queue.
    package func renew() throws {
        dispatchPrecondition(condition: .onQueue(queue))
        let (identity, former) = try incarnation.renew()
        author.withLock {
            $0.identity = identity
            $0.former = former
            $0.isIntroduced = false
        }
        describer.forget()
    }

    /// Returns an empty batch.
    package func newBatch() -> WriteBatch {
        WriteBatch(
            views: views, replica: replica, deviceName: deviceName, components, surroundings.generator)
    }

    /// Runs `body` on the queue and commits what it collected, perhaps together with other batches. `body` may run
    /// more than once.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the commit; errors of `body` and of the commit.
    ///   Then nothing of this batch was appended, unless the message says otherwise after a disk error.
    func write<Value: Sendable>(
        _ note: AuditNote, _ conditions: WriteConditions = WriteConditions(),
        _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
    ) async throws -> Written<Value> {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(BatchRequest(note, conditions, describer, body, cancellation, continuation))
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
    }

    /// Runs `body` on the queue, after the batches that were requested before it. `body` commits by itself.
    package func exclusively<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await log.usage.using {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(
                        with: Result {
                            try log.checkAfterFailedCommit()
                            finishErasing()
                            try claim()
                            try leaveWrongClock()
                            return try body()
                        })
                }
            }
        }
    }

    private func enqueue(_ request: any Request) {
        let mustSchedule = waiting.withLock { waiting in
            waiting.requests.append(request)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if mustSchedule { queue.async { self.drain() } }
    }

    /// Finishes pending erasures.
    ///
    /// If that fails, because the disk is full or the log is damaged, writing continues, and the next write tries
    /// again. ``Store/erase(_:kind:note:author:)`` reports the error to its caller.
    package func finishErasing() {
        do { try erasing.finish() } catch {
            logger.warning("an erase is not finished", metadata: ["reason": "\(Subsystem.reason(of: error))"])
        }
    }

    private func drain() {
        while true {
            let group = waiting.withLock { waiting -> [any Request] in
                // An array that shares its storage with the empty queue must not leave the lock.
                guard !waiting.requests.isEmpty else {
                    waiting.isScheduled = false
                    return []
                }
                let group = Array(waiting.requests.prefix(Self.groupLimit))
                waiting.requests.removeFirst(group.count)
                return group
            }
            if group.isEmpty { return }
            commit(group[...])
        }
    }

    /// Commits as many of `group` as do not depend on one another, then the others.
    private func commit(_ group: ArraySlice<any Request>) {
        var rest = group
        while !rest.isEmpty {
            var prepared: [any Request] = []
            var drafts: [DraftBatch] = []
            var touched: Set<WriteBatch.RecordName> = []
            do {
                try log.checkAfterFailedCommit()
                try views.catchUp()
                finishErasing()
                // Claim before the bodies run: a batch refers to its own events by the replica that appends them.
                try claim()
                try leaveWrongClock()
                let position = try views.read { $0.position }
                while let request = rest.first {
                    var batch = newBatch()
                    let outcome: PreparedBatch
                    do { outcome = try request.prepare(&batch) } catch {
                        request.fail(error)
                        rest.removeFirst()
                        continue
                    }
                    let depends = batch.needsEverything || !touched.isDisjoint(with: batch.touched)
                    if !drafts.isEmpty, depends { break }
                    if request.isConditional, outcome.isEmpty, try log.lastPosition() != position {
                        // What it read may be of two states, and nothing is appended that would show it: it is asked anew.
                        break
                    }
                    rest.removeFirst()
                    switch outcome {
                    case .written(let former): request.succeed(former)
                    case .draft where outcome.isEmpty: request.succeed(nil)
                    case .draft(let draft):
                        prepared.append(request)
                        drafts.append(draft)
                        touched.formUnion(batch.touched)
                    }
                }
                if drafts.isEmpty { continue }
                try introduceIfNew()
                let appended: [Appended]
                do {
                    appended = try log.append(
                        drafts, as: replica, arrival: surroundings.now(),
                        behind: prepared.contains { $0.isConditional } ? position : nil)
                } catch EventLogError.moved {
                    // Another process has written, or this replica has introduced itself: the conditions are checked
                    // anew.
                    rest = (prepared + rest)[...]
                    continue
                }
                // The batches are on disk now. Errors of the views are repaired by the next read, and do not fail the
                // write.
                try? followUp.run(appended: appended.reduce(0) { $0 + $1.count })
                logger.trace(
                    "committed",
                    metadata: [
                        "batches": "\(appended.count)", "events": "\(appended.reduce(0) { $0 + $1.count })",
                        "position": "\(appended[0].position)",
                    ])
                for (request, place) in zip(prepared, appended) {
                    request.succeed(
                        Batch(first: place.first, count: place.count, position: place.position, stamp: place.stamp))
                }
            } catch {
                logger.error("a commit failed", metadata: ["reason": "\(Subsystem.reason(of: error))"])
                let error = addingOutcome(to: error)
                for request in prepared { request.fail(error) }
                if prepared.isEmpty { rest.forEach { $0.fail(error) } }
                if prepared.isEmpty { return }
            }
        }
    }

    /// Adds to an error of a commit whether the commit was stored nevertheless, as it may be after a disk error.
    /// Other errors are returned unchanged.
    private func addingOutcome(to error: any Error) -> any Error {
        guard let error = error as? LMDBError, error.mayHaveWritten else { return error }
        let failed = StoreError(lmdb: error)
        let words =
            switch log.wasStored() {
            case true?: "The change was stored nevertheless."
            case false?: "The change was not stored."
            case nil: "It is unknown whether the change was stored: check when the disk can be read again."
            }
        return StoreError(failed.code, "\(failed.message) \(words)", hint: failed.advice, cause: error)
    }

    /// Appends a draft that was prepared elsewhere: for imports of many batches. The views take it in at the next read.
    ///
    /// - Parameter position: The position of the last event that the draft was prepared with.
    /// - Throws: ``EventLogError/moved(last:)`` if that is not the last event: another program has written meanwhile, or
    ///   this call has introduced the replica.
    /// - Precondition: Called on the queue, so within ``exclusively(_:)``.
    package func append(_ draft: DraftBatch, behind position: Position) throws -> Appended {
        dispatchPrecondition(condition: .onQueue(queue))
        try introduceIfNew()
        let appended = try log.append([draft], as: replica, arrival: surroundings.now(), behind: position)
        try? followUp.run(appended: draft.count, isFolding: false)
        logger.trace("committed", metadata: ["events": "\(draft.count)", "position": "\(appended[0].position)"])
        return appended[0]
    }
}

/// A batch that waits for its commit.
private protocol Request: Sendable {
    /// Whether the batch depends on what was written before it.
    var isConditional: Bool { get }
    func prepare(_ batch: inout WriteBatch) throws -> PreparedBatch
    func succeed(_ batch: Batch?)
    func fail(_ error: any Error)
}

/// What becomes of a request.
private enum PreparedBatch {
    case draft(DraftBatch)
    /// It was written before.
    case written(Batch)

    /// Whether there is nothing to write.
    var isEmpty: Bool { if case .draft(let draft) = self { draft.isEmpty } else { false } }
}

/// What a batch depends on, and what it is known by.
struct WriteConditions: Sendable {
    var expectation: Expectation?
    var id: String?
}

/// Whether the task that waits for a batch was cancelled.
private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
}

private final class BatchRequest<Value: Sendable>: Request {
    private let note: AuditNote
    private let conditions: WriteConditions
    private let describer: KindDescriber
    private let body: @Sendable (inout WriteBatch) throws -> Value
    private let cancellation: Cancellation
    private let continuation: CheckedContinuation<Written<Value>, any Error>
    private let value = Mutex<Value?>(nil)

    init(
        _ note: AuditNote, _ conditions: WriteConditions, _ describer: KindDescriber,
        _ body: @escaping @Sendable (inout WriteBatch) throws -> Value, _ cancellation: Cancellation,
        _ continuation: CheckedContinuation<Written<Value>, any Error>
    ) {
        self.note = note
        self.conditions = conditions
        self.describer = describer
        self.body = body
        self.cancellation = cancellation
        self.continuation = continuation
    }

    var isConditional: Bool { conditions.expectation != nil || conditions.id != nil }

    func prepare(_ batch: inout WriteBatch) throws -> PreparedBatch {
        if cancellation.isRequested.load(ordering: .relaxed) { throw CancellationError() }
        let former = try conditions.id.flatMap { try batch.identify(as: $0) }
        if former == nil { try conditions.expectation?.check(&batch) }
        let value = try body(&batch)
        if cancellation.isRequested.load(ordering: .relaxed) { throw CancellationError() }
        self.value.withLock { $0 = value }
        if let former { return .written(former) }
        try describer.describe(in: &batch)
        try batch.close()
        return .draft(try batch.draft(note))
    }

    func succeed(_ batch: Batch?) {
        guard let value = value.withLock({ $0 }) else { preconditionFailure("A batch is prepared before it succeeds.") }
        continuation.resume(returning: Written(value: value, batch: batch))
    }

    func fail(_ error: any Error) { continuation.resume(throwing: error) }
}
