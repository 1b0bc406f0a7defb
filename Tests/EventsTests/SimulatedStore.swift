import GroundwaveEvents

/// A store that is nothing but leaves, some of which may be missing.
struct SimulatedStore {
    var log = LogID(high: 1, low: 1)
    /// Per replica its leaves in order; `nil` for a hole.
    private var leaves: [ReplicaID: [Hash256?]] = [:]
    /// Per replica the blocks of 16, 256, … leaves: they are all asked for again and again.
    private var blocks: [ReplicaID: [[Subtree]]] = [:]

    init(_ leaves: [ReplicaID: [Hash256?]] = [:]) {
        for (replica, list) in leaves { self[replica] = list }
    }

    subscript(replica: ReplicaID) -> [Hash256?] {
        get { leaves[replica] ?? [] }
        set {
            leaves[replica] = newValue
            var levels = [newValue.map { leaf in leaf.map { Subtree.whole($0) } ?? .absent }]
            while let level = levels.last, level.count >= 16 {
                levels.append(
                    stride(from: 0, to: level.count - 15, by: 16).map { Subtree(joining: Array(level[$0..<$0 + 16])) })
            }
            blocks[replica] = levels
        }
    }

    var vector: VersionVector {
        var vector = VersionVector()
        for (replica, list) in leaves { vector[replica] = UInt64(list.count) }
        return vector
    }

    func subtree(_ replica: ReplicaID, _ range: Range<UInt64>) -> Subtree {
        subtree(blocks[replica] ?? [], Int(range.lowerBound)..<Int(range.upperBound))
    }

    private func subtree(_ levels: [[Subtree]], _ range: Range<Int>) -> Subtree {
        guard range.lowerBound < levels.first?.count ?? 0 else { return .absent }
        var (level, step) = (0, 1)
        while step < range.count { (level, step) = (level + 1, step * 16) }
        let block = range.lowerBound / step
        if range.count == step, level < levels.count, block < levels[level].count { return levels[level][block] }
        return Subtree(
            joining: stride(from: range.lowerBound, to: range.upperBound, by: step / 16).map {
                subtree(levels, $0..<min($0 + step / 16, range.upperBound))
            })
    }

    /// What this store says to the bytes of a question.
    func answer(_ question: [UInt8]) throws -> [UInt8] {
        try question.withSpan { try ComparisonQuestion($0) }.answer(log: log, vector: vector, subtree: subtree)
    }

    /// Compares this store with `other`, to the end.
    ///
    /// - Parameter lie: What becomes of an answer on its way.
    func compare(
        with other: SimulatedStore, exchangeLimit: Int = ComparisonLimits.exchanges,
        _ lie: (_ exchange: Int, _ answer: [UInt8]) -> [UInt8] = { $1 }
    ) throws -> TreeDifferences {
        var comparison = TreeComparison(log: log, vector: vector, exchangeLimit: exchangeLimit)
        while let question = comparison.question {
            let answer = lie(comparison.differences.exchanges, try other.answer(question))
            try answer.withSpan { try comparison.receive($0, here: subtree) }
        }
        return comparison.differences
    }
}
