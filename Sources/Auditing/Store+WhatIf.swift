import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Makes the store show what it would show under `filter`: takes back the events that the filter leaves out, and
    /// resolves conflicts to the values that the corrected clock or the other policy would choose.
    ///
    /// - Parameter kinds: The kinds with the other policies; their names are in `policyKinds`.
    /// - Throws: Errors of `write`; batches that were written before stay.
    /// - Complexity: As ``forEachDifference(from:to:policiesOf:_:)``, and a commit for each batch.
    public func keep(
        _ filter: EventFilter, kinds: Kinds? = nil, policyKinds: Set<String> = [], note: String? = nil,
        author: String? = nil
    ) async throws -> Reverted {
        let wanted = try await replaying(filter, kinds: kinds)
        var reverted = Reverted()
        if !filter.without.isEmpty {
            reverted = try await revert(filter.without, note: note ?? "What if", author: author)
        }
        guard !filter.clockShifts.isEmpty || !policyKinds.isEmpty else { return reverted }
        var choices: [(name: WriteBatch.RecordName, assignments: [Assignment])] = []
        try forEachDifference(from: self, to: wanted, policiesOf: policyKinds) { difference in
            guard difference.what == .changed, let record = try record(difference.kind, difference.record),
                let schema = self.kinds[difference.kind]
            else { return true }
            let fields = difference.fields.filter { record[schema.key(for: $0.name)]?.isConflict == true }
            if !fields.isEmpty {
                choices.append(
                    (.init(kind: record.kind, id: record.id), fields.map { Assignment($0.name, $0.after) }))
            }
            return true
        }
        let parts = stride(from: 0, to: choices.count, by: 1000).map {
            Array(choices[$0..<min($0 + 1000, choices.count)])
        }
        for part in parts {
            let written = try await write(note: note ?? "What if", author: author) { batch in
                for (name, assignments) in part { try batch.set(name.kind, name.id, assignments) }
            }
            if let batch = written.batch { reverted.batches.append(batch) }
            reverted.changed += part.map { .init(kind: $0.name.kind, record: $0.name.id) }
        }
        return reverted
    }
}
