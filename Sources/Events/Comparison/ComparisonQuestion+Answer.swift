import ByteCoding

// | the answer to 1 | form |
// |---|---|
// | log | 16 bytes; nothing follows if it is not the asker's log |
// | vector | varint count, then each: replica (16), number of its last event (varint), and the subtree over the first |
// |  | of its events, as many as both sides have |
//
// The answer to 2 is the parts of each subtree, in order; their number follows from the question.
extension ComparisonQuestion {
    /// Encodes the answer of a store to this question.
    ///
    /// - Parameters:
    ///   - log: The log of the store.
    ///   - vector: The version vector of the store.
    ///   - subtree: Returns the store's subtree over some leaves of a replica; they are blocks of 16ⁿ or end with a
    ///     tree.
    /// - Complexity: At most 16 times as many subtrees as the question names.
    public func answer(
        log: LogID, vector: VersionVector, subtree: (ReplicaID, Range<UInt64>) throws -> Subtree
    ) rethrows -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .trees(let asked, let known):
            writer.append(log)
            guard asked == log else { break }
            writer.append(varint: vector.entries.count)
            for entry in vector.entries {
                writer.append(entry.replica)
                writer.append(varint: entry.sequence)
                let common = Swift.min(entry.sequence, known[entry.replica])
                writer.append(common == 0 ? .absent : try subtree(entry.replica, 0..<common))
            }
        case .parts(let subtrees):
            for whole in subtrees {
                for leaves in whole.parts { writer.append(try subtree(whole.replica, leaves)) }
            }
        }
        return writer.bytes
    }
}

/// The answer of another store to ``ComparisonQuestion/trees(_:_:)``.
struct TreesAnswer {
    /// The version vector of the other store.
    private(set) var vector = VersionVector()
    /// The subtrees over the events that both sides may have, for each replica of the vector.
    private(set) var common: [Subtree] = []

    /// Reads an answer of a store of `log`.
    init(_ bytes: RawSpan, log: LogID) throws(ComparisonError) {
        var reader = ByteReader(at: 16)
        guard bytes.byteCount >= 16 else { throw .malformed }
        let other = LogID(at: 0, of: bytes)
        guard other == log else { throw .otherLog(other) }
        let isComplete: Bool
        do throws(ByteCodingError) { isComplete = try read(&reader, bytes) } catch { throw .malformed }
        guard isComplete else { throw .malformed }
    }

    private mutating func read(_ reader: inout ByteReader, _ bytes: RawSpan) throws(ByteCodingError) -> Bool {
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount)) {
            guard let (replica, last) = try reader.head(after: vector.entries.last?.replica, in: bytes),
                let subtree = try reader.subtree(in: bytes)
            else { return false }
            vector[replica] = last
            common.append(subtree)
        }
        try reader.finish(in: bytes)
        return true
    }
}
