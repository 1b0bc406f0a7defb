import ByteCoding
import Events
import LMDB

/// What became of ranges that came.
public struct Received: Hashable, Sendable {
    /// How many events entered the log.
    public var appendedCount = 0
    /// How many events of those that came were here already.
    public var repeatedCount: UInt64 = 0
    /// How many of these had lacked their values and have them now.
    public var filledCount = 0
    /// The ranges that came and wait now, for their predecessors or for the end of a batch.
    public var parked: [EventRange] = []
    /// The ranges that tell another history of their replica than the one that is here; they are kept aside.
    public var forked: [EventRange] = []
    /// The ranges that say of their author what is not so. Whoever sent them made that up.
    public var refused: [EventRange] = []
    /// The replicas of which something new came: events that entered, or wait, or tell another history.
    public var replicas: Set<ReplicaID> = []

    /// Nothing.
    public init() {}

    /// Whether news of `replica` came. Where that is the one that a store writes as, the store was put back to an
    /// earlier state, or somebody else writes under its name: the ranges are signed with its own key. Its claim is given
    /// up in the same commit.
    public func isOfOwn(_ replica: ReplicaID) -> Bool { replicas.contains(replica) }
}

extension EventLog {
    /// Takes in ranges that came from elsewhere, in any order and any number of times.
    ///
    /// What follows events that are here enters the log, whole batches only; with it whatever had waited for it. The
    /// rest waits, durably. Values that were erased here are left out. All of it is one commit: when this returns, it is
    /// on the disk; if it throws, nothing has changed. Values that events here had lacked are put in behind that.
    ///
    /// - Parameter frames: Ranges of this log that were checked.
    /// - Returns: What became of them.
    /// - Complexity: About 3 us an event.
    public func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        if frames.isEmpty { return Received() }
        var received = try enter(frames, arrival)
        received.filledCount = received.repeatedCount > 0 ? try fill(from: frames) : 0
        return received
    }

    private func enter(_ frames: [RangeFrame], _ arrival: Arrival) throws -> Received {
        try commit(.durable) { transaction, tables, state in
            var received = Received()
            var clock = HybridClock(last: state.clock)
            let first = state.nextPosition
            let erased = try Self.erased(in: transaction, tables)
            let frames = erased.isEmpty ? frames : frames.map { $0.withholding(erased) }
            for replica in Set(frames.map(\.range.replica)).sorted() {
                let head = try Self.head(of: replica, in: transaction, tables)
                let own = frames.filter { $0.range.replica == replica }
                let waiting = try Self.frames(of: replica, in: tables.waiting, transaction)
                // Both read what was here before this commit, which has not touched this replica yet.
                let intake = try Intake(
                    of: own, waiting: waiting, known: head?.sequence ?? 0,
                    proven: try signedHead(of: replica, in: transaction, tables)?.sequence ?? 0,
                    edge: { sequence in
                        guard let edge = try edge(of: replica, through: sequence) else {
                            throw EventLogError.damaged("the last event of a replica")
                        }
                        return edge
                    }, observed: { try observedHeads(before: EventID(replica, $0)) })
                try enter(intake, arrival, erased, after: head, &clock, &state, transaction, tables)
                if let head = intake.head { try keep(head, in: transaction, tables) }
                for frame in intake.released {
                    _ = try transaction.remove(frame.key, in: tables.waiting)
                }
                let released = Set(intake.released)
                let coming = try Self.put(
                    Parking(intake.parked, beside: waiting.filter { !released.contains($0) }), in: tables.waiting,
                    transaction)
                let newForks = try keep(intake.forked, of: replica, transaction, tables)
                let last = intake.last ?? head?.sequence ?? 0
                let parked = intake.parked.map(\.range).filter { $0.last > last }
                received.parked += parked
                let isWaitNew = coming.contains { $0.range.last > last }
                if !intake.entering.isEmpty || !newForks.isEmpty || isWaitNew {
                    received.replicas.insert(replica)
                    try Self.giveUpClaim(of: replica, in: transaction, tables)
                }
                received.repeatedCount += intake.repeatedCount
                received.forked += intake.forked.map(\.range)
                received.refused += intake.refused.map(\.range)
            }
            received.appendedCount = Int(state.nextPosition - first)
            if received.appendedCount > 0 {
                try transaction.append(arrival.bytes.span.bytes, for: first, in: tables.arrivals)
            }
            state.clock = clock.last
            return received
        }
    }

    private func enter(
        _ intake: Intake, _ arrival: Arrival, _ erased: EventSet, after head: HeadRow?, _ clock: inout HybridClock,
        _ state: inout LogState,
        _ transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        guard let last = intake.last, let replica = intake.entering.first?.frame.range.replica else { return }
        try Self.startRun(of: replica, at: state.nextPosition, after: head, transaction, tables)
        var buffer = ByteWriter(capacity: 1024)
        var stamp = head?.stamp ?? Stamp(rawValue: 0)
        var isLacking = false
        for piece in intake.entering {
            for sequence in piece.first...piece.last {
                buffer.removeAll()
                try piece.frame.withEvent(sequence) { frame, bytes in
                    stamp = frame.stamp
                    isLacking = isLacking || frame.isWithheld && !erased.contains(frame.id)
                    state.lastChecksum = buffer.append(rechaining: bytes, after: state.lastChecksum)
                }
                try buffer.withSpan { try transaction.append($0, for: state.nextPosition, in: tables.events) }
                state.nextPosition += 1
                clock.observe(stamp, wallMilliseconds: arrival.wallMilliseconds)
            }
        }
        if isLacking { try Self.noteLacking(in: transaction, tables) }
        let row = HeadRow(sequence: last, position: state.nextPosition - 1, stamp: stamp)
        try transaction.put(row.bytes.span.bytes, for: ReplicaKey(replica), in: tables.heads)
    }

    /// Keeps ranges of other histories aside; returns those that were not kept already.
    private func keep(
        _ forked: [RangeFrame], of replica: ReplicaID, _ transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> [RangeFrame] {
        if forked.isEmpty { return [] }
        let present = try Self.frames(of: replica, in: tables.forked, transaction)
        return try Self.put(
            Parking(forked, beside: present, byteLimit: .max), in: tables.forked, transaction)
    }
}
