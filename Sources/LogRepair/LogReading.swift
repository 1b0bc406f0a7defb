import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages

/// Reads one state of a log file: the small tables first, then the events, then the rest.
struct LogReading {
    private var reader: PageReader
    private var tables: [String: TreeRecord] = [:]
    private var rows = LogRows()
    private var damage: [LogDamage] = []
    /// The last event, as read or as stored in the state: its position, its checksum, and the last number of each
    /// replica there.
    private var tip: (position: Position, checksum: UInt32, heads: [ReplicaID: SequenceNumber])?
    /// Whether pages in use are listed as free: then this may be an outdated state.
    private(set) var isDoubtful = false

    /// The tables whose rows are read first, in order; `events` and `arrivals` follow.
    private static let smallTables: [LogTable] = [
        .meta, .heads, .trees, .nodes, .runs, .erased, .signed, .waiting, .streams, .base, .holes,
        .lacking, .late, .filled,
    ]

    /// The number of cores that read the events.
    private let cores: Int
    /// The number of event leaves per work item: enough to make the overhead negligible, and few enough to need little
    /// memory.
    private let leafCount: Int

    init(_ reader: PageReader, cores: Int, leafCount: Int) {
        self.reader = reader
        self.cores = cores
        self.leafCount = leafCount
    }

    /// Returns the transaction number of the newest state in the file now.
    func newestTransaction() -> UInt64? { reader.newestTransaction() }

    /// Whether the table of events was found.
    var hasEvents: Bool { tables["events"] != nil }

    /// Reads everything and returns the report.
    mutating func report() -> LogReport {
        readTables()
        guard hasEvents else {
            damage.append(LogDamage(.meta, "nothing refers to the events of the newest state; they may be intact"))
            var report = LogReport()
            report.damage = damage
            return report
        }
        var freePages = FreePageList(reader.meta, pageCount: reader.pageCount)
        for table in Self.smallTables { readRows(of: table) }
        if !rows.streams.isSound {
            damage.append(LogDamage(.stream, "the rows of forked histories refer to each other in a circle"))
            rows.streams = Streams()
        }
        for name in ["events", "arrivals"] { if let record = tables[name] { reader.pinRightEdge(of: record) } }
        let free = reader.walk(
            reader.meta.freePages, order: .integers, valueLimit: Int(clamping: reader.pageCount) * reader.meta.pageSize,
            &freePages)

        var check = EventCheck(rows)
        if cores == 1 || !walkEventsInParts(&check) {
            walk("events", valueLimit: EventLimits.batchBytes, &check) { $0.pageDamageCount }
        }
        var report = check.finish(entries: tables["events"]?.entries ?? 0)
        tip = check.tip

        var arrivals = ArrivalCheck()
        walk("arrivals", valueLimit: reader.meta.pageSize, &arrivals) { $0.damaged.count }
        damage += arrivals.damage(end: check.next - 1)
        readUnknownTables()

        compare(free, reader.meta.freePages, name: "free pages", isDamaged: !freePages.damaged.isEmpty)
        let shared = freePages.shared(with: reader.used)
        isDoubtful = !shared.isEmpty
        damage += (freePages.damaged + shared).map { LogDamage(.page, "in the list of free pages: \($0)") }
        describe(&report)
        report.damage += damage
        return report
    }

    /// Adds the events behind this state to `report`, if a newer state may be lost.
    func addLaterEvents(to report: inout LogReport, of file: PageFile) {
        guard let tip else { return }
        LaterEvents(
            file, pageSize: reader.meta.pageSize, used: reader.used, after: tip.checksum, heads: tip.heads
        ).add(to: &report, at: tip.position + 1)
    }

    /// Collects the tables from the main one.
    private mutating func readTables() {
        var visitor = TableCollector()
        let main = reader.meta.main
        let counts = reader.walk(main, holdsTables: true, valueLimit: TreeRecord.byteCount, &visitor)
        tables = visitor.tables
        // Tables of a log have no flags: with a flag, liblmdb would read the keys differently.
        if main.flags != 0 { damage.append(LogDamage(.meta, "the record of tables has flags that no log has")) }
        for (name, record) in tables.sorted(by: { $0.key < $1.key }) where record.flags != 0 {
            damage.append(LogDamage(.meta, "the record of the table \(name) has flags that no log has"))
        }
        damage += visitor.damaged.map { LogDamage(.page, "in the table of tables: \($0)") }
        compare(counts, main, name: "tables", isDamaged: !visitor.damaged.isEmpty)
        for name in LogTable.allCases.map(\.name) + ["events"] where tables[name] == nil {
            damage.append(LogDamage(.meta, "the table \(name) is missing"))
        }
    }

    private mutating func readRows(of table: LogTable) {
        let name = table.name
        var visitor = RowCollector(table: table, rows: rows)
        walk(name, valueLimit: Self.valueLimit(of: table, reader.meta.pageSize), &visitor) { $0.damaged.count }
        rows = visitor.rows
        damage += visitor.damaged.map { LogDamage(.page, "in the table \(name): \($0)") }
        if visitor.malformed > 0 {
            damage.append(
                LogDamage(
                    Self.what(of: table), "damaged rows of the table \(name): \(visitor.malformed)"))
        }
    }

    private static func valueLimit(of table: LogTable, _ pageSize: Int) -> Int {
        switch table {
        case .base: LogBase.pieceSize + LogTable.checksumSize
        case .waiting: RangeLimits.frameBytes + LogTable.checksumSize
        case .late: Frame.lengthLimit + LateRow.frameOffset + LogTable.checksumSize
        // Who belongs to the log is one row.
        case .meta: EventLimits.batchBytes
        default: pageSize
        }
    }

