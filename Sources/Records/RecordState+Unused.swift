import GroundwaveEvents

extension RecordState {
    /// Drops the writers and values of superseded heads, if there are many and more than those in use.
    ///
    /// A stored row never has them. This keeps the state in memory small, and the search for a writer short, while many
    /// events are folded before the row is stored. Cost: O(1) for each event, amortised.
    mutating func dropUnused() {
        if writers.count > 64, writers.count > 2 * (heads.count + deletions.count) { dropUnusedWriters() }
        if unusedBytes > 4096, unusedBytes > values.count / 2 { dropUnusedValues() }
    }

    private mutating func dropUnusedWriters() {
        let kept = keptWriters()
        writers = kept.order.map { writers[$0] }
        for index in heads.indices { heads[index].writer = kept.number[Int(heads[index].writer)] }
        for index in deletions.indices { deletions[index].writer = kept.number[Int(deletions[index].writer)] }
    }

    private mutating func dropUnusedValues() {
        var used: [UInt8] = []
        used.reserveCapacity(values.count - unusedBytes)
        for index in heads.indices {
            let start = used.count
            used.append(contentsOf: values[heads[index].value])
            heads[index].value = start..<used.count
        }
        values = used
        unusedBytes = 0
    }
}
