import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The record of an import, which closes each of its batches and counts what all of them have brought.
///
/// A record without its count of records is that of an import that was killed, or that still runs. An import of the same
/// file from the same source on the same device goes on with it, so that all of it is counted and reverted as one.
struct ImportBook {
    /// The id of the import.
    let id: RecordID
    private let file: String
    private let source: String
    private let replica: ReplicaID
    /// The value of each field of the record, and its heads.
    private var known: [FieldKey: (value: [UInt8]?, heads: [HeadID])] = [:]

    /// Finds the record of an unfinished import of `file`; else begins one with the id `new`.
    ///
    /// - Parameter cancelled: Events that were taken back. An import that was is not gone on with.
    /// - Complexity: One pass over the records of all imports.
    init(
        of file: String, _ source: String, by replica: ReplicaID, or new: RecordID, _ cancelled: EventSet,
        in view: borrowing ViewReader
    ) throws {
        (self.file, self.source, self.replica) = (file, source, replica)
        var found: Record?
        try view.forEachRecord(of: ImportKind.name) { record in
            func text(_ name: String) -> String? {
                ImportKind.schema.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) }
            }
            let author = record[ImportKind.schema.key(for: "FILE")]?.shown.id.event
            guard text("RECORDS") == nil, text("FILE") == file, text("SOURCE") == source, let author,
                author.replica == replica, !cancelled.contains(author)
            else { return true }
            if found.map({ $0.lastPosition < record.lastPosition }) ?? true { found = record }
            return true
        }
        id = found?.id ?? new
        if let found { read(found) }
    }

    /// Whether batches of it were written, and not the last one.
    var isUnfinished: Bool { !known.isEmpty && value("RECORDS") == nil }
    /// The number of new contacts in the batches so far.
    var imported: Int { number("IMPORTED") }
    /// The number of changed contacts in the batches so far.
    var updated: Int { number("UPDATED") }

    /// Returns the change that closes a batch: what is new in `assignments`, and the counts.
    func change(assigning assignments: [Assignment]) -> Change {
        let counts = ["IMPORTED", "UPDATED"].map { ImportKind.schema.key(for: $0) }
        var operations = ImportKind.schema.operations(assigning: assignments, to: nil)
        operations.removeAll { !counts.contains($0.field) && known[$0.field]?.value == $0.value }
        for index in operations.indices { operations[index].supersedes = known[operations[index].field]?.heads ?? [] }
        return Change(kind: ImportKind.name, record: id, operations: operations)
    }

    /// Notes that `change` was written, as this event.
    mutating func note(_ change: Change, as event: EventID) {
        for operation in change.operations { known[operation.field] = (operation.value, [HeadID(event)]) }
    }

    /// Returns the book as it is now, after another program has written: that of an import of the same file that has begun
    /// meanwhile, unless this one has.
    func renewed(in view: borrowing ViewReader, _ log: EventLog) throws -> ImportBook {
        guard !known.isEmpty, let record = try view.record(ImportKind.name, id) else {
            let cancelled = try Reverts(in: view, log).cancelled
            return try ImportBook(of: file, source, by: replica, or: id, cancelled, in: view)
        }
        var renewed = self
        renewed.known = [:]
        renewed.read(record)
        return renewed
    }

    private mutating func read(_ record: Record) {
        for field in record.fields { known[field.key] = (field.value, field.heads.map(\.id)) }
    }

    private func value(_ name: String) -> [UInt8]? { known[ImportKind.schema.key(for: name)]?.value }

    private func number(_ name: String) -> Int {
        value(name).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }
}
