import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// What one `undo` takes back: a batch, or all batches of one import, merge of all duplicates or revert.
public struct UndoStep: Hashable, Sendable {
    /// The batches, newest first.
    public var batches: [Batch]
    /// The author and the reason.
    public let note: AuditNote
    /// The number of records that it changed; an event that only closes an import, merge or revert does not count.
    public var changeCount: Int

    /// When the newest of the batches was written.
    public var stamp: Stamp { batches[0].stamp }
}

extension Store {
    /// Returns the latest steps of the store's present replica that were not undone, newest first.
    ///
    /// An import is one step, however many batches it took, also if it was broken off and completed after something else was
    /// written; so are a merge of all duplicates and a revert of chosen events. An undo is not a step: it is skipped together
    /// with what it undid, so that undoing again goes further back.
    ///
    /// - Throws: As ``undoableBatches(_:)``.
    /// - Complexity: As ``undoableBatches(_:)``.
    public func undoableSteps(_ count: Int) throws -> [UndoStep] {
        guard count > 0 else { return [] }
        let undoable = try undoable()
        var steps: [UndoStep] = []
        var lastRevert: [UInt8]?
        // The imports and merges that are steps already.
        var whole: Set<RecordID> = []
        try forEachBatch(of: undoable) { batch in
            guard let last = try log.change(at: batch.position + UInt64(batch.count) - 1)?.change,
                !components.contains(where: { $0.isAutomatic?(last) ?? false })
            else { return true }
            if whole.contains(last.record) { return true }
            // Each batch of a revert has a record of its own, and lists the same events.
            let revert = last.kind == RevertKind.name ? last.operations.first?.value : nil
            if let revert, revert == lastRevert {
                steps[steps.count - 1].batches.append(batch)
                steps[steps.count - 1].changeCount += batch.count - 1
                return true
            }
            if steps.count == count { return false }
            lastRevert = revert
            let isSeries = [ImportKind.name, MergeKind.name].contains(last.kind)
            let batches = isSeries ? try self.batches(closedBy: last, of: undoable) : [batch]
            if isSeries { whole.insert(last.record) }
            let closingCount = isSeries || revert != nil ? batches.count : 0
            let note = try audit.note(at: batch.position + UInt64(batch.count) - 1)
            steps.append(
                UndoStep(
                    batches: batches, note: note,
                    changeCount: batches.reduce(0) { $0 + $1.count } - closingCount))
            return true
        }
        return steps
    }

    /// Returns the batches of the import or merge whose record `last` writes to, newest first.
    private func batches(closedBy last: Change, of undoable: UndoableBatches) throws -> [Batch] {
        try positions(of: last.kind, last.record).reversed().compactMap { position in
            try Batch(closing: position, in: log).flatMap { undoable.contains($0) ? $0 : nil }
        }
    }

    /// Undoes a step.
    ///
    /// - Throws: Errors of `write`; what was taken back before stays taken back.
    /// - Complexity: As ``revert(_:note:author:)-(EventSet,_,_)``.
    @discardableResult
    public func revert(_ step: UndoStep, note: String? = nil, author: String? = nil) async throws -> Reverted {
        let words = note ?? (step.note.text.isEmpty ? "Undo" : "Undo: \(step.note.text)")
        return try await undo(EventSet(step.batches.map(\.range)), isStep: false, note: words, author: author)
    }
}
