import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership

/// The result of receiving ranges.
public struct Received: Hashable, Sendable {
    /// The number of events that were appended.
    public var appendedCount = 0
    /// The number of received events that were here already.
    public var repeatedCount: UInt64 = 0
    /// The number of these that were missing their values and have them now.
    public var filledCount = 0
    /// The number of received events that had been lost here with a damaged file.
    public var returnedCount = 0
    /// The number of these that fill their placeholders; the others were appended.
    public var placedCount = 0
    /// The received ranges that are pending, for their predecessors or for the end of a batch.
    public var pending: [EventRange] = []
    /// The received ranges of another history of their replica than any that was here: each is now a branch, or is
    /// pending until the start of its branch arrives.
    public var apart: [EventRange] = []
    /// The received events that are here now, new or not, as the log numbers them.
    public var present: [EventRange] = []
    /// The ranges whose observed heads contradict their author's earlier events: the sender has altered them.
    public var refused: [EventRange] = []
    /// The replicas with new events: appended, or in a pending range.
    public var replicas: Set<ReplicaID> = []

    /// Creates an empty result.
    public init() {}

    /// The number of events that are here now and were not before.
    public var newCount: Int { appendedCount + placedCount }

    /// Whether new events of `replica` were received. If the store writes as that replica, the store was restored from
    /// a backup, or another device uses its key, since the ranges are signed with it. Ownership is given up in the same
    /// commit.
    public func isOfOwn(_ replica: ReplicaID) -> Bool { replicas.contains(replica) }
}

extension EventLog {
    /// Receives ranges, in any order and any number of times.
    ///
    /// Events that follow those here are appended, whole batches only, with the pending ranges that follow them. The
    /// rest becomes pending, on the disk. Values that were erased here are left out. All of this is one commit: when
    /// this returns, it is on the disk; if it throws, nothing has changed. Missing values of events here are filled in
    /// a later commit.
    ///
    /// - Parameters:
    ///   - frames: Verified ranges of this log.
    ///   - isFilling: Whether to fill missing values of events here; otherwise the caller does that.
    /// - Returns: What happened to the ranges.
    /// - Complexity: About 3 us an event.
    public func receive(
        _ frames: [RangeFrame], arrival: Arrival, isFilling: Bool = true
    ) throws -> Received {
        if frames.isEmpty { return Received() }
        var received = Received()
        var next = Round(coming: frames, replicas: Set(frames.map(\.range.replica)))
        repeat {
            if let forkPoint = next.forkPoint { try fork(at: forkPoint) }
            next = try enter(next, arrival, &received)
        } while next.needsAnotherCommit
        // Names that were uncertain may be resolvable now.
        if next.isUncertain, received.appendedCount > 0, try received.replicas.contains(where: streams().isForked) {
            try resolveNames()
        }
        received.filledCount =
            isFilling && received.repeatedCount > 0 ? try fill(values(of: missingValues(), in: frames)) : 0
        (received.returnedCount, received.placedCount) = try fillLostRanges(from: next.returning)
        // Lost events that returned to a forked history need their names resolved.
        if received.placedCount > 0, try !streams().isEmpty { try resolveNames() }
        return received
    }

    /// The input of one commit of received ranges; forks need several commits.
    private struct Round {
        /// The ranges to process.
        var coming: [RangeFrame] = []
        /// The replicas to process.
        var replicas: Set<ReplicaID> = []
        /// The fork point to apply before.
        var forkPoint: ForkPoint?
        var isFirst = true
        var needsAnotherCommit = false
        /// Whether some author's names cannot be resolved yet.
        var isUncertain = false
        /// Received events of replicas that have lost ranges here.
        var returning: [ReturnedFrame] = []
    }

