import GroundwaveByteCoding
import GroundwaveEvents
import Testing

@Suite struct `An event apart from its log` {
    private static func frame(values: [UInt8], isWithheld: Bool = false, after previous: UInt32 = 77) -> [UInt8] {
        var writer = ByteWriter()
        let header = EventHeader(
            id: EventID(ReplicaID(high: 1, low: 2), 3), stamp: Stamp(rawValue: 4), rest: 5,
            observed: [ObservedHead(event: EventID(ReplicaID(high: 9, low: 9), 8), rootPrefix: 7)])
        writer.append(
            frame: header, shape: [UInt8]([1, 2]).span.bytes, values: values.span.bytes, isWithheld: isWithheld,
            after: previous)
        return writer.bytes
    }

    @Test(arguments: [false, true])
    func `has the parts and the leaf that it has in the log`(isWithheld: Bool) throws {
        let values = [UInt8](repeating: 6, count: 32)
        let bytes = Self.frame(values: values, isWithheld: isWithheld)
        let frame = try Frame(verifying: bytes.span.bytes)
        let event = DetachedEvent(frame, in: bytes.span.bytes)
        var hasher = MerkleHasher()
        #expect(event.leaf == hasher.leaf(of: frame, in: bytes.span.bytes))
        #expect(event.id == frame.id && event.stamp == frame.stamp && event.isWithheld == isWithheld)
        #expect(event.header == Array(bytes[frame.header]) && event.shape == [1, 2] && event.values == values)
        let again = try DetachedEvent(
            header: event.header, shape: event.shape, values: event.values, isWithheld: isWithheld)
        #expect(again == event)
    }

    @Test func `is refused where its parts make no event`() throws {
        let bytes = Self.frame(values: [])
        let header = DetachedEvent(try Frame(verifying: bytes.span.bytes), in: bytes.span.bytes).header
        func expectMalformed(header: [UInt8], values: [UInt8] = [], isWithheld: Bool = false) {
            #expect(throws: FrameError.malformed) {
                try DetachedEvent(header: header, shape: [], values: values, isWithheld: isWithheld)
            }
        }
        expectMalformed(header: [])
        expectMalformed(header: header.dropLast())
        expectMalformed(header: header + [0])
        expectMalformed(header: [UInt8](repeating: 0xFF, count: 70_000))
        expectMalformed(header: header, values: [1, 2, 3], isWithheld: true)
        expectMalformed(header: header, values: [UInt8](repeating: 0, count: EventLimits.batchBytes))
    }
}