    private static func what(of table: LogTable) -> LogDamage.What {
        switch table {
        case .heads: .head
        case .trees, .nodes: .tree
        case .runs: .run
        case .arrivals: .arrival
        case .erased, .lacking: .withheld
        case .late, .filled: .late
        case .signed: .signature
        case .waiting: .range
        case .streams: .stream
        case .base: .base
        case .meta: .meta
        case .holes: .sequence
        }
    }

    /// Checks the tables of a later version: their rows are unknown, but their pages must be undamaged and used once.
    private mutating func readUnknownTables() {
        for name in tables.keys.sorted()
        where LogTable(name: name) == nil && name != "events" {
            var visitor = PageVisitor()
            walk(name, valueLimit: EventLimits.batchBytes, &visitor) { $0.damaged.count }
            damage += visitor.damaged.map { LogDamage(.page, "in the table \(name): \($0)") }
        }
    }

    private mutating func walk<Visitor: RowVisitor>(
        _ name: String, valueLimit: Int, _ visitor: inout Visitor, damageCount: (Visitor) -> Int
    ) {
        guard let record = tables[name] else { return }
        let counts = reader.walk(record, valueLimit: valueLimit, &visitor)
        finishWalk(counts, record, name: name, isDamaged: damageCount(visitor) > 0)
    }

    private mutating func finishWalk(_ counts: TreeCounts, _ record: TreeRecord, name: String, isDamaged: Bool) {
        compare(counts, record, name: name, isDamaged: isDamaged)
        if record.flags != 0 { damage.append(LogDamage(.meta, "the record of the table \(name) has unknown flags")) }
    }

    /// Reads the events on several cores. If any page is damaged, returns `false` and changes nothing.
    private mutating func walkEventsInParts(_ check: inout EventCheck) -> Bool {
        guard let record = tables["events"] else { return false }
        var parallelWalk = ParallelWalk(
            reader, record, valueLimit: EventLimits.batchBytes, cores: cores, leafCount: leafCount, CheckedRows())
        var found = check
        guard
            parallelWalk.walk({ part in
                for (position, event) in part.rows { found.row(position, event) }
                return part.isSound
            })
        else { return false }
        reader = parallelWalk.reader
        check = found
        finishWalk(parallelWalk.counts, record, name: "events", isDamaged: false)
        return true
    }

    /// Reports a record whose counts differ from those found. Behind damage they are expected to be fewer.
    private mutating func compare(_ counts: TreeCounts, _ record: TreeRecord, name: String, isDamaged: Bool) {
        let isEmpty = record.root == TreeRecord.noPage
        if !isDamaged, counts != TreeCounts(record) || isEmpty != (record.entries == 0) {
            damage.append(
                LogDamage(.meta, "the record of \(name) counts \(record.entries) rows, but there are \(counts.entries)")
            )
        }
    }

    /// Checks what other stores have signed and sent: heads, branches, and retained ranges.
    private mutating func checkWhatCame(of log: LogID, _ replicas: [LogReport.Replica]) {
        for (stream, row) in rows.signed.sorted(by: { $0.key < $1.key }) {
            let head = row.withSpan { SignedHead(log: log, replica: rows.streams.origin(of: stream), row: $0) }
            guard let head, (try? head.check()) != nil else {
                damage.append(LogDamage(.signature, stream, "the signed head of the replica is damaged"))
                continue
            }
            guard let now = replicas.first(where: { $0.replica == stream }) else { continue }
            let base = rows.streams.base(of: stream)
            // A signed head covers the whole history; only a branch without a parent has a tree over all of it.
            let isOther = base == 0 && now.events == head.sequence && now.root != head.root
            if base + now.events < head.sequence || isOther {
                damage.append(
                    LogDamage(
                        .signature, stream,
                        "the replica has signed \(head.sequence) events, but the events here are different"))
            }
        }
        for (stream, branch) in rows.streams.branches.sorted(by: { $0.key < $1.key }) {
            let before = replicas.first { $0.replica == branch.parent }?.events ?? 0
            if before != branch.after || !replicas.contains(where: { $0.replica == stream }) {
                damage.append(
                    LogDamage(.stream, stream, "the history continues at a different point than the log records"))
            }
        }
        for bytes in rows.ranges where (try? RangeFrame(reading: bytes, of: log)) == nil {
            damage.append(LogDamage(.range, "a pending range is damaged"))
        }
    }

    /// Reports the values of the meta rows, and checks the rows that need the log's id.
    private mutating func describe(_ report: inout LogReport) {
        report.log = rows.metaRow("log", count: 16).map { LogID($0) }
        report.epoch = rows.metaRow("epoch", count: 8)?.withSpan { $0.uint64(at: 0) }
        if report.log == nil { damage.append(LogDamage(.meta, "the log's id is missing")) }
        if report.epoch == nil { damage.append(LogDamage(.meta, "the log's epoch is missing")) }
        if rows.metaRow("generation", count: LogGeneration.byteCount) == nil {
            damage.append(LogDamage(.meta, "the log's generation is missing"))
        }
        if !rows.isBaseWhole {
            damage.append(LogDamage(.base, "the snapshot of archived history is damaged"))
        }
        if let log = report.log { checkWhatCame(of: log, report.replicas) }
        let format = rows.metaRow("format", count: 4)?.withSpan { $0.uint32(at: 0) }
        if format != LogTables.format {
            damage.append(LogDamage(.meta, "the log has format \(format.map(String.init) ?? "none"), which is unknown"))
        }
    }
}

/// Checks pages and ignores rows.
private struct PageVisitor: RowVisitor {
    var damaged: [PageDamage] = []

    mutating func row(key: RawSpan, value: RawSpan) {}

    mutating func damage(_ damage: PageDamage) { damaged.append(damage) }
}
