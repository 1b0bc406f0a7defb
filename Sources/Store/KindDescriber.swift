import GroundwaveRecords
import Synchronization

/// Adds to a batch what the log does not say yet about the application's kinds that the batch writes: see
/// ``KindDescription``.
final class KindDescriber: Sendable {
    private let kinds: [String: KindSchema]
    /// The kinds that the log is known to describe.
    private let described = Mutex<Set<String>>([])

    init(_ kinds: [KindSchema]) { self.kinds = Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first } }

    /// Puts the description of each kind that `batch` writes in front of it, unless the log has it.
    func describe(in batch: inout WriteBatch) throws {
        if kinds.isEmpty { return }
        for name in Set(batch.changes.map(\.kind)).sorted() {
            guard let kind = kinds[name], !described.withLock({ $0.contains(name) }) else { continue }
            let id = KindDescription.id(of: name)
            let record = try batch.record(KindDescription.name, id)
            let assignments = KindDescription.assignments(describing: kind, in: record)
            if assignments.isEmpty {
                _ = described.withLock { $0.insert(name) }
            } else {
                let operations = KindDescription.schema.operations(assigning: assignments, to: record)
                batch.prepend(Change(kind: KindDescription.name, record: id, operations: operations))
            }
        }
    }

    /// Forgets which kinds the log describes: its events may be gone.
    func forget() { described.withLock { $0 = [] } }
}
