import GroundwaveByteCoding

/// Collects the records of tables.
package struct TableCollector: RowVisitor {
    package var tables: [String: TreeRecord] = [:]
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
