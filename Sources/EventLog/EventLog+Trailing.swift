import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveMDBPages

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

// A durable commit of events waits for one flush, that of its pages; LMDB's own commit waits for two. The meta page,
// which makes the pages valid, is written but left to the next flush: the commit trails. After a power cut its events
// may be in pages that no meta page leads to. They are found there, since each stores the checksum of the event before
// it, and are appended again before anything else is written. Why no acknowledged event is lost:
//
// 1. At most one commit has a meta page that is not on the disk, since the flush of the next commit covers the whole
//    file. That next commit writes to none of its pages: LMDB reuses only pages freed by the commit before the last, or
//    an earlier one.
// 2. A commit trails only if it follows another commit of the same log object, and if the state before it is marked as
//    possibly trailed. So every process that later opens the file for writing searches it. And pages of a process that
//    died in a commit after the same event cannot be mistaken for events that another process appended instead.
// 3. Found events are copied to a separate file, which is flushed, before they are appended: appending may overwrite
//    the very pages that hold them.
//
// Commits of anything else than this store's events (ownership tokens, events of other stores, erasures) need both
// flushes.
extension EventLog {
    /// Whether the log at `path` may have events that are restored when it is opened for writing. Reads the file page
    /// by page, without liblmdb; returns `false` if the state cannot be read.
    package static func mayBeTrailed(at path: String) -> Bool {
        (try? LogVerifier.rows(of: .meta, path: path))?.state?.mayBeTrailed ?? false
    }

    /// Appends again the events of a commit whose meta page was lost in a power cut.
    ///
    /// Does nothing if the last process closed the log. Otherwise it reads the free pages and those behind the last
    /// used page: about 0.3 s for 100 MB.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` if a page that may hold such an event cannot be read, or the meta
    ///   pages or the list of free pages are damaged.
    func bringBackTrailing() throws {
        guard try state().mayBeTrailed else { return }
        let rescue = path + "-rescue"
        do {
            try commit { transaction, tables, state in
                guard state.mayBeTrailed else { throw NothingTrails() }
                let trailing = try TrailingEvents(
                    of: path, rescue: rescue, behind: state, heads: tables.vector(in: transaction))
                if trailing.frames.isEmpty { throw NothingTrails() }
                if !trailing.areRescued { try Self.rescue(trailing.frames, at: rescue, first: state.nextPosition) }
                let first = state.nextPosition
                var clock = HybridClock(last: state.clock)
                try Self.copy(trailing.frames, trailing.arrival, &clock, &state, transaction, tables)
                try tables.put(trailing.arrival, of: first..<state.nextPosition, in: transaction)
                state.clock = clock.last
            }
        } catch is NothingTrails {}
        // Its events are in the log now. If they follow another event than the present last one, they are obsolete.
        unlink(rescue)
    }

    /// Writes `frames` to a separate file at `path`.
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

    /// Marks the log as not trailed, so that the next process need not search for trailing commits.
    func endTrailing() throws {
        guard hasTrailed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        try commit { _, _, state in state.mayBeTrailed = false }
    }
}

/// Thrown if there are no trailing events.
private struct NothingTrails: Error {}

/// The events that follow the last one of a state and that no state leads to.
private struct TrailingEvents {
    /// Whole frames, in order.
    private(set) var frames: [[UInt8]] = []
    /// When they arrived, as far as that is known.
    let arrival: Arrival
    /// Whether all of them are in the rescue file.
    private(set) var areRescued = true

    /// Searches the free pages of the log at `path`, the pages behind its last one, and the file `rescue`, if it
    /// exists.
    init(of path: String, rescue: String, behind state: LogState, heads: VersionVector) throws {
        let log = try PageFile(path)
        guard let meta = MetaPage.newest(of: log) else {
            throw EventLogError.damaged("the page with the roots of the log's tables")
        }
        var reader = try PageReader(log, meta: meta)
        var free = FreePageList(meta, pageCount: reader.pageCount)
        _ = reader.walk(
            meta.freePages, order: .integers, valueLimit: Int(clamping: reader.pageCount) * meta.pageSize, &free)
        guard free.damaged.isEmpty else { throw EventLogError.damaged("the list of free pages") }
        let pages = free.runs + [meta.lastPage + 1..<UInt64.max]
        let scan = try PageScan(log, pageSize: meta.pageSize, pages: pages) { _ in .stale }
        guard scan.unreadCount == 0 else { throw EventLogError.damaged("a page that may hold the last events") }
        let rescued = (try? PageFile(rescue)).flatMap { file in
            (try? PageScan(file, pageSize: meta.pageSize) { _ in .stale }).map { (file, $0.frames) }
        }
        // Keyed by the predecessor's checksum. The copy in the rescue file wins, so that it is not written again.
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
        // A 4-byte checksum can match by chance: stop at an event that is not the next one of its replica.
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

    /// Returns when the events from `position` on arrived: from the row of that position, else from the first event's
    /// stamp.
    private static func arrival(at position: Position, in rows: SalvagedRows, or stamp: Stamp?) -> Arrival {
        for (key, value) in rows.allRows(of: .arrivals) where key.span.bytes.bigEndianUInt64(at: 0) == position {
            if let row = value.withSpan({ ArrivalRow($0) }) { return row.arrival }
        }
        return Arrival(
            wallMilliseconds: stamp?.milliseconds ?? 0, monotonicMilliseconds: 0,
            boot: [UInt8](repeating: 0, count: 16))
    }
}
