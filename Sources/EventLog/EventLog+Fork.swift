import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// The fork point of a branch: another history continues after that event.
package struct ForkPoint: Hashable, Sendable {
    /// The branch that forks.
    package let stream: ReplicaID
    /// The number of its last event that both histories share; the event ends a batch.
    package let after: SequenceNumber
}

extension EventLog {
    /// Forks a branch: moves its events after a number to a new branch.
    ///
    /// No event is lost or added, and no leaf changes; only the names of events change, here and in events of other
    /// authors that refer to them. The log is rewritten to a new file, as when values are erased.
    func fork(at forkPoint: ForkPoint) throws {
        let (stream, after) = (forkPoint.stream, forkPoint.after)
        guard let branch = try branchName(at: forkPoint) else { throw EventLogError.damaged("the tree of a replica") }
        var streams = try streams()
        streams.fork(stream, after: after, into: branch)
        var counts = try vector()
        let count = counts[stream]
        (counts[stream], counts[branch]) = (after, count - after)
        try rewrite { old, new in
            let isUncertain = try resolveNames(streams, counts, from: old, to: new) { event in
                event.replica == stream && event.sequence > after
                    ? EventID(branch, event.sequence - after) : event
            }
            let tables = try LogTables(in: new)
            try Self.put(streams, in: new, tables)
            var state = try Self.nameState(in: old, LogTables(in: old))
            state.count += 1
            state.isUncertain = isUncertain
            try new.put(state.bytes.span.bytes, for: NameState.key, in: tables.meta)
            let base = streams.base(of: stream)
            try moveRows(forkPoint, to: branch, count: count, base: base, from: old, to: new)
            try followRoster(since: nil, new, tables)
        }
        sealer.withLock { $0 = Sealer(generation: $0.generation + 1) }
    }

    /// Resolves the names in all events again, since more may be known now of what their authors meant.
    ///
    /// - Complexity: O(events); the log is rewritten if any name resolution changes.
    func resolveNames() throws {
        let streams = try streams()
        var finder = try finder(streams)
        var isSame = true
        try scan(from: 1) { _, frame, bytes in
            let resolutions = try finder.resolutions(for: frame, in: bytes, of: frame.id.replica)
            isSame = resolutions == frame.names(in: bytes).resolutions
            return isSame
        }
        if isSame, finder.isUncertain { return }
        try rewrite { old, new in
            let isUncertain = try resolveNames(streams, try vector(), from: old, to: new) { $0 }
            var state = try Self.nameState(in: old, LogTables(in: old))
            state.count += isSame ? 0 : 1
            state.isUncertain = isUncertain
            let tables = try LogTables(in: new)
            try new.put(state.bytes.span.bytes, for: NameState.key, in: tables.meta)
            try followRoster(since: nil, new, tables)
        }
    }

    /// Returns a finder of name resolutions, based on the events that are here now.
    func finder(_ streams: Streams, counts: VersionVector? = nil) throws -> NameResolver {
        let present = try self.streams()
        return NameResolver(streams, counts: try counts ?? vector()) { path, sequence in
            var hasher = MerkleHasher()
            // The events of a branch under construction are still in its parent.
            let path = path.filter { $0 == path[0] || present.branches[$0] != nil }
            return try self.edge(along: path, through: sequence)?.root(hasher: &hasher)
        }
    }

    /// Copies the whole log with updated name resolutions; returns whether some author's are uncertain.
    private func resolveNames(
        _ streams: Streams, _ counts: VersionVector, from old: borrowing ReadTransaction,
        to new: borrowing WriteTransaction, _ moved: (EventID) -> EventID
    ) throws -> Bool {
        var finder = try finder(streams, counts: counts)
        try Self.copyAll(old, new) { frame, bytes in
            let resolutions = try finder.resolutions(for: frame, in: bytes, of: moved(frame.id).replica)
            if resolutions == frame.names(in: bytes).resolutions { return .same }
            var writer = ByteWriter(capacity: frame.length + 64)
            writer.append(frame, in: bytes, readAs: resolutions, after: 0)
            return .other(writer.bytes)
        }
        try Self.copyBase(old, new)
        return finder.isUncertain
    }

