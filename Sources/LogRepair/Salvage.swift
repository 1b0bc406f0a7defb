import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages

/// The recoverable content of a log file, however damaged: read page by page, without the tree and without liblmdb.
///
/// Every undamaged event on a page of the log is found, in log order. Missing events are listed as far as the file
/// still shows them; other sources are added with ``expect(_:)``. Values that were erased or archived are not in the
/// file, so they are not found.
///
/// Cost: the file is read twice; about 80 bytes of memory an event.
public struct Salvage {
    /// The id of the log, if the file still contains it.
    public let log: LogID?
    /// Whether the end of the log is known: its newest state can be read.
    public let isEndKnown: Bool
    /// The number of events that were found.
    public var count: Int { frames.count }
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The number of bytes that could not be read. If another attempt can read them, it may find more.
    public let unreadCount: Int
    /// The page size of the file.
    public let pageSize: Int

    let file: PageFile
    let frames: [FoundFrame]
    let rows: SalvagedRows
    /// The events that were found.
    private let found: EventSet
    /// The last event that each replica is known to have had in the log.
    private(set) var known = VersionVector()
    /// The number of positions that the log is known to have had.
    private(set) var positionCount: UInt64

    /// Reads the file at `path`.
    ///
    /// - Throws: ``PageFileError`` if it cannot be opened. A file without a log yields no events.
    public init(path: String) throws(PageFileError) {
        file = try PageFile(path)
        byteCount = try file.byteCount()
        let metaPages = MetaPage.both(of: file).compactMap { $0 }.sorted { $0.transaction > $1.transaction }
        pageSize = metaPages.first?.pageSize ?? Self.likelyPageSize(of: file, byteCount: byteCount)
        var living: LivingPages?
        var isNewest = false
        for (place, meta) in metaPages.enumerated() {
            // If one of the two meta pages is lost, it may have been the newest.
            isNewest = place == 0 && metaPages.count == 2
            living = try LivingPages(file, meta, isNewest: isNewest)
            if living?.hasEvents == true { break }
        }
        let scan = try PageScan(file, pageSize: pageSize) { living?.standing(of: $0) ?? .doubtful }
        rows = scan.rows
        unreadCount = scan.unreadCount
        let late = LateFrames(scan.frames)
        let placed = late.filling(FramePlacing(late.others).frames, in: file)
        // A placeholder of a lost event shows that the event existed, but not its content.
        frames = placed.filter { !$0.isLost }
        found = EventSet(Self.runs(of: frames))
        log = rows.meta("log").flatMap { $0.count == 16 ? LogID($0) : nil }
        isEndKnown = isNewest && rows.isLiving(LogTable.meta, "state")
        // A position is a key, which no checksum covers: a position alone does not show how many events there were.
        positionCount = UInt64(placed.count)
        for frame in placed where frame.isLost {
            note(frame.event.replica, had: frame.event.sequence)
        }
        noteWitnesses()
    }

    /// Returns the last found event of each replica.
    public var vector: VersionVector {
        var vector = VersionVector()
        for frame in frames {
            vector[frame.event.replica] = Swift.max(vector[frame.event.replica], frame.event.sequence)
        }
        return vector
    }

    /// Adds what another source knows: that the log had events up to `vector`, and at least `positions` positions.
    public mutating func expect(_ vector: VersionVector, positions: UInt64 = 0) {
        note(positions: positions)
        for entry in vector.entries { note(entry.replica, had: entry.sequence) }
    }

    /// The events that the log had and that were not found, in order.
    public var missing: [EventRange] {
        known.entries.flatMap { entry in
            EventSet([EventRange(entry.replica, 1, through: entry.sequence)]).subtracting(found).ranges
        }
    }

    /// The events whose values were archived, if the file still contains them.
    package var archived: VersionVector? {
        rows.meta("base").flatMap { row in row.withSpan { LogBase.parse($0)?.base.vector } }
    }

    /// The number of events that the log is known to have had, and of which not even the id is known.
    public var unnamedCount: UInt64 {
        let named = UInt64(frames.count) + missing.reduce(0) { $0 + $1.count }
        return positionCount > named ? positionCount - named : 0
    }

    /// The number of events that the log is known to have had: by the numbers of its replicas, or by its positions,
    /// whichever is greater.
    public var appendedCount: UInt64 { max(positionCount, known.entries.reduce(0) { $0 + $1.sequence }) }

