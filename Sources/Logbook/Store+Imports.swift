import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// The events of an import, of all its batches.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is no such import.
    public func events(ofImport id: RecordID) throws -> EventSet {
        try describing {
            let closings = try positions(of: ImportKind.name, id)
            guard !closings.isEmpty else { throw WriteBatch.noRecord(ImportKind.name, id) }
            return EventSet(try closings.compactMap { try Batch(closing: $0, in: log)?.range })
        }
    }

    /// What a person means by an event that is to be taken back: the event alone; all of an import, where the event only
    /// tells of one; all that an undo wrote, where it only tells of that.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where the event is not here.
    public func events(standingFor event: EventID) throws -> EventSet {
        try describing {
            guard let position = try log.position(of: event) else { throw Store.noEvent(event) }
            switch try log.change(at: position)?.change {
            case let change? where change.kind == ImportKind.name: return try events(ofImport: change.record)
            case let change? where change.kind == RevertKind.name:
                return EventSet(try Batch(closing: position, in: log).map { [$0.range] } ?? [])
            default: return EventSet([EventRange(event.replica, event.sequence, through: event.sequence)])
            }
        }
    }
}
