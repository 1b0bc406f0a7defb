import GroundwaveByteCoding

/// Checks the tables and rows of a file that is read page by page.
package protocol FileJudge {
    /// Whether a table called `name` belongs in the file; its rows come next, in order of their keys.
    mutating func begins(table name: String) -> Bool
    /// Whether a row of that table is undamaged.
    mutating func isSound(key: RawSpan, value: RawSpan) -> Bool
    /// Describes damage of the rows taken together, after all were processed; `nil` if there is none.
    func verdict() -> String?
}

extension PageCheck {
    /// Describes the damage of a page or a row of the file at `path`, in plain words. `nil` if there is none, or if
    /// other processes write so fast that the file could not be read before its pages were reused: they checked it when
    /// they opened it.
    ///
    /// Other processes may write meanwhile: see ``LogVerifier``. Damage is reported only if a second reading finds the
    /// same.
    ///
    /// - Parameter judge: Creates a judge for each reading.
    /// - Throws: ``PageFileError`` if the file cannot be opened.
    /// - Complexity: O(bytes), read once; at least twice if there is damage.
    package static func everything(of path: String, _ judge: () -> some FileJudge) throws -> String? {
        var before: Finding<String>?
        for _ in 1...attemptLimit {
            let file = try PageFile(path)
            var judge = judge()
            guard let words = try trouble(in: file, &judge) else { return nil }
            let finding = Finding(what: words, in: file)
            if finding == before { return words }
            before = finding
        }
        return nil
    }

    private static func trouble(in file: PageFile, _ judge: inout some FileJudge) throws -> String? {
        let (damage, meta) = try branches(of: file)
        guard damage.isEmpty, let meta else { return damage.first.map { "\($0)" } }
        return trouble(in: try PageReader(file, meta: meta), &judge)
    }

    /// Describes the damage of the tables that `reader` reads, whose branches are undamaged.
    private static func trouble(in reader: PageReader, _ judge: inout some FileJudge) -> String? {
        var (reader, tables) = (reader, TableCollector())
        let counts = reader.walk(reader.meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables)
        if let damage = tables.damaged.first { return "\(damage)" }
        if counts != TreeCounts(reader.meta.main) { return words(.counts, of: reader.meta.main) }
        for (name, record) in tables.tables.sorted(by: { $0.key < $1.key }) {
            guard judge.begins(table: name) else { return "it has an unknown table" }
            var rows = JudgedRows(judge: judge)
            let counts = reader.walk(record, valueLimit: Int(Int32.max), &rows)
            judge = rows.judge
            if let damage = rows.damage.first { return "\(damage)" }
            if rows.unsound > 0 { return "it has damaged rows in its table \(name): \(rows.unsound)" }
            if counts != TreeCounts(record) { return words(.counts, of: record) }
        }
        // Overflow pages must not be listed as free either; the check of branches does not reach them.
        var free = FreePageList(reader.meta, pageCount: reader.meta.lastPage + 1)
        let used = reader.used
        let limit = Int(clamping: reader.pageCount + 1) * reader.meta.pageSize
        _ = reader.walk(reader.meta.freePages, order: .integers, valueLimit: limit, &free)
        if let damage = free.damaged.first ?? free.shared(with: used).first { return "\(damage)" }
        return judge.verdict()
    }

    private static func words(_ what: PageDamage.What, of tree: TreeRecord) -> String {
        "\(PageDamage(page: tree.root, what: what))"
    }
}

/// Passes each row to the judge. The page reader checks the order of keys.
private struct JudgedRows<Judge: FileJudge>: RowVisitor {
    var judge: Judge
    var unsound = 0
    var damage: [PageDamage] = []

    init(judge: Judge) { self.judge = judge }

    mutating func row(key: RawSpan, value: RawSpan) { if !judge.isSound(key: key, value: value) { unsound += 1 } }

    mutating func damage(_ damage: PageDamage) { self.damage.append(damage) }
}
