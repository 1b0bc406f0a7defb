import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The result of merging many groups of duplicates.
public struct MergedDuplicates: Sendable {
    /// The groups that were merged, in the order in which they came.
    public var contacts: [MergedContact] = []
    /// The groups that were skipped, since one of their contacts was hidden meanwhile.
    public var left: [DuplicateGroup] = []
    /// The batches that were written, in order; together they are one step of `undo`.
    public var batches: [Batch] = []
}

extension Store {
    /// Merges several contacts into one, in one batch: see ``WriteBatch/merge(_:into:)``.
    ///
    /// - Parameters:
    ///   - drop: The contacts that are hidden.
    ///   - keep: The contact that stays.
    ///   - note: "Merge duplicates" if not given.
    ///   - author: The author, if other than that of the store.
    /// - Throws: As ``WriteBatch/merge(_:into:)``, and errors of `write`; then nothing was written.
    /// - Complexity: At most one commit.
    public func merge(
        _ drop: [RecordID], into keep: RecordID, note: String? = nil, author: String? = nil
    ) async throws -> Written<MergedContact> {
        try await write(note: note ?? Self.mergeNote, author: author) { try $0.merge(drop, into: keep) }
    }

    /// Merges each group into one contact, in as few batches as their limits allow; a group is never divided.
    ///
    /// All batches share one record of the kind `merge`, and are one step of `undo`. If the process is killed in
    /// between, whole batches remain, and running this again completes the merge.
    ///
    /// - Parameters:
    ///   - groups: As ``Reading/duplicateGroups(within:keeping:)`` returned them: no contact is in two of them.
    ///   - note: The reason; “Merge duplicates” if not given.
    ///   - author: The author, if other than that of the store.
    /// - Throws: Errors of `write`; batches that were written before stay.
    public func merge(
        _ groups: [DuplicateGroup], note: String? = nil, author: String? = nil
    ) async throws -> MergedDuplicates {
        var result = MergedDuplicates()
        var rest = groups[...]
        var series: MergeSeries?
        while !rest.isEmpty {
            let (groups, before) = (rest, series)
            let written = try await write(note: note ?? Self.mergeNote, author: author) { batch in
                try batch.merge(groups, after: before)
            }
            result.contacts += written.value.contacts
            result.left += written.value.left
            rest = rest.dropFirst(written.value.contacts.count + written.value.left.count)
            guard let batch = written.batch else { continue }
            result.batches.append(batch)
            series = written.value.series
            series?.closing = HeadID(batch.last)
        }
        return result
    }

    /// Records that two contacts are not duplicates: see ``WriteBatch/dismissDuplicate(_:_:)``.
    ///
    /// - Throws: As ``WriteBatch/dismissDuplicate(_:_:)``, and errors of `write`; then nothing was written.
    /// - Complexity: At most one commit.
    public func dismissDuplicate(
        _ one: RecordID, _ other: RecordID, note: String? = nil, author: String? = nil
    ) async throws -> Written<RecordID> {
        try await write(note: note ?? "No duplicates", author: author) { try $0.dismissDuplicate(one, other) }
    }

    private static let mergeNote = "Merge duplicates"
}

/// The batches of one merge of many groups, as far as they have been written.
private struct MergeSeries: Sendable {
    /// The record that closes each of them.
    let id: RecordID
    /// The event that closed the previous batch.
    var closing: HeadID?
    var kept = 0
    var hidden = 0

    /// The change that closes a batch: the numbers of contacts kept and hidden so far.
    var change: Change {
        var operations = MergeKind.schema.operations(
            assigning: [Assignment("KEPT", text: "\(kept)"), Assignment("HIDDEN", text: "\(hidden)")], to: nil)
        if let closing { for index in operations.indices { operations[index].supersedes = [closing] } }
        return Change(kind: MergeKind.name, record: id, operations: operations)
    }
}

extension WriteBatch {
    /// Merges the first of `groups`, at least one and as many as there is room for, and closes the batch.
    fileprivate mutating func merge(
        _ groups: ArraySlice<DuplicateGroup>, after before: MergeSeries?
    ) throws -> (contacts: [MergedContact], left: [DuplicateGroup], series: MergeSeries) {
        var series = before ?? MergeSeries(id: newID())
        var contacts: [MergedContact] = []
        var left: [DuplicateGroup] = []
        var bytes = 0
        for group in groups {
            guard try ([group.keep] + group.drop).allSatisfy({ try record(QSOKind.name, $0)?.isVisible ?? false })
            else {
                left.append(group)
                continue
            }
            // Half of a batch's bytes are kept free for this group, the note and what the writer adds.
            let isFull =
                changes.count + group.drop.count + 2 > EventLimits.batchCount || bytes > EventLimits.batchBytes / 2
            if isFull, !contacts.isEmpty { break }
            let first = changes.count
            contacts.append(try merge(group.drop, into: group.keep))
            bytes += changes[first...].reduce(0) { $0 + DraftBatch.byteBound(of: $1) + DraftBatch.overheadPerEvent }
            series.hidden += group.drop.count
        }
        series.kept += contacts.count
        if !contacts.isEmpty { try append(series.change) }
        return (contacts, left, series)
    }
}
