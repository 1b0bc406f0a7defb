import GroundwaveByteCoding

/// Collects the tree records of named tables from the rows of the main tree. Rows of another size are no tables, and
/// are skipped.
package struct TableCollector: RowVisitor {
    /// The record of each table, by the name of the table.
    package var tables: [String: TreeRecord] = [:]
    /// The damaged pages, in the order of the walk.
    package var damaged: [PageDamage] = []

    package init(tables: [String: TreeRecord] = [:], damaged: [PageDamage] = []) {
        self.tables = tables
        self.damaged = damaged
    }

    package mutating func row(key: RawSpan, value: RawSpan) {
        guard value.byteCount == TreeRecord.byteCount else { return }
        tables[String(decoding: key.toArray(), as: UTF8.self)] = TreeRecord(at: 0, of: value)
    }

    package mutating func damage(_ damage: PageDamage) { damaged.append(damage) }
}
