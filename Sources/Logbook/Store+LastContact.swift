import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// Returns the contact that this device logged or imported last and that shows; of hidden ones the one that it changed
    /// last, which is to say hid. Not the one with the latest time: that may have been typed wrong, or be of another device.
    ///
    /// - Returns: `nil` if this device has none, or if the store is opened without its key.
    /// - Complexity: A look-up for each of the last events of this device, at most ``lookLimit`` of them; if it is none of
    ///   these, about a microsecond for each contact.
    func lastContact(_ scope: ResolveScope) throws -> RecordID? {
        guard let replica else { return nil }
        return try read { view in
            let last = try log.vector()[replica]
            for sequence in (last - min(last, Self.lookLimit)..<last).reversed() {
                guard let (position, id) = try contact(of: EventID(replica, sequence + 1)),
                    let record = try view.record(QSOKind.name, id)
                else { continue }
                let isMeant =
                    switch scope {
                    case .all: record.isVisible && record.firstPosition == position
                    case .hidden: !record.isVisible
                    }
                if isMeant, !ContactFacts(record).isMetadata { return id }
            }
            return last <= Self.lookLimit ? nil : try lastContact(scope, of: replica, in: view)
        }
    }

    /// So many events are looked at one by one, since the last contact is usually one of the last events.
    private static var lookLimit: SequenceNumber { 256 }

    /// As ``lastContact(_:)``, by the rows of all contacts.
    private func lastContact(
        _ scope: ResolveScope, of replica: ReplicaID, in view: borrowing ViewReader
    ) throws -> RecordID? {
        var found: [(position: Position, id: RecordID)] = []
        try view.forEachShown(of: QSOKind.name) { id, values in
            guard values.isVisible == (scope == .all), !ContactFacts(values).isMetadata else { return true }
            switch scope {
            case .all: found.append((values.firstPosition, id))
            case .hidden: found += values.state.history.positions.map { ($0, id) }
            }
            return true
        }
        found.sort { ($1.position, $1.id) < ($0.position, $0.id) }
        return try found.first { position, _ in
            try log.withEvent(at: position) { frame, _ in frame.id.replica } == replica
        }?.id
    }

    /// Returns the contact that an event is about, and the position of the event; `nil` if it is about something else or
    /// not here.
    private func contact(of event: EventID) throws -> (Position, RecordID)? {
        guard let position = try log.position(of: event) else { return nil }
        let id = try log.withEvent(at: position) { frame, bytes -> RecordID? in
            let shape = bytes.extracting(frame.shape)
            guard let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            else { return nil }
            let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
            return kind == QSOKind.name ? reader.record : nil
        }
        return (id ?? nil).map { (position, $0) }
    }
}
