import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension MemoryLog {
    /// Makes the events of a stream behind a number a stream of their own.
    func part(_ parting: Parting) throws {
        let (stream, after) = (parting.stream, parting.after)
        let (path, base) = (rows.streams.path(to: stream), rows.streams.base(of: stream))
        guard let tree = trees[stream] else { throw EventLogError.damaged("the tree of a replica") }
        var rest = 0
        try withEvent(at: tree.positions[Int(after)]) { frame, _ in rest = frame.rest }
        var hasher = MerkleHasher()
        guard let edge = try edge(along: path, through: base + after + 1 + UInt64(rest)) else {
            throw EventLogError.damaged("the tree of a replica")
        }
        let part = Streams.id(of: path[0], firstBatchTo: edge.root(hasher: &hasher))
        var streams = rows.streams
        streams.part(stream, after: after, into: part)
        var counts = vector()
        (counts[stream], counts[part]) = (after, tree.count - after)
        try readAnew(streams, counts) { event in
            event.replica == stream && event.sequence > after ? EventID(part, event.sequence - after) : event
        }
        if let head = rows.signed[stream], head.sequence > base + after {
            (rows.signed[stream], rows.signed[part]) = (nil, head)
        }
        var erased = EventSet()
        for range in rows.erased.ranges {
            guard range.replica == stream, range.last > after else {
                erased.insert(range)
                continue
            }
            if range.first <= after { erased.insert(EventRange(stream, range.first, through: after)) }
            erased.insert(EventRange(part, max(range.first, after + 1) - after, through: range.last - after))
        }
        rows.erased = erased
    }

    /// Reads the names in all events anew.
    func readAnew(_ streams: Streams, _ counts: VersionVector, _ moved: (EventID) -> EventID) throws {
        var finder = finder(streams, counts)
        var (checksum, events) = (UInt32(0), [[UInt8]]())
        for place in rows.events.indices {
            try present(at: Position(place) + 1).withSpan { bytes in
                let frame = try Frame(parsing: bytes)
                let readings = try finder.readings(for: frame, in: bytes, of: moved(frame.id).replica)
                var writer = ByteWriter(capacity: frame.length + 64)
                checksum = writer.append(frame, in: bytes, readAs: readings, after: checksum)
                events.append(writer.bytes)
            }
        }
        (rows.events, rows.lastChecksum, rows.streams) = (events, checksum, streams)
        rows.late = [:]
        rows.isUncertain = finder.isUncertain
        rows.readingsCount += 1
        try readRows()
    }

    func finder(_ streams: Streams, _ counts: VersionVector) -> ReadingFinder {
        let present = rows.streams
        return ReadingFinder(streams, counts: counts) { path, sequence in
            var hasher = MerkleHasher()
            let path = path.filter { $0 == path[0] || present.branches[$0] != nil }
            return try self.edge(along: path, through: sequence)?.root(hasher: &hasher)
        }
    }
}
