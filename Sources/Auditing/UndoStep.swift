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
    /// An import is one step, however many batches it took; so are a merge of all duplicates and a revert of chosen
    /// events. An undo is not a step: it is skipped together with what it undid, so that undoing again goes further
    /// back.
    public func undoableSteps(_ count: Int) throws -> [UndoStep] {
        guard count > 0 else { return [] }
        var steps: [UndoStep] = []
        var lastSeries: [UInt8]?
        try forEachUndoableBatch { batch in
            guard let last = try log.change(at: batch.position + UInt64(batch.count) - 1)?.change,
                !components.contains(where: { $0.isAutomatic?(last) ?? false })
            else { return true }
            let series = Self.series(closedBy: last)
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

    /// Undoes a step.
    ///
    /// - Throws: Errors of `write`; what was taken back before stays taken back.
    @discardableResult
    public func revert(_ step: UndoStep, note: String? = nil, author: String? = nil) async throws -> Reverted {
        let words = note ?? (step.note.text.isEmpty ? "Undo" : "Undo: \(step.note.text)")
        return try await undo(EventSet(step.batches.map(\.range)), isStep: false, note: words, author: author)
    }

    /// Returns what the batches of one import, merge or revert have in common; `nil` for a batch of its own.
    private static func series(closedBy last: Change) -> [UInt8]? {
        switch last.kind {
        case ImportKind.name, MergeKind.name: last.record.bytes
        // Each batch of a revert lists the same events.
        case RevertKind.name: last.operations.first?.value
        default: nil
        }
    }
}
