import EventLog
import Events
import Projections
import Records

/// What an undo wrote.
public struct Reverted: Hashable, Sendable {
    /// The compensating batches, in the order of writing.
    public var batches: [Batch] = []
    /// How many records changed; 0 where nothing was left to take back.
    public var recordCount = 0

    /// The events of all batches.
    public var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
}

extension Store {
    /// The latest batches that this device wrote and that were not undone, the newest first.
    ///
    /// An undo is itself a batch, and is passed over with what it undid; so `undo 2` after `undo 1` goes further back.
    public func undoableBatches(_ count: Int) throws -> [Batch] {
        var batches: [Batch] = []
        try forEachUndoableBatch { batch in
            guard batches.count < count else { return false }
            batches.append(batch)
            return true
        }
        return batches
    }

    /// Hands out the batches of this device that were not undone, the newest first, until `body` says `false`.
    ///
    /// A batch that takes back an undo is itself one of them, in the place of what the undo had taken back.
    func forEachUndoableBatch(_ body: (Batch) throws -> Bool) throws {
        try describing {
            guard let replica else { return }
            var passed: Set<SequenceNumber> = []
            var sequence = try log.vector()[replica]
            // Event 1 introduces the replica and is not undone.
            while sequence > 1 {
                guard let closing = try log.position(of: EventID(replica, sequence)),
                    let batch = try Batch(closing: closing, in: log)
                else { throw StoreError(.damaged, "The event \(EventID(replica, sequence).short) is missing.") }
                sequence = batch.first.sequence - 1
                if passed.contains(batch.first.sequence) { continue }
                let chain = try undone(by: batch)
                passed.formUnion(chain)
                // An undo of something is passed over with it; an undo of an undo did that thing again.
                guard chain.count.isMultiple(of: 2) else { continue }
                guard try body(batch) else { return }
            }
        }
    }

    /// The batches that `batch` stands on: the one that it takes back, the one that this took back, and so on, by the
    /// numbers of their first events. Empty where it is no undo.
    private func undone(by batch: Batch) throws -> [SequenceNumber] {
        var chain: [SequenceNumber] = []
        var closing = batch.position + UInt64(batch.count) - 1
        while let origin = try log.change(at: closing).flatMap({ RevertKind.origin(of: $0.change) }) {
            chain.append(origin)
            guard let first = try log.position(of: EventID(batch.first.replica, origin)),
                let last = try log.withEvent(at: first, { frame, _ in first + UInt64(frame.rest) })
            else { break }
            closing = last
        }
        return chain
    }

    /// Writes what takes a batch back: each field gets the values that the batch replaced, all of them, where nothing
    /// newer stands on top; of collections only the batch's own additions go; a record that the batch made is hidden,
    /// or stays whole where somebody touched it since.
    ///
    /// Writes of this device that were themselves taken back are not newer: undoing step by step passes through every
    /// state. Where nothing is left to take back, one event says that this was asked for, and the next undo goes on to
    /// what was written before.
    ///
    /// - Parameter batch: As `write` returned it; `nil`, a write that had nothing to do, takes nothing back.
    /// - Returns: One batch, or several where what stood there before is too much for one.
    @discardableResult
    public func revert(_ batch: Batch?, note: String? = nil, author: String? = nil) async throws -> Reverted {
        var reverted = Reverted()
        guard let batch else { return reverted }
        var isComplete = false
        while !isComplete {
            let written = try await write(note: note ?? "Undo", author: author) { [log] write in
                try write.takeBack(batch, in: log)
            }
            if let batch = written.batch { reverted.batches.append(batch) }
            reverted.recordCount += written.value.records
            isComplete = written.value.isComplete
        }
        return reverted
    }
}

extension WriteBatch {
    /// Appends what takes `batch` back, as far as there is room for it, and the word that closes it.
    fileprivate mutating func takeBack(_ batch: Batch, in log: EventLog) throws -> (records: Int, isComplete: Bool) {
        let reader = BatchReader(log)
        guard let contents = try reader.contents(with: batch.first) else {
            throw StoreError(.notFound, "There is no event \(batch.first.short) to take back.")
        }
        var bytes = 0
        var count = 0
        for name in contents.records.reversed() {
            guard let record = try record(name.kind, name.id) else { continue }
            let operations = try Compensation(of: contents, on: record, reader).operations()
            if operations.isEmpty { continue }
            let change = Change(kind: name.kind, record: name.id, operations: operations)
            bytes += DraftBatch.byteBound(of: change, note: AuditNote()) + DraftBatch.overheadPerEvent
            // Half of a batch's bytes are kept free for the words and what the writer adds.
            if count > 0, bytes > EventLimits.batchBytes / 2 || count == EventLimits.batchCount - 1 {
                try append(RevertKind.closing(batch.first, as: newID()))
                return (count, false)
            }
            count += 1
            try append(change)
        }
        try append(RevertKind.closing(batch.first, as: newID()))
        return (count, true)
    }
}
