import Events
import Projections
import Records

/// What one `undo` takes back: a batch, or all batches of one import or of one merge of all duplicates.
public struct UndoStep: Hashable, Sendable {
    /// The batches, the newest first.
    public var batches: [Batch]
    /// Who, and why.
    public let note: AuditNote
    /// How many records it changed; an event that only closes an import or merge does not count.
    public var changeCount: Int

    /// When the newest of the batches was written.
    public var stamp: Stamp { batches[0].stamp }
}

extension Store {
    /// The latest steps that this device wrote and that were not undone, the newest first.
    ///
    /// An import is one step, however many batches it took; so is a merge of all duplicates. An undo is not a step: it is passed over with what it
    /// undid, so that undoing again goes further back.
    public func undoableSteps(_ count: Int) throws -> [UndoStep] {
        guard count > 0 else { return [] }
        var steps: [UndoStep] = []
        var lastSeries: RecordID?
        try forEachUndoableBatch { batch in
            guard let last = try log.change(at: batch.position + UInt64(batch.count) - 1)?.change else {
                return true
            }
            let series = [ImportKind.name, MergeKind.name].contains(last.kind) ? last.record : nil
            let changes = batch.count - (series == nil ? 0 : 1)
            if let series, series == lastSeries {
                steps[steps.count - 1].batches.append(batch)
                steps[steps.count - 1].changeCount += changes
                return true
            }
            if steps.count == count { return false }
            lastSeries = series
            let note = try audit.note(at: batch.position + UInt64(batch.count) - 1)
            steps.append(UndoStep(batches: [batch], note: note, changeCount: changes))
            return true
        }
        return steps
    }

    /// Takes a step back.
    ///
    /// - Throws: What `write` throws; what was taken back by then stays taken back.
    @discardableResult
    public func revert(_ step: UndoStep, note: String? = nil, author: String? = nil) async throws -> Reverted {
        let words = note ?? (step.note.text.isEmpty ? "Undo" : "Undo: \(step.note.text)")
        return try await revert(EventSet(step.batches.map(\.range)), note: words, author: author)
    }
}
