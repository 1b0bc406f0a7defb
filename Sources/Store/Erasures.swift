import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveProjections
import GroundwaveRecords
import Synchronization

/// What was erased, folded from the records of erases, with the events that erased it.
package struct Erasures {
    /// The events that were erased of records that stay, and the position of the event that erases them.
    private(set) var parts: [(event: EventID, position: Position, erased: EventSet)] = []
    /// The erased records: whatever anybody writes to them is erased, too. With the events that erase each.
    private(set) var records: [WriteBatch.RecordName: Set<EventID>] = [:]

    /// Reads the erases that `view` knows.
    init(in view: borrowing ViewReader, _ log: EventLog) throws {
        try view.forEachRecord(of: ErasureKind.name) { record in
            try ErasureKind.forEachErase(of: record, in: log) { head, events, names in
                if !events.isEmpty { parts.append((head.id.event, head.position, events)) }
                for name in names { records[name, default: []].insert(head.id.event) }
            }
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
    private let unclear = Mutex<[EventID: Unclear]>([:])
    private let checked = Mutex<Checked?>(nil)

    private struct Unclear {
        let named: EventSet
        /// For each named range, the number of events of its replica that were here.
        let counts: [SequenceNumber]
        let content: LogContent
        let open: EventSet
    }

    /// A state of the log in which every event of an erased record was erased.
    private struct Checked {
        let content: LogContent
        let position: Position
        let records: ErasedRecords
    }

    init(log: EventLog, views: Views, files: StoreFiles, _ followUp: FollowUp) {
        (self.log, self.views, self.files, self.followUp) = (log, views, files, followUp)
    }

    /// Returns the erasures still to apply: events that were certainly meant, by the events that erase them, and events
    /// whose erasure is ambiguous until more events arrive. Cost: one look-up if there are no erasures.
    private func pending() throws -> (certain: [EventID: EventSet], open: EventSet) {
        let content = try log.content()
        var done: [EventID: EventSet] = [:]
        let found = try views.read { view -> (erasures: Erasures, certain: [EventID: EventSet])? in
            guard try view.hasRecords(of: ErasureKind.name) else { return nil }
            let erasures = try Erasures(in: view, log)
            done = try log.refusals()
            return (erasures, try events(of: ErasedRecords(erasures.records), content, done, in: view))
        }
        guard let found else { return ([:], EventSet()) }
        var (certain, open) = (found.certain, EventSet())
        let vector = try log.vector()
        for (event, position, erased) in found.erasures.parts {
            let rest = erased.subtracting(done[event] ?? EventSet())
            if rest.isEmpty { continue }
            let counts = rest.ranges.map { vector[$0.replica] }
            if let known = unclear.withLock({ $0[event] }), known.named == rest, known.counts == counts,
                known.content == content
            {
                open.formUnion(known.open)
                continue
            }
            let meaning = try log.meaning(of: rest, namedAt: position)
            if !meaning.certain.isEmpty { certain[event, default: EventSet()].formUnion(meaning.certain) }
            open.formUnion(meaning.open)
            let found = Unclear(named: rest, counts: counts, content: content, open: meaning.open)
            unclear.withLock { $0[event] = meaning.certain.isEmpty ? found : nil }
        }
        return (certain, done.values.reduce(open) { $0.subtracting($1) })
    }

    /// Returns the events of erased records that are still to be erased. Once there are none, only later events are
    /// looked at. Cost: O(later events), else O(events of all these records, and those that do not count), and O(bytes of the
    /// ranges that wait).
    private func events(
        of records: ErasedRecords, _ content: LogContent, _ done: [EventID: EventSet], in view: borrowing ViewReader
    ) throws -> [EventID: EventSet] {
        if records.erasers.isEmpty { return [:] }
        let known = checked.withLock { $0 }
        var events: [EventID: EventSet] = [:]
        func note(_ frame: Frame, _ bytes: RawSpan, _ erasers: Set<EventID>) {
            let rest = erasers.filter { done[$0]?.contains(frame.id) != true }
            if rest.isEmpty || !frame.isErasable(in: bytes) { return }
            for event in rest { events[event, default: EventSet()].insert(frame.id) }
        }
        if let known, known.content == content, known.records == records, known.position <= view.position {
            let last = view.position
            if known.position < last {
                try log.scan(from: known.position + 1) { position, frame, bytes in
                    if position <= last { note(frame, bytes, records.erasers(of: frame, in: bytes)) }
                    return position < last
                }
            }
        } else {
            for (name, erasers) in records.erasers {
                try log.withEvents(at: view.allPositions(of: name.kind, name.id)) { note($1, $2, erasers) }
            }
            // No view has the events that do not count.
            let all = try log.vector().entries.map { EventRange($0.replica, 1, through: $0.sequence) }
            for range in try log.roster()?.uncounted(among: all).ranges ?? [] {
                try log.scan(range) { _, frame, bytes in
                    note(frame, bytes, records.erasers(of: frame, in: bytes))
                    return true
                }
            }
        }
        for range in try log.retainedFrames() {
            for sequence in range.range.first...range.range.last {
                try range.withEvent(sequence) { note($0, $1, records.erasers(of: $0, in: $1)) }
            }
        }
        if events.isEmpty {
            checked.withLock { $0 = Checked(content: content, position: view.position, records: records) }
        }
        return events
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
        let refusals = try pending().certain
        if refusals.isEmpty { return 0 }
        let events = refusals.values.reduce(into: EventSet()) { $0.formUnion($1) }
        // After a power cut, the views replaced below must not come back in an older state that looks valid.
        try views.synchronise()
        let count = try log.erase(
            refusals, dropCopies: { try dropCopies(of: events) },
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

/// The records that were erased.
private struct ErasedRecords: Hashable {
    /// By their names, the events that erase them.
    let erasers: [WriteBatch.RecordName: Set<EventID>]
    /// Their ids: they tell most events apart without a look at the kind.
    private let ids: Set<RecordID>

    init(_ erasers: [WriteBatch.RecordName: Set<EventID>]) {
        self.erasers = erasers
        ids = Set(erasers.keys.map(\.id))
    }

    /// Returns the events that erase those which the event is about, or whose values it repeats; one that cannot be read is
    /// about none.
    func erasers(of frame: Frame, in bytes: RawSpan) -> Set<EventID> {
        let shape = bytes.extracting(frame.shape)
        let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        guard let reader else { return [] }
        let related = reader.hasRelated ? reader.related(in: shape) : []
        guard ids.contains(reader.record) || related.contains(where: ids.contains) else { return [] }
        let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
        return ([reader.record] + related).reduce(into: []) { events, id in
            events.formUnion(erasers[WriteBatch.RecordName(kind: kind, id: id)] ?? [])
        }
    }
}

extension ViewReader {
    /// Returns the positions of all events of a record, ascending: those that write to it, those that repeat values of it,
    /// and those of its series.
    package func allPositions(of kind: String, _ id: RecordID) throws -> [Position] {
        var positions = try state(of: kind, id)?.history.positions ?? []
        let count = positions.count
        try forEachBlock(of: kind, id) { block, _ in
            if block.position > 0 { positions.append(block.position) }
            return true
        }
        return positions.count == count ? positions : positions.sorted()
    }
}

extension Frame {
    /// Returns whether the event has values, an author or a note to erase, here or elsewhere: an event without values
    /// may have had any. A delete alone has none.
    package func isErasable(in bytes: RawSpan) -> Bool {
        let (shape, values) = (bytes.extracting(shape), bytes.extracting(values))
        if RosterKind.isNeverErased(id, shape: shape) { return false }
        guard let change = try? Change(shape: shape, values: values, isWithheld: isWithheld, by: names(in: bytes)),
            var reader = try? ChangeReader(shape: shape, isWithheld: isWithheld, by: names(in: bytes)),
            let note = try? reader.note(in: values)
        else { return true }
        // The event that erases is none of those that it erases.
        if change.operations.contains(where: { $0.code == .erase }) { return false }
        return isWithheld || change.operations.contains { $0.value != nil } || change.block != nil
            || !note.isEmpty
    }
}
