import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import Synchronization

/// Which events have no values any more: folded from the records of erases.
package struct Erasures {
    /// The events that are erased, by the position of the event that says so.
    private(set) var byPosition: [(position: Position, events: EventSet)] = []

    /// The events that are erased.
    package var events: EventSet { byPosition.reduce(into: EventSet()) { $0.formUnion($1.events) } }

    /// Reads the erases that `view` knows.
    package init(in view: borrowing ViewReader, _ log: EventLog) throws {
        try view.forEachRecord(of: ErasureKind.name) { record in
            byPosition.append((record.firstPosition, try ErasureKind.events(of: record, in: log)))
            return true
        }
    }
}

/// Finishes erases in the files of one store: those of this device, and those that arrived from others.
///
/// An erase is done when the log has written itself anew without the values and the views were built from that. Until
/// the log says so, each open for writing and each write tries again: a process that died in between, a full disk.
package final class Erasing: Sendable {
    private let log: EventLog
    private let views: Views
    private let files: StoreFiles
    private let followUp: FollowUp
    /// The erases of which it could not be told yet whether what has their numbers here is what was meant: asked again
    /// once more of that has come.
    private let unclear = Mutex<[Position: Unclear]>([:])

    private struct Unclear {
        let named: EventSet
        /// How many events were here of each replica that is named.
        let counts: [SequenceNumber]
        let content: LogContent
        let open: EventSet
    }

    init(log: EventLog, views: Views, files: StoreFiles, _ followUp: FollowUp) {
        (self.log, self.views, self.files, self.followUp) = (log, views, files, followUp)
    }

    /// The events whose values are to go and are not gone: those that surely were meant, and those of which that cannot be
    /// told yet. Cost: a look-up where there are none.
    private func pending() throws -> (certain: EventSet, open: EventSet) {
        var (certain, open) = (EventSet(), EventSet())
        let erasures = try views.read { try $0.hasRecords(of: ErasureKind.name) ? Erasures(in: $0, log) : nil }
        guard let erasures else { return (certain, open) }
        let done = try log.erased()
        let (vector, content) = (try log.vector(), try log.content())
        for (position, events) in erasures.byPosition {
            let rest = events.subtracting(done)
            if rest.isEmpty { continue }
            let counts = rest.ranges.map { vector[$0.replica] }
            if let known = unclear.withLock({ $0[position] }), known.named == rest, known.counts == counts,
                known.content == content
            {
                open.formUnion(known.open)
                continue
            }
            let meaning = try log.meaning(of: rest, namedAt: position)
            certain.formUnion(meaning.certain)
            open.formUnion(meaning.open)
            let found = Unclear(named: rest, counts: counts, content: content, open: meaning.open)
            unclear.withLock { $0[position] = meaning.certain.isEmpty ? found : nil }
        }
        return (certain, open)
    }

    /// Whether values that were erased are still in the log.
    package func isPending() throws -> Bool { try !pending().certain.isEmpty }

    /// How many events are named by erases of which it cannot be told yet whether they mean those, since what their authors
    /// had seen has not come. Those that are not here at all do not count.
    package func unclearCount() throws -> UInt64 {
        let vector = try log.vector()
        return try pending().open.ranges.reduce(0) { count, range in
            let last = min(range.last, vector[range.replica])
            return count + (range.first <= last ? last - range.first + 1 : 0)
        }
    }

    /// Does what is still to be done. Cost: a look-up where that is nothing.
    ///
    /// - Returns: How many events lost their values.
    /// - Throws: Errors of the disk, or of a damaged log; then it is to be tried again.
    @discardableResult
    package func finish() throws -> Int {
        let events = try pending().certain
        if events.isEmpty { return 0 }
        // The views that are replaced below may not come back after a power cut as older ones that look right.
        try views.synchronise()
        let count = try log.erase(
            events, dropCopies: { try dropCopies(of: events) },
            baseWithout: { erased in
                let folder = try ScratchFolder()
                return try withExtendedLifetime(folder) {
                    try Views.base(of: log, without: erased, scratchPath: folder.path(of: "base"))
                }
            })
        try followUp.run()
        return count
    }

    /// Deletes what else in the folder may hold the values of `events`, so that a store whose log is done has none:
    /// snapshots that count any of them or cannot be read, and the remains of files that were never finished.
    ///
    /// Whoever writes a snapshot meanwhile asks under the same lock whether it may have its name.
    private func dropCopies(of events: EventSet) throws {
        files.removeUnfinished()
        for path in files.snapshots {
            let vector = try? Snapshot.information(at: path).vector
            let holdsNone = vector.map { vector in events.ranges.allSatisfy { vector[$0.replica] < $0.first } }
            if holdsNone != true { unlink(path) }
        }
        // A power cut must not bring one back: a later archive would begin with it.
        if FileManager.default.fileExists(atPath: files.snapshotFolder.path) {
            try AtomicFile.flush(folder: files.snapshotFolder.path)
        }
    }
}
