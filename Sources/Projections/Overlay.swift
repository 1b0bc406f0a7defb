import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

/// The difference between the views under a filter and the stored rows: the records that left-out or altered events
/// touch, each refolded from the remaining events.
///
/// The cost depends on the events left out, not on the rest of the log. Each record of the overlay also has a row in
/// the views. The overlay follows views of one content of the log, and is invalid for another, since it reads each
/// event only once.
struct Overlay: Sendable {
    let filter: EventFilter
    /// The position of the last event that counts in the overlaid views.
    private(set) var position: Position
    /// The position through which the log was searched for left-out or altered events; 0 before ``extend(over:in:)``.
    private var seen: Position = 0
    private var names = Names()
    private var rows: [String: [RecordID: [UInt8]]] = [:]
    /// The sorted keys of the index entries of these records.
    private var entries: [[UInt8]] = []
    private var leftOutUnread: Set<Position> = []

    /// Creates an empty overlay: see ``extend(over:in:)``.
    ///
    /// - Parameter position: The position of the last event that counts.
    init(_ filter: EventFilter, position: Position) {
        self.filter = filter
        self.position = position
    }

    /// Whether ``extend(over:in:)`` would find nothing new in these views.
    func isUpToDate(with view: borrowing ViewReader) -> Bool {
        seen == view.storedPosition && names.count == view.names.count && names.isPrefix(of: view.names)
    }

    /// Adds the events that `view` has received since the previous call.
    mutating func extend(over view: borrowing ViewReader, in history: RecordHistory) throws {
        let log = history.log
        // Rebuilt views may number replicas and fields differently from the rows here.
        if !names.isPrefix(of: view.names) { self = Overlay(filter, position: position) }
        names = view.names
        var touched: [String: Set<RecordID>] = [:]
        if seen == 0 {
            for range in filter.altered(of: try log.vector(through: view.storedPosition)) {
                try log.scan(range) { position, frame, bytes in
                    note(frame, bytes, at: position, in: &touched)
                    return true
                }
            }
        } else if seen < view.storedPosition {
            let last = view.storedPosition
            try log.scan(from: seen + 1) { position, frame, bytes in
                if !filter.includes(frame.id) || filter.clockShifts[frame.id.replica] != nil {
                    note(frame, bytes, at: position, in: &touched)
                }
                return position < last
            }
        }
        seen = view.storedPosition
        try fold(touched, view, history)
    }

    /// Records which record is touched by an event that is left out or altered.
    private mutating func note(
        _ frame: Frame, _ bytes: RawSpan, at position: Position, in touched: inout [String: Set<RecordID>]
    ) {
        let shape = bytes.extracting(frame.shape)
        guard let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        else {
            if !filter.includes(frame.id), !frame.isLost { leftOutUnread.insert(position) }
            return
        }
        let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
        touched[kind, default: []].formUnion([reader.record] + reader.related(in: shape))
    }

    private mutating func fold(
        _ touched: [String: Set<RecordID>], _ view: borrowing ViewReader, _ history: RecordHistory
    ) throws {
        var writer = ByteWriter(capacity: 4096)
        var new: [[UInt8]] = []
        var entries = IndexEntries()
        for (kind, records) in touched {
            let schema = view.kinds[kind]
            for record in records where rows[kind]?[record] == nil {
                // A record that only unreadable events touch has no row.
                guard let positions = try view.storedState(of: kind, record)?.history.positions else { continue }
                let state = try history.state(
                    of: kind, record, foldedFrom: positions, filter, names: &names)
                guard state.history.count > 0 else {
                    rows[kind, default: [:]][record] = []
                    continue
                }
                writer.removeAll()
                state.encode(into: &writer)
                rows[kind, default: [:]][record] = writer.bytes
                schema?.findEntries(of: state, names, &entries)
                entries.forEach { index, key in new.append(IndexKey.of(kind: kind, index, key, record)) }
            }
        }
        if !new.isEmpty { self.entries = (self.entries + new).inByteOrder() }
    }
}

// Reading.
extension Overlay {
    /// The overlay's answer for one record.
    enum Found {
        /// The stored row is valid.
        case stored
        /// The record does not exist under the filter.
        case absent
        /// The row that replaces the stored one.
        case row([UInt8])
    }

    func find(_ kind: String, _ record: RecordID) -> Found {
        guard let row = rows[kind]?[record] else { return .stored }
        return row.isEmpty ? .absent : .row(row)
    }

    /// Returns the index entries that start with `prefix` and are not less than `first`, in order.
    func entries(prefix: [UInt8], from first: [UInt8]) -> ArraySlice<[UInt8]> {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].lexicographicallyPrecedes(first) { low = middle + 1 } else { high = middle }
        }
        let end = entries[low...].firstIndex { !$0.starts(with: prefix) } ?? entries.count
        return entries[low..<end]
    }

    func countsUnread(at position: Position) -> Bool { !leftOutUnread.contains(position) }
}
