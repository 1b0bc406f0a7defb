import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `A frame` {
    private static func frame(
        _ sequence: SequenceNumber = 3, observed: Int = 0, rest: Int = 3, shape: [UInt8] = [1, 2, 3],
        values: [UInt8] = [UInt8](40..<90),
        isWithheld: Bool = false, after previous: UInt32 = 0xDEAD_BEEF
    ) -> [UInt8] {
        let heads = (0..<observed).map { place in
            let event = EventID(ReplicaID(high: UInt64(place), low: 7), UInt64(place) + 1)
            return ObservedHead(event: event, rootPrefix: 0x0123_4567_89AB_CDEF)
        }
        let header = EventHeader(
            id: EventID(ReplicaID(high: 1, low: 2), sequence),
            stamp: Stamp(milliseconds: 1_700_000_000_000, counter: 9),
            rest: rest, observed: heads)
        var writer = ByteWriter()
        writer.append(
            frame: header, shape: shape.span.bytes, values: values.span.bytes, isWithheld: isWithheld, after: previous)
        return writer.bytes
    }

    private static func verify(_ bytes: [UInt8]) throws(FrameError) -> Frame { try Frame(verifying: bytes.span.bytes) }

    @Test func `says what its author said`() throws {
        let bytes = Self.frame(observed: 2)
        let frame = try Self.verify(bytes)
        #expect(frame.length == bytes.count)
        #expect(frame.id == EventID(ReplicaID(high: 1, low: 2), 3))
        #expect(frame.stamp == Stamp(milliseconds: 1_700_000_000_000, counter: 9))
        #expect(frame.rest == 3 && !frame.isWithheld && frame.previousChecksum == 0xDEAD_BEEF)
        #expect(Array(bytes[frame.shape]) == [1, 2, 3])
        #expect(Array(bytes[frame.values]) == [UInt8](40..<90))
        let observed = frame.observed(in: bytes.span.bytes)
        #expect(observed.map(\.event.sequence) == [1, 2])
        #expect(observed.map(\.rootPrefix) == [0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF])
    }

    @Test func `is recognised with other bytes behind it, and chained anew by its checksum alone`() throws {
        let bytes = Self.frame()
        let frame = try Self.verify(bytes + [9, 9, 9])
        #expect(frame.length == bytes.count)
        var writer = ByteWriter()
        writer.append(rechaining: bytes.span.bytes, after: 5)
        let rechained = try Self.verify(writer.bytes)
        #expect(rechained.previousChecksum == 5)
        #expect(rechained.checksum(in: writer.bytes.span.bytes) != frame.checksum(in: bytes.span.bytes))
        #expect(writer.bytes[12..<(writer.count - 4)] == bytes[12..<(bytes.count - 4)])
    }

    @Test(arguments: [0, 1, 5])
    func `that was cut anywhere is refused`(observed: Int) {
        let bytes = Self.frame(observed: observed)
        for end in bytes.indices { #expect(throws: FrameError.self) { try Self.verify(Array(bytes[..<end])) } }
    }

    @Test(arguments: [0, 1, 5])
    func `in which any one byte was changed in any way is refused`(observed: Int) {
        let bytes = Self.frame(observed: observed)
        for place in bytes.indices {
            for change in UInt8(1)...255 {
                var damaged = bytes
                damaged[place] ^= change
                // What follows could complete a frame that claims to be longer.
                if (try? Self.verify(damaged)) != nil || (try? Self.verify(damaged + bytes)) != nil {
                    Issue.record("byte \(place) changed by \(change) was not noticed")
                }
            }
        }
    }

    @Test(arguments: UInt64(0)..<50)
    func `of random bytes, or of damaged ones with a right checksum, never traps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let whole = Self.frame(observed: 2)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 4..<60, using: &generator)
                bytes[place] = UInt8(truncatingIfNeeded: generator.next())
            }
            bytes.removeLast(4)
            var writer = ByteWriter()
            writer.append(contentsOf: bytes)
            writer.appendChecksum()
            if let frame = try? Self.verify(writer.bytes) {
                #expect(frame.values.upperBound + 4 == frame.length && frame.length <= writer.count)
                _ = frame.observed(in: writer.bytes.span.bytes)
            }
            let noise = [0x47, 0x57, 0x45, 0x31] + generator.bytes(Int.random(in: 0..<100, using: &generator))
            _ = try? Self.verify(noise)
        }
    }

    @Test func `says why it is refused`() {
        let bytes = Self.frame()
        #expect(throws: FrameError.notAFrame) { try Self.verify([]) }
        #expect(throws: FrameError.notAFrame) { try Self.verify([0] + bytes) }
        #expect(throws: FrameError.truncated(length: bytes.count, available: bytes.count - 1)) {
            try Self.verify(bytes.dropLast())
        }
    }

    @Test func `that exceeds the limits of an event is refused`() throws {
        #expect(try Self.verify(Self.frame(rest: EventLimits.batchCount - 1)).rest == EventLimits.batchCount - 1)
        #expect(throws: FrameError.malformed) { try Self.verify(Self.frame(rest: EventLimits.batchCount)) }
        let observed = try Self.verify(Self.frame(observed: EventLimits.observedCount))
        #expect(observed.header.count == 36 + 32 * EventLimits.observedCount)
        #expect(throws: FrameError.malformed) { try Self.verify(Self.frame(observed: EventLimits.observedCount + 1)) }
        let most = EventLimits.batchBytes - DraftBatch.overheadPerEvent - 3
        #expect(
            try Self.verify(Self.frame(values: [UInt8](repeating: 0, count: most))).length == EventLimits.batchBytes)
        #expect(throws: FrameError.malformed) {
            try Self.verify(Self.frame(values: [UInt8](repeating: 0, count: most + 1)))
        }
    }

    @Test func `of a number that no event has is refused`() throws {
        for number in [1, EventLimits.sequenceNumber] {
            #expect(try Self.verify(Self.frame(number)).id.sequence == number)
        }
        for number in [0, EventLimits.sequenceNumber + 1, .max] {
            #expect(throws: FrameError.malformed) { try Self.verify(Self.frame(number)) }
        }
    }

    @Test func `with withheld values holds exactly their hash`() throws {
        #expect(try Self.verify(Self.frame(values: [UInt8](0..<32), isWithheld: true)).isWithheld)
        for count in [UInt8(0), 31, 33] {
            #expect(throws: FrameError.malformed) {
                try Self.verify(Self.frame(values: [UInt8](0..<count), isWithheld: true))
            }
        }
    }
}
