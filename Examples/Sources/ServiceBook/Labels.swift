import Foundation
import Groundwave

/// A file outside the store, for a printer of labels: what the label of each service says, by its id.
///
/// It follows the store by a consumer, whose place is kept in the log. After a crash a step may come again, so a step sets
/// labels and never adds to them.
struct Labels {
    let store: Store
    let file: URL

    /// Brings the file up to date with all that is in the store now, from wherever it came.
    func catchUp() async throws {
        let consumer = try store.consumer("labels", matching: .kind(Service.schema.name, fields: ["DEVICE", "DAY"]))
        for try await step in consumer.steps(through: try store.currentToken()) {
            var labels: [String: String] = [:]
            switch step {
            case .reset:
                try store.read { view in
                    try view.forEachRecord(of: Service.schema.name) { record in
                        labels["\(record.id)"] = label(record)
                        return true
                    }
                }
            case .changes(let set):
                labels = try read()
                for change in set.changes {
                    labels["\(change.record)"] = try store.record(change.kind, change.record).flatMap(label)
                }
            }
            try JSONEncoder().encode(labels).write(to: file, options: .atomic)
            try await consumer.acknowledge(step)
        }
    }

    /// Returns the labels in the file.
    func read() throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

    /// What is hidden or erased has no label.
    private func label(_ record: Record) -> String? {
        guard record.isVisible else { return nil }
        let service = Service(record)
        return "\(service.device), serviced on \(service.day)"
    }
}
