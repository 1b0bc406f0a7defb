import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The batches that an undo cannot take back: erasures and archives, which changed the files and not the records.
package struct FinalBatches {
    private var erases: [EventRange] = []
    private var archives: [EventRange] = []

    /// Their events.
    package var events: EventSet { EventSet(erases + archives) }

    /// Reads the erases and archives that `view` knows. Cost: a few look-ups for each.
    package init(in view: borrowing ViewReader, _ log: EventLog) throws {
        erases = try Self.batches(closedBy: ErasureKind.name, view, log)
        archives = try Self.batches(closedBy: ArchiveKind.name, view, log)
    }

    private static func batches(
        closedBy kind: String, _ view: borrowing ViewReader, _ log: EventLog
    ) throws -> [EventRange] {
        var batches: [EventRange] = []
        try view.forEachRecord(of: kind) { record in
            let event = try log.withEvent(at: record.firstPosition) { frame, _ in frame.id }
            if let event, let batch = try log.batch(of: event) {
                batches.append(EventRange(event.replica, batch.lowerBound, through: batch.upperBound))
            }
            return true
        }
        return batches
    }

    /// Throws if any of `others` belongs to one of these batches.
    package func refuseTakingBack(_ others: EventSet) throws {
        if Self.meet(erases, others) {
            throw StoreError(
                .usage, "An erase cannot be reverted: what was erased no longer exists.",
                hint: "If you still have the contact elsewhere, log or import it again.")
        }
        if Self.meet(archives, others) {
            throw StoreError(
                .usage, "The event of an archive cannot be reverted: it records what was moved out of the log.",
                hint: "To move the values back into the log: \(.restoreArchive)")
        }
    }

    private static func meet(_ batches: [EventRange], _ others: EventSet) -> Bool {
        batches.contains { batch in
            (batch.first...batch.last).contains { others.contains(EventID(batch.replica, $0)) }
        }
    }
}
