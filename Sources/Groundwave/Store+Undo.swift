import Events
import Projections
import Records

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
                let batch = try batch(endingAt: EventID(replica, sequence))
                if !passed.contains(batch.first.sequence) {
                    let chain = try Undo.chain(from: batch, in: log)
                    passed.formUnion(chain)
                    // An undo of something is passed over with it; an undo of an undo did that thing again.
                    guard chain.count.isMultiple(of: 2) else {
                        sequence = batch.first.sequence - 1
                        continue
                    }
                    guard try body(batch) else { return }
                }
                sequence = batch.first.sequence - 1
            }
        }
    }

    /// The batch that ends with `event`: its first event says how many follow.
    private func batch(endingAt event: EventID) throws -> Batch {
        guard let last = try log.position(of: event) else { throw StoreError(.notFound, "There is no \(event.short).") }
        var first = last
        var stamp = Stamp(rawValue: 0)
        while true {
            let found = try log.withEvent(at: first) { frame, _ in (frame.id.replica, frame.rest, frame.stamp) }
            guard let (replica, rest, itsStamp) = found, replica == event.replica, rest == Int(last - first) else {
                first += 1
                break
            }
            stamp = itsStamp
            if first == 1 { break }
            first -= 1
        }
        let count = Int(last - first) + 1
        return Batch(
            first: EventID(event.replica, event.sequence - UInt64(count) + 1), count: count, position: first,
            stamp: stamp)
    }

    /// Writes what takes a batch back: each field gets the values that the batch replaced, all of them, where nothing
    /// newer stands on top; of collections only the batch's own additions go.
    ///
    /// - Parameter batch: As `write` returned it; `nil`, a write that had nothing to do, takes nothing back.
    /// - Returns: The compensating batch; no batch where there was nothing left to take back.
    @discardableResult
    public func revert(_ batch: Batch?, note: String? = nil, author: String? = nil) async throws -> Written<Int> {
        guard let batch else { return Written(value: 0, batch: nil) }
        let positions = Array(batch.position..<(batch.position + UInt64(batch.count)))
        return try await write(note: note ?? "Undo", author: author) { [log, kinds] write in
            var count = 0
            for position in positions.reversed() {
                guard let change = try Undo.change(at: position, in: log),
                    !RevertKind.bookkeeping.contains(change.change.kind)
                else { continue }
                guard let record = try write.record(change.change.kind, change.change.record) else { continue }
                let operations = try Undo.compensation(
                    for: change.change, by: change.event, record: record, audit: Audit(of: log, kinds: kinds))
                if operations.isEmpty { continue }
                count += 1
                try write.append(
                    Change(kind: change.change.kind, record: change.change.record, operations: operations))
            }
            if count > 0 { try write.append(Undo.closing(batch.first, as: write.newID())) }
            return count
        }
    }
}
