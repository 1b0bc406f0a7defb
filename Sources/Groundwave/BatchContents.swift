import EventLog
import Events
import Records

/// What one batch did, record by record.
struct BatchContents {
    /// One event and what it did to the record.
    struct Step {
        let event: EventID
        let change: Change
    }

    /// The batch.
    let batch: Batch
    /// The first event of the batch that this one takes back; `nil` where it is no undo.
    let origin: EventID?
    /// The records that it touched, in the order of its events; words about other batches are left out.
    let records: [WriteBatch.RecordName]
    /// What it did to each record, in the order of its events.
    let steps: [WriteBatch.RecordName: [Step]]
}

/// Reads batches as whole ones: each once, for as long as the reader lives.
final class BatchReader {
    private let log: EventLog
    private var known: [Position: BatchContents] = [:]

    init(_ log: EventLog) { self.log = log }

    /// The batch that `event` belongs to; `nil` where the log does not have it.
    func contents(with event: EventID) throws -> BatchContents? {
        guard let position = try log.position(of: event),
            let closing = try log.withEvent(at: position, { frame, _ in position + UInt64(frame.rest) })
        else { return nil }
        if let contents = known[closing] { return contents }
        guard let batch = try Batch(closing: closing, in: log) else { return nil }
        var origin: EventID?
        var records: [WriteBatch.RecordName] = []
        var steps: [WriteBatch.RecordName: [BatchContents.Step]] = [:]
        for position in batch.position...closing {
            guard let (event, change) = try log.change(at: position) else { continue }
            if let first = RevertKind.origin(of: change) { origin = EventID(event.replica, first) }
            if RevertKind.bookkeeping.contains(change.kind) { continue }
            let name = WriteBatch.RecordName(kind: change.kind, id: change.record)
            if steps[name] == nil { records.append(name) }
            steps[name, default: []].append(.init(event: event, change: change))
        }
        let contents = BatchContents(batch: batch, origin: origin, records: records, steps: steps)
        known[closing] = contents
        return contents
    }

    /// The operation that wrote `head` of `field`; `nil` where the log does not have it.
    func operation(writing head: HeadID, _ field: FieldKey) throws -> Operation? {
        guard let position = try log.position(of: head.event) else { return nil }
        return try log.change(at: position)?.change.operation(writing: head.index, field: field)
    }

    /// Whether `event` deleted its record.
    func isDeletion(_ event: EventID) throws -> Bool {
        guard let position = try log.position(of: event) else { return false }
        return try log.change(at: position)?.change.operations.contains { $0.code == .delete } ?? false
    }

    /// Where `event` stands; `nil` where the log does not have it.
    func position(of event: EventID) throws -> Position? { try log.position(of: event) }
}

extension Batch {
    /// The batch whose last event stands at `closing`; `nil` where there is none.
    init?(closing: Position, in log: EventLog) throws {
        guard let last = try log.withEvent(at: closing, { frame, _ in frame.id }) else { return nil }
        var position = closing
        var stamp = Stamp(rawValue: 0)
        while true {
            let found = try log.withEvent(at: position) { frame, _ in (frame.id.replica, frame.rest, frame.stamp) }
            guard let found, found.0 == last.replica, found.1 == Int(closing - position) else {
                position += 1
                break
            }
            stamp = found.2
            if position == 1 { break }
            position -= 1
        }
        let count = Int(closing - position) + 1
        self.init(
            first: EventID(last.replica, last.sequence - UInt64(count) + 1), count: count, position: position,
            stamp: stamp)
    }
}

extension EventLog {
    /// The change that the event at `position` made; `nil` where it is of a type that this version does not know.
    func change(at position: Position) throws -> (event: EventID, change: Change)? {
        try withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.id.replica)
            return change.map { (frame.id, $0) }
        } ?? nil
    }
}
