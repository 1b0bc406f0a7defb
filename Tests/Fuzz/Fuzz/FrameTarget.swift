import GroundwaveByteCoding
import GroundwaveEvents

extension Target {
    /// A frame of the log, with its checksum made right in every second input, so that what is behind it is reached.
    static let frame = Target(name: "frame", byteLimit: 4096) { input in
        guard let mode = input.first else { return }
        var bytes = Array(input.dropFirst())
        if mode & 1 == 1 { mendFrame(&bytes, at: 0) }
        bytes.withSpan { checkFrame($0) }
    }

    /// Makes the checksum of the frame at `start` right, where its length can be one.
    static func mendFrame(_ bytes: inout [UInt8], at start: Int) {
        guard bytes.count - start >= 24 else { return }
        let length = bytes.withSpan { Int($0.uint32(at: start + 4)) }
        guard length >= 24, length <= bytes.count - start else { return }
        let checksum = bytes.withSpan { CRC32C.checksum($0.extracting(start..<start + length - 4)) }
        for index in 0..<4 {
            bytes[start + length - 4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
        }
    }

    static func checkFrame(_ bytes: RawSpan) {
        guard let frame = try? Frame(parsing: bytes) else {
            require((try? Frame(verifying: bytes)) == nil, "what is no frame has no right checksum either")
            return
        }
        if let verified = try? Frame(verifying: bytes) { require(verified == frame, "a frame is read one way") }
        require(frame.length <= bytes.byteCount, "a frame lies within its bytes")
        require(frame.header.upperBound == frame.shape.lowerBound, "header and shape touch")
        require(frame.shape.upperBound == frame.values.lowerBound, "shape and values touch")
        require(frame.values.upperBound + 4 <= frame.length, "the values lie within the frame")
        let observed = frame.observed(in: bytes)
        require(observed.count <= EventLimits.observedCount, "what was observed is bounded")
        let names = frame.names(in: bytes)
        if !frame.hasResolutions {
            require(names.author == frame.id.replica, "without readings the author is the replica")
        }

        var hasher = MerkleHasher()
        let leaf = hasher.leaf(of: frame, in: bytes)
        let detached = DetachedEvent(frame, in: bytes)
        require(detached.leaf == leaf, "an event apart has the leaf that it had in the log")
        require(detached.header == bytes.extracting(frame.header).toArray(), "its header is the same")
        require(detached.values == bytes.extracting(frame.values).toArray(), "its values are the same")
        let again = try? DetachedEvent(
            header: detached.header, shape: detached.shape, values: detached.values, isWithheld: detached.isWithheld)
        require(again == detached, "the parts of an event make it again")

        var writer = ByteWriter()
        let checksum = writer.append(withholding: frame, in: bytes, after: 7)
        writer.withSpan { bytes in
            let withheld = mustNotThrow("a frame without its values is one") { try Frame(verifying: bytes) }
            require(withheld.isWithheld && withheld.id == frame.id, "the values are gone, and nothing else")
            require(withheld.previousChecksum == 7 && withheld.checksum(in: bytes) == checksum, "it is chained")
            require(hasher.leaf(of: withheld, in: bytes) == leaf, "withholding changes no leaf")
        }
        checkRewriting(frame, bytes, leaf)
    }

    private static func checkRewriting(_ frame: Frame, _ bytes: RawSpan, _ leaf: Hash256) {
        var hasher = MerkleHasher()
        var plain = ByteWriter()
        plain.append(frame, in: bytes, readAs: [], after: 0)
        let observed = frame.observed(in: bytes)
        plain.withSpan { plain in
            let found = mustNotThrow("a frame without readings is one") { try Frame(verifying: plain) }
            require(hasher.leaf(of: found, in: plain) == leaf, "readings are no part of the leaf")
            require(found.observed(in: plain) == observed, "nor of what was observed")
            var made = ByteWriter()
            made.append(
                frame: EventHeader(
                    id: found.id, stamp: found.stamp, rest: found.rest, observed: found.observed(in: plain),
                    observesAll: found.observesAll),
                shape: plain.extracting(found.shape), values: plain.extracting(found.values),
                isWithheld: found.isWithheld, after: 0)
            require(made.withSpan { $0.elementsEqual(plain) }, "what was read is written with the same bytes")
        }
    }
}
