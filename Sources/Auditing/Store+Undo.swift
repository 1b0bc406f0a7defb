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
    /// The records that changed; empty if nothing was left to take back.
    public var changed: [Record] = []
    /// The records that keep a part of what was to be taken back, since others have written to them meanwhile.
    public var left: [Record] = []

    /// Creates an empty result.
    public init() {}

    /// The events of all batches.
    public var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
}

extension Store {
    /// Returns the latest batches that this device wrote and that were not undone, newest first.
    ///
    /// An undo is skipped together with what it undid, so `undo 2` after `undo 1` goes further back. What an undone
    /// undo had taken back counts again. A revert of chosen events is a step like any other. Erasures and archives
    /// are skipped.
    public func undoableBatches(_ count: Int) throws -> [Batch] {
        var batches: [Batch] = []
        try forEachUndoableBatch { batch in
            guard batches.count < count else { return false }
            batches.append(batch)
            return true
        }
        return batches
    }

    /// Calls `body` with the batches of this device that were not undone, newest first, until it returns `false`.
    func forEachUndoableBatch(_ body: (Batch) throws -> Bool) throws {
        guard let replica else { return }
        let reverts = try read { try Reverts(in: $0, log) }
        var cancelled = reverts.cancelled
        cancelled.formUnion(try read { try FinalBatches(in: $0, log).events })
        try describing {
            var sequence = try log.vector()[replica]
            // Event 1 introduces the replica and is not undone.
            while sequence > 1 {
                guard let closing = try log.position(of: EventID(replica, sequence)),
                    let batch = try Batch(closing: closing, in: log)
                else { throw StoreError(.damaged, "The event \(EventID(replica, sequence).short) is missing.") }
                sequence = batch.first.sequence - 1
                if cancelled.contains(batch.range), !reverts.steps.contains(batch.range) { continue }
                guard try body(batch) else { return }
            }
        }
    }

    /// Undoes a batch: see ``revert(_:note:author:)-(EventSet,_,_)``; the next undo skips both.
    ///
    /// - Parameter batch: As `write` returned it; `nil`, from a write that changed nothing, takes nothing back.
    @discardableResult
    public func revert(_ batch: Batch?, note: String? = nil, author: String? = nil) async throws -> Reverted {
        guard let batch else { return Reverted() }
        return try await undo(EventSet([batch.range]), isStep: false, note: note ?? "Undo", author: author)
    }

    /// Takes events back, whoever wrote them: writes batches after which each record they touch shows what it would
    /// without them.
    ///
    /// Each field gets back all the values that the events replaced, unless something newer stands on top. From
    /// collections, only the additions of the events are removed. A record that they created is hidden, or stays
    /// whole if somebody touched it since. Events that were themselves taken back do not count as newer: undoing step
    /// by step passes through every state. Reverting the batches written here restores everything. If nothing is left
    /// to take back, one event records the request, and the next undo continues with what was written before.
    ///
    /// - Returns: One batch, or several if the restored values are too much for one.
    /// - Throws: ``StoreError`` with code `notFound` if some of the events are not here, `usage` if one is of an
    ///   erasure or an archive. Batches that were written before stay.
    /// - Complexity: The events of every record that is touched are read once.
    @discardableResult
    public func revert(_ events: EventSet, note: String? = nil, author: String? = nil) async throws -> Reverted {
        try await undo(events, isStep: true, note: note ?? "Revert", author: author)
    }

    /// Writes the batches that take `events` back.
    ///
    /// - Parameter isStep: Whether the next undo takes this back; else it skips it.
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
    public func previewRevert(_ events: EventSet) throws -> Reverted {
        try read { try FinalBatches(in: $0, log) }.refuseTakingBack(events)
        var reverted = Reverted()
        let records = try records(touchedBy: events)
        try read { view in
            let filter = try EventFilter(withoutRevertedAnd: events, view, log)
            for name in records {
                guard let record = try view.record(name.kind, name.id) else { continue }
                let compensation = try Compensation(of: record, name, without: filter, view, views.history)
                if !compensation.operations.isEmpty { reverted.changed.append(.init(kind: name.kind, record: name.id)) }
                if compensation.isPartial { reverted.left.append(.init(kind: name.kind, record: name.id)) }
            }
        }
        return reverted
    }
}

extension EventFilter {
    /// Counts all events except `events` and those that cancel one another once `events` are taken back.
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
        let first = try history.log.withEvent(at: record.firstPosition) { frame, _ in frame.id }
        self.init(
            of: record, to: try view.record(name.kind, name.id, counting: filter, in: history),
            isNew: first.map { !filter.includes($0) } ?? false, isTakenBack: { !filter.includes($0) })
    }
}

/// The progress of one batch of an undo.
private struct UndoProgress {
    var done = 0
    var changed: [Reverted.Record] = []
    var left: [Reverted.Record] = []
}

extension WriteBatch {
    /// Appends what takes `events` back from `records`, as far as there is room for it, and the change that closes
    /// the batch.
    fileprivate mutating func undo(
        _ events: EventSet, _ records: ArraySlice<RecordName>, _ isStep: Bool, in history: RecordHistory
    ) throws -> UndoProgress {
        let filter = try read { try EventFilter(withoutRevertedAnd: events, $0, history.log) }
        var result = UndoProgress()
        var bytes = 0
        for name in records {
            guard let record = try record(name.kind, name.id) else {
                result.done += 1
                continue
            }
            let compensation = try read { try Compensation(of: record, name, without: filter, $0, history) }
            let change = Change(kind: name.kind, record: name.id, operations: compensation.operations)
            if !change.operations.isEmpty {
                bytes += DraftBatch.byteBound(of: change, note: AuditNote()) + DraftBatch.overheadPerEvent
                // Half of a batch's bytes are kept free for the note and what the writer adds.
                let isFull = bytes > EventLimits.batchBytes / 2 || result.changed.count == EventLimits.batchCount - 1
                if !result.changed.isEmpty, isFull { break }
                result.changed.append(.init(kind: name.kind, record: name.id))
                try append(change)
            }
            if compensation.isPartial { result.left.append(.init(kind: name.kind, record: name.id)) }
            result.done += 1
        }
        try append(RevertKind.closing(events, as: newID(), isStep: isStep))
        return result
    }
}
