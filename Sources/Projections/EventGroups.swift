import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

/// The events of one slice of the log, grouped by the record they touch. Each record is then read, folded and written
/// only once, however many of its events the slice has.
///
/// Each new record gets the next ordinal; a hash table with open addressing finds it again. The events are then grouped
/// by a counting sort. Memory: about 32 bytes per event, and 48 to 72 per record.
struct EventGroups {
    /// The positions of the events, and the locations of their frames in the memory map of the log's snapshot. One array
    /// of both, since each random read of an array waits for memory.
    private var events: [(position: Position, place: Place)] = []
    /// The ordinal of each event's record: its index in `records`.
    private var ordinals: [UInt32] = []
    private var records: [(kind: UInt32, id: RecordID)] = []
    private var kinds: [(name: String, bytes: [UInt8])] = []
    /// The hash table: the ordinal of a record plus one, or 0 for a free slot. The number of slots is a power of two.
    private var slots: [UInt32] = [UInt32](repeating: 0, count: 1 << 10)

    /// The number of events, one of several records as often as it has any.
    var count: Int { events.count }

    /// Whether there is an event of `kind`.
    func include(kind: String) -> Bool { kinds.contains { $0.name == kind } }

    /// Appends an event, to its record and to those related to it. Events are appended in order of arrival.
    mutating func append(_ reader: ChangeReader, in shape: RawSpan, position: Position, place: Place) {
        let kind = ordinal(ofKind: shape.extracting(reader.kind))
        append(ordinal(kind: kind, reader.record), position, place)
        if reader.hasRelated {
            for id in Set(reader.related(in: shape)) where id != reader.record {
                append(ordinal(kind: kind, id), position, place)
            }
        }
    }

    private mutating func append(_ ordinal: UInt32, _ position: Position, _ place: Place) {
        ordinals.append(ordinal)
        events.append((position, place))
    }

    private mutating func ordinal(ofKind name: RawSpan) -> UInt32 {
        for ordinal in kinds.indices where kinds[ordinal].bytes.withSpan({ $0.elementsEqual(name) }) {
            return UInt32(ordinal)
        }
        let bytes = name.toArray()
        kinds.append((String(decoding: bytes, as: UTF8.self), bytes))
        return UInt32(kinds.count - 1)
    }

    private mutating func ordinal(kind: UInt32, _ record: RecordID) -> UInt32 {
        if records.count * 2 >= slots.count { grow() }
        var slot = Self.hash(kind, record) & (slots.count - 1)
        while slots[slot] != 0 {
            let ordinal = slots[slot] - 1
            if records[Int(ordinal)].id == record, records[Int(ordinal)].kind == kind { return ordinal }
            slot = (slot + 1) & (slots.count - 1)
        }
        records.append((kind, record))
        slots[slot] = UInt32(records.count)
        return UInt32(records.count - 1)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 4)
        for (ordinal, record) in records.enumerated() {
            var slot = Self.hash(record.kind, record.id) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(ordinal + 1)
        }
    }

    private static func hash(_ kind: UInt32, _ record: RecordID) -> Int {
        let mixed = (record.low ^ (record.high &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(kind)) &* 0xBF58_476D_1CE4_E5B9
        return Int(truncatingIfNeeded: mixed >> 20)
    }

    /// Yields every record in key order. The indices of its events, in order of arrival, are `order[events]`.
    ///
    /// - Parameter prefetch: Called with the places of a record's events, some records before `body` reads them.
    func forEachRecord(
        prefetching prefetch: (Place) -> Void,
        _ body: (_ kind: String, _ record: RecordID, _ events: Range<Int>, _ order: [UInt32]) throws -> Void
    ) rethrows {
        var starts = [UInt32](repeating: 0, count: records.count + 1)
        for ordinal in ordinals { starts[Int(ordinal) + 1] += 1 }
        for ordinal in 0..<records.count { starts[ordinal + 1] += starts[ordinal] }
        var next = starts
        var order = [UInt32](repeating: 0, count: ordinals.count)
        for (event, ordinal) in ordinals.enumerated() {
            order[Int(next[Int(ordinal)])] = UInt32(event)
            next[Int(ordinal)] += 1
        }
        // Sort by the name of the kind, since keys contain the name, not its ordinal.
        let sortedKinds = kinds.indices.sorted { kinds[$0].bytes.lexicographicallyPrecedes(kinds[$1].bytes) }
        var rank = [Int](repeating: 0, count: kinds.count)
        for (index, kind) in sortedKinds.enumerated() { rank[kind] = index }
        let sorted = records.indices.sorted { left, right in
            let (a, b) = (records[left], records[right])
            return a.kind == b.kind ? a.id < b.id : rank[Int(a.kind)] < rank[Int(b.kind)]
        }
        func range(of ordinal: Int) -> Range<Int> { Int(starts[ordinal])..<Int(starts[ordinal + 1]) }
        for (index, ordinal) in sorted.enumerated() {
            if index + Self.lead < sorted.count {
                for event in order[range(of: sorted[index + Self.lead])] { prefetch(events[Int(event)].place) }
            }
            let record = records[ordinal]
            try body(kinds[Int(record.kind)].name, record.id, range(of: ordinal), order)
        }
    }

    /// Events are prefetched this many records ahead. They are scattered over the log, so memory fetches them while other
    /// records are folded.
    private static let lead = 2

    /// Returns the position of event `index`, and the location of its frame.
    subscript(index: UInt32) -> (position: Position, place: Place) { events[Int(index)] }
}
