import EventLog
import Events
import Projections
import Records

extension Reading {
    /// Returns the events of an import, from all its batches.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such import.
    public func events(ofImport id: RecordID) throws -> EventSet {
        try describing {
            let closings = try positions(of: ImportKind.name, id)
            guard !closings.isEmpty else { throw WriteBatch.noRecord(ImportKind.name, id) }
            return EventSet(try closings.compactMap { try Batch(closing: $0, in: log)?.range })
        }
    }

    /// Returns the events to take back if a person names `event`: all of an import if `event` is an import's own
    /// record, the whole batch of an undo if it is the undo's own record, else `event` alone.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if the event is not here.
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