    /// Returns the id of the new branch behind a fork point.
    private func branchName(at forkPoint: ForkPoint) throws -> ReplicaID? {
        let streams = try streams()
        let first = EventID(forkPoint.stream, forkPoint.after + 1)
        guard let batch = try batch(of: first) else { return nil }
        var hasher = MerkleHasher()
        let path = streams.path(to: forkPoint.stream)
        let edge = try edge(along: path, through: streams.base(of: forkPoint.stream) + batch.upperBound)
        return edge.map { Streams.id(of: path[0], firstBatchTo: $0.root(hasher: &hasher)) }
    }

    /// Moves the rows that belong to the events behind a fork point from the branch to its new child.
    private func moveRows(
        _ forkPoint: ForkPoint, to branch: ReplicaID, count: SequenceNumber, base: SequenceNumber,
        from old: borrowing ReadTransaction, to new: borrowing WriteTransaction
    ) throws {
        let (stream, after) = (forkPoint.stream, forkPoint.after)
        let tables = try LogTables(in: new)
        guard let head = try tables.head(of: stream, in: new),
            let first = try position(of: EventID(stream, after + 1))
        else { throw EventLogError.damaged("the last event of a replica") }
        let later = HeadRow(sequence: count - after, position: head.position, stamp: head.stamp)
        try new.put(later.bytes.span.bytes, for: ReplicaKey(branch), in: tables.heads)
        if after == 0 {
            _ = try new.remove(ReplicaKey(stream), in: tables.heads)
        } else {
            guard let position = try position(of: EventID(stream, after)) else {
                throw EventLogError.damaged("the runs of a replica")
            }
            let stamp = try withEvent(at: position) { frame, _ in frame.stamp }
            let row = HeadRow(sequence: after, position: position, stamp: stamp ?? head.stamp)
            try new.put(row.bytes.span.bytes, for: ReplicaKey(stream), in: tables.heads)
        }
        try move(Self.rows(of: stream, in: LogTables(in: old).runs, old), tables.runs, new) { key in
            key.number > after ? ReplicaNumberKey(branch, key.number - after) : key
        }
        var writer = ByteWriter(capacity: 8)
        writer.append(littleEndian: first)
        try new.put(writer.bytes.span.bytes, for: ReplicaNumberKey(branch, 1), in: tables.runs)
        // Tree nodes are recomputed when needed: blocks of the new branch start at other events.
        _ = try new.remove(ReplicaKey(stream), in: tables.trees)
        for row in try Self.rows(of: stream, in: LogTables(in: old).nodes, old)
        where (row.key.number + 1) * TreeBlock.leafCount > after {
            _ = try new.remove(row.key, in: tables.nodes)
        }
        try tables.lacking.replace(
            with: tables.lacking.events(in: new).moving(stream, behind: after, to: branch), in: new)
        let refusals = try tables.erased.refusals(in: new).map { event, events in
            let isMoved = event.replica == stream && event.sequence > after
            return (
                isMoved ? EventID(branch, event.sequence - after) : event,
                events.moving(stream, behind: after, to: branch)
            )
        }
        try tables.erased.replace(with: Dictionary(uniqueKeysWithValues: refusals), in: new)
        if let row = try old.value(ReplicaKey(stream), in: LogTables(in: old).signed),
            row.withSpan({ $0.byteCount == 136 && $0.uint64(at: 0) > base + after })
        {
            _ = try new.remove(ReplicaKey(stream), in: tables.signed)
            try new.put(row.span.bytes, for: ReplicaKey(branch), in: tables.signed)
        }
    }

    private func move(
        _ rows: [(key: ReplicaNumberKey, value: [UInt8])], _ table: CheckedTable<ReplicaNumberKey>,
        _ new: borrowing WriteTransaction, _ moved: (ReplicaNumberKey) -> ReplicaNumberKey
    ) throws {
        for row in rows where moved(row.key) != row.key {
            _ = try new.remove(row.key, in: table)
            try new.put(row.value.span.bytes, for: moved(row.key), in: table)
        }
    }

    private static func rows(
        of stream: ReplicaID, in table: CheckedTable<ReplicaNumberKey>, _ old: borrowing ReadTransaction
    ) throws -> [(key: ReplicaNumberKey, value: [UInt8])] {
        var rows: [(key: ReplicaNumberKey, value: [UInt8])] = []
        try old.forEach(in: table, from: ReplicaNumberKey(stream, 0)) { key, value in
            guard let key = ReplicaNumberKey(keyBytes: key), key.replica == stream else { return false }
            rows.append((key, value.toArray()))
            return true
        }
        return rows
    }
}
