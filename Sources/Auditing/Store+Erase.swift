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

    /// The events of all batches.
    public var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
}

extension Store {
    /// Erases records: removes everything that was ever written to them from this store for ever, and hides them.
    ///
    /// All their events lose their values and notes, whoever wrote them; every device that receives the erasure does
    /// the same. The events stay, with hashes in place of their values: every root, signed head and proof stays
    /// valid, and nothing older shows again. Writes to the records by a device that had not received the erasure are
    /// kept; erase again to remove these too.
    ///
    /// The log and the views have been rewritten when this returns, so no page of the files keeps the text. Notes of
    /// other records, and other files, are not touched: see ``mentions(of:except:)`` and ``copiesOutOfReach(of:)``.
    ///
    /// - Parameters:
    ///   - ids: Records of `kind`. A record with nothing left to erase is skipped.
    ///   - note: The reason. It stays for ever, so it must not name the person concerned.
    /// - Throws: ``StoreError`` with code `usage` if the note names the call of an erased contact: then nothing was
    ///   written. `notFound` if there is no such record, `archived` if an archive has some of it: batches of 100
    ///   records that were written before stay. If the files cannot be rewritten, the erasure is recorded but the
    ///   text is still there, and the next write or open tries again.
    /// - Complexity: O(bytes of the log), once for all `ids`.
    @discardableResult
    public func erase(
        _ ids: [RecordID], kind: String, note: String = "", author: String? = nil
    ) async throws -> Erased {
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
            try await writeErasure(note: note, author: author, into: &erased) { [log] batch in
                try batch.erase(part, kind: kind, in: log)
            }
        }
        try await finishErasing()
        return erased
    }

    /// Writes one batch with what `body` writes, and an erasure of the events that it returns; adds it to `erased`. The
    /// values are still there until ``finishErasing()`` has returned.
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
        if let batch = written.batch { erased.batches.append(batch) }
        erased.withheldCount += written.value
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

    /// The number of records that one batch erases.
    private static let eraseCount = 100
}

extension WriteBatch {
    /// Hides the records that show.
    ///
    /// - Returns: The events that were written to them and have something to erase.
    fileprivate mutating func erase(_ ids: [RecordID], kind: String, in log: EventLog) throws -> EventSet {
        var events = EventSet()
        for id in ids {
            guard let record = try record(kind, id) else { throw Self.noRecord(kind, id) }
            let positions = try read { view in
                var positions = try view.state(of: kind, id)?.history.positions ?? []
                try view.forEachBlock(of: kind, id) { block, _ in
                    if block.position > 0 { positions.append(block.position) }
                    return true
                }
                return positions
            }
            try log.collectErasable(at: positions, of: id, into: &events)
            if record.isVisible { _ = try remove(kind, id) }
        }
        return events
    }
}

extension EventLog {
    /// Inserts into `events` those at `positions` that have something to erase; they are about the record `id`.
    ///
    /// - Throws: ``StoreError`` with code `archived` if an archive has one of them.
    package func collectErasable(at positions: [Position], of id: RecordID, into events: inout EventSet) throws {
        try withEvents(at: positions) { _, frame, bytes in
            if frame.isWithheld, try withholding(of: frame.id) == .archived {
                throw StoreError(
                    .archived,
                    "Some of what was recorded about \(id.short) is in an archive, and would stay there.",
                    hint: """
                        Restore the archive first (groundwave archive --restore FILE), erase, delete the file, and \
                        archive again.
                        """)
            }
            if frame.hasErasableContent(in: bytes) { events.insert(frame.id) }
        }
    }
}

extension Frame {
    /// Returns whether the event has values, an author or a note. A delete alone has nothing to erase.
    fileprivate func hasErasableContent(in bytes: RawSpan) -> Bool {
        if isWithheld { return false }
        let (shape, values) = (bytes.extracting(shape), bytes.extracting(values))
        guard let change = try? Change(shape: shape, values: values, isWithheld: false, by: names(in: bytes)),
            var reader = try? ChangeReader(shape: shape, isWithheld: false, by: names(in: bytes)),
            let note = try? reader.note(in: values)
        else { return true }
        return change.operations.contains { $0.value != nil } || change.block != nil || !note.author.isEmpty
            || !note.text.isEmpty
    }
}
