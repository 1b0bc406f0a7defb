import GroundwaveEvents
import GroundwaveLogFormat

/// The decision what to do with received ranges of one replica in one of its histories. Does not access a log.
///
/// Only whole batches enter a log, and only behind their predecessors. Everything else stays pending.
package struct RangeIngest {
    /// Some consecutive events of a range that enter the log.
    package struct Piece {
        package let frame: RangeFrame
        package let first: SequenceNumber
        package var last: SequenceNumber
    }

    /// What happens to a range.
    package enum Outcome {
        /// All of its events are here now, and a stored head proves them.
        case here
        /// The range is retained: it is pending, or no stored head proves its events, so that peers could not verify
        /// them without it.
        case kept
        /// Its observed heads contradict the author's earlier events.
        case refused
        /// It belongs to another history than this one.
        case apart
    }

    /// The events that enter, in order and without gaps.
    package private(set) var accepted: [Piece] = []
    /// The signed head that proves the most events that are here afterwards; `nil` if that is the one stored before.
    package private(set) var head: SignedHead?
    /// The outcome of each received range, in their order.
    package private(set) var outcomes: [Outcome]
    /// The outcome of each pending range, in their order.
    package private(set) var pendingOutcomes: [Outcome]

    /// The number of the last event that enters; `nil` if none does.
    package var last: SequenceNumber? { accepted.last?.last }

    /// - Parameters:
    ///   - frames: The received ranges, all of one replica.
    ///   - pending: The ranges of the same replica that are pending.
    ///   - known: The number of the last event of this history that is here.
    ///   - proven: The number of the last event that a stored signed head proves.
    ///   - edge: Returns the right edge of the replica's tree through an event that is here.
    ///   - observed: Returns the heads that the replica had observed before an event, all of whose predecessors are
    ///     here.
    package init(
        of frames: [RangeFrame], pending: [RangeFrame], known: SequenceNumber, proven: SequenceNumber,
        edge: (_ through: SequenceNumber) throws -> MerkleEdge,
        observed: (_ before: SequenceNumber) throws -> [ObservedHead]
    ) rethrows {
        outcomes = Array(repeating: .kept, count: frames.count)
        pendingOutcomes = Array(repeating: .kept, count: pending.count)
        var candidates: [(frame: RangeFrame, index: Int, isNew: Bool)] = []
        for (index, frame) in frames.enumerated() {
            // A range that overlaps or touches the events here must agree with them.
            let meets = min(known, frame.range.last)
            if meets >= frame.range.first - 1, try edge(meets) != frame.edge(through: meets) {
                outcomes[index] = .apart
            } else if frame.range.first <= known + 1, try observed(frame.range.first) != frame.observed {
                outcomes[index] = .refused
            } else {
                candidates.append((frame, index, true))
            }
        }
        candidates += pending.enumerated().map { ($1, $0, false) }
        candidates.sort { $0.frame.range.first < $1.frame.range.first }
        try chain(candidates.map(\.frame), known, edge)
        let end = last ?? known
        head = try latestHead(of: candidates.map(\.frame), proven..<max(proven, end)) { try edgeNow($0, known, edge) }
        for candidate in candidates {
            let frame = candidate.frame
            // The events that enter may show that a range belongs to another history, even if its first events belong
            // to this one.
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
                outcomes[candidate.index] = outcome
            } else {
                pendingOutcomes[candidate.index] = outcome
            }
        }
    }

    /// Returns the latest head behind the proven events that belongs to the history that is here.
    ///
    /// The events of a range may be in this history while its head, further on, belongs to another one.
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

    /// A chain of ranges that starts behind the last event that is here, along one history.
    private struct Chain {
        let last: SequenceNumber
        let edge: MerkleEdge
        /// The range that ends there, and the index of the chain that it extends; `nil` for the events that are here.
        let step: (frame: RangeFrame, from: Int)?
    }

    /// Lines up the events that follow the last one here, up to the end of a batch. If ranges contain several
    /// histories, takes the one that reaches furthest, since the others may never complete their batch.
    private mutating func chain(
        _ candidates: [RangeFrame], _ known: SequenceNumber, _ edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows {
        guard candidates.contains(where: { $0.range.first <= known + 1 && $0.range.last > known }) else { return }
        var chains = [Chain(last: known, edge: try edge(known), step: nil)]
        var furthest = (chain: 0, last: known)
        // A range extends chains that end before it does, so all of these are known when it is processed.
        let inOrder = candidates.sorted { ($0.range.last, $0.range.first) < ($1.range.last, $1.range.first) }
        for frame in inOrder where frame.range.last > known {
            guard let from = Self.longestChain(in: chains, before: frame) else { continue }
            let end = Chain(last: frame.range.last, edge: frame.endEdge, step: (frame, from))
            // Another range has led to the same point already.
            if chains[...].reversed().prefix(while: { $0.last == end.last }).contains(where: { $0.edge == end.edge }) {
                continue
            }
            chains.append(end)
            if let whole = frame.lastBatchEnd(from: chains[from].last + 1), whole > furthest.last {
                furthest = (chains.count - 1, whole)
            }
        }
        var index = furthest.chain
        while let (frame, from) = chains[index].step {
            accepted.append(
                Piece(frame: frame, first: chains[from].last + 1, last: Swift.min(frame.range.last, furthest.last)))
            index = from
        }
        accepted.reverse()
    }

    /// Returns the longest of `chains`, which are in order of their ends, that `frame` extends.
    private static func longestChain(in chains: [Chain], before frame: RangeFrame) -> Int? {
        for index in chains.indices.reversed() {
            let chain = chains[index]
            if chain.last + 1 < frame.range.first { return nil }
            if chain.last < frame.range.last, frame.edge(through: chain.last) == chain.edge { return index }
        }
        return nil
    }

    /// Returns the right edge through an event that is here or enters.
    func edgeNow(
        _ sequence: SequenceNumber, _ known: SequenceNumber, _ edge: (SequenceNumber) throws -> MerkleEdge
    ) rethrows -> MerkleEdge {
        try piece(at: sequence)?.frame.edge(through: sequence) ?? edge(sequence)
    }

    /// Returns the piece that contains an event that enters.
    private func piece(at sequence: SequenceNumber) -> Piece? {
        accepted.first { $0.first <= sequence && sequence <= $0.last }
    }
}

extension RangeFrame {
    /// Returns the number of the last event at or behind `first` that ends a batch; `nil` if there is none.
    func lastBatchEnd(from first: SequenceNumber) -> SequenceNumber? {
        var sequence = range.last
        while sequence >= first {
            // The range was parsed before, so its frames are valid.
            if (try? withEvent(sequence) { frame, _ in frame.rest == 0 }) == true { return sequence }
            sequence -= 1
        }
        return nil
    }
}
