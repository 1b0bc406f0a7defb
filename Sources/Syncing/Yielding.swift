import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// Applies the policy `yields` after a sync pass: in fields with that policy, an event replaces each local write that
/// had not been pushed when a concurrent write was received, with the value of that write.
///
/// Source: the program USB Meter, "the store's version wins": a change that was made without a connection reverts if
/// the shared state has changed in the meantime.
struct Yielding {
    let store: Store
    /// The vector of the store before the sync pass.
    let vector: VersionVector
    /// The last event of this replica that had been pushed before the sync pass.
    let sent: EventID

    /// A field whose local write is replaced.
    private struct Yield: Sendable {
        let kind: String
        let record: RecordID
        let field: String
        /// The value of the concurrent write; `nil` if that cleared the field.
        let value: [UInt8]?
        /// The replica of the concurrent write.
        let winner: ReplicaID
    }

    /// Replaces the local writes, in one batch for each field; writes nothing if there are none.
    ///
    /// - Returns: The number of fields.
    /// - Throws: ``StoreError``; the batches before the failing one stay.
    func run() async throws -> Int {
        let yields = try find()
        let names = try yields.isEmpty ? [:] : store.deviceNames()
        for yield in yields {
            let device = names[yield.winner] ?? yield.winner.short
            try await store.write(note: "\(yield.field) as on \(device): the change here was not pushed yet") { batch in
                _ = try batch.set(yield.kind, yield.record, [Assignment(yield.field, yield.value)])
            }
        }
        return yields.count
    }

    private func find() throws -> [Yield] {
        let touched = try touchedRecords()
        if touched.isEmpty { return [] }
        return try store.read { view in
            var yields: [Yield] = []
            for name in touched {
                guard let record = try view.record(name.kind, name.id), let schema = store.kinds[name.kind] else {
                    continue
                }
                for field in record.fields where field.policy == .yields && field.isConflict {
                    // Heads are in the order of the policy: the last one of another replica is its latest write.
                    let own = field.heads.filter { $0.id.event.replica == sent.replica }
                    guard own.contains(where: { $0.id.event.sequence > sent.sequence }),
                        let winner = field.heads.last(where: { $0.id.event.replica != sent.replica })
                    else { continue }
                    yields.append(
                        Yield(
                            kind: name.kind, record: name.id, field: schema.name(of: field.key), value: winner.value,
                            winner: winner.id.event.replica))
                }
            }
            return yields
        }
    }

    /// Returns the records that the received events touch, each once, of kinds with a field whose policy is `yields`.
    private func touchedRecords() throws -> [WriteBatch.RecordName] {
        let kinds = Set(store.kinds.all.filter { $0.fields.contains { $0.policy == .yields } }.map(\.name))
        if kinds.isEmpty { return [] }
        let received = try store.log.vector().ranges(missingFrom: vector).filter { $0.replica != sent.replica }
        return try store.records(touchedBy: EventSet(received)).filter { kinds.contains($0.kind) }
    }
}
