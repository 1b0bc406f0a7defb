import GroundwaveByteCoding
import GroundwaveEvents
import Testing

@Suite struct `A frame with readings` {
    private let author = ReplicaID(high: 1, low: 1)
    private let one = ReplicaID(high: 2, low: 1)
    private let two = ReplicaID(high: 2, low: 2)
    private let other = ReplicaID(high: 3, low: 1)
    private var resolutions: [NameResolution] {
        [
            NameResolution(replica: author, after: 5, stream: one), NameResolution(replica: one, after: 2, stream: two),
            NameResolution(replica: other, after: 0, stream: one),
        ]
    }

    private func frame(_ sequence: SequenceNumber, values: Int = 40, resolutions: [NameResolution]) -> [UInt8] {
        let header = EventHeader(id: EventID(author, sequence), stamp: Stamp(milliseconds: 7, counter: 1), rest: 0)
        var writer = ByteWriter()
        writer.append(
            frame: header, shape: [1, 2].span.bytes, values: [UInt8](repeating: 9, count: values).span.bytes,
            resolutions: resolutions, after: 3)
        return writer.bytes
    }

    @Test func `is an event of the stream that they lead to, and its names are read alike`() throws {
        for (sequence, event) in [
            (5, EventID(author, 5)), (6, EventID(one, 1)), (7, EventID(one, 2)), (9, EventID(two, 2)),
        ] {
            let bytes = frame(SequenceNumber(sequence), resolutions: resolutions)
            let found = try Frame(verifying: bytes.span.bytes)
            #expect(found.id == event && found.hasResolutions && found.length == bytes.count)
            let names = found.names(in: bytes.span.bytes)
            #expect(names.author == author && names.resolutions == resolutions)
            #expect(names(EventID(author, 8)) == EventID(two, 1))
            #expect(names(EventID(other, 1)) == EventID(one, 1))
            #expect(
                names(EventRange(author, 4, through: 9)) == [
                    EventRange(author, 4, through: 5), EventRange(one, 1, through: 2), EventRange(two, 1, through: 2),
                ])
        }
    }

    @Test func `is what it was once they are taken away, and has the same leaf all the time`() throws {
        let plain = frame(8, resolutions: [])
        let found = try Frame(verifying: plain.span.bytes)
        var hasher = MerkleHasher()
        let leaf = hasher.leaf(of: found, in: plain.span.bytes)
        var writer = ByteWriter()
        writer.append(found, in: plain.span.bytes, readAs: resolutions, after: 3)
        let read = writer.bytes
        #expect(read == frame(8, resolutions: resolutions))
        let other = try Frame(verifying: read.span.bytes)
        #expect(hasher.leaf(of: other, in: read.span.bytes) == leaf)
        writer.removeAll()
        writer.append(withholding: other, in: read.span.bytes, after: 3)
        let withheld = writer.bytes
        let third = try Frame(verifying: withheld.span.bytes)
        #expect(third.isWithheld && third.id == other.id && hasher.leaf(of: third, in: withheld.span.bytes) == leaf)
        writer.removeAll()
        writer.append(other, in: read.span.bytes, readAs: [], after: 3)
        #expect(writer.bytes == plain)
    }

    @Test func `may be longer by them than an event can be, and no longer`() throws {
        let room = EventLimits.batchBytes - frame(8, values: 0, resolutions: []).count
        #expect(try Frame(verifying: frame(8, values: room, resolutions: resolutions).span.bytes).id == EventID(two, 1))
        #expect(throws: FrameError.malformed) {
            try Frame(verifying: frame(8, values: room + 1, resolutions: resolutions).span.bytes)
        }
    }

    @Test func `whose number of readings is more than there is room for is refused`() {
        var bytes = frame(8, values: 4, resolutions: resolutions)
        bytes[bytes.count - 5] = 0xFF
        #expect(throws: FrameError.malformed) { try Frame(parsing: bytes.span.bytes) }
    }
}
