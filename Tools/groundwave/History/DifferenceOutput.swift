import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveWording

/// What differs between two states of a store, as a table or as JSON.
struct DifferenceOutput: Encodable {
    struct Record: Encodable {
        struct Field: Encodable {
            var before: JSONBytes?
            var after: JSONBytes?
        }

        var kind: String
        var record: String
        var fields: [String: Field]
    }

    var added: [Record] = []
    var removed: [Record] = []
    var changed: [Record] = []
    private var differences: [RecordDifference] = []

    private enum CodingKeys: CodingKey { case added, removed, changed }

    var isEmpty: Bool { differences.isEmpty }

    mutating func append(_ difference: RecordDifference) {
        let record = Record(
            kind: difference.kind, record: "\(difference.record)",
            fields: Dictionary(
                uniqueKeysWithValues: difference.fields.map { field in
                    (
                        field.name,
                        .init(before: field.before.map { JSONBytes($0) }, after: field.after.map { JSONBytes($0) })
                    )
                }))
        switch difference.what {
        case .added: added.append(record)
        case .removed: removed.append(record)
        case .changed: changed.append(record)
        }
        differences.append(difference)
    }

    /// Prints a table; on a terminal of the first records only, unless all are asked for.
    func print(_ store: any Reading, limit: Int?) throws {
        var names = RecordNames(store)
        var table = TextTable(["", "RECORD", "FIELD", "BEFORE", "AFTER"])
        let shown = differences.prefix(limit ?? (Terminal.isTerminal ? 50 : .max))
        for difference in shown {
            let name = try names.name(difference.kind, difference.record)
            switch difference.what {
            case .added: table.append(["+", name, Self.summary(difference.fields, \.after), "", ""])
            case .removed: table.append(["-", name, Self.summary(difference.fields, \.before), "", ""])
            case .changed:
                for (index, field) in difference.fields.enumerated() {
                    table.append([
                        index == 0 ? "~" : "", index == 0 ? name : "", field.name, ShownValue.text(field.before),
                        ShownValue.text(field.after),
                    ])
                }
            }
        }
        if !shown.isEmpty { try table.print() }
        try Terminal.print("\(summary)")
        if shown.count < differences.count {
            Terminal.remark(
                "Showing the first \(shown.count) of \(differences.count); --limit \(differences.count) shows all.")
        }
    }

    /// `2 added, 1 removed, 3 changed.`
    private var summary: String {
        let parts = [("added", added.count), ("removed", removed.count), ("changed", changed.count)]
            .filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return parts.isEmpty ? "No difference." : parts.joined(separator: ", ") + "."
    }

    /// What says best which record it is.
    private static func summary(
        _ fields: [RecordDifference.Field], _ value: (RecordDifference.Field) -> [UInt8]?
    ) -> String {
        let names = ["QSO_DATE", "TIME_ON", "BAND", "FREQ", "MODE", "NAME", "KEY", "VALUE"]
        let known = names.compactMap { name in fields.first { $0.name == name } }.prefix(4)
        return (known.isEmpty ? Array(fields.prefix(3)) : Array(known)).map {
            ShownValue.text(value($0), limit: 20)
        }.joined(separator: " ")
    }
}
