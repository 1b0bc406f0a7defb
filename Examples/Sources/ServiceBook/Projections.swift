import Groundwave

/// What each device cost in each month, and how often it was serviced: sums by device and month.
enum Costs: Projection {
    static let name = "costs"
    static let kinds = [Service.schema.name]

    static func project(_: String, _: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows) {
        guard record.isVisible, let device = record.text("DEVICE"), let day = record.text("DAY") else { return }
        let cents = record.text("CENTS").flatMap { Int64($0) } ?? 0
        rows.add(sums: [cents, 1], to: [.text(device), .text(String(day.prefix(7)))])
    }
}

/// The words of the notes, in small letters: a row for each word of each record.
enum Words: Projection {
    static let name = "words"
    static let kinds = [Service.schema.name]

    static func project(_: String, _: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows) {
        guard record.isVisible, let notes = record.text("NOTES") else { return }
        for word in notes.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            rows.add([.text(String(word))])
        }
    }
}
