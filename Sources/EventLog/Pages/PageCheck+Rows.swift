import ByteCoding

/// Judges the tables and rows of a file that is read page by page, whose pages are sound.
package protocol FileJudge {
    /// Whether a table called `name` belongs into the file; its rows come next, in order of their keys.
    mutating func begins(table name: String) -> Bool
    /// Whether a row of that table is what was written.
    mutating func isSound(key: RawSpan, value: RawSpan) -> Bool
    /// What is wrong with the rows taken together, in plain words, once all were seen; `nil` where nothing is.
    func verdict() -> String?
}

extension PageCheck {
    /// What is wrong with a page or a row of the file at `path`, which is one of ours, in plain words; `nil` where all is
    /// well, or where others write so fast that it could not be read before its pages were used again: then they have it
    /// open, and had looked at it.
    ///
    /// Others may write meanwhile: see ``LogVerifier``. What is found counts where the same is found once more.
    ///
    /// - Parameter judge: Makes a judge for each reading.
    /// - Throws: ``PageFileError`` where the file cannot be opened at all.
    /// - Complexity: O(bytes), read once; once more where something is wrong.
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

    /// What is wrong with the tables that `reader` reads, whose branches are sound.
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
            if rows.unsound > 0 { return "\(rows.unsound) rows of its table \(name) are damaged" }
            if counts != TreeCounts(record) { return words(.counts, of: record) }
        }
        // The long values too, which no branch leads to, must not be written over.
        var free = FreePages(reader.meta, pageCount: reader.meta.lastPage + 1)
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

/// Has each row judged; that keys ascend, the reader of the pages sees.
private struct JudgedRows<Judge: FileJudge>: RowVisitor {
    var judge: Judge
    var unsound = 0
    var damage: [PageDamage] = []

    init(judge: Judge) { self.judge = judge }

    mutating func row(key: RawSpan, value: RawSpan) { if !judge.isSound(key: key, value: value) { unsound += 1 } }

    mutating func damage(_ damage: PageDamage) { self.damage.append(damage) }
}
