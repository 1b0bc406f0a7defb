import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension MemoryLog {
    func append(_ batch: DraftBatch, as replica: ReplicaID, arrival: Arrival) throws -> Appended {
        let stream = trees[replica] ?? Stream()
        // What the log has adopted does not count while the wall clock says that it was wrong.
        let adopted = rows.clock.isFarAhead(ofWall: arrival.wallMilliseconds) ? Stamp(rawValue: 0) : rows.clock
        var clock = HybridClock(last: max(adopted, stream.lastStamp))
        let stamp = clock.tick(wallMilliseconds: arrival.wallMilliseconds)
        let first = EventID(replica, stream.count + 1)
        let position = lastPosition() + 1
        var resolutions: [NameResolution] = []
        if let last = stream.positions.last {
            try withEvent(at: last) { frame, bytes in resolutions = frame.names(in: bytes).resolutions }
        }
        var observed = observed(by: replica, after: stream, appending: batch.count)
        var hasher = MerkleHasher()
        for index in 0..<batch.count {
            let header = EventHeader(
                id: EventID(replica, first.sequence + UInt64(index)), stamp: stamp, rest: batch.count - 1 - index,
                observed: observed.heads, observesAll: observed.areAll)
            observed = ([], false)
            var writer = ByteWriter(capacity: 256)
            rows.lastChecksum = batch.withEvent(at: index) { shape, values in
                writer.append(
                    frame: header, shape: shape, values: values, resolutions: resolutions, after: rows.lastChecksum)
            }
            let bytes = writer.bytes
            let (frame, leaf) = try bytes.withSpan { bytes in
                let frame = try Frame(parsing: bytes)
                return (frame, hasher.leaf(of: frame, in: bytes))
            }
            try put(bytes, frame, leaf: leaf)
        }
        rows.clock = clock.last
        return Appended(first: first, count: batch.count, position: position, stamp: stamp)
    }

    /// The heads of others that moved since the replica's event before; from time to time all of them.
    private func observed(
        by replica: ReplicaID, after stream: Stream, appending count: Int
    ) -> (heads: [ObservedHead], areAll: Bool) {
        let isDue = stream.count / contextCount != (stream.count + UInt64(count)) / contextCount
        let since = isDue ? 0 : stream.positions.last ?? 0
        let moved = trees.filter { $0.key != replica && ($0.value.positions.last ?? 0) > since }.keys.sorted()
        let heads = moved.compactMap { other in
            let last = trees[other]?.count ?? 0
            return root(of: other, through: last).map {
                ObservedHead(event: EventID(other, last), rootPrefix: $0.prefix)
            }
        }
        return (heads, isDue)
    }
}
