import Groundwave

/// What was done to a device: a record of the service book.
struct Service: RecordKind, Hashable {
    var device: String
    /// Such as `2026-05-01`: these sort as the days do.
    var day: String
    /// What it cost, in hundredths, since sums are of whole numbers.
    var cents: Int64 = 0
    var notes = ""

    /// The numbers and names are on disk: a field keeps its number for ever.
    static let schema = KindSchema(
        name: "service",
        fields: [FieldSchema(1, "DEVICE"), FieldSchema(2, "DAY"), FieldSchema(3, "CENTS"), FieldSchema(4, "NOTES")],
        indexes: [byDevice],
        indexEntries: { record, entries in
            guard record.isVisible, let device = record.text("DEVICE") else { return }
            entries.add(key(device, record.text("DAY") ?? "")[...], to: byDevice.number)
        })

    /// The services of a device, in order of day.
    static let byDevice = IndexSchema(1, "device")

    /// A key of ``byDevice``. The zero byte ends the name, so that `Car` does not find `Caravan`.
    static func key(_ device: String, _ day: String) -> [UInt8] { Array("\(device)\0\(day)".utf8) }

    /// The fields as they are written.
    var assignments: [Assignment] {
        [
            Assignment("DEVICE", text: device), Assignment("DAY", text: day), Assignment("CENTS", text: "\(cents)"),
            Assignment("NOTES", text: notes),
        ]
    }
}

extension Service {
    /// The service that `record` shows. Another program may have written it: what is missing is empty, what is no number is 0.
    init(_ record: Record) {
        func text(_ name: String) -> String {
            Self.schema.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        self.init(
            device: text("DEVICE"), day: text("DAY"), cents: Int64(text("CENTS")) ?? 0, notes: text("NOTES"))
    }
}
