import EventLog
import Events
import Projections
import Records

/// Makes unsent local writes give way: in fields whose policy is `yields`, a local write that had not been sent when
/// a concurrent one arrived is replaced by that one, with an event that records this.
///
/// Source: USB Meter, "the store's version wins": a change that was made without a connection reverts when the shared
/// state turns out to have moved on.
struct Yielding {
    let store: Store
    /// The vector before anything arrived.
    let vector: VersionVector
    /// This device's last event that was known elsewhere then.
    let sent: EventID

    /// A field of a record, and its new value.
    private struct Yield: Sendable {
        let kind: String
        let record: RecordID
        let field: String
        let value: [UInt8]?
        let winner: ReplicaID
    }

    /// Replaces the local writes that give way, in one batch for each field; writes nothing if there are none.
    ///
    /// - Returns: The number of fields that gave way.
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

    /// Returns the records, of kinds with such fields, that events of others touched since, each once.
    private func touchedRecords() throws -> [WriteBatch.RecordName] {
        let kinds = Set(store.kinds.all.filter { $0.fields.contains { $0.policy == .yields } }.map(\.name))
        if kinds.isEmpty { return [] }
        let came = try store.log.vector().ranges(missingFrom: vector).filter { $0.replica != sent.replica }
        return try store.records(touchedBy: EventSet(came)).filter { kinds.contains($0.kind) }
    }
}