    private func enter(
        _ now: Round, _ arrival: Arrival, _ received: inout Received
    ) throws -> Round {
        var (round, result) = (Round(isFirst: false), received)
        try commit { transaction, tables, state in
            (round, result) = (Round(isFirst: false), received)
            let first = state.nextPosition
            let streams = try Self.streams(in: transaction, tables)
            var ingestion = IngestState(
                clock: HybridClock(last: state.clock), erased: try tables.erased.events(in: transaction),
                lostRanges: EventSet(try Self.lostRanges(in: transaction, tables)), streams: streams,
                counts: try wholeVector(), finder: nil)
            if !streams.isEmpty { ingestion.finder = try finder(streams, counts: ingestion.counts) }
            let known = try known(streams, ingestion.counts, erased: ingestion.erased)
            for replica in now.replicas.sorted() {
                let own = now.coming.filter { $0.range.replica == replica }
                let pending = try Self.frames(of: replica, in: tables.waiting, transaction)
                // These functions read the state before this commit, which has not touched this replica yet.
                let arrivals = try ArrivalTable(of: replica, own, pending: pending, known)
                for entry in arrivals.entries {
                    try enter(entry, beside: pending, &ingestion, &state, arrival, transaction, tables)
                }
                for frame in arrivals.released { _ = try transaction.remove(frame.key, in: tables.waiting) }
                let released = Set(arrivals.released)
                let coming = try Self.put(
                    RetentionChange(arrivals.retained, beside: pending.filter { !released.contains($0) }),
                    in: tables.waiting, transaction)
                let hasAccepted = arrivals.entries.contains { !$0.ingest.accepted.isEmpty }
                let stillPending = Set(arrivals.stillPending)
                if hasAccepted || arrivals.forkPoint != nil || coming.contains(where: stillPending.contains) {
                    result.replicas.insert(replica)
                    try Self.giveUpClaim(of: replica, in: transaction, tables)
                }
                if now.isFirst {
                    result.repeatedCount += arrivals.repeatedCount
                    result.apart += arrivals.apart.map(\.range)
                }
                result.present += arrivals.present.filter { !result.present.contains($0) }
                result.refused += arrivals.refused.map(\.range)
                if arrivals.needsAnotherPass {
                    round.replicas.insert(replica)
                    round.coming += arrivals.unplaced
                    round.forkPoint = round.forkPoint ?? arrivals.forkPoint
                    round.needsAnotherCommit = true
                } else {
                    result.pending += arrivals.stillPending.map(\.range)
                }
            }
            result.appendedCount += Int(state.nextPosition - first)
            try tables.put(arrival, of: first..<state.nextPosition, in: transaction)
            state.clock = ingestion.clock.last
            var names = try Self.nameState(in: transaction, tables)
            if ingestion.isUncertain, !names.isUncertain {
                names.isUncertain = true
                try transaction.put(names.bytes.span.bytes, for: NameState.key, in: tables.meta)
            }
            round.isUncertain = names.isUncertain
            round.returning = now.returning + ingestion.returning
        }
        received = result
        return round
    }

    /// Returns what this log knows of all replicas.
    private func known(
        _ streams: Streams, _ counts: VersionVector, erased: EventSet
    ) throws -> ArrivalTable.Known {
        let archived = try base()?.vector ?? VersionVector()
        return ArrivalTable.Known(
            from: self, streams: streams, counts: counts, proven: { try self.signedHead(of: $0)?.sequence ?? 0 },
            canFork: { event in
                guard archived[event.replica] <= event.sequence else { return false }
                guard event.sequence > 0, let position = try self.position(of: event) else {
                    return event.sequence == 0
                }
                return try self.withEvent(at: position) { frame, _ in frame.rest == 0 } ?? false
            }, erased: erased, leaf: leaf)
    }

    /// The state shared by all events that enter in one commit.
    private struct IngestState {
        var clock: HybridClock
        let erased: EventSet
        let lostRanges: EventSet
        /// Received events of replicas that have lost ranges here.
        var returning: [ReturnedFrame] = []
        var streams: Streams
        let counts: VersionVector
        /// Nil in a log without forks.
        var finder: NameResolver?
        /// The events that enter without values, except for those that were erased.
        var missingValues = EventSet()
        /// Whether a history began that events here may refer to, whose names were resolved without it.
        var hasBegun = false

        var isUncertain: Bool { hasBegun || finder?.isUncertain == true }
    }

