import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// Which events take one another back: those that some undo names, and the events of that undo.
///
/// An undo that was itself undone counts no more, and what it had taken back counts again. So whoever asks what a record
/// would be without some events leaves these out too, and finds the work of a later undo where it belongs.
package struct Reverts {
    /// The events that take one another back.
    package private(set) var cancelled = EventSet()
    /// Of these the batches that took something back.
    package private(set) var undos = EventSet()
    /// Of these again the batches that did so as a step of their own: an undo takes them back in their turn.
    package private(set) var steps = EventSet()

    private struct Revert {
        /// The batch that took back; `nil` for one that is still to be written.
        var own: EventRange?
        var taken: EventSet
        var isStep = false
    }

    /// Reads the undos that `view` knows. Cost: a few look-ups for each.
    ///
    /// - Parameter events: What one more undo takes back, which is about to be written.
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
        // Who undoes an undo has seen it, so no two undo one another, and each can be judged by those that name it.
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
            // Names that go in a circle cannot come from honest devices; each then counts.
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
    /// The place of the first element that `isBefore` is not true of; all elements of which it is come before it.
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
