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
    /// The numbers of the derivations in the overlaid view.
    private var numbers: [UInt16] = []
    private var rows: [String: [RecordID: [UInt8]]] = [:]
    /// The rows that derivations make of these records, in order of their keys.
    private var derived: [(key: [UInt8], value: [UInt8])] = []
    /// What is added to the sums of projections.
    private(set) var sums: [[UInt8]: Sums] = [:]
    private var leftOutUnread: Set<Position> = []
    /// The declarations of wrong clocks that the views followed at the previous call; `nil` before the first one.
    private var followed: ClockDeclarations?

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
            && numbers == view.derivations.numbers
    }

    /// Adds the events that `view` has received since the previous call.
    mutating func extend(over view: borrowing ViewReader, in history: RecordHistory) throws {
        let log = history.log
        // Rebuilt views may number replicas, fields and derivations differently from the rows here.
        if !names.isPrefix(of: view.names) || numbers != view.derivations.numbers {
            self = Overlay(filter, position: position)
        }
        (names, numbers) = (view.names, view.derivations.numbers)
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
        var counted = filter
        counted.declared = try view.declaredClocks(under: filter, in: history)
        try noteRestamped(counted.declared ?? ClockDeclarations(), over: view, log, in: &touched)
        try fold(touched, counted, view, history)
    }

    /// Records which records have events with other stamps than in the views, since other clocks are declared as wrong.
    private mutating func noteRestamped(
        _ declared: ClockDeclarations, over view: borrowing ViewReader, _ log: EventLog,
        in touched: inout [String: Set<RecordID>]
    ) throws {
        let present = try view.declaredClocks()
        if present == followed { return }
        followed = present
        for range in try log.events(stampedFrom: declared.differences(from: present)) {
            try log.scan(range) { position, frame, bytes in
                if filter.includes(frame.id) { note(frame, bytes, at: position, in: &touched) }
                return true
            }
        }
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
        _ touched: [String: Set<RecordID>], _ filter: EventFilter, _ view: borrowing ViewReader,
        _ history: RecordHistory
    ) throws {
        var writer = ByteWriter(capacity: 4096)
        var new = RowList()
        for (kind, records) in touched {
            for record in records where rows[kind]?[record] == nil {
                // A record that only unreadable events touch has no row.
                guard let stored = try view.storedState(of: kind, record) else { continue }
                let state = try history.state(
                    of: kind, record, foldedFrom: stored.history.positions, filter, names: &names)
                let isThere = state.history.count > 0
                derive(kind, record, from: stored, to: isThere ? state : nil, view.kinds, &new)
                guard isThere else {
                    rows[kind, default: [:]][record] = []
                    continue
                }
                writer.removeAll()
                state.encode(into: &writer)
                rows[kind, default: [:]][record] = writer.bytes
            }
        }
        if new.count == 0 { return }
        for row in derived { row.key.withSpan { key in row.value.withSpan { new.append(key, $0) } } }
        derived.removeAll()
        new.forEachInOrder { key, value in derived.append((key, value.toArray())) }
    }

    /// Adds the rows of a record, and the difference that its two states make to sums.
    private mutating func derive(
        _ kind: String, _ record: RecordID, from stored: RecordState, to state: RecordState?, _ kinds: Kinds,
        _ new: inout RowList
    ) {
        var made = IndexEntries()
        for place in kinds.derivations(of: kind) {
            let number = numbers[place]
            for (state, isTaken) in [(stored, true), (state, false)] {
                guard let state else { continue }
                kinds.derivations[place].makeRows(of: record, kind, state, names, kinds[kind], into: &made)
                made.forEach { index, key, value in
                    let key = DerivedKey.of(number, index, key, record)
                    if index == IndexEntries.sums {
                        let change = isTaken ? Sums(value).negated : Sums(value)
                        sums[key] = sums[key]?.adding(change) ?? change
                    } else if !isTaken {
                        key.withSpan { new.append($0, value) }
                    }
                }
            }
        }
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

    /// Whether the rows that are derived from `record` are those of the overlay.
    func replaces(_ record: RecordID, of kinds: [String]) -> Bool { kinds.contains { rows[$0]?[record] != nil } }

    /// Returns the derived rows that start with `prefix` and are not less than `first`, in order.
    func rows(prefix: [UInt8], from first: [UInt8]) -> ArraySlice<(key: [UInt8], value: [UInt8])> {
        var (low, high) = (0, derived.count)
        while low < high {
            let middle = (low + high) / 2
            if derived[middle].key.lexicographicallyPrecedes(first) { low = middle + 1 } else { high = middle }
        }
        let end = derived[low...].firstIndex { !$0.key.starts(with: prefix) } ?? derived.count
        return derived[low..<end]
    }

    func countsUnread(at position: Position) -> Bool { !leftOutUnread.contains(position) }
}
