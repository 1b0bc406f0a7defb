import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveMDBPages

/// The events of commits behind the newest readable state, whose meta page or main table is lost.
///
/// No page leads to them. But a frame is recognisable by itself, and stores the checksum of the frame before it: so
/// they are found one after another, starting at the last known event.
struct LaterEvents {
    /// The events, in order of position.
    private(set) var events: [EventID] = []

    /// Searches for the events behind the frame with `checksum` in those pages of `file` that are not in `used`.
    ///
    /// Cost: those pages are read once.
    init(_ file: PageFile, pageSize: Int, used: PageSet, after checksum: UInt32, heads: [ReplicaID: SequenceNumber]) {
        var found: [UInt32: [(event: EventID, checksum: UInt32)]] = [:]
        let pageCount = ((try? file.byteCount()) ?? 0) / pageSize
        for page in 2..<Swift.max(pageCount, 2) where page >= used.count || !used.contains(UInt64(page)) {
            Self.forEachFrame(of: file, at: page * pageSize, pageSize) { frame, checksum in
                found[frame.previousChecksum, default: []].append((frame.id, checksum))
            }
        }
        var (next, heads) = (checksum, heads)
        while let index = found[next]?.firstIndex(where: { $0.event.sequence == (heads[$0.event.replica] ?? 0) + 1 }),
            let frame = found[next]?.remove(at: index)
        {
            events.append(frame.event)
            heads[frame.event.replica] = frame.event.sequence
            next = frame.checksum
        }
    }

    /// Passes each valid frame that starts in the page at `offset` to `body`, with its checksum.
    private static func forEachFrame(
        of file: PageFile, at offset: Int, _ pageSize: Int, _ body: (Frame, UInt32) -> Void
    ) {
        guard let page = try? file.read(pageSize, at: offset) else { return }
        // Entries start at even offsets, and so do the keys and values of `events`.
        for start in stride(from: PageEntries.headerSize, to: page.count - 8, by: 2) {
            let bytes = page.span.bytes
            guard bytes.uint32(at: start) == Frame.magic else { continue }
            let length = Int(bytes.uint32(at: start + 4))
            guard length <= EventLimits.batchBytes else { continue }
            if start + length <= page.count {
                parse(bytes.extracting(start..<(start + length)), body)
            } else if let long = try? file.read(length, at: offset + start) {
                parse(long.span.bytes, body)
            }
        }
    }

    private static func parse(_ bytes: RawSpan, _ body: (Frame, UInt32) -> Void) {
        if let frame = try? Frame(verifying: bytes) { body(frame, frame.checksum(in: bytes)) }
    }

    /// Adds the events, the first of which was at `position`, to the missing ones of `report`.
    func add(to report: inout LogReport, at position: Position) {
        guard !events.isEmpty else { return }
        var list = DamageList()
        for (index, event) in events.enumerated() {
            list.append(
                LogDamage(
                    .meta, event.replica, first: event.sequence, position: position + UInt64(index),
                    "the event is in the file, but no readable state of the log refers to it"))
        }
        report.damage = list.entries + report.damage
        let ranges = events.map { EventRange($0.replica, $0.sequence, through: $0.sequence) }
        report.missing = MissingEvents(report.missing + ranges).ranges
        let replicas = Set(events.map(\.replica))
        for index in report.replicas.indices where replicas.contains(report.replicas[index].replica) {
            report.replicas[index].root = nil
        }
    }
}
