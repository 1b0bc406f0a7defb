import GroundwaveEvents
import GroundwaveRecords

/// A history in the words of the model.
///
/// Its ids are the places of events in the order of stamp, replica and number; an element of a collection is one of
/// its keys, `parks/x`, where here it is an addition within an event.
struct Translation {
    private let history: History
    private let name: String
    private var places: [EventID: Int] = [:]
    private var elements: [HeadID: String] = [:]

    /// The model's ids follow one another from 1; records are called `name.0` and `name.1`.
    init(_ history: History, name: String) {
        self.history = history
        self.name = name
        let sorted = history.events.sorted { ($0.stamp, $0.id) < ($1.stamp, $1.id) }
        for (place, event) in sorted.enumerated() { places[event.id] = place + 1 }
        for written in history.written {
            for (index, operation) in written.change.operations.enumerated() where operation.code == .add {
                elements[HeadID(written.event.id, index: UInt32(index))] = text(operation.value)
            }
        }
    }

    private func text(_ value: [UInt8]?) -> String? { value.map { String(decoding: $0, as: UTF8.self) } }

    private func key(of field: FieldKey) -> String {
        field == .life ? ".revive" : field == History.frequency ? "freq" : "notes"
    }

    private func name(of record: RecordID) -> String { "\(name).\(history.records.firstIndex(of: record)!)" }

    /// The operations as NDJSON, in the order of `events`.
    func lines(in order: [FramedEvent]) -> String {
        let changes = Dictionary(uniqueKeysWithValues: history.written.map { ($0.event.id, $0.change) })
        return order.flatMap { event in
            changes[event.id]!.operations.map { line(of: event.id, changes[event.id]!.record, $0) }
        }.joined()
    }

    private func line(of event: EventID, _ record: RecordID, _ operation: FieldOperation) -> String {
        var key = self.key(of: operation.field)
        switch operation.code {
        case .add: key = "parks/" + text(operation.value)!
        // A removal that names nothing says nothing, whatever its key.
        case .remove: key = "parks/" + (operation.supersedes.first.map { elements[$0]! } ?? "x")
        default: break
        }
        let value = operation.code == .set ? "\"\(text(operation.value)!)\"" : "null"
        let names = operation.supersedes.map { "\(places[$0.event]!)" }.joined(separator: ",")
        return """
            {"event":\(places[event]!),"op":"\(operation.code)","record":"\(name(of: record))","key":"\(key)",\
            "value":\(value),"supersedes":[\(names)]}\n
            """
    }

    /// What `store` shows, in the words of the model.
    func states(of store: FoldedStore) -> [Oracle.State] {
        history.records.compactMap { id in
            guard let record = store[id], !record.fields.isEmpty || !record.deletions.isEmpty else { return nil }
            var fields: [String: Oracle.State.Field] = [:]
            for field in record.fields {
                for head in field.heads {
                    let isElement = field.key == History.parks
                    let key = isElement ? "parks/" + text(head.value)! : self.key(of: field.key)
                    let place = Oracle.State.Head(
                        event: places[head.id.event]!, value: isElement ? nil : text(head.value))
                    fields[key, default: .init(heads: [])].heads.append(place)
                    fields[key]!.shown = place.value
                }
                // The model lists heads by event; so does the policy `latest`, which shows the last one.
                for key in fields.keys { fields[key]!.heads.sort { $0.event < $1.event } }
            }
            return Oracle.State(
                record: name(of: id), visible: record.isVisible,
                deletes: record.deletions.map { places[$0.event]! }.sorted(), fields: fields)
        }
    }
}
