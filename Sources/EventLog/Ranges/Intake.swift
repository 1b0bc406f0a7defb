import GroundwaveEvents

/// What is to be done with ranges of one replica that came, in one of its histories, decided without touching a log.
///
/// Only whole batches enter a log, and only behind the events that they follow. What cannot enter yet waits.
package struct Intake {
    /// Some events of a range that enter the log, in order.
    package struct Piece {
        package let frame: RangeFrame
        package let first: SequenceNumber
        package var last: SequenceNumber
    }

    /// What becomes of a range.
    package enum Outcome {
        /// All of its events are here now, and something here proves them.
        case here
        /// It is kept as it is: it waits, or no head that is kept proves its events, so that nobody else would believe
        /// those without it.
        case kept
        /// It says that its author had seen what it had not.
        case refused
        /// It belongs to another history than this one.
        case apart
    }

    /// The events that enter, in order and without holes.
    package private(set) var entering: [Piece] = []
    /// The head that proves the most of what is here from now on; `nil` where that is the one that did before.
    package private(set) var head: SignedHead?
    /// What becomes of each range that came, in their order.
    package private(set) var outcomes: [Outcome]
    /// What becomes of each range that waited, in their order.
    package private(set) var waitingOutcomes: [Outcome]

    /// The number of the last event that enters; `nil` where none does.
    package var last: SequenceNumber? { entering.last?.last }

    /// - Parameters:
    ///   - frames: What came, all of one replica.
    ///   - waiting: What had come before its predecessors and waits, of the same replica.
    ///   - known: The number of the last event of this history that is here.
    ///   - proven: The number of the last one that a signed head proves here.
    ///   - edge: The right edge of the replica's tree through some event that is here.
    ///   - observed: What the replica had observed before an event, all before which are here.
    package init(
        of frames: [RangeFrame], waiting: [RangeFrame], known: SequenceNumber, proven: SequenceNumber,
        edge: (_ through: SequenceNumber) throws -> MerkleEdge,
        observed: (_ before: SequenceNumber) throws -> [ObservedHead]
    ) rethrows {
        outcomes = Array(repeating: .kept, count: frames.count)
        waitingOutcomes = Array(repeating: .kept, count: waiting.count)
        var candidates: [(frame: RangeFrame, place: Int, isNew: Bool)] = []
        for (place, frame) in frames.enumerated() {
            // What overlaps or touches what is here must go with it.
            let meets = min(known, frame.range.last)
            if meets >= frame.range.first - 1, try edge(meets) != frame.edge(through: meets) {
                outcomes[place] = .apart
            } else if frame.range.first <= known + 1, try observed(frame.range.first) != frame.observed {
                outcomes[place] = .refused
            } else {
                candidates.append((frame, place, true))
            }
        }
        candidates += waiting.enumerated().map { ($1, $0, false) }
        candidates.sort { $0.frame.range.first < $1.frame.range.first }
        try chain(candidates.map(\.frame), known, edge)
        let end = last ?? known
        head = try latestHead(of: candidates.map(\.frame), proven..<max(proven, end)) { try edgeNow($0, known, edge) }
        for candidate in candidates {
            let frame = candidate.frame
            // What has entered may show that a range is of another history, also if its first events are of this one.
            let meets = min(end, frame.range.last)
            var outcome = Outcome.kept
            if meets >= frame.range.first - 1, piece(at: meets)?.frame != frame,
                try edgeNow(meets, known, edge) != frame.edge(through: meets)
            {
                outcome = .apart
            } else if frame.range.last <= min(end, head?.sequence ?? proven) {
                outcome = .here
            }
            if candidate.isNew {
                outcomes[candidate.place] = outcome
            } else {
                waitingOutcomes[candidate.place] = outcome
            }
        }
    }

    /// The latest head behind the proven events that is of the history that is here.
    ///
    /// The events of a range may be those that are here, and the ones behind them that its head is of others.
    private func latestHead(
        of frames: [RangeFrame], _ unproven: Range<SequenceNumber>, edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows -> SignedHead? {
        var hasher = MerkleHasher()
        let heads = Set(frames.map(\.head)).filter {
            $0.sequence > unproven.lowerBound && $0.sequence <= unproven.upperBound
        }
        for head in heads.sorted(by: { ($0.sequence, $0.root) > ($1.sequence, $1.root) })
        where try edge(head.sequence).root(hasher: &hasher) == head.root {
            return head
        }
        return nil
    }

    /// How far ranges lead from the last event that is here, along one history.
    private struct Way {
        let last: SequenceNumber
        let edge: MerkleEdge
        /// The range that ends there, and the way that it goes on from; `nil` for what is here.
        let step: (frame: RangeFrame, from: Int)?
    }

    /// Lines up what follows the last event, as far as batches end: where ranges tell several histories, that of them
    /// which goes furthest, since the others may never end their batch.
    private mutating func chain(
        _ candidates: [RangeFrame], _ known: SequenceNumber, _ edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows {
        guard candidates.contains(where: { $0.range.first <= known + 1 && $0.range.last > known }) else { return }
        var ways = [Way(last: known, edge: try edge(known), step: nil)]
        var furthest = (way: 0, last: known)
        // A range goes on from ways that end before it does, so all of these are known when it is looked at.
        let inOrder = candidates.sorted { ($0.range.last, $0.range.first) < ($1.range.last, $1.range.first) }
        for frame in inOrder where frame.range.last > known {
            guard let from = Self.way(in: ways, before: frame) else { continue }
            let end = Way(last: frame.range.last, edge: frame.endEdge, step: (frame, from))
            // Another range has led there already.
            if ways[...].reversed().prefix(while: { $0.last == end.last }).contains(where: { $0.edge == end.edge }) {
                continue
            }
            ways.append(end)
            if let whole = frame.lastBatchEnd(from: ways[from].last + 1), whole > furthest.last {
                furthest = (ways.count - 1, whole)
            }
        }
        var way = furthest.way
        while let (frame, from) = ways[way].step {
            entering.append(
                Piece(frame: frame, first: ways[from].last + 1, last: Swift.min(frame.range.last, furthest.last)))
            way = from
        }
        entering.reverse()
    }

    /// The longest of `ways`, which are in order of their ends, that `frame` goes on from.
    private static func way(in ways: [Way], before frame: RangeFrame) -> Int? {
        for place in ways.indices.reversed() {
            let way = ways[place]
            if way.last + 1 < frame.range.first { return nil }
            if way.last < frame.range.last, frame.edge(through: way.last) == way.edge { return place }
        }
        return nil
    }

    /// The right edge through an event that is here or enters.
    func edgeNow(
        _ sequence: SequenceNumber, _ known: SequenceNumber, _ edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows -> MerkleEdge {
        try piece(at: sequence)?.frame.edge(through: sequence) ?? edge(sequence)
    }

    /// The piece of which an event enters.
    private func piece(at sequence: SequenceNumber) -> Piece? {
        entering.first { $0.first <= sequence && sequence <= $0.last }
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
