import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership
import Synchronization

/// The numbers, position and stamp of an appended batch.
public struct Appended: Hashable, Sendable {
    /// The first event.
    public let first: EventID
    /// The number of events; they have consecutive numbers and positions.
    public let count: Int
    /// The position of the first one.
    public let position: Position
    /// The stamp of all of them.
    public let stamp: Stamp

    /// Creates a value from its parts.
    package init(first: EventID, count: Int, position: Position, stamp: Stamp) {
        self.first = first
        self.count = count
        self.position = position
        self.stamp = stamp
    }

    /// The last event of the batch.
    public var last: EventID { EventID(first.replica, first.sequence + UInt64(count) - 1) }
}

extension EventLog {
    /// Appends batches as events of `replica` in one commit, and returns where each was appended.
    ///
    /// All batches are on the disk when this returns, and survive a power cut. If it throws, none was appended; after a
    /// disk error the end of the log is checked before the next append, and until that check succeeds nothing is
    /// acknowledged.
    ///
    /// - Parameters:
    ///   - batches: None empty. Each gets one stamp and is atomic by itself.
    ///   - arrival: The present moment; its wall clock drives the stamps.
    ///   - position: The position of the last event that the author has seen, if the batches are only right behind it.
    ///   - heads: What the author has observed in another log, besides what is in this one.
    /// - Throws: ``EventLogError/moved(last:)`` if `position` is not that of the last event.
    /// - Complexity: O(events), and one flush, however many batches there are. The first two calls after the log was
    ///   opened, and after another process wrote, need two flushes each.
    public func append(
        _ batches: [DraftBatch], as replica: ReplicaID, arrival: Arrival, behind position: Position? = nil,
        observing heads: [ObservedHead] = []
    ) throws -> [Appended] {
        if batches.isEmpty { return [] }
        for batch in batches {
            precondition(!batch.isEmpty, "a batch has at least one event")
            guard batch.isWithinLimits else {
                throw EventLogError.batchTooLarge(count: batch.count, bytes: batch.byteCount)
            }
        }
        return try commit(mayTrail: true, isOwn: true) { transaction, tables, state in
            try Self.checkClaim(of: replica, in: transaction, tables)
            let last = state.nextPosition - 1
            guard position ?? last == last else { throw EventLogError.moved(last: last) }
            var frame = ByteWriter(capacity: 1024)
            var head = try tables.head(of: replica, in: transaction)
            var clock = Self.clock(of: head, state, arrival)
            let first = state.nextPosition
            try tables.startRun(of: replica, at: first, after: head, in: transaction)
            var observed = try Self.observed(
                by: replica, after: head, appending: batches.reduce(0) { $0 + $1.count }, in: transaction, tables)
            if !heads.isEmpty {
                observed.heads = Array((observed.heads + heads).prefix(EventLimits.observedCount))
            }
            let resolutions = try Self.resolutions(of: replica, behind: head, in: transaction, tables)
            var appended: [Appended] = []
            for batch in batches {
                let stamp = clock.tick(wallMilliseconds: arrival.wallMilliseconds)
                let sequence = (head?.sequence ?? 0) + 1
                appended.append(
                    Appended(
                        first: EventID(replica, sequence), count: batch.count, position: state.nextPosition,
                        stamp: stamp))
                for index in 0..<batch.count {
                    let header = EventHeader(
                        id: EventID(replica, sequence + UInt64(index)), stamp: stamp, rest: batch.count - 1 - index,
                        observed: observed.heads, observesAll: observed.areAll)
                    if observed.areAll || !observed.heads.isEmpty { observed = ([], false) }
                    frame.removeAll()
                    state.lastChecksum = batch.withEvent(at: index) { shape, values in
                        state.changesRoster = state.changesRoster || RosterKind.isStatement(shape: shape)
                        return frame.append(
                            frame: header, shape: shape, values: values, resolutions: resolutions,
                            after: state.lastChecksum)
                    }
                    try frame.withSpan { try transaction.append($0, for: state.nextPosition, in: tables.events) }
                    state.nextPosition += 1
                }
                head = HeadRow(
                    sequence: sequence + UInt64(batch.count) - 1, position: state.nextPosition - 1, stamp: stamp)
            }
            state.clock = clock.last
            if let head {
                try transaction.put(head.bytes.span.bytes, for: ReplicaKey(replica), in: tables.heads)
            }
            try tables.put(arrival, of: first..<state.nextPosition, in: transaction)
            return appended
        }
    }

