import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// What a store remembers of a place between two looks.
///
/// All of it is a hint: with empty notes the next look reads everything again, and ends with the same.
public struct PlaceNotes: Hashable, Sendable {
    /// Of each store the number of the segment to read, or to write, next.
    public internal(set) var next: [ReplicaID: UInt64] = [:]
    /// Of each store the mark of the segment before that one: a number alone would not tell it from another one that was
    /// left under its name after the place had been emptied.
    public internal(set) var marks: [ReplicaID: UInt64] = [:]
    /// What lies there, as far as it follows without holes.
    public internal(set) var vector = VersionVector()
    /// Ranges that lie there beside that.
    public internal(set) var kept: Set<EventRange> = []
    /// Ranges that lie there and were not in the log here when they came: its events with these numbers may be others.
    public internal(set) var waiting: Set<KeptRange> = []
    /// What each store said last.
    public internal(set) var statements: [ReplicaID: Statement] = [:]
    /// When each store had said what this one has answered, where it wanted ranges again.
    public internal(set) var answered: [ReplicaID: Int64] = [:]
    /// Of each store the numbers of segments behind which it went on without having read them: they were not there, or
    /// damaged. What they brought is wanted again.
    public internal(set) var unread: [ReplicaID: Set<UInt64>] = [:]
    /// What the log had and could prove at the end of the last look.
    public internal(set) var taken = VersionVector()
    /// When everything was looked at last, by this device's clock, in milliseconds since 1970.
    public internal(set) var lastFullLook: Int64 = 0

    /// No notes.
    public init() {}

    private static let magic: UInt32 = 0x344E_5747
    private static let countLimit = 1 << 16

    /// The notes that `bytes` hold; empty ones where they hold none.
    public init(reading bytes: [UInt8]) {
        self.init()
        let span = bytes.span.bytes
        guard span.byteCount >= 8, span.uint32(at: 0) == Self.magic,
            CRC32C.checksum(span.extracting(0..<span.byteCount - 4)) == span.uint32(at: span.byteCount - 4)
        else { return }
        var reader = ByteReader(at: 4)
        var notes = PlaceNotes()
        do throws(ByteCodingError) {
            notes.lastFullLook = Int64(bitPattern: try reader.uint64(in: span))
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let store: ReplicaID = try reader.id(in: span)
                notes.next[store] = try reader.uint64(in: span)
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let store: ReplicaID = try reader.id(in: span)
                notes.marks[store] = try reader.uint64(in: span)
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let replica: ReplicaID = try reader.id(in: span)
                notes.vector[replica] = try reader.uint64(in: span)
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let range = try reader.range(in: span) { notes.kept.insert(range) }
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let range = try reader.keptRange(in: span) { notes.waiting.insert(range) }
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                if let statement = try reader.statement(in: span) { notes.statements[statement.store] = statement }
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let store: ReplicaID = try reader.id(in: span)
                notes.answered[store] = Int64(bitPattern: try reader.uint64(in: span))
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let store: ReplicaID = try reader.id(in: span)
                notes.unread[store, default: []].insert(try reader.uint64(in: span))
            }
            for _ in 0..<(try reader.count(in: span, limit: Self.countLimit)) {
                let replica: ReplicaID = try reader.id(in: span)
                notes.taken[replica] = try reader.uint64(in: span)
            }
        } catch { return }
        self = notes
    }

    /// The notes as bytes.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.magic)
        writer.append(littleEndian: lastFullLook)
        writer.append(varint: next.count)
        for (store, number) in next.sorted(by: { $0.key < $1.key }) {
            writer.append(store)
            writer.append(littleEndian: number)
        }
        writer.append(varint: marks.count)
        for (store, mark) in marks.sorted(by: { $0.key < $1.key }) {
            writer.append(store)
            writer.append(littleEndian: mark)
        }
        writer.append(varint: vector.entries.count)
        for entry in vector.entries {
            writer.append(entry.replica)
            writer.append(littleEndian: entry.sequence)
        }
        writer.append(varint: kept.count)
        for range in kept.sorted(by: { $0.isBefore($1) }) { writer.append(range) }
        writer.append(varint: waiting.count)
        let ordered = waiting.sorted {
            $0.range == $1.range ? $0.rootPrefix < $1.rootPrefix : $0.range.isBefore($1.range)
        }
        for range in ordered { writer.append(range) }
        writer.append(varint: statements.count)
        for (_, statement) in statements.sorted(by: { $0.key < $1.key }) { writer.append(statement) }
        writer.append(varint: answered.count)
        for (store, milliseconds) in answered.sorted(by: { $0.key < $1.key }) {
            writer.append(store)
            writer.append(littleEndian: milliseconds)
        }
        let unread = unread.flatMap { store, numbers in numbers.map { (store, $0) } }.sorted { $0 < $1 }
        writer.append(varint: unread.count)
        for (store, number) in unread {
            writer.append(store)
            writer.append(littleEndian: number)
        }
        writer.append(varint: taken.entries.count)
        for entry in taken.entries {
            writer.append(entry.replica)
            writer.append(littleEndian: entry.sequence)
        }
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// A store has said directly what it has: with it alone lies what can be met there.
    public mutating func heard(_ statement: Statement) {
        statements[statement.store] = statement
        vector = statement.vector
        kept = Set(statement.kept.map(\.range))
        waiting = []
    }

    /// Counts on those of the ranges that waited here whose events are in `log` now, and forgets those that are gone.
    mutating func settle(with log: some ReplicatedLog, _ statement: Statement) throws {
        for one in waiting {
            let isHere = try log.root(of: one.range.replica, through: one.range.last)?.prefix == one.rootPrefix
            if isHere { add(one.range) }
            if isHere || !statement.apart.contains(one) { waiting.remove(one) }
        }
    }

    /// A range lies there.
    mutating func add(_ range: EventRange) {
        // Numbers that others say may be the greatest there are, so nothing is added to them.
        guard range.first - 1 <= vector[range.replica] else {
            kept.insert(range)
            return
        }
        vector[range.replica] = max(vector[range.replica], range.last)
        // What lay beside it may follow now.
        while let next = kept.first(where: { $0.replica == range.replica && $0.first - 1 <= vector[$0.replica] }) {
            kept.remove(next)
            vector[next.replica] = max(vector[next.replica], next.last)
        }
    }
}

extension EventRange {
    fileprivate func isBefore(_ other: EventRange) -> Bool {
        (replica, first, last) < (other.replica, other.first, other.last)
    }
}
