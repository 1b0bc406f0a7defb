import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveEvents

/// Collects the events of a range under construction.
package struct RangeBuilder {
    private let edge: MerkleEdge
    private var events = ByteWriter(capacity: 4096)
    private var starts = [0]
    private var leaves: [Hash256] = []
    private var hasher = MerkleHasher()
    /// The right edge after the last event that was added.
    package private(set) var endEdge: MerkleEdge

    package var count: Int { leaves.count }

    /// - Parameter edge: The right edge of the tree before the first event.
    package init(after edge: MerkleEdge) {
        self.edge = edge
        endEdge = edge
    }

    /// Whether another event of `length` bytes fits into this range.
    package func hasRoom(for length: Int, preferred: Int) -> Bool {
        if count == 0 { return true }
        return events.count + length <= preferred && count < RangeLimits.eventCount
    }

    /// Adds an event as its author wrote it, without name resolutions.
    package mutating func append(_ frame: Frame, in bytes: RawSpan) {
        events.append(frame, in: bytes, readAs: [], after: 0)
        noteLast(frame, in: bytes)
    }

    package mutating func append(withholding frame: Frame, in bytes: RawSpan) {
        events.append(withholding: frame, in: bytes, after: 0)
        noteLast(frame, in: bytes)
    }

    private mutating func noteLast(_ frame: Frame, in bytes: RawSpan) {
        starts.append(events.count)
        leaves.append(hasher.leaf(of: frame, in: bytes))
        endEdge.append(leaf: leaves[leaves.count - 1], hasher: &hasher)
    }

    /// Returns the range frame of the collected events, of which there must be at least one.
    ///
    /// - Parameters:
    ///   - head: A signed head at or behind the last event.
    ///   - path: The hashes that lead from the last event to the head.
    package func frame(head: SignedHead, path: [Hash256], observed: [ObservedHead]) -> RangeFrame {
        RangeFrame(
            range: EventRange(head.replica, edge.count + 1, through: endEdge.count), edge: edge, head: head,
            observed: observed, bytes: bytes(head: head, path: path, observed: observed), endEdge: endEdge, path: path,
            events: events.bytes, starts: starts, leaves: leaves)
    }

    private func bytes(head: SignedHead, path: [Hash256], observed: [ObservedHead]) -> [UInt8] {
        let compressed = events.withSpan { Zstd.compress($0, level: 3) }
        var writer = ByteWriter(capacity: RangeFrame.prefixSize + compressed.count + 1024)
        writer.append(littleEndian: RangeFrame.magic)
        writer.append(littleEndian: UInt32(0))
        writer.append(head.log)
        writer.append(head.replica)
        writer.append(littleEndian: edge.count + 1)
        writer.append(littleEndian: UInt32(count))
        writer.append(littleEndian: head.sequence)
        writer.append(head.root)
        writer.append(contentsOf: head.publicKey)
        writer.append(contentsOf: head.signature)
        writer.append(UInt8(path.count))
        writer.append(littleEndian: UInt16(observed.count))
        writer.append(littleEndian: UInt32(events.count))
        writer.append(littleEndian: UInt32(compressed.count))
        for hash in edge.subtrees + path { writer.append(hash) }
        for head in observed {
            writer.append(head.event.replica)
            writer.append(littleEndian: head.event.sequence)
            writer.append(bigEndian: head.rootPrefix)
        }
        writer.append(contentsOf: compressed)
        writer.overwrite(littleEndian: UInt32(writer.count + 4), at: 4)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }
}

extension RangeFrame {
    /// Returns the same range without the values of `events`, which are numbered as in the log.
    ///
    /// Events of another history of the replica may have the same numbers: their values stay.
    package func withholding(
        _ events: EventSet, _ streams: Streams, leaf: (EventID) throws -> Hash256?
    ) rethrows -> RangeFrame {
        var own = EventSet()
        let isWhole = !streams.isForked(range.replica)
        for erased in events.ranges where streams.origin(of: erased.replica) == range.replica {
            let base = streams.base(of: erased.replica)
            let numbers = streams.numbers(of: erased)
            let (first, last) = (max(numbers.lowerBound, range.first), min(numbers.upperBound, range.last))
            guard first <= last else { continue }
            for sequence in first...last {
                let present = try leaf(EventID(erased.replica, sequence - base))
                guard present == leaves[Int(sequence - range.first)] || present == nil && isWhole else {
                    continue
                }
                own.insert(EventRange(range.replica, sequence, through: sequence))
            }
        }
        return withholding(own)
    }

    /// Returns the same range without the values of `events`; the range itself if it has none of them.
    ///
    /// Leaves, roots and the signature are unchanged.
    private func withholding(_ events: EventSet) -> RangeFrame {
        let isTouched = (range.first...range.last).contains { sequence in
            let isWithheld = try? withEvent(sequence) { frame, _ in frame.isWithheld }
            return isWithheld == false && events.contains(EventID(range.replica, sequence))
        }
        if !isTouched { return self }
        var builder = RangeBuilder(after: edge)
        for sequence in range.first...range.last {
            // The range was parsed before, so its frames are valid.
            try? withEvent(sequence) { frame, bytes in
                if events.contains(frame.id) {
                    builder.append(withholding: frame, in: bytes)
                } else {
                    builder.append(frame, in: bytes)
                }
            }
        }
        return builder.frame(head: head, path: path, observed: observed)
    }
}
