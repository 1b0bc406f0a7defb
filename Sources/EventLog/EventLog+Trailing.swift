import ByteCoding
import Events
import LMDB

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

// A durable commit of events waits for one flush, that of its pages, where LMDB's own waits for two: the meta page, which
// makes the pages valid, is written and left to the next flush. Such a commit trails. After a power cut its events may lie
// in pages that no meta page leads to. They are found there, since each names the checksum of the event before it, and
// appended again before anything else is written. Why no acknowledged event is lost:
//
// 1. At most one commit has a meta page that is not on the disk, since the flush of the next one is of the whole file. That
//    next one writes to none of its pages: LMDB uses pages again that the commit before the last freed, or an earlier one.
// 2. Only a commit trails that follows another one of the same log object, and whose state before it says that a commit may
//    trail. So nobody opens the file for writing afterwards without looking; and what a process left in the file that died
//    in a commit, and goes on from the same event, cannot be taken for what another one appended in its stead.
// 3. What is found is put into a file of its own, flushed, before it is appended: that may write over the very pages.
//
// Claims, what came from others, erasing and all else that is more than events of this store is flushed twice.
extension EventLog {
    /// Whether the log at `path`, which is only read, page by page, may have events that come back when it is opened for
    /// writing. No where that cannot be read.
    package static func mayBeTrailed(at path: String) -> Bool {
        (try? LogVerifier.rows(of: .meta, path: path))?.state?.mayBeTrailed ?? false
    }

    /// Appends the events of a commit whose meta page a power cut has kept from the disk.
    ///
    /// Nothing where the last process closed the log. Else the free pages are read, and those behind the last one in use:
    /// a hundred MB in about 0.3 s.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` where the system does not give a page that may hold such an event.
    func bringBackTrailing() throws {
        guard try state().mayBeTrailed else { return }
        let rescue = path + "-rescue"
        do {
            try commit { transaction, tables, state in
                guard state.mayBeTrailed else { throw NothingTrails() }
                let trailing = try TrailingEvents(
                    of: path, rescue: rescue, behind: state, heads: Self.vector(in: transaction, tables))
                if trailing.frames.isEmpty { throw NothingTrails() }
                if !trailing.areRescued { try Self.rescue(trailing.frames, at: rescue, first: state.nextPosition) }
                let first = state.nextPosition
                var clock = HybridClock(last: state.clock)
                try Self.copy(trailing.frames, trailing.arrival, &clock, &state, transaction, tables)
                try Self.put(trailing.arrival, of: first..<state.nextPosition, in: transaction, tables)
                state.clock = clock.last
            }
        } catch is NothingTrails {}
        // What is in it is in the log; and where it goes on from another event, it is of the past.
        unlink(rescue)
    }

    /// Puts `frames` into a file of their own.
    static func rescue(_ frames: [[UInt8]], at path: String, first: Position) throws {
        var options = Environment.Options(tables: 1)
        options.initialMapSizeBytes = frames.reduce(1 << 20) { $0 + 2 * $1.count + 8192 }
        try Environment.create(at: path, replacing: true, options: options) { transaction in
            let table = try transaction.openOrCreate("events", of: UInt64.self)
            for (index, frame) in frames.enumerated() {
                try transaction.append(frame.span.bytes, for: first + UInt64(index), in: table)
            }
        }
    }

    /// Has the next process not look for a commit that trails, if this one ends here.
    func endTrailing() throws {
        guard hasTrailed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        try commit { _, _, state in state.mayBeTrailed = false }
    }
}

/// There is nothing to bring back.
private struct NothingTrails: Error {}

/// The events that follow the last one of a state and that no state leads to.
private struct TrailingEvents {
    /// Whole frames, in order.
    private(set) var frames: [[UInt8]] = []
    /// When they came, as far as that is known.
    let arrival: Arrival
    /// Whether all of them are in the file aside.
    private(set) var areRescued = true

    /// Looks in the free pages of the log at `path`, behind its last page, and in the file `rescue`, if there is one.
    init(of path: String, rescue: String, behind state: LogState, heads: VersionVector) throws {
        let log = try PageFile(path)
        guard let meta = MetaPage.newest(of: log) else {
            throw EventLogError.damaged("the page with the roots of the log's tables")
        }
        var reader = try PageReader(log, meta: meta)
        var free = FreePages(meta, pageCount: reader.pageCount)
        _ = reader.walk(
            meta.freePages, order: .integers, valueLimit: Int(clamping: reader.pageCount) * meta.pageSize, &free)
        guard free.damaged.isEmpty else { throw EventLogError.damaged("the list of free pages") }
        let pages = free.runs + [meta.lastPage + 1..<UInt64.max]
        let scan = try PageScan(log, pageSize: meta.pageSize, pages: pages) { _ in .stale }
        guard scan.unreadCount == 0 else { throw EventLogError.damaged("a page that may hold the last events") }
        let rescued = (try? PageFile(rescue)).flatMap { file in
            (try? PageScan(file, pageSize: meta.pageSize) { _ in .stale }).map { (file, $0.frames) }
        }
        // By what they name; of two copies of one, that in the file aside, so that it is not written again.
        var sources: [UInt32: (frame: FoundFrame, isRescued: Bool)] = [:]
        for (frames, isRescued) in [(scan.frames, false), (rescued?.1 ?? [], true)] {
            for frame in frames where frame.position == 0 || frame.position >= state.nextPosition {
                sources[frame.previousChecksum] = (frame, isRescued)
            }
        }
        let chain = FramePlacing.chain(behind: state.nextPosition - 1, state.lastChecksum) { checksum, position in
            guard let frame = sources[checksum]?.frame else { return nil }
            return frame.position == 0 || frame.position == position ? frame : nil
        }
        arrival = Self.arrival(at: state.nextPosition, in: scan.rows, or: chain.first?.stamp)
        // A checksum has four bytes: what does not go on as its replica does is not what it seems.
        var last = heads
        let following = chain.prefix { found in
            defer { last[found.event.replica] = found.event.sequence }
            return found.event.sequence == last[found.event.replica] + 1
        }
        for found in following[..<((following.lastIndex { $0.rest == 0 } ?? -1) + 1)] {
            let isRescued = sources[found.previousChecksum]?.isRescued == true
            var window = FrameWindow(isRescued ? rescued?.0 ?? log : log)
            frames.append(try window.bytes(of: found))
            areRescued = areRescued && isRescued
        }
    }

    /// When the events from `position` on came: what stood in the row of that, else by the stamp of the first one.
    private static func arrival(at position: Position, in rows: SalvagedRows, or stamp: Stamp?) -> Arrival {
        for (key, value) in rows.allRows(of: .arrivals) where key.span.bytes.bigEndianUInt64(at: 0) == position {
            if let row = value.withSpan({ ArrivalRow($0) }) { return row.arrival }
        }
        return Arrival(
            wallMilliseconds: stamp?.milliseconds ?? 0, monotonicMilliseconds: 0,
            boot: [UInt8](repeating: 0, count: 16))
    }
}
