import ByteCoding

extension PageCheck {
    /// What is wrong with any page or row of the file at `path`, which is one of ours; nothing where all is well.
    ///
    /// It is for files that nobody writes to meanwhile, or whose damage costs nothing.
    ///
    /// - Parameter isSound: Whether a row of a table is what was written.
    /// - Throws: ``PageFileError`` where the file cannot be opened at all.
    /// - Complexity: O(bytes), read once.
    package static func everything(
        of path: String, isSound: (_ table: String, _ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws -> [PageDamage] {
        let file = try PageFile(path)
        let metaPages = MetaPage.both(of: file)
        var damage = try branches(of: path)
        guard damage.isEmpty, let meta = metaPages.compactMap({ $0 }).max(by: { $0.transaction < $1.transaction })
        else { return damage }
        var reader = try PageReader(file, meta: meta)
        var tables = TableCollector()
        _ = reader.walk(meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables)
        damage += tables.damaged
        for (name, record) in tables.tables.sorted(by: { $0.key < $1.key }) where damage.isEmpty {
            // The closure is used within this call only.
            let counts = withoutActuallyEscaping(isSound) { isSound in
                var rows = RowJudge { isSound(name, $0, $1) }
                let counts = reader.walk(record, valueLimit: Int(Int32.max), &rows)
                damage += rows.damage
                if rows.unsound > 0 { damage.append(PageDamage(page: record.root, what: .layout)) }
                return counts
            }
            if damage.isEmpty, counts != TreeCounts(record) {
                damage.append(PageDamage(page: record.root, what: .layout))
            }
        }
        return damage
    }
}

/// Has each row judged.
private struct RowJudge: RowVisitor {
    let isSound: (RawSpan, RawSpan) -> Bool
    var unsound = 0
    var damage: [PageDamage] = []

    init(_ isSound: @escaping (RawSpan, RawSpan) -> Bool) { self.isSound = isSound }

    mutating func row(key: RawSpan, value: RawSpan) { if !isSound(key, value) { unsound += 1 } }

    mutating func damage(_ damage: PageDamage) { self.damage.append(damage) }
}
