import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat

/// Rows of a log that were found without the trees that lead to them.
///
/// The table of a row is identified by its checksum. Of two rows with one key, the one that a tree leads to is used;
/// otherwise the one with the higher count, since these values mostly grow.
package struct SalvagedRows: Sendable {
    private struct Row {
        var value: [UInt8]
        var standing: FoundFrame.Standing
    }

    private var rows: [LogTable: [[UInt8]: Row]] = [:]

    /// Stores a row, if its checksum is valid for one of the tables.
    mutating func insert(_ key: RawSpan, _ row: RawSpan, _ standing: FoundFrame.Standing) {
        for table in LogTable.allCases where table.mayHave(keyOf: key.byteCount) {
            guard let count = table.contentSize(of: row, under: key) else { continue }
            let (name, value) = (key.toArray(), row.extracting(0..<count).toArray())
            if let known = rows[table]?[name] {
                guard
                    standing > known.standing
                        || standing == known.standing && table.isMoreComplete(value, than: known.value)
                else { return }
            }
            rows[table, default: [:]][name] = Row(value: value, standing: standing)
            return
        }
    }

    /// Returns the value of the row `name` of the table `meta`.
    func meta(_ name: String) -> [UInt8]? { rows[.meta]?[[UInt8](name.utf8)]?.value }

    /// Whether a tree leads to the row `name` of `table`.
    func isLiving(_ table: LogTable, _ name: String) -> Bool { rows[table]?[[UInt8](name.utf8)]?.standing == .living }

    /// Returns the rows of `table` in order of key, except stale ones.
    func rows(of table: LogTable) -> [(key: [UInt8], value: [UInt8])] {
        (rows[table] ?? [:]).filter { $0.value.standing > .stale }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value.value) }
    }

    /// Returns all rows of `table`, including stale ones: for values that only grow.
    package func allRows(of table: LogTable) -> [(key: [UInt8], value: [UInt8])] {
        (rows[table] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value.value) }
    }
}

extension LogTable {
    /// Whether the table has keys of `count` bytes.
    fileprivate func mayHave(keyOf count: Int) -> Bool {
        switch self {
        case .runs, .nodes, .holes, .lacking: count == 24
        case .erased: count == 48
        case .heads, .trees, .signed, .streams: count == 16
        case .arrivals, .base: count == 8
        case .waiting: count == 32
        case .meta: count >= 1 && count <= 16
        // These rows are handled as events: see LateFrames.
        case .late, .filled: false
        }
    }

    /// Whether row `new` is of a later state than row `old` with the same key, as far as the two show.
    fileprivate func isMoreComplete(_ new: [UInt8], than old: [UInt8]) -> Bool {
        switch self {
        case .heads, .trees, .erased, .signed, .meta, .holes, .lacking:
            guard new.count >= 8, old.count >= 8 else { return false }
            return new.span.bytes.uint64(at: 0) > old.span.bytes.uint64(at: 0)
        case .runs, .nodes, .arrivals, .streams, .base, .waiting, .late, .filled: return false
        }
    }
}
