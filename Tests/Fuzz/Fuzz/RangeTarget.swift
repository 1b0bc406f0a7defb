import GroundwaveByteCoding
import GroundwaveEvents

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat

extension Target {
    static let log = LogID(high: 1, low: 2)
    static let identity = Identity(standIn: 7)

    /// Ranges: as they come; with a right checksum and a signature that nobody looks at; and with events, of which the
    /// target makes a range that is signed.
    static let range = Target(name: "range", byteLimit: 4096) { input in
        guard let mode = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch mode % 3 {
        case 0: checkRange(bytes, isTrusted: false)
        case 1:
            guard bytes.count >= 8 else { return }
            var writer = ByteWriter()
            writer.append(contentsOf: bytes)
            writer.overwrite(littleEndian: RangeFrame.magic, at: 0)
            writer.overwrite(littleEndian: UInt32(bytes.count + 4), at: 4)
            writer.appendChecksum(from: 0)
            checkRange(writer.bytes, isTrusted: true)
        default: makeRange(bytes)
        }
    }

    private static func checkRange(_ bytes: [UInt8], isTrusted: Bool) {
        let said = try? bytes.withSpan { try RangeFrame.byteCount(of: $0) }
        let log = bytes.count >= 24 && isTrusted ? LogID(at: 8, of: bytes.span.bytes) : log
        let checked = try? RangeFrame(reading: bytes, of: log) { head throws(SignedHeadError) in
            if !isTrusted { try head.check() }
        }
        let kept = try? RangeFrame(checkedBefore: bytes)
        require(checked == nil || kept == checked, "a range that was believed is read again the same")
        guard let frame = kept else { return }
        require(said == .some(bytes.count), "a range is as long as it says")
        checkEvents(of: frame)
    }

    private static func checkEvents(of frame: RangeFrame) {
        require(frame.bytes.count <= RangeLimits.frameBytes, "a range is bounded")
        require(frame.eventByteCount <= RangeLimits.eventBytes, "its events are bounded")
        require(frame.range.count <= UInt64(RangeLimits.eventCount), "the number of its events is bounded")
        require(frame.edge.count + frame.range.count == frame.endEdge.count, "the edge goes on by its events")
        var builder = RangeBuilder(after: frame.edge)
        for sequence in frame.range.first...frame.range.last {
            mustNotThrow("an event of a range can be read") {
                try frame.withEvent(sequence) { event, bytes in
                    require(event.id == EventID(frame.range.replica, sequence), "the events have their numbers")
                    checkFrame(bytes)
                    builder.append(event, in: bytes)
                }
            }
        }
        require(builder.endEdge == frame.endEdge, "the events make the tree")
        require(frame.edge(through: frame.range.last) == frame.endEdge, "the last edge is that of the last event")
        require(frame.key.count == 32, "a range is kept under a key")
        require(frame.covers(frame), "a range covers itself")
        _ = frame.hasValues
    }

    /// Makes a range of the frames that stand in `bytes` one after the other, each made right by itself.
    private static func makeRange(_ bytes: [UInt8]) {
        var dice = Dice(bytes)
        let first = max(dice.uint64(), 1)
        guard first < UInt64.max - 4096 else { return }
        let before = (0..<(first - 1).nonzeroBitCount).map { Hash256(hashing: [UInt8($0)].span.bytes) }
        guard let edge = MerkleEdge(count: first - 1, subtrees: before) else { return }
        let events = framesMended(dice.rest, first: first)
        guard !events.isEmpty else { return }
        var builder = RangeBuilder(after: edge)
        var isWhole = true
        for event in events {
            event.withSpan { bytes in
                if let frame = try? Frame(verifying: bytes) {
                    builder.append(frame, in: bytes)
                } else {
                    isWhole = false
                }
            }
            if !isWhole { break }
        }
        guard builder.count > 0 else { return }
        var hasher = MerkleHasher()
        let root = builder.endEdge.root(hasher: &hasher)
        let head = identity.sign(log: log, sequence: builder.endEdge.count, root: root)
        let made = builder.frame(head: head, path: [], observed: [])
        do throws(RangeError) {
            let read = try RangeFrame(reading: made.bytes, of: log) { head throws(SignedHeadError) in
                try head.checkStandIn()
            }
            require(read == made && read.endEdge == made.endEdge, "a range is read as it was made")
            checkEvents(of: read)
        } catch {
            guard case .wrongEvent = error else { return require(false, "a range that was made is refused: \(error)") }
        }
        let forged = try? RangeFrame(reading: made.bytes, of: log)
        require(forged == nil, "what the replica has not signed is refused")
    }

    /// The frames in `bytes`, each as an event of the identity, numbered from `first`, with a right checksum.
    static func framesMended(_ bytes: [UInt8], first: UInt64) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var start = 0
        while bytes.count - start >= 64, frames.count < 64 {
            let length = bytes.withSpan { Int($0.uint32(at: start + 4)) }
            guard length >= 60, length <= bytes.count - start else { break }
            var writer = ByteWriter()
            writer.append(contentsOf: Array(bytes[start..<start + length - 4]))
            writer.overwrite(littleEndian: Frame.magic, at: 0)
            writer.overwrite(littleEndian: 0, at: 8)
            let id =
                identity.replica.bytes
                + (0..<8).map { UInt8(truncatingIfNeeded: (first + UInt64(frames.count)) >> (8 * $0)) }
            for place in stride(from: 0, to: 24, by: 4) {
                writer.overwrite(littleEndian: id.withSpan { $0.uint32(at: place) }, at: 20 + place)
            }
            writer.appendChecksum(from: 0)
            frames.append(writer.bytes)
            start += length
        }
        return frames
    }
}
