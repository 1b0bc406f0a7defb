import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import Synchronization

/// The events whose values were erased, folded from the records of erases.
package struct Erasures {
    /// The erased events, by the position of the event that erases them.
    private(set) var byPosition: [(position: Position, events: EventSet)] = []

    /// All erased events.
    package var events: EventSet { byPosition.reduce(into: EventSet()) { $0.formUnion($1.events) } }

    /// Reads the erases that `view` knows.
    package init(in view: borrowing ViewReader, _ log: EventLog) throws {
        try view.forEachRecord(of: ErasureKind.name) { record in
            byPosition.append((record.firstPosition, try ErasureKind.events(of: record, in: log)))
            return true
        }
    }
}

/// Finishes erasures in the files of one store, both those of this device and those that arrived from others.
///
/// An erasure is complete when the log has been rewritten without the values and the views rebuilt from it. Until the
/// log records this, each open for writing and each write tries again, so a crash or a full disk only delays it.
package final class Erasing: Sendable {
    private let log: EventLog
    private let views: Views
    private let files: StoreFiles
    private let followUp: FollowUp
    /// The erasures whose target is ambiguous: it is unclear whether the events stored here under these numbers are
    /// those that were meant. They are examined again when more of these events have arrived.
    private let unclear = Mutex<[Position: Unclear]>([:])

    private struct Unclear {
        let named: EventSet
        /// For each named range, the number of events of its replica that were here.
        let counts: [SequenceNumber]
        let content: LogContent
        let open: EventSet
    }

    init(log: EventLog, views: Views, files: StoreFiles, _ followUp: FollowUp) {
        (self.log, self.views, self.files, self.followUp) = (log, views, files, followUp)
    }

    /// Returns the erasures still to apply: events that were certainly meant, and events whose erasure is ambiguous
    /// until more events arrive. Cost: one look-up if there are no erasures.
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

    /// Returns whether values that were erased are still in the log.
    package func isPending() throws -> Bool { try !pending().certain.isEmpty }

    /// Returns the number of events here that are named by ambiguous erasures: the events that the authors of these
    /// erasures had seen have not all arrived, so that it is unclear which events they mean.
    package func unclearCount() throws -> UInt64 {
        let vector = try log.vector()
        return try pending().open.ranges.reduce(0) { count, range in
            let last = min(range.last, vector[range.replica])
            return count + (range.first <= last ? last - range.first + 1 : 0)
        }
    }

    /// Finishes pending erasures. Cost: one look-up if there are none.
    ///
    /// - Returns: The number of events that lost their values.
    /// - Throws: Errors of the disk or of a damaged log. The next write, or open for writing, tries again.
    @discardableResult
    package func finish() throws -> Int {
        let events = try pending().certain
        if events.isEmpty { return 0 }
        // After a power cut, the views replaced below must not come back in an older state that looks valid.
        try views.synchronise()
        let count = try log.erase(
            events, dropCopies: { try dropCopies(of: events) },
            baseWithout: { erased in
                let folder = try ScratchFolder()
                return try withExtendedLifetime(folder) {
                    try Views.base(of: log, without: erased, temporaryPath: folder.path(of: "base"))
                }
            })
        try followUp.run()
        return count
    }

    /// Deletes the other files of the folder that may hold values of `events`, so that none remain once the log is
    /// done: snapshots that count any of these events or cannot be read, and unfinished files.
    ///
    /// A snapshot in progress takes the same lock, and checks under it whether it may still take its name.
    private func dropCopies(of events: EventSet) throws {
        files.removeUnfinished()
        for path in files.snapshots {
            let vector = try? Snapshot.information(at: path).vector
            let holdsNone = vector.map { vector in events.ranges.allSatisfy { vector[$0.replica] < $0.first } }
            if holdsNone != true { unlink(path) }
        }
        // A power cut must not bring a snapshot back: a later archive would start from it.
        if FileManager.default.fileExists(atPath: files.snapshotFolder.path) {
            try AtomicFile.flush(folder: files.snapshotFolder.path)
        }
    }
}
