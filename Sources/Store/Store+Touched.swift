import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

extension Store {
    /// Returns the records that `events` touch, each once, in the order of their last touching event. Records that
    /// only keep books are left out.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if some of the events are not here.
    package func records(touchedBy events: EventSet) throws -> [WriteBatch.RecordName] {
        try describing {
            var found: [WriteBatch.RecordName: Position] = [:]
            for range in events.ranges {
                guard try log.position(of: EventID(range.replica, range.last)) != nil else {
                    throw Self.noEvent(EventID(range.replica, range.last))
                }
                try log.scan(range) { position, frame, bytes in
                    let shape = bytes.extracting(frame.shape)
                    guard
                        let reader = try? ChangeReader(
                            shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                    else { return true }
                    let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
                    if !RevertKind.bookkeeping.contains(kind) { found[.init(kind: kind, id: reader.record)] = position }
                    return true
                }
            }
            return found.sorted { $0.value < $1.value }.map(\.key)
        }
    }

    /// There is no such event.
    package static func noEvent(_ event: EventID) -> StoreError {
        StoreError(
            .notFound, "There is no event \(event.short) in this store.", hint: "To see them: \(.list(.events))")
    }
}
