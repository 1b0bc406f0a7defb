import GroundwaveEvents

extension RecordState {
    /// Drops the writers and values of superseded heads, once there are more of them than of those in use.
    ///
    /// A row is written without them; this keeps the state small, and the search for a writer short, during a long
    /// run of edits between two rows. Cost: O(1) an event, amortised.
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
