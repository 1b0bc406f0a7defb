import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension MemoryLog {
    /// Makes the events of a stream behind a number a stream of their own.
    func fork(at forkPoint: ForkPoint) throws {
        let (stream, after) = (forkPoint.stream, forkPoint.after)
        let (path, base) = (rows.streams.path(to: stream), rows.streams.base(of: stream))
        guard let tree = trees[stream] else { throw EventLogError.damaged("the tree of a replica") }
        var rest = 0
        try withEvent(at: tree.positions[Int(after)]) { frame, _ in rest = frame.rest }
        var hasher = MerkleHasher()
        guard let edge = try edge(along: path, through: base + after + 1 + UInt64(rest)) else {
            throw EventLogError.damaged("the tree of a replica")
        }
        let branch = Streams.id(of: path[0], firstBatchTo: edge.root(hasher: &hasher))
        var streams = rows.streams
        streams.fork(stream, after: after, into: branch)
        var counts = vector()
        (counts[stream], counts[branch]) = (after, tree.count - after)
        try resolveNames(streams, counts) { event in
            event.replica == stream && event.sequence > after ? EventID(branch, event.sequence - after) : event
        }
        if let head = rows.signed[stream], head.sequence > base + after {
            (rows.signed[stream], rows.signed[branch]) = (nil, head)
        }
        var erased = EventSet()
        for range in rows.erased.ranges {
            guard range.replica == stream, range.last > after else {
                erased.insert(range)
                continue
            }
            if range.first <= after { erased.insert(EventRange(stream, range.first, through: after)) }
            erased.insert(EventRange(branch, max(range.first, after + 1) - after, through: range.last - after))
        }
        rows.erased = erased
    }

    /// Reads the names in all events anew.
    func resolveNames(_ streams: Streams, _ counts: VersionVector, _ moved: (EventID) -> EventID) throws {
        var finder = finder(streams, counts)
        var (checksum, events) = (UInt32(0), [[UInt8]]())
        for place in rows.events.indices {
            try present(at: Position(place) + 1).withSpan { bytes in
                let frame = try Frame(parsing: bytes)
                let resolutions = try finder.resolutions(for: frame, in: bytes, of: moved(frame.id).replica)
                var writer = ByteWriter(capacity: frame.length + 64)
                checksum = writer.append(frame, in: bytes, readAs: resolutions, after: checksum)
                events.append(writer.bytes)
            }
        }
        (rows.events, rows.lastChecksum, rows.streams) = (events, checksum, streams)
        rows.late = [:]
        rows.isUncertain = finder.isUncertain
        rows.resolutionsCount += 1
        try readRows()
    }

    func finder(_ streams: Streams, _ counts: VersionVector) -> NameResolver {
        let present = rows.streams
        return NameResolver(streams, counts: counts) { path, sequence in
            var hasher = MerkleHasher()
            let path = path.filter { $0 == path[0] || present.branches[$0] != nil }
            return try self.edge(along: path, through: sequence)?.root(hasher: &hasher)
        }
    }
}
