import Events

/// What is to be done with ranges of one replica that came, decided without touching a log.
///
/// Only whole batches enter a log, and only behind the events that they follow. What cannot enter yet waits.
package struct Intake {
    /// Some events of a range that enter the log, in order.
    package struct Piece {
        package let frame: RangeFrame
        package let first: SequenceNumber
        package var last: SequenceNumber
    }

    /// The events that enter, in order and without holes.
    package private(set) var entering: [Piece] = []
    /// Ranges that came and are kept as they are: they wait, or the head that proves them is behind what is here, so that
    /// nobody else would believe their events without them.
    package private(set) var parked: [RangeFrame] = []
    /// Ranges that were kept and need not be any more.
    package private(set) var released: [RangeFrame] = []
    /// Of the ranges that came: how many events were here already.
    package private(set) var repeatedCount: UInt64 = 0
    /// Ranges that came, or had waited, and belong to another history of the replica than the one that is here.
    package private(set) var forked: [RangeFrame] = []
    /// Ranges that came and say that their author had seen what it had not.
    package private(set) var refused: [RangeFrame] = []

    /// The number of the last event that enters; `nil` where none does.
    package var last: SequenceNumber? { entering.last?.last }

    /// - Parameters:
    ///   - frames: What came, all of one replica.
    ///   - waiting: What had come before its predecessors and waits, of the same replica.
    ///   - known: The number of the replica's last event that is here.
    ///   - proven: The number of the last one that a signed head proves here.
    ///   - edge: The right edge of the replica's tree through some event that is here.
    ///   - observed: What the replica had observed before an event, all before which are here.
    package init(
        of frames: [RangeFrame], waiting: [RangeFrame], known: SequenceNumber, proven: SequenceNumber,
        edge: (_ through: SequenceNumber) throws -> MerkleEdge,
        observed: (_ before: SequenceNumber) throws -> [ObservedHead]
    ) rethrows {
        var candidates: [(frame: RangeFrame, isNew: Bool)] = []
        for frame in frames {
            repeatedCount += frame.range.first <= known ? min(known, frame.range.last) - frame.range.first + 1 : 0
            // What overlaps or touches what is here must go with it.
            let meets = min(known, frame.range.last)
            if meets >= frame.range.first - 1, try edge(meets) != frame.edge(through: meets) {
                forked.append(frame)
            } else if frame.range.first <= known + 1, try observed(frame.range.first) != frame.observed {
                refused.append(frame)
            } else if frame.range.last > known || frame.range.last > proven && frame.head.sequence > known {
                candidates.append((frame, true))
            }
        }
        candidates += waiting.map { ($0, false) }
        candidates.sort { $0.frame.range.first < $1.frame.range.first }
        let entered = try chain(candidates.map(\.frame), known, edge)
        let end = last ?? known
        for (place, candidate) in candidates.enumerated() {
            let frame = candidate.frame
            // What has entered may show that another range is of another history.
            let meets = min(end, frame.range.last)
            if !entered.contains(place), meets >= frame.range.first - 1,
                try edgeNow(meets, known, edge) != frame.edge(through: meets)
            {
                forked.append(frame)
                if !candidate.isNew { released.append(frame) }
            } else if frame.head.sequence <= end {
                if !candidate.isNew { released.append(frame) }
            } else if candidate.isNew {
                parked.append(frame)
            }
        }
    }

    /// Lines up what follows the last event, as far as batches end; returns the places of the candidates of which
    /// events enter.
    private mutating func chain(
        _ candidates: [RangeFrame], _ known: SequenceNumber, _ edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows -> Set<Int> {
        guard candidates.contains(where: { $0.range.first <= known + 1 && $0.range.last > known }) else { return [] }
        var (last, running, places) = (known, try edge(known), [Int]())
        var whole = (count: 0, last: known, edge: running)
        for (place, frame) in candidates.enumerated() where frame.range.first <= last + 1 && frame.range.last > last {
            if frame.edge(through: last) != running {
                guard frame.range.first <= whole.last + 1, frame.edge(through: whole.last) == whole.edge else {
                    continue
                }
                // What is lined up behind the last whole batch is of another history, which may never end its batch.
                cut(after: whole.count, at: whole.last)
                places.removeSubrange(whole.count...)
                last = whole.last
            }
            entering.append(Piece(frame: frame, first: last + 1, last: frame.range.last))
            places.append(place)
            last = frame.range.last
            running = frame.endEdge
            if let end = frame.lastBatchEnd(from: entering[entering.count - 1].first) {
                whole = (entering.count, end, frame.edge(through: end))
            }
        }
        cut(after: whole.count, at: whole.last)
        return Set(places.prefix(whole.count))
    }

    /// Leaves out what stands behind so many pieces, and what of the last one stands behind an event.
    private mutating func cut(after count: Int, at last: SequenceNumber) {
        entering.removeSubrange(count...)
        if !entering.isEmpty { entering[entering.count - 1].last = last }
    }

    /// The right edge through an event that is here or enters.
    private func edgeNow(
        _ sequence: SequenceNumber, _ known: SequenceNumber, _ edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows -> MerkleEdge {
        let piece = entering.first { $0.first <= sequence && sequence <= $0.last }
        return try piece?.frame.edge(through: sequence) ?? edge(sequence)
    }
}

extension RangeFrame {
    /// The number of the last event at or behind `first` that ends a batch.
    func lastBatchEnd(from first: SequenceNumber) -> SequenceNumber? {
        var sequence = range.last
        while sequence >= first {
            // The range was read, so its frames can be.
            if (try? withEvent(sequence) { frame, _ in frame.rest == 0 }) == true { return sequence }
            sequence -= 1
        }
        return nil
    }
}