    /// Collects all evidence in the file of how many events there were: events, heads, lost ranges, trees, runs, state.
    private mutating func noteWitnesses() {
        for frame in frames {
            note(frame.event.replica, had: frame.event.sequence + UInt64(frame.rest))
        }
        for (key, value) in rows.allRows(of: .heads) where key.count == 16 && value.count == 24 {
            note(ReplicaID(key), had: value.span.bytes.uint64(at: 0))
            note(positions: value.span.bytes.uint64(at: 8))
        }
        for (key, value) in rows.allRows(of: .holes) {
            guard let range = EventRange(key: key.span.bytes, value: value.span.bytes) else { continue }
            note(range.replica, had: range.last)
        }
        for (key, value) in rows.allRows(of: .trees) where key.count == 16 && value.count >= 8 {
            note(ReplicaID(key), had: value.span.bytes.uint64(at: 0))
        }
        for (key, value) in rows.allRows(of: .runs) where key.count == 24 && value.count == 8 {
            note(ReplicaID(Array(key[..<16])), had: key.span.bytes.bigEndianUInt64(at: 16))
            note(positions: value.span.bytes.uint64(at: 0))
        }
        if let state = rows.meta("state").flatMap({ $0.withSpan { LogState($0) } }), state.nextPosition >= 1 {
            note(positions: state.nextPosition - 1)
        }
    }

    /// Impossible numbers are ignored.
    private mutating func note(_ replica: ReplicaID, had sequence: SequenceNumber) {
        guard sequence <= EventLimits.sequenceNumber else { return }
        known[replica] = Swift.max(known[replica], sequence)
    }

    private mutating func note(positions: UInt64) {
        guard positions <= EventLimits.sequenceNumber else { return }
        positionCount = Swift.max(positionCount, positions)
    }

    private static func runs(of frames: [FoundFrame]) -> [EventRange] {
        var runs: [EventRange] = []
        for frame in frames {
            let (replica, sequence) = (frame.event.replica, frame.event.sequence)
            if let last = runs.last, last.replica == replica, last.last + 1 == sequence {
                runs[runs.count - 1] = EventRange(replica, last.first, through: sequence)
            } else {
                runs.append(EventRange(replica, sequence, through: sequence))
            }
        }
        return runs
    }

    /// Returns the page size under which most pages have their own number.
    private static func likelyPageSize(of file: PageFile, byteCount: Int) -> Int {
        func score(_ size: Int) -> Int {
            var count = 0
            let pages = byteCount / size
            for index in stride(from: 2, to: pages, by: Swift.max(1, pages / 256)) {
                guard let bytes = try? file.read(16, at: index * size), bytes.count == 16 else { continue }
                if bytes.span.bytes.hostUInt64(at: 0) == UInt64(index) { count += 1 }
            }
            return count
        }
        return MetaPage.pageSizes.max { score($0) < score($1) } ?? 4096
    }
}

/// The pages that the newest state of a file leads to.
private struct LivingPages {
    private let used: PageSet
    private let free: FreePageList
    private let lastPage: UInt64
    /// Whether the whole state could be walked, and no page of it was stale.
    private let isWhole: Bool
    /// Whether the table of events was found.
    let hasEvents: Bool
    /// Whether no later state is known.
    private let isNewest: Bool

    init(_ file: PageFile, _ meta: MetaPage, isNewest: Bool) throws(PageFileError) {
        self.isNewest = isNewest
        var reader = try PageReader(file, meta: meta)
        var tables = TableCollector()
        // A page of another tree, in the place of one of this tree, may be undamaged and lead nowhere.
        var areCounted =
            reader.walk(meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables)
            == TreeCounts(meta.main)
        var rows = RowSkipper()
        for tree in tables.tables.sorted(by: { $0.key < $1.key }) {
            let counts = reader.walk(tree.value, valueLimit: EventLimits.batchBytes * 2, &rows)
            areCounted = areCounted && counts == TreeCounts(tree.value)
        }
        var free = FreePageList(meta, pageCount: reader.pageCount)
        _ = reader.walk(
            meta.freePages, order: .integers, valueLimit: Int(clamping: reader.pageCount) * meta.pageSize, &free)
        used = reader.used
        self.free = free
        lastPage = meta.lastPage
        // A walk that reaches free pages went through a stale page, which misses newer pages.
        isWhole = tables.damaged.isEmpty && rows.isWhole && areCounted && free.shared(with: reader.used).isEmpty
        hasEvents = tables.tables["events"] != nil
    }

    func standing(of page: UInt64) -> FoundFrame.Standing {
        if page < used.count, used.contains(page) { return free.lists(page) ? .doubtful : .living }
        // A page that this state does not use may have been used by the next state.
        if !isNewest { return .doubtful }
        if isWhole || page > lastPage { return .stale }
        return free.damaged.isEmpty && free.lists(page) ? .stale : .doubtful
    }
}

/// Skips rows.
private struct RowSkipper: RowVisitor {
    var isWhole = true

    mutating func row(key: RawSpan, value: RawSpan) {}

    mutating func damage(_ damage: PageDamage) { isWhole = false }
}
