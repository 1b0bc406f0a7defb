import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The result of an undo.
public struct Reverted: Hashable, Sendable {
    /// A record.
    public struct Record: Hashable, Sendable {
        /// Its kind.
        public let kind: String
        /// Its id.
        public let record: RecordID
    }

    /// The compensating batches, in the order of writing.
    public var batches: [Batch] = []
    /// The records that changed; empty if there was nothing left to undo.
    public var changed: [Record] = []
    /// The records in which a part could not be undone, since newer writes exist.
    public var left: [Record] = []

    /// Creates an empty result.
    public init() {}

    /// The number of events in all batches.
    public var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
}

/// The batches of a store's present replica that were not undone; undos are none of them, nor are erases and archives.
struct UndoableBatches {
    /// The present replica; `nil` if this store cannot write.
    let replica: ReplicaID?
    fileprivate let cancelled: EventSet
    /// The reverts that are steps of their own, though they take themselves back with what they revert.
    fileprivate let steps: EventSet

    func contains(_ batch: Batch) -> Bool {
        batch.first.replica == replica && (!cancelled.contains(batch.range) || steps.contains(batch.range))
    }
}

extension Store {
    /// Returns the latest batches of the store's present replica that were not undone, newest first, at most `count`.
    ///
    /// An undo is skipped together with what it undid, so that the next undo goes further back. If that undo was itself
    /// undone, what it had undone counts again. A revert of chosen events is a step like any other. Erasures and
    /// archives are skipped.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: The events written since the batches that are returned, and the records of undos.
    public func undoableBatches(_ count: Int) throws -> [Batch] {
        var batches: [Batch] = []
        try forEachBatch(of: undoable()) { batch in
            guard batches.count < count else { return false }
            batches.append(batch)
            return true
        }
        return batches
    }

    /// Returns the rule by which batches of the present replica can be undone now.
    func undoable() throws -> UndoableBatches {
        try read { view in
            let reverts = try Reverts(in: view, log)
            var cancelled = reverts.cancelled
            cancelled.formUnion(try FinalBatches(in: view, log).events)
            return UndoableBatches(replica: replica, cancelled: cancelled, steps: reverts.steps)
        }
    }

    /// Calls `body` with the batches that `undoable` contains, newest first, until it returns `false`.
    func forEachBatch(of undoable: UndoableBatches, _ body: (Batch) throws -> Bool) throws {
        guard let replica = undoable.replica else { return }
        try describing {
            var sequence = try log.vector()[replica]
            // Event 1 introduces the replica and is not undone.
            while sequence > 1 {
                guard let closing = try log.position(of: EventID(replica, sequence)),
                    let batch = try Batch(closing: closing, in: log)
                else { throw StoreError(.damaged, "The event \(EventID(replica, sequence).short) is missing.") }
                sequence = batch.first.sequence - 1
                guard try !undoable.contains(batch) || body(batch) else { return }
            }
        }
    }

    /// Undoes a batch, as ``revert(_:note:author:)-(EventSet,_,_)`` does. The next undo skips the batch and its undo.
    ///
    /// - Parameters:
    ///   - batch: As `write` returned it; `nil`, from a write that changed nothing, has no effect.
    ///   - note: The reason; “Undo” if not given.
    ///   - author: The author, if other than that of the store.
    /// - Throws: As ``revert(_:note:author:)-(EventSet,_,_)``.
    @discardableResult
    public func revert(_ batch: Batch?, note: String? = nil, author: String? = nil) async throws -> Reverted {
        guard let batch else { return Reverted() }
        return try await undo(EventSet([batch.range]), isStep: false, note: note ?? "Undo", author: author)
    }

    /// Reverts events, whichever replica wrote them: writes batches after which each record that they touch shows what
    /// it would show without them.
    ///
    /// Each field gets back all the values that the events replaced, unless a newer write exists. From collections,
    /// only the additions of the events are removed. A record that they created is hidden, or stays whole if newer
    /// writes touch it. Events that were themselves undone do not count as newer, so undoing step by step passes
    /// through every state. Reverting the batches written here restores everything. If nothing is left to revert, one
    /// event records the request.
    ///
    /// - Returns: One batch, or several if the restored values are too much for one.
    /// - Throws: ``StoreError`` with code `notFound` if some of the events are not here, `usage` if one belongs to an
    ///   erasure or an archive; then nothing was written. Errors of `write`: the batches before the failing one stay.
    /// - Complexity: The events of every record that is touched are read once.
    @discardableResult
    public func revert(_ events: EventSet, note: String? = nil, author: String? = nil) async throws -> Reverted {
        try await undo(events, isStep: true, note: note ?? "Revert", author: author)
    }

