import GroundwaveEvents
import GroundwaveRecords

/// The rules of the fold by brute force: all events at once, no order, no state.
///
/// A head stands unless some event names it; a delete stands unless some write names it; a record is visible while one
/// of its heads is covered by no delete that stands. Of a record that somebody has erased nothing is left, nor of what others
/// have repeated of it.
struct Oracle {
    private struct Written {
        let event: EventID
        let isWithheld: Bool
        let change: Change
        /// Whether the change writes to another record, and is only related to this one.
        let isOfAnother: Bool
    }

    private var written: [RecordID: [Written]] = [:]

    init(log: some SimulatedLog) throws {
        var written: [RecordID: [Written]] = [:]
        try log.forEach(from: 1) { _, frame, bytes in
            let shape = bytes.extracting(frame.shape)
            guard shape.byte(at: 0) == 1 else { return }
            let change = try Change(
                shape: shape, values: bytes.extracting(frame.values), isWithheld: frame.isWithheld,
                by: frame.names(in: bytes))
            for record in Set([change.record] + change.related) {
                written[record, default: []].append(
                    Written(
                        event: frame.id, isWithheld: frame.isWithheld, change: change,
                        isOfAnother: record != change.record))
            }
        }
        self.written = written
    }

    /// Throws where `view` shows something else.
    func check(_ view: View) throws {
        guard view.records == written.keys.sorted() else { throw BrokenPromise("A view has other records.") }
        for (id, events) in written.sorted(by: { $0.key < $1.key }) {
            guard let record = view[id] else { throw BrokenPromise("A record is not shown.") }
            let isErased = events.contains { $0.change.operations.first?.code == .erase }
            guard record.isErased == isErased else {
                throw BrokenPromise("A record is erased though nobody has erased it, or the other way round.")
            }
            if isErased {
                try check(erased: record, events)
                continue
            }
            let (heads, deletes) = standing(events.filter { !$0.isOfAnother })
            let shown = Set(record.fields.flatMap { field in field.heads.map { head(field.key, $0) } })
            guard shown == heads else {
                throw BrokenPromise("A record has other heads than the events say: \(shown) and not \(heads)")
            }
            guard Set(record.deletions.map(\.event)) == Set(deletes.keys) else {
                throw BrokenPromise("A record has other deletes than the events say.")
            }
            let covered = Set(deletes.values.joined())
            guard record.isVisible == heads.contains(where: { !covered.contains($0.id.event) }) else {
                throw BrokenPromise("A record is hidden though an edit was not covered, or the other way round.")
            }
            for field in record.fields where field.policy != .union {
                let greatest = field.heads.max { ($0.stamp, $0.id) < ($1.stamp, $1.id) }
                guard field.shown.id == greatest?.id else { throw BrokenPromise("Another head is shown.") }
            }
        }
    }

    /// Of an erased record nothing is left, whoever wrote it and whenever.
    private func check(erased record: Record, _ events: [Written]) throws {
        guard record.fields.isEmpty, record.deletions.isEmpty, !record.isVisible else {
            throw BrokenPromise("An erased record shows something.")
        }
        guard events.allSatisfy({ $0.isWithheld || $0.change.operations.first?.code == .erase }) else {
            throw BrokenPromise("An event of an erased record has its values.")
        }
    }

    private struct Head: Hashable {
        let field: FieldKey
        let id: HeadID
        let value: [UInt8]?
        let isWithheld: Bool
    }

    private func head(_ field: FieldKey, _ head: Record.Head) -> Head {
        Head(field: field, id: head.id, value: head.value, isWithheld: head.isWithheld)
    }

    private func standing(_ events: [Written]) -> (heads: Set<Head>, deletes: [EventID: [EventID]]) {
        var (heads, deletes) = (Set<Head>(), [EventID: [EventID]]())
        var (named, namedEvents): (Set<Name>, Set<EventID>) = ([], [])
        for written in events {
            for operation in written.change.operations where operation.code != .delete {
                for head in operation.supersedes {
                    named.insert(Name(field: operation.field, id: head))
                    if head.index == 0 { namedEvents.insert(head.event) }
                }
            }
        }
        for written in events {
            for (place, operation) in written.change.operations.enumerated() {
                switch operation.code {
                case .delete:
                    if !namedEvents.contains(written.event) {
                        deletes[written.event] = operation.supersedes.map(\.event)
                    }
                case .set, .clear, .add, .revive:
                    let id = HeadID(written.event, index: operation.code == .add ? UInt32(place) : 0)
                    if named.contains(Name(field: operation.field, id: id)) { continue }
                    let isWithheld = written.isWithheld && operation.code.hasValue
                    heads.insert(
                        Head(
                            field: operation.field, id: id, value: isWithheld ? nil : operation.value,
                            isWithheld: isWithheld))
                default: break
                }
            }
        }
        return (heads, deletes)
    }

    private struct Name: Hashable {
        let field: FieldKey
        let id: HeadID
    }
}
