import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveMDBPages

/// What can be got out of a log file, however damaged: read page by page, without the tree, without liblmdb.
///
/// Every whole event on a page that the log had is found, in the order of the log. What is missing is named as far as
/// anything in the file still tells of it; more witnesses are added with ``expect(_:)``. What was erased or moved to an
/// archive has no values in the file, and so has none here.
///
/// Cost: the file is read twice; about 80 bytes of memory an event.
public struct Salvage {
    /// The name of the log, where the file still says it.
    public let log: LogID?
    /// Whether the file still says up to where the log went: its newest state can be read.
    public let isEndKnown: Bool
    /// How many events were found.
    public var count: Int { frames.count }
    /// Bytes of the file.
    public let byteCount: Int
    /// Bytes that the system would not give: another time it may, so there may be more to find.
    public let unreadCount: Int
    /// The page size of the file.
    public let pageSize: Int

    let file: PageFile
    let frames: [FoundFrame]
    let rows: SalvagedRows
    /// The events that were found.
    private let found: EventSet
    /// The last event that each replica is known to have had here.
    private(set) var known = VersionVector()
    /// How many positions the log is known to have had.
    private(set) var positionCount: UInt64

    /// Reads the file at `path`.
    ///
    /// - Throws: ``PageFileError`` where it cannot be opened. A file that holds nothing of ours gives no events.
    public init(path: String) throws(PageFileError) {
        file = try PageFile(path)
        byteCount = try file.byteCount()
        let metaPages = MetaPage.both(of: file).compactMap { $0 }.sorted { $0.transaction > $1.transaction }
        pageSize = metaPages.first?.pageSize ?? Self.likelyPageSize(of: file, byteCount: byteCount)
        var living: LivingPages?
        var isNewest = false
        for (place, meta) in metaPages.enumerated() {
            // Where one of the two is lost, that was the newest as likely as not.
            isNewest = place == 0 && metaPages.count == 2
            living = try LivingPages(file, meta, isNewest: isNewest)
            if living?.hasEvents == true { break }
        }
        let scan = try PageScan(file, pageSize: pageSize) { living?.standing(of: $0) ?? .doubtful }
        rows = scan.rows
        unreadCount = scan.unreadCount
        let late = LateFrames(scan.frames)
        let placed = late.filling(FramePlacing(late.others).frames, in: file)
        // A place that is held for an event that was lost before says that it was there, and nothing of what it said.
        frames = placed.filter { !$0.isLost }
        found = EventSet(Self.runs(of: frames))
        log = rows.meta("log").flatMap { $0.count == 16 ? LogID($0) : nil }
        isEndKnown = isNewest && rows.isLiving(LogTable.meta, "state")
        // A position is a key, which no checksum covers: alone it says nothing of how many there were.
        positionCount = UInt64(placed.count)
        for frame in placed where frame.isLost {
            note(frame.event.replica, had: frame.event.sequence)
        }
        noteWitnesses()
    }

    /// The last event of each replica that was found.
    public var vector: VersionVector {
        var vector = VersionVector()
        for frame in frames {
            vector[frame.event.replica] = Swift.max(vector[frame.event.replica], frame.event.sequence)
        }
        return vector
    }

    /// Adds what others know: that the log had events up to these, and so many positions.
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

    /// The events whose values were moved to an archive, as far as the file still says.
    package var archived: VersionVector? {
        rows.meta("base").flatMap { row in row.withSpan { LogBase.parse($0)?.base.vector } }
    }

    /// How many events the log is known to have had of which not even the name is left.
    public var unnamedCount: UInt64 {
        let named = UInt64(frames.count) + missing.reduce(0) { $0 + $1.count }
        return positionCount > named ? positionCount - named : 0
    }

    /// How many events the log is known to have had: by the numbers of its replicas, or by its positions, where these say
    /// more.
    public var appendedCount: UInt64 { max(positionCount, known.entries.reduce(0) { $0 + $1.sequence }) }

    /// What the file says of how many events there were: the events, the heads, the trees, the runs, the state.
    private mutating func noteWitnesses() {
        for frame in frames {
            note(frame.event.replica, had: frame.event.sequence + UInt64(frame.rest))
        }
        for (key, value) in rows.allRows(of: .heads) where key.count == 16 && value.count == 24 {
            note(ReplicaID(key), had: value.span.bytes.uint64(at: 0))
            note(positions: value.span.bytes.uint64(at: 8))
        }
        for (key, value) in rows.allRows(of: .holes) {
            guard let range = EventLog.range(key.span.bytes, value.span.bytes) else { continue }
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

    /// A number that no event can have says nothing.
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

    /// The page size under which most pages carry their own number.
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

/// Which pages the newest state of a file leads to.
private struct LivingPages {
    private let used: PageSet
    private let free: FreePageList
    private let lastPage: UInt64
    /// Whether all ways that the state has could be gone to their ends, and none was one of the past.
    private let isWhole: Bool
    /// Whether a way leads to events at all.
    let hasEvents: Bool
    /// Whether no later state is known of.
    private let isNewest: Bool

    init(_ file: PageFile, _ meta: MetaPage, isNewest: Bool) throws(PageFileError) {
        self.isNewest = isNewest
        var reader = try PageReader(file, meta: meta)
        var tables = TableCollector()
        // A page of another tree in the place of one of this tree may be whole, and lead nowhere.
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
        // Whoever comes to free pages went by a page of the past, which leads past what came since.
        isWhole = tables.damaged.isEmpty && rows.isWhole && areCounted && free.shared(with: reader.used).isEmpty
        hasEvents = tables.tables["events"] != nil
    }

    func standing(of page: UInt64) -> FoundFrame.Standing {
        if page < used.count, used.contains(page) { return free.lists(page) ? .doubtful : .living }
        // What this state does not use, the one behind it may have used.
        if !isNewest { return .doubtful }
        if isWhole || page > lastPage { return .stale }
        return free.damaged.isEmpty && free.lists(page) ? .stale : .doubtful
    }
}

/// Passes over rows.
private struct RowSkipper: RowVisitor {
    var isWhole = true

    mutating func row(key: RawSpan, value: RawSpan) {}

    mutating func damage(_ damage: PageDamage) { isWhole = false }
}
