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
        let consumer = try store.consumer("labels", matching: .kind(Service.name, fields: ["DEVICE", "DAY"]))
        for try await step in consumer.steps(through: try store.currentToken()) {
            var labels: [String: String] = [:]
            switch step {
            case .reset:
                for service in try store.all(Service.self) { labels["\(service.id)"] = label(service) }
            case .changes(let set):
                labels = try read()
                for change in set.changes {
                    labels["\(change.record)"] = try store.find(Service.self, change.record).map(label)
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

    private func label(_ service: Saved<Service>) -> String {
        "\(service.device), serviced on \(service.day.map { "\($0)" } ?? "an unknown day")"
    }
}
