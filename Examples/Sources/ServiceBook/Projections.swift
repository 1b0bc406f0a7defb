import Groundwave

/// What each device cost in each month, and how often it was serviced: sums by device and month.
enum Costs: Projection {
    static let name = "costs"
    static let kinds = [Service.name]

    static func project(_: String, _: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows) {
        let service = Service(record)
        guard record.isVisible, let day = service.day else { return }
        rows.add(sums: [service.cents, 1], to: [.text(service.device), .text("\(day)".prefix(7).description)])
    }
}

/// The words of the notes, in small letters: a row for each word of each record.
enum Words: Projection {
    static let name = "words"
    static let kinds = [Service.name]

    static func project(_: String, _: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows) {
        guard record.isVisible else { return }
        for word in Service(record).notes.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            rows.add([.text(String(word))])
        }
    }
}
