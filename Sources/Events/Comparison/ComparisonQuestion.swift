import GroundwaveByteCoding

/// A question of a comparison, one of two kinds. It can be answered without remembering earlier ones.
///
/// | part | form |
/// |---|---|
/// | type | 1 byte: 1 for all trees, 2 for the parts of subtrees |
/// | 1: log | 16 bytes |
/// | 1: vector of the asker | varint count, then each: replica (16), number of its last event (varint) |
/// | 2: subtrees | varint count, then each in the form of ``SubtreeID`` |
///
/// Replicas are in order, and so are subtrees, which do not overlap: so answering a question costs no more than reading
/// every tree once.
public enum ComparisonQuestion: Hashable, Sendable {
    /// Asks for the log, the vector, and for each replica the subtree over the events that both sides may have. Holds
    /// the log and the vector of the asker.
    case trees(LogID, VersionVector)
    /// Asks for the parts of these subtrees, of which there are at most ``ComparisonLimits/subtrees``.
    case parts([SubtreeID])

    /// The bytes that are sent.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .trees(let log, let vector):
            writer.append(UInt8(1))
            writer.append(log)
            writer.append(varint: vector.entries.count)
            for entry in vector.entries {
                writer.append(entry.replica)
                writer.append(varint: entry.sequence)
            }
        case .parts(let subtrees):
            writer.append(UInt8(2))
            writer.append(varint: subtrees.count)
            for subtree in subtrees { writer.append(subtree) }
        }
        return writer.bytes
    }

    /// Decodes a question from another store, which is not trusted: memory stays in proportion to the bytes, whatever
    /// counts they declare.
    ///
    /// - Throws: ``ComparisonError/tooLong(_:)`` or ``ComparisonError/malformed``.
    public init(_ bytes: RawSpan) throws(ComparisonError) {
        guard bytes.byteCount <= ComparisonLimits.messageBytes else { throw .tooLong(bytes.byteCount) }
        let question: ComparisonQuestion?
        do throws(ByteCodingError) { question = try Self.parse(bytes) } catch { throw .malformed }
        guard let question else { throw .malformed }
        self = question
    }

    private static func parse(_ bytes: RawSpan) throws(ByteCodingError) -> ComparisonQuestion? {
        var reader = ByteReader()
        switch try reader.byte(in: bytes) {
        case 1:
            let log = LogID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
            var vector = VersionVector()
            for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount)) {
                guard let (replica, last) = try reader.head(after: vector.entries.last?.replica, in: bytes) else {
                    return nil
                }
                vector[replica] = last
            }
            try reader.finish(in: bytes)
            return .trees(log, vector)
        case 2:
            var subtrees: [SubtreeID] = []
            for _ in 0..<(try reader.count(in: bytes, limit: ComparisonLimits.subtrees)) {
                guard let subtree = try SubtreeID(&reader, in: bytes) else { return nil }
                if let before = subtrees.last, subtree.replica < before.replica { return nil }
                if let before = subtrees.last, subtree.replica == before.replica,
                    subtree.leaves.lowerBound < before.leaves.upperBound
                {
                    return nil
                }
                subtrees.append(subtree)
            }
            try reader.finish(in: bytes)
            return .parts(subtrees)
        default: return nil
        }
    }
}

extension ByteReader {
    /// Reads a replica and the number of its last event. Returns `nil` unless the replica sorts after `before`, and the
    /// number is from 1 through ``ComparisonLimits/sequence``.
    mutating func head(
        after before: ReplicaID?, in bytes: RawSpan
    ) throws(ByteCodingError) -> (replica: ReplicaID, last: SequenceNumber)? {
        let replica = ReplicaID(at: try skip(16, in: bytes).lowerBound, of: bytes)
        let last = try varint(in: bytes)
        if let before, replica <= before { return nil }
        return last >= 1 && last <= ComparisonLimits.sequence ? (replica, last) : nil
    }
}
