import GroundwaveByteCoding
import GroundwaveEvents

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwavePeering
@testable import GroundwaveReplication

extension Target {
    /// The bytes behind the first one of `input`; if that is odd, with the magic number of a kind of object, and with a length
    /// and a checksum that fit.
    private static func mended(_ input: [UInt8], as magic: UInt32) -> [UInt8]? {
        guard let mode = input.first else { return nil }
        let bytes = Array(input.dropFirst())
        guard mode & 1 == 1 else { return bytes }
        guard bytes.count >= 64 else { return nil }
        var writer = ByteWriter()
        writer.append(contentsOf: Array(bytes.dropLast(4)))
        writer.overwrite(littleEndian: magic, at: 0)
        writer.overwrite(littleEndian: UInt32(bytes.count), at: 4)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Segments, as they lie at a place and one after the other in a bundle: as they are; and with a length and a checksum that
    /// fit.
    static let segment = Target(name: "segment", byteLimit: 8192) { input in
        guard let bytes = mended(input, as: Segment.magic) else { return }
        let log = bytes.count >= 24 ? LogID(at: 8, of: bytes.span.bytes) : log
        guard let read = try? Segment(reading: bytes, of: log) else { return }
        require(read.numbers.lowerBound >= 1, "numbers begin with 1")
        var length = 0
        for range in read.ranges {
            length += range.count
            require(
                (try? range.withSpan { try RangeFrame.byteCount(of: $0) }) == .some(range.count),
                "ranges are cut by their lengths")
            _ = try? RangeFrame(reading: range, of: log)
        }
        require(length <= bytes.count, "the ranges lie within the segment")
    }

    /// Catalogs, as they lie at a place: as they are; and with a length and a checksum that fit.
    static let catalog = Target(name: "catalog", byteLimit: 4096) { input in
        guard let bytes = mended(input, as: Catalog.magic) else { return }
        let log = bytes.count >= 24 ? LogID(at: 8, of: bytes.span.bytes) : log
        let believed = try? Catalog(reading: bytes, of: log)
        let read = try? Catalog(reading: bytes, of: log) { _, _, _ in true }
        require(believed == nil || read != nil, "who believes less reads less")
        guard let read else { return }
        checkManifest(read.manifest)
        require(read.packedThrough <= read.last, "packs have segments that there are")
        for number in [1, read.packedThrough, read.last, .max] {
            guard let (pack, first) = read.pack(with: number) else { continue }
            require((first...pack.last).contains(number), "a pack has the segment that is looked for")
        }
    }

    /// Statements, and the messages of a conversation, which a peer sends: what they say is used as a store would.
    static let manifest = Target(name: "statement", byteLimit: 2048) { input in
        guard let mode = input.first else { return }
        let bytes = Array(input.dropFirst())
        guard mode & 1 == 1 else {
            var reader = ByteReader()
            let manifest = try? bytes.withSpan { try reader.manifest(in: $0) }
            if let manifest { checkManifest(manifest) }
            return
        }
        converse(messages(bytes))
    }

    static let notes = Target(name: "notes", byteLimit: 2048) { input in
        guard input.count >= 4 else { return }
        var writer = ByteWriter()
        writer.append(contentsOf: input)
        writer.overwrite(littleEndian: RemoteCache.magic, at: 0)
        writer.appendChecksum(from: 0)
        var notes = RemoteCache(reading: writer.bytes)
        require(RemoteCache(reading: notes.bytes) == notes, "notes are read as they were written")
        require(
            RemoteCache(reading: input).bytes.count <= input.count * 2 + 64,
            "notes are no longer than what they came from")
        for range in notes.kept.prefix(4) { notes.add(range) }
        for manifest in notes.manifests.values.prefix(4) { notes.record(manifest) }
        _ = notes.vector.ranges(missingFrom: notes.pulled)
        _ = notes.vector.eventCount
    }

    private static func checkManifest(_ manifest: Manifest) {
        var writer = ByteWriter()
        writer.append(manifest)
        var reader = ByteReader()
        let again = writer.withSpan { try? reader.manifest(in: $0) }
        require(again == .some(manifest), "a statement is read as it was written")
        require(manifest.heads.count <= EventLimits.observedCount, "a statement is bounded")
        var notes = RemoteCache()
        notes.record(manifest)
        for range in manifest.wanted { notes.add(range) }
        for kept in manifest.kept { notes.add(kept.range) }
        _ = manifest.vector.ranges(missingFrom: VersionVector())
        _ = EventSet(manifest.wanted).subtracting(EventSet(manifest.kept.map(\.range))).count
        require(RemoteCache(reading: notes.bytes) == notes, "notes of a statement are read as they were written")
    }

    /// The messages in `bytes`: of each its sort (1 byte), the length of its body (2) and the body. Their lengths and
    /// checksums are right.
    private static func messages(_ bytes: [UInt8]) -> [[UInt8]] {
        var dice = Dice(bytes)
        var messages: [[UInt8]] = []
        while !dice.isAtEnd, messages.count < 16 {
            let sort = dice.byte()
            let body = dice.bytes(min(dice.uint16(), dice.rest.count))
            var writer = ByteWriter()
            writer.append(littleEndian: UInt32(body.count))
            writer.append(sort)
            writer.append(contentsOf: body)
            writer.appendChecksum(from: 0)
            messages.append(writer.bytes)
        }
        return messages
    }

    /// Talks with a peer that says `messages`, and has each range that it sends.
    private static func converse(_ messages: [[UInt8]]) {
        let head = ObservedHead(event: EventID(identity.replica, 3), rootPrefix: 5)
        let local = Manifest(store: identity.replica, milliseconds: 0, heads: [head])
        var session = Session(log: log, local: local) { _ throws(SignedHeadError) in }
        var reader = MessageReader()
        _ = session.start()
        var actions: [Session.Action] = []
        for bytes in messages {
            var found: [Message] = []
            try? reader.read(bytes, into: &found)
            for message in found {
                // A sentence that is not UTF-8 is mended.
                if case .close = message { continue }
                require(message.bytes == bytes, "a message is read as it was written")
            }
            actions += session.received(bytes)
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .make(let range), .makeAgain(let range): actions += session.provide(nil, of: range)
                case .find(let kept): actions += session.provide(nil, of: kept.range)
                case .store(let frame):
                    var received = Received()
                    received.present = [frame.range]
                    actions += session.stored(received, now: local)
                case .send, .end: break
                }
            }
        }
        _ = session.isComplete
        require(session.bufferedBytes <= 5 * (RangeLimits.frameBytes + 16), "what is kept of a conversation is bounded")
    }
}
