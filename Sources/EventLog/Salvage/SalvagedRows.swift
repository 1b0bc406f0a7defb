import GroundwaveByteCoding
import GroundwaveEvents

/// Rows of a log that were found without the trees that led to them.
///
/// Which table a row is of follows from its checksum. Of two rows of one key the one stands that a tree leads to; else
/// the one that says more, since what a log says of itself grows.
struct SalvagedRows: Sendable {
    private struct Row {
        var value: [UInt8]
        var standing: FoundFrame.Standing
    }

    private var rows: [LogTable: [[UInt8]: Row]] = [:]

    /// Takes over a row, if it is one.
    mutating func take(_ key: RawSpan, _ row: RawSpan, _ standing: FoundFrame.Standing) {
        for table in LogTable.allCases where table.mayHave(keyOf: key.byteCount) {
            guard let count = table.contentSize(of: row, under: key) else { continue }
            let (name, value) = (key.toArray(), row.extracting(0..<count).toArray())
            if let known = rows[table]?[name] {
                guard
                    standing > known.standing || standing == known.standing && table.says(value, moreThan: known.value)
                else { return }
            }
            rows[table, default: [:]][name] = Row(value: value, standing: standing)
            return
        }
    }

    /// What the row of `name` in the table `meta` says.
    func meta(_ name: String) -> [UInt8]? { rows[.meta]?[[UInt8](name.utf8)]?.value }

    /// Whether a tree leads to the row of `name` in `table`.
    func isLiving(_ table: LogTable, _ name: String) -> Bool { rows[table]?[[UInt8](name.utf8)]?.standing == .living }

    /// The rows of `table` in order of key, but for those of the past.
    func rows(of table: LogTable) -> [(key: [UInt8], value: [UInt8])] {
        (rows[table] ?? [:]).filter { $0.value.standing > .stale }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value.value) }
    }

    /// All of them, also those that may be of the past: for what only grows.
    func allRows(of table: LogTable) -> [(key: [UInt8], value: [UInt8])] {
        (rows[table] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value.value) }
    }
}

extension LogTable {
    /// Whether keys of so many bytes are in it.
    fileprivate func mayHave(keyOf count: Int) -> Bool {
        switch self {
        case .runs, .nodes, .erased, .holes, .lacking: count == 24
        case .heads, .trees, .signed, .streams: count == 16
        case .arrivals, .base: count == 8
        case .waiting: count == 32
        case .meta: count >= 1 && count <= 16
        // Those are events: see LateFrames.
        case .late, .filled: false
        }
    }

    /// Whether a row is of a later state than another one of its key, as far as the two tell.
    fileprivate func says(_ new: [UInt8], moreThan old: [UInt8]) -> Bool {
        switch self {
        case .heads, .trees, .erased, .signed, .meta, .holes, .lacking:
            guard new.count >= 8, old.count >= 8 else { return false }
            return new.span.bytes.uint64(at: 0) > old.span.bytes.uint64(at: 0)
        case .runs, .nodes, .arrivals, .streams, .base, .waiting, .late, .filled: return false
        }
    }
}