    /// Returns the clock of the replica with `head`. Stamps that the log has adopted count, unless they are far ahead: the
    /// wall clock was wrong when they were. Those of the replica itself never go down.
    private static func clock(of head: HeadRow?, _ state: LogState, _ arrival: Arrival) -> HybridClock {
        let adopted = state.clock.isFarAhead(ofWall: arrival.wallMilliseconds) ? Stamp(rawValue: 0) : state.clock
        return HybridClock(last: Swift.max(adopted, head?.stamp ?? adopted))
    }

    /// Returns the name resolutions of this author's previous event, at `head`; they still apply to the next one.
    private static func resolutions(
        of replica: ReplicaID, behind head: HeadRow?, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws -> [NameResolution] {
        guard let head else { return [] }
        return try withEvent(EventID(replica, head.sequence), at: head.position, in: transaction, tables) {
            frame, bytes in frame.names(in: bytes).resolutions
        }
    }

    /// Copies frames from another log: unchanged except for their chain of checksums. Frames that are here already are
    /// skipped. The values of events erased here, by ``erase(_:)``, are left out. Placeholders for lost events are
    /// copied as such.
    ///
    /// - Parameter frames: Whole frames; those of one replica in sequence.
    /// - Returns: The number of events that were appended.
    /// - Throws: ``EventLogError/outOfSequence(_:expected:)`` at a gap; then none was appended.
    public func append(copying frames: [[UInt8]], arrival: Arrival) throws -> Int {
        try commit { transaction, tables, state in
            let first = state.nextPosition
            var clock = HybridClock(last: state.clock)
            try Self.copy(frames, arrival, &clock, &state, transaction, tables)
            try tables.put(arrival, of: first..<state.nextPosition, in: transaction)
            state.clock = clock.last
            return Int(state.nextPosition - first)
        }
    }

    static func copy(
        _ frames: [[UInt8]], _ arrival: Arrival, _ clock: inout HybridClock, _ state: inout LogState,
        _ transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        var buffer = ByteWriter(capacity: 1024)
        let erased = try tables.erased.events(in: transaction)
        var (missing, lost) = (EventSet(), EventSet())
        for bytes in frames {
            let frame = try Frame(verifying: bytes.span.bytes, at: state.nextPosition)
            guard frame.length == bytes.count else {
                throw EventLogError.damagedFrame(position: state.nextPosition, .malformed)
            }
            let known = try tables.head(of: frame.id.replica, in: transaction)
            let expected = (known?.sequence ?? 0) + 1
            if frame.id.sequence < expected { continue }
            guard frame.id.sequence == expected else {
                throw EventLogError.outOfSequence(frame.id, expected: expected)
            }
            try tables.startRun(of: frame.id.replica, at: state.nextPosition, after: known, in: transaction)
            let isErased = erased.contains(frame.id) && !Self.isNeverErased(frame, in: bytes.span.bytes)
            if frame.isWithheld, !isErased { missing.insert(frame.id) }
            if frame.isLost { lost.insert(frame.id) }
            noteStatement(frame, in: bytes.span.bytes, &state)
            buffer.removeAll()
            state.lastChecksum =
                isErased
                ? buffer.append(withholding: frame, in: bytes.span.bytes, after: state.lastChecksum)
                : buffer.append(rechaining: bytes.span.bytes, after: state.lastChecksum)
            try buffer.withSpan { try transaction.append($0, for: state.nextPosition, in: tables.events) }
            let head = HeadRow(sequence: expected, position: state.nextPosition, stamp: frame.stamp)
            try transaction.put(head.bytes.span.bytes, for: ReplicaKey(frame.id.replica), in: tables.heads)
            state.nextPosition += 1
            clock.observe(frame.stamp, wallMilliseconds: arrival.wallMilliseconds)
        }
        try tables.lacking.insert(missing, in: transaction)
        try tables.holes.insert(lost, in: transaction)
    }

    /// Runs one write transaction around `body`, which advances the state, and stores the tree hashes that are ready.
    ///
    /// - Parameters:
    ///   - mayTrail: Whether `body` writes only events and rows that follow from them, so that the commit can be restored
    ///     from its pages alone: see ``bringBackTrailing()``.
    ///   - isOwn: Whether the events are those of this store.
    func commit<Result>(
        mayTrail: Bool = false, isOwn: Bool = false,
        _ body: (borrowing WriteTransaction, LogTables, inout LogState) throws -> Result
    ) throws -> Result {
        try checkAfterFailedCommit()
        var before: LogState?
        var after: LogState?
        var seals: Sealer.Mark?
        var isLastWriter = true
        var mayBeTrailed = false
        do {
            let result = try write { transaction in
                let tables = try LogTables(in: transaction)
                var state = try tables.state(in: transaction)
                before = state
                // This runs again if the map was too small, and another process may have written in between.
                isLastWriter = lastWriter.becomeLastWriter() && isLastWriter
                // The process that put the file at its path may have died, or failed, before flushing the folder entry.
                if !isLastWriter { try environment().synchroniseName() }
                let isTrailing = state.mayBeTrailed
                let result = try body(transaction, tables, &state)
                // Which events count must be on the disk with the events that decide it.
                let mayTrail = mayTrail && !state.changesRoster
                let trails = mayTrail && isLastWriter && isTrailing
                if state.changesRoster { try followRoster(since: before, isOwn: isOwn, transaction, tables) }
                state.changesRoster = false
                state.mayBeTrailed = isLastWriter && (mayTrail || state.mayBeTrailed)
                mayBeTrailed = state.mayBeTrailed
                seals = try storeSeals(transaction, tables)
                try transaction.put(state.bytes.span.bytes, for: LogState.key, in: tables.meta)
                after = state
                if trails { transaction.flushPagesOnly() }
                return result
            }
            #if canImport(Darwin)
            // On Darwin, LMDB's flush ends in the drive's cache.
            try environment().synchronise()
            #endif
            if mayBeTrailed { hasTrailed.store(true, ordering: .releasing) }
            if let seals { sealer.withLock { $0.didStore(upTo: seals) } }
            return result
        } catch {
            // Pages of the failed commit may be in the file, and follow the same event as the next commit does.
            lastWriter.forget()
            if let error = error as? LMDBError, error.mayHaveWritten {
                suspect.withLock { $0 = before ?? $0 }
                attempted.withLock { $0 = after }
            }
            throw error
        }
    }

    /// After a failed commit: closes and reopens the file, and checks that all acknowledged events are there.
    ///
    /// A failed flush may leave pages that the kernel considers clean, so nothing in memory is trusted. Appending calls
    /// this by itself; readers call it first, since LMDB may refuse to read until then. Without a failed commit the
    /// cost is negligible.
    ///
    /// - Precondition: This thread is not inside a transaction of this log.
    public func checkAfterFailedCommit() throws {
        guard suspect.withLock({ $0 != nil }) else { return }
        try checking.withLock { _ in
            // Another thread may have checked it meanwhile.
            if let acknowledged = suspect.withLock({ $0 }) { try checkTail(acknowledged) }
        }
    }

    /// Whether the last commit that failed with a disk error was stored nevertheless; `nil` if there was none, or if
    /// that cannot be determined now. Checks the end of the log first: see ``checkAfterFailedCommit()``.
    package func wasStored() -> Bool? {
        guard let attempted = attempted.withLock({ $0 }), (try? checkAfterFailedCommit()) != nil else { return nil }
        guard let last = try? lastPosition() else { return nil }
        guard last + 1 >= attempted.nextPosition else { return false }
        return (try? checksum(at: attempted.nextPosition - 1)).map { $0 == attempted.lastChecksum }
    }

    private func checkTail(_ acknowledged: LogState) throws {
        try holder.withLock { environment in
            environment.close()
            environment = try Environment.open(path, options: options)
        }
        try write { _ in try environment().renewMetaPages() }
        let state = try state()
        guard state.nextPosition >= acknowledged.nextPosition else {
            throw EventLogError.tailLost(expected: acknowledged.nextPosition - 1, found: state.nextPosition - 1)
        }
        // A commit that reported an error may still have been stored: then its events are complete, and they stay.
        let from = acknowledged.nextPosition > 1000 ? acknowledged.nextPosition - 1000 : 1
        var checksum: UInt32?
        try readSlice { transaction, events, _ in
            var next = from
            try transaction.withCursor(events) { cursor in
                try cursor.forEach(from: from) { key, bytes in
                    try Self.check(key, next)
                    let frame = try Frame(verifying: bytes, at: next)
                    if let checksum, frame.previousChecksum != checksum {
                        throw EventLogError.damaged("the chain of frames at position \(next)")
                    }
                    checksum = frame.checksum(in: bytes)
                    next += 1
                    return true
                }
            }
        }
        guard (checksum ?? 0) == state.lastChecksum else { throw EventLogError.damaged("the last frame") }
        suspect.withLock { $0 = nil }
    }
}
