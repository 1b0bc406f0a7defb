import EventLog
import Events
import Foundation
import Projections
import Records

/// Which events have no values any more: folded from the records of erases.
struct Erasures {
    /// The events that are erased.
    private(set) var events = EventSet()

    /// Reads the erases that `view` knows.
    init(in view: borrowing ViewReader, _ log: EventLog) throws {
        try view.forEachRecord(of: ErasureKind.name) { record in
            events.formUnion(try ErasureKind.events(of: record, in: log))
            return true
        }
    }
}

/// Finishes erases in the files of one store: those of this device, and those that arrived from others.
///
/// An erase is done when the log has written itself anew without the values and the views were built from that. Until
/// the log says so, each open for writing and each write tries again: a process that died in between, a full disk.
struct Erasing: Sendable {
    let log: EventLog
    let views: Views
    let files: StoreFiles

    /// What is still to be done; `nil` where nothing is.
    private func pending() throws -> EventSet? {
        let events = try views.read { try $0.hasRecords(of: ErasureKind.name) ? Erasures(in: $0, log).events : nil }
        guard let events else { return nil }
        let done = try log.erased()
        return events.ranges.allSatisfy(done.contains) ? nil : events
    }

    /// Whether values that were erased are still in the log.
    func isPending() throws -> Bool { try pending() != nil }

    /// Does what is still to be done. Cost: a look-up where that is nothing.
    ///
    /// - Returns: How many events lost their values.
    /// - Throws: Errors of the disk, or of a damaged log; then it is to be tried again.
    @discardableResult
    func finish() throws -> Int {
        guard let events = try pending() else { return 0 }
        // The views that are replaced below may not come back after a power cut as older ones that look right.
        try views.synchronise()
        var isBaseNew = false
        let count = try log.erase(
            events, dropCopies: { dropCopies(of: events) },
            baseWithout: { erased in
                isBaseNew = true
                let folder = try ScratchFolder()
                return try withExtendedLifetime(folder) {
                    try Views.base(of: log, without: erased, scratchPath: folder.path(of: "base"))
                }
            })
        if count > 0 || isBaseNew { try views.rebuild() }
        return count
    }

    /// Deletes what else in the folder may hold the values of `events`, so that a store whose log is done has none:
    /// snapshots that count any of them or cannot be read, and the remains of files that were never finished.
    ///
    /// Whoever writes a snapshot meanwhile asks under the same lock whether it may have its name.
    private func dropCopies(of events: EventSet) {
        files.removeUnfinished()
        for path in files.snapshots {
            let vector = try? Snapshot.information(at: path).vector
            let holdsNone = vector.map { vector in events.ranges.allSatisfy { vector[$0.replica] < $0.first } }
            if holdsNone != true { unlink(path) }
        }
    }
}
