import ByteCoding
import EventLog
import Events
import Projections
import Records

/// What takes a change back, and how an undo is recognised.
enum Undo {
    /// The change that closes a batch which takes back the one that starts with event `first`.
    static func closing(_ first: EventID, as id: RecordID) -> Change {
        Change(
            kind: RevertKind.name, record: id,
            operations: RevertKind.schema.operations(
                assigning: [Assignment("BATCH", text: String(first.sequence))], to: nil))
    }

    /// The first event of the batch that `change`, the last one of its batch, says was taken back.
    static func origin(of change: Change) -> SequenceNumber? {
        guard change.kind == RevertKind.name, let value = change.operations.first?.value else { return nil }
        return SequenceNumber(String(decoding: value, as: UTF8.self))
    }

    /// The batches that `batch` stands on: the one that it takes back, the one that this took back, and so on, by the
    /// numbers of their first events. Empty where it is no undo.
    static func chain(from batch: Batch, in log: EventLog) throws -> [SequenceNumber] {
        var chain: [SequenceNumber] = []
        var closing: Position? = batch.position + UInt64(batch.count) - 1
        while let position = closing, let origin = try change(at: position, in: log).flatMap({ origin(of: $0.change) })
        {
            chain.append(origin)
            guard let first = try log.position(of: EventID(batch.first.replica, origin)) else { break }
            closing = try log.withEvent(at: first) { frame, _ in first + UInt64(frame.rest) }
        }
        return chain
    }

    /// The change that the event at `position` made; `nil` where it is of a type that this version does not know.
    static func change(at position: Position, in log: EventLog) throws -> (event: EventID, change: Change)? {
        try log.withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.id.replica)
            return change.map { (frame.id, $0) }
        } ?? nil
    }

    /// The operations that take `change` back, as far as nothing newer stands on what it wrote.
    static func compensation(
        for change: Change, by event: EventID, record: Record, audit: Audit
    ) throws -> [Operation] {
        let ownHeads = record.fields.flatMap(\.heads).filter { $0.id.event == event }
        let wroteEverything = record.fields.allSatisfy { $0.heads.allSatisfy { $0.id.event == event } }
        let replacedNothing = change.operations.allSatisfy { $0.supersedes.isEmpty }
        if wroteEverything, replacedNothing, !ownHeads.isEmpty {
            // The event made the record, and nobody touched it since.
            return record.isVisible ? [Operation(.delete, .life, supersedes: record.coveredByDelete)] : []
        }
        if try change.hasRevived(audit), record.isVisible, !record.isTouched(after: event) {
            // The record was hidden before, and is again.
            return [Operation(.delete, .life, supersedes: record.coveredByDelete)]
        }
        var operations: [Operation] = []
        for (index, operation) in change.operations.enumerated() {
            switch operation.code {
            case .set, .clear, .candidate:
                let head = HeadID(event, index: operation.code == .candidate ? UInt32(index) : 0)
                guard record[operation.field]?.heads.contains(where: { $0.id == head }) == true else { continue }
                operations += try restored(operation, head, audit)
            case .add:
                let head = HeadID(event, index: UInt32(index))
                if record[operation.field]?.heads.contains(where: { $0.id == head }) == true {
                    operations.append(Operation(.remove, operation.field, supersedes: [head]))
                }
            case .remove:
                for old in operation.supersedes {
                    if let value = try audit.value(of: old, field: operation.field) {
                        operations.append(Operation(.add, operation.field, value: value))
                    }
                }
            case .delete:
                if record.deletions.contains(where: { $0.event == event }) {
                    operations.append(Operation(.revive, .life, supersedes: [HeadID(event)]))
                }
            case .revive:
                if record[.life]?.heads.contains(where: { $0.id.event == event }) == true, record.isVisible {
                    return [Operation(.delete, .life, supersedes: record.coveredByDelete)]
                }
            }
        }
        return operations
    }

    /// What puts back the values that `operation` replaced: all of them, or a clear where there was none.
    private static func restored(
        _ operation: Operation, _ head: HeadID, _ audit: Audit
    ) throws -> [Operation] {
        let values = try operation.supersedes.compactMap { try audit.value(of: $0, field: operation.field) }
        guard let first = values.first else { return [Operation(.clear, operation.field, supersedes: [head])] }
        if values.count == 1 { return [Operation(.set, operation.field, supersedes: [head], value: first)] }
        return values.enumerated().map { place, value in
            Operation(.candidate, operation.field, supersedes: place == 0 ? [head] : [], value: value)
        }
    }
}

extension Change {
    /// Whether it wrote on a record that was deleted, and so showed it again.
    fileprivate func hasRevived(_ audit: Audit) throws -> Bool {
        for operation in operations where operation.code != .revive {
            for head in operation.supersedes where try audit.isDeletion(head.event) { return true }
        }
        return false
    }
}

extension Record {
    /// Whether any event that came here later than `event` wrote something that still counts.
    fileprivate func isTouched(after event: EventID) -> Bool {
        let own = fields.flatMap(\.heads).first { $0.id.event == event }?.position ?? lastPosition
        return fields.contains { $0.heads.contains { $0.position > own } }
    }
}
