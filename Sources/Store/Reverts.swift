import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The events that cancel one another: those that an undo names, and the events of that undo.
///
/// An undo that was itself undone no longer counts, and what it had taken back counts again. To compute a record
/// without some events, leave the cancelled events out too; the effect of a later undo is then attributed correctly.
package struct Reverts {
    /// The cancelled events: those that were taken back, and those that took them back.
    package private(set) var cancelled = EventSet()
    /// Of these, the batches that took something back.
    package private(set) var undos = EventSet()
    /// Of these batches, those that are undo steps of their own: an undo takes them back in turn.
    package private(set) var steps = EventSet()

    private struct Revert {
        /// The batch that took events back; `nil` for an undo that is about to be written.
        var own: EventRange?
        var taken: EventSet
        var isStep = false
    }

    /// Reads the undos that `view` knows. Cost: a few look-ups for each.
    ///
    /// - Parameter events: The events that an undo about to be written takes back.
    package init(in view: borrowing ViewReader, _ log: EventLog, with events: EventSet = EventSet()) throws {
        var reverts = [Revert(own: nil, taken: events)]
        var closings: [(position: Position, taken: EventSet, isStep: Bool)] = []
        try view.forEachRecord(of: RevertKind.name) { record in
            closings.append(
                (record.firstPosition, try RevertKind.events(of: record, in: log), RevertKind.isStep(record)))
            return true
        }
        for (position, taken, isStep) in closings {
            guard let batch = try Batch(closing: position, in: log) else { continue }
            reverts.append(Revert(own: batch.range, taken: taken, isStep: isStep))
        }
        // The author of an undo has seen the batch that it undoes, so no two undo one another, and each is judged by
        // the undos that name it.
        var isActive: [Bool?] = Array(repeating: nil, count: reverts.count)
        let owns = reverts.indices.filter { reverts[$0].own != nil }.sorted {
            Self.key(reverts[$0]) < Self.key(reverts[$1])
        }
        var namedBy: [[Int]] = Array(repeating: [], count: reverts.count)
        for (index, revert) in reverts.enumerated() {
            for range in revert.taken.ranges {
                let start = EventID(range.replica, range.first)
                for other in owns[owns.partition(before: { Self.key(reverts[$0]) < start })...] {
                    guard let own = reverts[other].own, own.replica == range.replica, own.last <= range.last else {
                        break
                    }
                    if other != index { namedBy[other].append(index) }
                }
            }
        }
        func judge(_ index: Int) -> Bool {
            if let known = isActive[index] { return known }
            // Undos that name one another in a circle cannot come from honest devices; each of them then counts.
            isActive[index] = true
            let result = !namedBy[index].contains { judge($0) }
            isActive[index] = result
            return result
        }
        for (index, revert) in reverts.enumerated() where judge(index) {
            cancelled.formUnion(revert.taken)
            guard let own = revert.own else { continue }
            cancelled.insert(own)
            undos.insert(own)
            if revert.isStep { steps.insert(own) }
        }
    }

    private static func key(_ revert: Revert) -> EventID {
        revert.own.map { EventID($0.replica, $0.first) } ?? EventID(ReplicaID(high: 0, low: 0), 0)
    }
}

extension [Int] {
    /// Returns the index of the first element for which `isBefore` is false; it must be true for all elements before
    /// that.
    fileprivate func partition(before isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Batch {
    /// The events of the batch.
    package var range: EventRange { EventRange(first.replica, first.sequence, through: last.sequence) }
}