    /// Writes the batches that revert `events`: at least one, even if nothing is left to revert.
    ///
    /// - Parameter isStep: Whether the next undo undoes these batches; else it skips them and `events`.
    func undo(_ events: EventSet, isStep: Bool, note: String, author: String?) async throws -> Reverted {
        try read { try FinalBatches(in: $0, log) }.refuseTakingBack(events)
        var reverted = Reverted()
        let records = try Array(self.records(touchedBy: events).reversed())
        var next = 0
        while true {
            let start = next
            let written = try await write(note: note, author: author) { [history = views.history] write in
                try write.undo(events, records[start...], isStep, in: history)
            }
            if let batch = written.batch { reverted.batches.append(batch) }
            reverted.changed += written.value.changed
            reverted.left += written.value.left
            next += written.value.done
            if next == records.count { return reverted }
        }
    }
}

extension Store {
    /// Returns what ``revert(_:note:author:)-(EventSet,_,_)`` would change and leave, and writes nothing.
    ///
    /// - Throws: As ``revert(_:note:author:)-(EventSet,_,_)``, for the same events.
    /// - Complexity: The events of each record that they touch.
    public func previewRevert(_ events: EventSet) throws -> Reverted {
        try read { try FinalBatches(in: $0, log) }.refuseTakingBack(events)
        var reverted = Reverted()
        let records = try records(touchedBy: events)
        try read { view in
            let filter = try view.completing(
                EventFilter(withoutRevertedAnd: events, view, log), in: views.history)
            for name in records {
                guard let record = try view.record(name.kind, name.id) else { continue }
                let compensation = try Compensation(of: record, name, without: filter, view, views.history)
                if !compensation.isEmpty { reverted.changed.append(.init(kind: name.kind, record: name.id)) }
                if compensation.isPartial { reverted.left.append(.init(kind: name.kind, record: name.id)) }
            }
        }
        return reverted
    }
}

extension EventFilter {
    /// Counts all events except `events` and those that cancel one another once `events` are reverted.
    fileprivate init(withoutRevertedAnd events: EventSet, _ view: borrowing ViewReader, _ log: EventLog) throws {
        self.init()
        without = try Reverts(in: view, log, with: events).cancelled
    }
}

extension Compensation {
    fileprivate init(
        of record: Record, _ name: WriteBatch.RecordName, without filter: EventFilter, _ view: borrowing ViewReader,
        _ history: RecordHistory
    ) throws {
        let first = try history.firstEvent(of: name.id, at: view.state(of: name.kind, name.id)?.history.positions ?? [])
        self.init(
            of: record, to: try view.record(name.kind, name.id, counting: filter, in: history),
            isNew: first.map { !filter.includes($0) } ?? false, isTakenBack: { !filter.includes($0) })
    }
}

/// The progress of one batch of an undo.
private struct UndoProgress {
    /// The number of records dealt with, whether they changed or not.
    var done = 0
    var changed: [Reverted.Record] = []
    var left: [Reverted.Record] = []
}

extension WriteBatch {
    /// Appends the changes that revert `events` in the first of `records`, as many as one batch has room for, and the
    /// event that closes the batch. At least one record is dealt with.
    fileprivate mutating func undo(
        _ events: EventSet, _ records: ArraySlice<RecordName>, _ isStep: Bool, in history: RecordHistory
    ) throws -> UndoProgress {
        let filter = try read { view in
            try view.completing(EventFilter(withoutRevertedAnd: events, view, history.log), in: history)
        }
        var result = UndoProgress()
        var (bytes, count) = (0, 0)
        for name in records {
            guard let record = try record(name.kind, name.id) else {
                result.done += 1
                continue
            }
            let compensation = try read { try Compensation(of: record, name, without: filter, $0, history) }
            let changes = try compensation.changes(
                of: name.kind, name.id, related: related(to: compensation.repeated))
            if !changes.isEmpty {
                for change in changes {
                    bytes += DraftBatch.byteBound(of: change, note: AuditNote()) + DraftBatch.overheadPerEvent
                }
                count += changes.count
                // Half of a batch's bytes are kept free for the note and what the writer adds.
                let isFull = bytes > EventLimits.batchBytes / 2 || count > EventLimits.batchCount - 1
                if !result.changed.isEmpty, isFull { break }
                result.changed.append(.init(kind: name.kind, record: name.id))
                for change in changes { try append(change) }
            }
            if compensation.isPartial { result.left.append(.init(kind: name.kind, record: name.id)) }
            result.done += 1
        }
        try append(RevertKind.closing(events, as: newID(), isStep: isStep))
        return result
    }
}
