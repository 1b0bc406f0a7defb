import EventLog
import Events
import Projections
import Radio
import Records

/// What an erase did.
public struct Erased: Hashable, Sendable {
    /// The records, in the order in which they were named.
    public var records: [RecordID] = []
    /// The batches that say so.
    public var batches: [Batch] = []
    /// How many events have no values any more, because of this erase.
    public var withheldCount = 0

    /// Nothing yet.
    public init() {}

    /// The events of all batches.
    public var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
}

extension Store {
    /// Takes everything that was ever said of some records out of this store for ever, and hides them.
    ///
    /// All their events lose their values, whoever wrote them, with the notes in them; so does every device that gets
    /// this erase. The events stay, with their hashes in the place of the values: every root, signed head and proof
    /// stays right, and nothing that came before shows again. What others write to the records without having seen the
    /// erase is kept: erasing once more takes that too.
    ///
    /// The log and the views are written anew, so no page of the files keeps the text. When this returns, that is done.
    /// Notes that stand with other records, and other files, are not touched: see ``mentions(of:except:)`` and
    /// ``copiesOutOfReach(of:)``.
    ///
    /// - Parameters:
    ///   - ids: Records of `kind`. One of which nothing is left to erase is passed over.
    ///   - note: Why. It stays for ever, so it must not name whom it is about.
    /// - Throws: ``StoreError`` with code `notFound` where there is no such record, `archived` where an archive has some of
    ///   it, `usage` where the note names the call
    ///   of a contact that is erased: then nothing was written. Where the files could not be written anew, the erase
    ///   stands, the text is still there, and the next write or open tries again.
    /// - Complexity: O(bytes of the log), once for all `ids`.
    @discardableResult
    public func erase(
        _ ids: [RecordID], kind: String = QSOKind.name, note: String = "", author: String? = nil
    ) async throws -> Erased {
        guard let writer else {
            throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.")
        }
        guard !RevertKind.bookkeeping.contains(kind) else {
            throw StoreError(
                .notPermitted, "Records of the kind \(kind) are needed by the log itself, and cannot be erased.")
        }
        try refuse(note, naming: ids, kind)
        var erased = Erased()
        erased.records = ids
        var rest = ids[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.eraseCount))
            rest = rest.dropFirst(part.count)
            let written = try await write(note: note, author: author) { [log] batch in
                try batch.erase(part, kind: kind, in: log)
            }
            if let batch = written.batch { erased.batches.append(batch) }
            erased.withheldCount += written.value
        }
        let erasing = erasing
        return try await Self.describing(files) {
            // The writer has tried already, and kept quiet where it failed.
            try await writer.exclusively { [views] in
                // What is to be erased is asked of the views; the write may have left them behind.
                try views.catchUp()
                _ = try erasing.finish()
            }
            return erased
        }
    }

    /// How many records one batch erases.
    private static let eraseCount = 100

    private func refuse(_ note: String, naming ids: [RecordID], _ kind: String) throws {
        guard !note.isEmpty, kind == QSOKind.name else { return }
        for id in ids {
            guard let call = try record(kind, id).map({ ContactFacts($0).call }), !call.isEmpty else { continue }
            if WordSearch(call).isFound(in: Array(note.utf8)) {
                throw StoreError(
                    .usage, "The note contains \(call), and notes are never erased.",
                    hint: "Write the note without the call.")
            }
        }
    }
}

extension WriteBatch {
    /// Appends deletes of the records that show, and the record that says which events are erased.
    ///
    /// - Returns: How many events that are.
    fileprivate mutating func erase(_ ids: [RecordID], kind: String, in log: EventLog) throws -> Int {
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
            try log.withEvents(at: positions) { _, frame, bytes in
                if frame.isWithheld, try log.withholding(of: frame.id) == .archived {
                    throw StoreError(
                        .archived, "Some of what was recorded of \(id.short) is in an archive, and would stay there.",
                        hint: """
                            Restore the archive first (groundwave archive --restore FILE), erase, delete the file, and \
                            archive again.
                            """)
                }
                guard frame.saysAnything(in: bytes) else { return }
                events.insert(frame.id)
            }
            if record.isVisible { _ = try remove(kind, id) }
        }
        guard !events.isEmpty else { return 0 }
        for part in ErasureKind.parts(of: events) { try append(ErasureKind.closing(part, as: newID())) }
        return Int(events.count)
    }
}

extension Frame {
    /// Whether there are values, author or note: a delete by itself says nothing that could be erased.
    fileprivate func saysAnything(in bytes: RawSpan) -> Bool {
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
