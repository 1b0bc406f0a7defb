import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The result of an erasure.
public struct Erased: Hashable, Sendable {
    /// The records, in the order in which they were named.
    public var records: [RecordID] = []
    /// The batches that record the erasure.
    public var batches: [Batch] = []
    /// The number of events that lost their values because of this erasure.
    public var withheldCount = 0

    /// Creates an empty result.
    public init() {}

    mutating func note(_ batch: Batch?, _ withheldCount: Int) {
        if let batch { batches.append(batch) }
        self.withheldCount += withheldCount
    }

    /// The events of all batches.
    public var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
}

extension Store {
    /// Erases records: removes everything that was ever written to them from this store for ever, and hides them.
    ///
    /// All their events lose their values and notes, whoever wrote them and whenever: also those that a device writes
    /// which has not received the erasure. Every device that receives it does the same. The events stay, with hashes in
    /// place of their values: every root, signed head and proof stays valid, and nothing shows again.
    ///
    /// The log and the views have been rewritten when this returns, so no page of the files keeps the text. Notes of
    /// other records, and other files, are not touched: see ``mentions(of:except:)`` and ``copiesOutOfReach(of:)``.
    ///
    /// - Parameters:
    ///   - ids: Records of `kind`. A record with nothing left to erase is skipped.
    ///   - note: The reason. It stays for ever, so it must not name the person concerned.
    /// - Throws: ``StoreError`` with code `usage` if the note names the call of an erased contact: then nothing was
    ///   written. `recovering` if this is the store of a recovery; `notFound` if there is no such record, `archived` if an archive has some of it: batches of 500
    ///   records that were written before stay. If the files cannot be rewritten, the erasure is recorded but the
    ///   text is still there, and the next write or open tries again.
    /// - Complexity: O(bytes of the log), once for all `ids`.
    @discardableResult
    public func erase(
        _ ids: [RecordID], kind: String, note: String = "", author: String? = nil
    ) async throws -> Erased {
        try requireWhole()
        guard !RevertKind.bookkeeping.contains(kind) else {
            throw StoreError(
                .notPermitted, "Records of the kind \(kind) are needed by the log itself, and cannot be erased.")
        }
        for component in components { try component.checkErase?(self, kind, ids, note) }
        var erased = Erased()
        erased.records = ids
        var rest = ids[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.eraseCount))
            rest = rest.dropFirst(part.count)
            let written = try await write(note: note, author: author) { [log] batch in
                try batch.erase(part, kind: kind, in: log)
            }
            erased.note(written.batch, written.value)
        }
        try await finishErasing()
        return erased
    }

    /// Writes one batch with what `body` writes, and an erasure of the events that it returns, of records that stay; adds
    /// it to `erased`. The values are still there until ``finishErasing()`` has returned.
    package func writeErasure(
        note: String, author: String?, into erased: inout Erased,
        _ body: @escaping @Sendable (inout WriteBatch) throws -> EventSet
    ) async throws {
        let written = try await write(note: note, author: author) { batch in
            let events = try body(&batch)
            for part in events.isEmpty ? [] : ErasureKind.parts(of: events) {
                try batch.append(ErasureKind.closing(part, as: batch.newID()))
            }
            return Int(events.count)
        }
        erased.note(written.batch, written.value)
    }

    /// Rewrites the log and the views without the values of erased events.
    ///
    /// - Throws: ``StoreError`` if the files cannot be rewritten; the next write or open tries again.
    package func finishErasing() async throws {
        guard let writer else {
            throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.")
        }
        let erasing = erasing
        try await Self.describing(files) {
            // The writer has tried already, without reporting failures.
            try await writer.exclusively { [views] in
                // Pending erasures are read from the views, which the write may have left behind the log.
                try views.catchUp()
                _ = try erasing.finish()
            }
        }
    }

    /// The number of records that one batch erases: with all their related ids they fit into one record of the erase.
    private static let eraseCount = 500
}

extension Reading {
    /// Returns the other records that repeat values of `ids`, such as those that these were merged into: they lose these
    /// values when `ids` are erased, and keep the rest. Without repetition, in order of their ids.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: Reads the events of these records.
    public func recordsRepeating(_ ids: [RecordID], kind: String) throws -> [RecordID] {
        try describing {
            let positions = try read { view in try ids.flatMap { try view.allPositions(of: kind, $0) } }
            let changes = try log.changes(at: Set(positions).sorted())
            let others = changes.filter { change in change.operations.contains { $0.value != nil } }.map(\.record)
            return Set(others).subtracting(ids).sorted()
        }
    }
}

extension WriteBatch {
    /// Erases the records that were not erased before.
    ///
    /// - Returns: The number of events that were written to them and have something to erase.
    fileprivate mutating func erase(_ ids: [RecordID], kind: String, in log: EventLog) throws -> Int {
        var events = EventSet()
        var (erased, related): ([RecordID], [RecordID]) = ([], [])
        for id in ids {
            guard let record = try record(kind, id) else { throw Self.noRecord(kind, id) }
            if record.isErased || erased.contains(id) { continue }
            let positions = try read { try $0.allPositions(of: kind, id) }
            try log.collectErasable(at: positions, of: id, into: &events)
            let changes = try log.changes(at: positions).filter { $0.record == id }
            let also = try read { [components] view in
                // A record that is here is erased only if it is named.
                try components.flatMap { try $0.relatedIDs?(view, log.roster(), kind, changes) ?? [] }.filter {
                    try $0 != id && view.state(of: kind, $0)?.isEmpty != false
                }
            }
            try append(
                Change(kind: kind, record: id, related: also, operations: [FieldOperation(.erase, .life)]))
            erased.append(id)
            related += also
        }
        if !erased.isEmpty { try append(ErasureKind.closing(erased, related: related, of: kind, as: newID())) }
        return Int(events.count)
    }
}

extension EventLog {
    /// Returns the changes of the events at `positions` whose values are here, without those of a series.
    package func changes(at positions: [Position]) throws -> [Change] {
        var changes: [Change] = []
        try withEvents(at: positions) { _, frame, bytes in
            if frame.isWithheld { return }
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values), isWithheld: false,
                by: frame.names(in: bytes))
            if let change, change.block == nil { changes.append(change) }
        }
        return changes
    }

    /// Inserts into `events` those at `positions` that have something to erase; they are about the record `id`, or repeat
    /// values of it.
    ///
    /// - Throws: ``StoreError`` with code `archived` if an archive has one of them.
    package func collectErasable(at positions: [Position], of id: RecordID, into events: inout EventSet) throws {
        try withEvents(at: positions) { _, frame, bytes in
            if frame.isWithheld, try withholding(of: frame.id) == .archived {
                throw StoreError(
                    .archived,
                    "Some of what was recorded about \(id.short) is in an archive, and would stay there.",
                    hint: """
                        First \(.restoreArchive). Then erase, delete the file, and archive again.
                        """)
            }
            if !frame.isWithheld, frame.isErasable(in: bytes) { events.insert(frame.id) }
        }
    }
}
