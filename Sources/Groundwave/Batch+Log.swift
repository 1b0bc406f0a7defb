import EventLog
import Events
import Records

extension Batch {
    /// Reads the batch whose last event is at position `closing`; `nil` if there is no event there.
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
    /// Returns the change that the event at `position` made; `nil` if there is none, or if this version cannot read
    /// it.
    func change(at position: Position) throws -> (event: EventID, change: Change)? {
        try withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            return change.map { (frame.id, $0) }
        } ?? nil
    }
}