    private func enter(
        _ entry: ArrivalTable.Entry, beside pending: [RangeFrame], _ ingestion: inout IngestState,
        _ state: inout LogState,
        _ arrival: Arrival,
        _ transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        guard let stream = entry.path.last else { return }
        if let begins = entry.begins {
            ingestion.streams.add(stream, to: begins.stream, after: begins.after)
            try Self.put(ingestion.streams, in: transaction, tables)
            ingestion.hasBegun = true
            ingestion.finder = try finder(ingestion.streams, counts: ingestion.counts)
        }
        if let head = entry.ingest.head { try keep(head, of: stream, in: transaction, tables) }
        guard let last = entry.ingest.last else { return }
        let base = ingestion.streams.base(of: stream)
        let head = try tables.head(of: stream, in: transaction)
        // If events were lost, those behind them are here already: the lost ones are filled in afterwards.
        let known = base + (head?.sequence ?? 0)
        if ingestion.lostRanges.ranges.contains(where: { $0.replica == stream }) {
            ingestion.returning += entry.ingest.accepted.map {
                ReturnedFrame(stream: stream, base: base, frame: $0.frame, range: $0.first...$0.last)
            }
            guard last > known else { return }
        }
        try tables.startRun(of: stream, at: state.nextPosition, after: head, in: transaction)
        try startFinder(&ingestion, of: stream, transaction, tables)
        var buffer = ByteWriter(capacity: 1024)
        var stamp = head?.stamp ?? Stamp(rawValue: 0)
        for piece in entry.ingest.accepted {
            for sequence in piece.first...piece.last where sequence > known {
                buffer.removeAll()
                try piece.frame.fullest(beside: pending, sequence).withEvent(sequence) { frame, bytes in
                    stamp = frame.stamp
                    Self.noteStatement(frame, in: bytes, &state)
                    let isErased =
                        ingestion.erased.contains(EventID(stream, sequence - base))
                        && !Self.isNeverErased(frame, in: bytes)
                    if frame.isWithheld, !isErased { ingestion.missingValues.insert(EventID(stream, sequence - base)) }
                    let resolutions = try ingestion.finder?.resolutions(for: frame, in: bytes, of: stream) ?? []
                    state.lastChecksum = buffer.append(frame, in: bytes, readAs: resolutions, after: state.lastChecksum)
                    if isErased, !frame.isWithheld { try state.lastChecksum = Self.withhold(&buffer) }
                }
                try buffer.withSpan { try transaction.append($0, for: state.nextPosition, in: tables.events) }
                state.nextPosition += 1
                ingestion.clock.observe(stamp, wallMilliseconds: arrival.wallMilliseconds)
            }
        }
        try tables.lacking.insert(ingestion.missingValues, in: transaction)
        ingestion.missingValues = EventSet()
        let row = HeadRow(sequence: last - base, position: state.nextPosition - 1, stamp: stamp)
        try transaction.put(row.bytes.span.bytes, for: ReplicaKey(stream), in: tables.heads)
    }

    /// Starts the finder with the name resolutions of the author's previous event.
    private func startFinder(
        _ ingestion: inout IngestState, of stream: ReplicaID, _ transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws {
        guard ingestion.finder != nil,
            let last = ingestion.streams.predecessor(of: EventID(stream, ingestion.counts[stream] + 1)),
            let position = try Self.position(of: last, in: transaction, tables)
        else { return }
        let resolutions = try Self.withEvent(last, at: position, in: transaction, tables) { frame, bytes in
            frame.names(in: bytes).resolutions
        }
        ingestion.finder?.advance(in: stream, behind: resolutions)
    }

    /// Replaces the event in `buffer` by the same event without values; returns its checksum.
    private static func withhold(_ buffer: inout ByteWriter) throws -> UInt32 {
        let bytes = buffer.bytes
        buffer.removeAll()
        let frame = try Frame(bytes.span.bytes, at: 0)
        return buffer.append(withholding: frame, in: bytes.span.bytes, after: frame.previousChecksum)
    }
}

extension RangeFrame {
    /// Returns the range to take event `sequence` from: this one, unless it has the event without values and a pending
    /// range has them. Once the event is here, no range is retained for its values.
    fileprivate func fullest(beside pending: [RangeFrame], _ sequence: SequenceNumber) throws -> RangeFrame {
        guard !pending.isEmpty, try withEvent(sequence, { event, _ in event.isWithheld }) else { return self }
        return try pending.first { other in
            try other.range.first <= sequence && sequence <= other.range.last
                && other.leaves[Int(sequence - other.range.first)] == leaves[Int(sequence - range.first)]
                && other.withEvent(sequence) { event, _ in !event.isWithheld }
        } ?? self
    }
}
