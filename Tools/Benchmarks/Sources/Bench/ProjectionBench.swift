import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// A projection of the things of ``ReplayBench``: a row for each, and how many there are by two letters, with the lengths of
/// a field.
private enum Letters: Projection {
    static let name = "letters"
    static let kinds = ["thing"]

    static func project(_: String, _: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows) {
        guard record.isVisible, let first = record.value(1)?.first, let second = record.value(2)?.first else { return }
        let key = Int64(first) << 8 | Int64(second)
        rows.add(sums: [1, Int64(record.value(3)?.count ?? 0)], to: [.number(key)])
        rows.add([.number(key)])
    }
}

/// What a projection of an application adds to a rebuild, and whether it is what the events say.
extension ReplayBench {
    /// Rebuilds the views of a log of `generate` without the projection and with it, in turn, and prints how much longer that
    /// takes for each event. Fails unless the sums and rows are those of a fold by hand.
    static func projection(_ path: String, events: Int, records: Int, rounds: Int) throws {
        let log = try EventLog(opening: path)
        var differences: [Double] = []
        for round in 0..<rounds {
            let (bare, whole) = (path + ".bare", path + ".projected")
            let plain = try seconds { try rebuilt(log, at: bare, []) }
            let projected = try seconds { try rebuilt(log, at: whole, [Letters.self]) }
            differences.append((projected - plain) * 1e6 / Double(events))
            if round == 0 { try compareWithFoldByHand(log, at: whole, events: events, records: records) }
            for file in [bare, whole] { try? FileManager.default.removeItem(atPath: file) }
        }
        differences.sort()
        print("engine projection \(events): \(String(format: "%.3f", differences[differences.count / 2])) us/ev")
        try log.close()
    }

    private static func rebuilt(_ log: EventLog, at path: String, _ projections: [any Projection.Type]) throws {
        let views = Views(of: log, kinds: Kinds([kind], projections: projections), at: path)
        _ = try views.rebuild()
        views.close()
    }

    /// The last value of each field is what a thing shows, since each event supersedes the one before.
    private static func compareWithFoldByHand(_ log: EventLog, at path: String, events: Int, records: Int) throws {
        var last = [UInt32](repeating: 0, count: (records + 1) * 21)
        var shown: [RecordID: [UInt32: [UInt8]]] = [:]
        for number in 1...events {
            let change = change(UInt64(number), records, &last)
            for operation in change.operations {
                if case .number(let field) = operation.field, field <= 3 {
                    shown[change.record, default: [:]][field] = operation.value
                }
            }
        }
        var expected: [Int64: [Int64]] = [:]
        for fields in shown.values {
            guard let first = fields[1]?.first, let second = fields[2]?.first else { continue }
            let sums = expected[Int64(first) << 8 | Int64(second), default: [0, 0]]
            expected[Int64(first) << 8 | Int64(second)] = [sums[0] + 1, sums[1] + Int64(fields[3]?.count ?? 0)]
        }
        let views = Views(of: log, kinds: Kinds([kind], projections: [Letters.self]), at: path)
        var (sums, rows): ([Int64: [Int64]], Int64) = ([:], 0)
        try views.read { view in
            try view.forEachSums(of: Letters.self) { key, numbers in
                if case .number(let number)? = key.values.first { sums[number] = numbers }
                return true
            }
            try view.forEachRow(of: Letters.self) { _, _, _ in
                rows += 1
                return true
            }
        }
        let count = expected.values.reduce(0) { $0 + $1[0] }
        guard sums == expected, rows == count, count > 0 else {
            print(
                "the projection differs from a fold by hand: \(sums.count) keys and \(rows) rows, \(expected.count) and \(count) expected"
            )
            exit(1)
        }
        views.close()
    }
}
