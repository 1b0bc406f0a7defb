import GroundwaveEvents
import GroundwaveLogFormat

/// Decides what to do with received ranges of one replica in all the histories of it that a log has. Does not access
/// the log itself.
package struct ArrivalTable {
    /// A history, and the events that enter it.
    package struct Entry {
        /// The branches of the history, the replica first.
        package let path: [ReplicaID]
        package let ingest: RangeIngest
        /// The fork point, if a received range starts this history: its last branch is new and begins there.
        package let begins: ForkPoint?
    }

    /// The events that enter each history; newly started histories come last.
    package private(set) var entries: [Entry] = []
    /// The branch that has to be forked before a received history can start; until then ``unplaced`` is pending.
    package private(set) var forkPoint: ForkPoint?
    /// Received ranges that are retained.
    package private(set) var retained: [RangeFrame] = []
    /// Those of them that are pending; the others only prove events that are here, and contain nothing new.
    package private(set) var stillPending: [RangeFrame] = []
    /// Ranges that were retained and are no longer needed.
    package private(set) var released: [RangeFrame] = []
    /// Received ranges that fit no history here: processed again if the log changes so that they may fit.
    package private(set) var unplaced: [RangeFrame] = []
    /// Those of them that belong to another history than those that were here.
    package private(set) var apart: [RangeFrame] = []
    /// Received ranges whose observed heads contradict their author's earlier events.
    package private(set) var refused: [RangeFrame] = []
    /// The received events that are here from now on, as the log numbers them.
    package private(set) var present: [EventRange] = []
    /// The number of received events that were here already.
    package private(set) var repeatedCount: UInt64 = 0
    /// Whether ranges of other histories may follow the events that entered now.
    package private(set) var needsAnotherPass = false

    /// What a log knows of a replica.
    package struct Known {
        let streams: Streams
        let counts: VersionVector
        /// Returns the number of the last event that a signed head proves, of the history that ends with a branch.
        let proven: (_ stream: ReplicaID) throws -> SequenceNumber
        let edge: (_ path: [ReplicaID], _ through: SequenceNumber) throws -> MerkleEdge
        let observed: (_ path: [ReplicaID], _ before: SequenceNumber) throws -> [ObservedHead]
        /// Whether a branch may fork after an event that is here: it ends its batch, and the archive snapshot does not
        /// extend beyond it.
        let canFork: (EventID) throws -> Bool
        /// The events whose values are refused.
        let erased: EventSet
        let leaf: (EventID) throws -> Hash256?

        /// Collects what `log`, which has `counts` events of `streams`, knows.
        package init(
            from log: some RangeSource, streams: Streams, counts: VersionVector,
            proven: @escaping (ReplicaID) throws -> SequenceNumber, canFork: @escaping (EventID) throws -> Bool,
            erased: EventSet, leaf: @escaping (EventID) throws -> Hash256?
        ) {
            (self.streams, self.counts, self.proven) = (streams, counts, proven)
            (self.canFork, self.erased, self.leaf) = (canFork, erased, leaf)
            edge = { path, sequence in
                guard let edge = try log.edge(along: path, through: sequence) else {
                    throw EventLogError.damaged("the last event of a replica")
                }
                return edge
            }
            observed = { path, sequence in
                var (stream, base) = (path[0], SequenceNumber(0))
                for next in path.dropFirst() where sequence > base + counts[stream] {
                    base += counts[stream]
                    stream = next
                }
                return try log.observedHeads(before: EventID(stream, sequence - base))
            }
        }

        func count(along path: [ReplicaID]) -> SequenceNumber { path.reduce(0) { $0 + counts[$1] } }
    }

    /// - Parameters:
    ///   - frames: The received ranges, all of `replica`.
    ///   - pending: The ranges of the same replica that are pending.
    package init(
        of replica: ReplicaID, _ frames: [RangeFrame], pending: [RangeFrame], _ known: Known
    ) throws {
        for path in known.streams.histories(from: replica) {
            let ingest = try RangeIngest(
                of: frames, pending: pending, known: known.count(along: path),
                proven: try known.proven(path[path.count - 1]), edge: { try known.edge(path, $0) },
                observed: { try known.observed(path, $0) })
            entries.append(Entry(path: path, ingest: ingest, begins: nil))
        }
        let outcomes = frames.enumerated().map { index, frame in
            outcome(of: frame, entries.map { ($0, $0.ingest.outcomes[index]) }, known)
        }
        let pendingOutcomes = pending.enumerated().map { index, frame in
            outcome(of: frame, entries.map { ($0, $0.ingest.pendingOutcomes[index]) }, known)
        }
        note(frames, known)
        for (index, (frame, outcome)) in zip(frames, outcomes).enumerated() {
            let isProof = entries.contains { $0.ingest.outcomes[index] == .kept && $0.has(frame, known) }
            switch outcome {
            case .here: break
            case .kept where isProof: try retain(frame, isProof: true, known)
            case .refused: refused.append(frame)
            case .kept, .apart: unplaced.append(frame)
            }
            if outcome == .apart { apart.append(frame) }
        }
        var pendingUnplaced: [RangeFrame] = []
        for (index, (frame, outcome)) in zip(pending, pendingOutcomes).enumerated() {
            let isProof = entries.contains { $0.ingest.pendingOutcomes[index] == .kept && $0.has(frame, known) }
            if outcome == .here { released.append(frame) } else if !isProof { pendingUnplaced.append(frame) }
        }
        if apart.isEmpty, !pendingOutcomes.contains(.apart) {
            for frame in unplaced { try retain(frame, isProof: false, known) }
        } else {
            try begin(unplaced + pendingUnplaced, known, new: unplaced.count)
            needsAnotherPass = forkPoint != nil || entries.contains { !$0.ingest.accepted.isEmpty }
        }
    }

    /// Combines the outcomes of a range in several histories.
    private func outcome(
        of frame: RangeFrame, _ outcomes: [(entry: Entry, outcome: RangeIngest.Outcome)], _ known: Known
    ) -> RangeIngest.Outcome {
        let all = outcomes.map(\.outcome)
        for outcome in [RangeIngest.Outcome.refused, .here] where all.contains(outcome) { return outcome }
        if outcomes.contains(where: { $0.outcome == .kept && $0.entry.has(frame, known) }) { return .kept }
        // If it contradicts one history, it may start another, even if it might follow a third one later.
        return all.contains(.apart) ? .apart : .kept
    }

    /// Stores which received events are here from now on, and how many of them were here already.
    private mutating func note(_ frames: [RangeFrame], _ known: Known) {
        for (index, frame) in frames.enumerated() {
            var repeated: UInt64 = 0
            for entry in entries where [.here, .kept].contains(entry.ingest.outcomes[index]) {
                let before = known.count(along: entry.path)
                let end = Swift.min(frame.range.last, entry.ingest.last ?? before)
                if frame.range.first <= before {
                    repeated = Swift.max(repeated, Swift.min(before, frame.range.last) - frame.range.first + 1)
                }
                note(frame.range.first, through: end, entry.path, known)
            }
            repeatedCount += repeated
        }
    }

    private mutating func note(
        _ first: SequenceNumber, through last: SequenceNumber, _ path: [ReplicaID], _ known: Known
    ) {
        var base: SequenceNumber = 0
        for (index, stream) in path.enumerated() {
            let isLast = index == path.count - 1
            let from = Swift.max(first, base + 1)
            let through = isLast ? last : Swift.min(last, base + known.counts[stream])
            if from <= through {
                let range = EventRange(stream, from - base, through: through - base)
                if !present.contains(range) { present.append(range) }
            }
            base += known.counts[stream]
        }
    }

    /// A range that fits no history here.
    private struct UnplacedRange {
        let frame: RangeFrame
        let isNew: Bool
        /// The last event that it shares with a history here; `nil` if it follows no event here.
        let leaves: (path: [ReplicaID], after: SequenceNumber)?
    }

    /// Starts a history with such ranges, if one of them follows an event here.
    private mutating func begin(_ frames: [RangeFrame], _ known: Known, new count: Int) throws {
        let unplaced = try frames.enumerated().map { index, frame in
            UnplacedRange(frame: frame, isNew: index < count, leaves: try self.lastShared(of: frame, known))
        }
        // A range that continues the end of a history only waits for the rest of its batch.
        let others = unplaced.filter { one in one.leaves.map { $0.after < known.count(along: $0.path) } ?? true }
        for one in others.sorted(by: { $0.frame.range.first < $1.frame.range.first }) {
            guard let (path, shared) = one.leaves else { continue }
            var (base, depth) = (SequenceNumber(0), 0)
            while shared > base + known.counts[path[depth]] {
                base += known.counts[path[depth]]
                depth += 1
            }
            let forkPoint = ForkPoint(stream: path[depth], after: shared - base)
            let material = others.filter { $0.leaves == nil || $0.leaves?.after == shared }
            let ingest = try RangeIngest(
                of: material.map(\.frame), pending: [], known: shared, proven: 0, edge: { try known.edge(path, $0) },
                observed: { try known.observed(path, $0) })
            guard let last = ingest.accepted.first?.frame.lastOfFirstBatch(from: shared + 1),
                try known.canFork(EventID(forkPoint.stream, forkPoint.after))
            else { continue }
            if forkPoint.after < known.counts[forkPoint.stream] {
                self.forkPoint = forkPoint
                break
            }
            let root = try ingest.edgeNow(last, shared) { try known.edge(path, $0) }
            var hasher = MerkleHasher()
            let stream = Streams.id(of: path[0], firstBatchTo: root.root(hasher: &hasher))
            entries.append(Entry(path: Array(path[...depth]) + [stream], ingest: ingest, begins: forkPoint))
            try finish(material, ingest, known, stream: stream, base: shared)
            let rest = unplaced.filter { one in !material.contains { $0.frame == one.frame } }
            for one in rest where one.isNew { try retain(one.frame, isProof: false, known) }
            return
        }
        // Even if a branch has to fork first: a store that is stopped in between must still have the ranges.
        for one in unplaced where one.isNew { try retain(one.frame, isProof: false, known) }
    }

    private mutating func retain(_ frame: RangeFrame, isProof: Bool, _ known: Known) throws {
        let frame = try frame.withholding(known.erased, known.streams, leaf: known.leaf)
        retained.append(frame)
        if !isProof { stillPending.append(frame) }
    }

    /// Applies the outcomes of the ranges that a new history was started with.
    private mutating func finish(
        _ material: [UnplacedRange], _ ingest: RangeIngest, _ known: Known, stream: ReplicaID, base: SequenceNumber
    ) throws {
        for (one, outcome) in zip(material, ingest.outcomes) {
            let (frame, isNew) = (one.frame, one.isNew)
            switch outcome {
            case .here: if !isNew { released.append(frame) }
            case .refused: if isNew { refused.append(frame) } else { released.append(frame) }
            case .kept: if isNew { try retain(frame, isProof: frame.range.last <= ingest.last ?? 0, known) }
            case .apart: if isNew { try retain(frame, isProof: false, known) }
            }
            guard isNew, outcome == .here || outcome == .kept, let last = ingest.last else { continue }
            let first = Swift.max(frame.range.first, base + 1)
            let end = Swift.min(frame.range.last, last)
            if first <= end { present.append(EventRange(stream, first - base, through: end - base)) }
        }
    }

    /// Returns the history that shares the most events with `frame`, and the last shared event; `nil` if it follows no
    /// event here.
    private func lastShared(of frame: RangeFrame, _ known: Known) throws -> (path: [ReplicaID], after: SequenceNumber)?
    {
        var best: (path: [ReplicaID], after: SequenceNumber)?
        for entry in entries {
            var low = frame.range.first - 1
            var high = Swift.min(known.count(along: entry.path), frame.range.last)
            guard low <= high, try known.edge(entry.path, low) == frame.edge else { continue }
            while low < high {
                let middle = low + (high - low + 1) / 2
                if try known.edge(entry.path, middle) == frame.edge(through: middle) {
                    low = middle
                } else {
                    high = middle - 1
                }
            }
            if low >= best?.after ?? 0 { best = (entry.path, low) }
        }
        return best
    }
}

extension ArrivalTable.Entry {
    /// Whether the history extends to the end of `frame` from now on.
    fileprivate func has(_ frame: RangeFrame, _ known: ArrivalTable.Known) -> Bool {
        frame.range.last <= ingest.last ?? known.count(along: path)
    }
}

extension RangeFrame {
    /// Returns the number of the event that ends the batch of event `first`.
    func lastOfFirstBatch(from first: SequenceNumber) -> SequenceNumber? {
        try? withEvent(first) { frame, _ in first + UInt64(frame.rest) }
    }
}
