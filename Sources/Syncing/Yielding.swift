import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// Makes unsent local writes give way after a sync pass: in fields whose policy is `yields`, a local write that had not
/// been sent when a concurrent one was received is replaced by that one, with an event that records this.
///
/// Source: USB Meter, "the store's version wins": a change that was made without a connection reverts if the shared
/// state has changed in the meantime.
struct Yielding {
    let store: Store
    /// The vector before the sync pass.
    let vector: VersionVector
    /// The last event of this replica that had been sent before the sync pass.
    let sent: EventID

    /// A field that gives way.
    private struct Yield: Sendable {
        let kind: String
        let record: RecordID
        let field: String
        /// The value of the concurrent write; `nil` if that cleared the field.
        let value: [UInt8]?
        /// The replica of the concurrent write.
        let winner: ReplicaID
    }

    /// Replaces the local writes that give way, in one batch for each field; writes nothing if there are none.
    ///
    /// - Returns: The number of fields that gave way.
    /// - Throws: ``StoreError``; then the fields before have given way, and the others have not.
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

    /// Returns the records that received events touch, each once, of kinds with such fields.
    private func touchedRecords() throws -> [WriteBatch.RecordName] {
        let kinds = Set(store.kinds.all.filter { $0.fields.contains { $0.policy == .yields } }.map(\.name))
        if kinds.isEmpty { return [] }
        let received = try store.log.vector().ranges(missingFrom: vector).filter { $0.replica != sent.replica }
        return try store.records(touchedBy: EventSet(received)).filter { kinds.contains($0.kind) }
    }
}
