import GroundwaveByteCoding
import GroundwaveEvents
import Testing

@Suite struct `A batch of drafts` {
    @Test func `hands out the parts of each event as they were written`() {
        var batch = DraftBatch()
        #expect(batch.isEmpty)
        for byte in UInt8(1)...20 {
            batch.append(
                shape: { $0.append(contentsOf: [UInt8](repeating: byte, count: Int(byte))) },
                values: { writer in if byte % 2 == 0 { writer.append(byte) } })
        }
        #expect(batch.count == 20)
        #expect(batch.byteCount == (1...20).reduce(0, +) + 10)
        for byte in UInt8(1)...20 {
            let parts = batch.withEvent(at: Int(byte) - 1) { ($0.toArray(), $1.toArray()) }
            #expect(parts.0 == [UInt8](repeating: byte, count: Int(byte)))
            #expect(parts.1 == (byte % 2 == 0 ? [byte] : []))
        }
    }

    @Test func `has room for as many events as the limit says`() {
        var batch = DraftBatch()
        for _ in 0..<EventLimits.batchCount {
            #expect(batch.hasRoom(for: 0))
            batch.append(shape: { _ in }, values: { _ in })
        }
        #expect(!batch.hasRoom(for: 0))
    }

    @Test(arguments: [1, 2, 7, 100], [1, 1000, 40_000])
    func `that says it has room makes frames within the limit, even with every head observed`(
        events: Int, step: Int
    ) {
        var batch = DraftBatch()
        // The last event takes all the room that is left, to the byte.
        for _ in 1..<events where batch.hasRoom(for: step) {
            batch.append(shape: { _ in }, values: { $0.append(contentsOf: [UInt8](repeating: 0, count: step)) })
        }
        var (low, high) = (0, EventLimits.batchBytes)
        while low < high {
            let middle = (low + high + 1) / 2
            if batch.hasRoom(for: middle) { low = middle } else { high = middle - 1 }
        }
        batch.append(shape: { _ in }, values: { $0.append(contentsOf: [UInt8](repeating: 0, count: low)) })
        let observed = (0..<EventLimits.observedCount).map {
            ObservedHead(event: EventID(ReplicaID(high: 0, low: UInt64($0)), 1), rootPrefix: 0)
        }
        var writer = ByteWriter(capacity: EventLimits.batchBytes)
        for place in 0..<batch.count {
            let rest = batch.count - 1 - place
            let header = EventHeader(
                id: EventID(ReplicaID(high: 1, low: 1), UInt64(place) + 1), stamp: Stamp(rawValue: 1), rest: rest,
                observed: rest == 0 ? observed : [])
            batch.withEvent(at: place) { shape, values in
                _ = writer.append(frame: header, shape: shape, values: values, after: 0)
            }
        }
        #expect(writer.count == EventLimits.batchBytes)
        #expect(!batch.hasRoom(for: 0))
    }
}
