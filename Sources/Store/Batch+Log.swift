import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

extension Batch {
    /// Reads the batch whose last event is at position `closing`; `nil` if there is none.
    ///
    /// Cost: two look-ups for each time that two goes into the number of its events.
    package init?(closing: Position, in log: EventLog) throws {
        guard let last = try log.withEvent(at: closing, { frame, _ in frame.id }) else { return nil }
        // How many events follow within the batch, of the event that lies so many positions before the last one. Of one that
        // belongs to an earlier batch that is less than its distance.
        func stampInside(_ distance: Position) throws -> Stamp? {
            guard distance < closing else { return nil }
            return try log.withEvent(at: closing - distance) { frame, _ in
                frame.id.replica == last.replica && frame.rest == Int(distance) ? frame.stamp : nil
            } ?? nil
        }
        guard var stamp = try stampInside(0) else { return nil }
        var (inside, outside): (Position, Position) = (0, 1)
        while let next = try stampInside(outside) { (stamp, inside, outside) = (next, outside, outside * 2) }
        while outside - inside > 1 {
            let middle = inside + (outside - inside) / 2
            if let next = try stampInside(middle) { (stamp, inside) = (next, middle) } else { outside = middle }
        }
        let position = closing - inside
        let count = Int(closing - position) + 1
        self.init(
            first: EventID(last.replica, last.sequence - UInt64(count) + 1), count: count, position: position,
            stamp: stamp)
    }
}

extension EventLog {
    /// Returns the change that the event at `position` made; `nil` if there is none, or if this version cannot read
    /// it.
    package func change(at position: Position) throws -> (event: EventID, change: Change)? {
        try withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            return change.map { (frame.id, $0) }
        } ?? nil
    }
}
