import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages

/// A row of `runs`: event `first` of `replica` is at `position`, and the next ones follow it.
struct Run: Hashable {
    let replica: ReplicaID
    let first: SequenceNumber
    let position: Position
}

/// A late event, as its row contains it.
struct LateEvent: Sendable {
    /// Its arrival number.
    let number: UInt64
    let event: CheckedEvent
}

/// All rows of the log except those of `events` and `arrivals`.
package struct LogRows {
    var meta: [[UInt8]: [UInt8]] = [:]
    var heads: [ReplicaID: HeadRow] = [:]
    var trees: [ReplicaID: MerkleEdge] = [:]
    var nodes: [ReplicaNumberKey: Hash256] = [:]
    /// In order of replica and number, as they stand in the file.
    var runs: [Run] = []
    /// The events whose values are refused.
    var erased = EventSet()
    /// The signed heads, as rows.
    var signed: [ReplicaID: [UInt8]] = [:]
    /// The branches and their fork points.
    var streams = Streams()
    /// The events that were lost with a damaged file.
    var lostRanges = EventSet()
    /// The events without values that other stores may have.
    var missingValues = EventSet()
    /// The events that the archive snapshot covers.
    var archived: VersionVector {
        meta[LogBase.key].flatMap { $0.withSpan { LogBase.parse($0)?.base.vector } } ?? VersionVector()
    }
    /// The late events, by position.
    var late: [Position: LateEvent] = [:]
    /// The arrival numbers of late events, by position.
    var filled: [Position: UInt64] = [:]
    /// The retained ranges.
    var ranges: [[UInt8]] = []
    private var hasher = MerkleHasher()
    /// The number of pieces of the archive snapshot, their size in bytes, and their hashes in order.
    private var basePieces: (count: UInt64, bytes: UInt64, hashes: ByteWriter) = (0, 0, ByteWriter())

    /// Whether the archive snapshot matches the row that describes it; also if there is neither.
    var isBaseWhole: Bool {
        guard let row = meta[LogBase.key] else { return basePieces.count == 0 }
        guard let (base, hash) = row.withSpan({ LogBase.parse($0) }) else { return false }
        return base.byteCount == basePieces.bytes && basePieces.hashes.withSpan { Hash256(hashing: $0) } == hash
    }

    /// Returns the meta row `name`; `nil` if it does not have `count` bytes.
    func metaRow(_ name: String, count: Int) -> [UInt8]? {
        meta[[UInt8](name.utf8)].flatMap { $0.count == count ? $0 : nil }
    }

    package var state: LogState? { meta[LogState.key].flatMap { $0.withSpan { LogState($0) } } }

    /// Stores a row of `table`; returns whether it is well-formed.
    mutating func insert(_ key: RawSpan, _ value: RawSpan, of table: LogTable) -> Bool {
        switch table {
        case .meta:
            meta[key.toArray()] = value.toArray()
        case .heads:
            guard let key = ReplicaKey(keyBytes: key), let row = HeadRow(value) else { return false }
            heads[key.replica] = row
        case .trees:
            guard let key = ReplicaKey(keyBytes: key), let edge = try? MerkleEdge(row: value) else { return false }
            trees[key.replica] = edge
        case .nodes:
            guard let key = ReplicaNumberKey(keyBytes: key), value.byteCount == 32 else { return false }
            nodes[key] = Hash256(at: 0, of: value)
        case .runs:
            guard let key = ReplicaNumberKey(keyBytes: key), key.number >= 1, value.byteCount == 8 else { return false }
            runs.append(Run(replica: key.replica, first: key.number, position: value.uint64(at: 0)))
        case .erased:
            guard let (_, run) = RefusalKey.refusal(key, value) else { return false }
            erased.insert(run)
        case .holes:
            guard let range = EventRange(key: key, value: value) else { return false }
            lostRanges.insert(range)
        case .lacking:
            guard let range = EventRange(key: key, value: value) else { return false }
            missingValues.insert(range)
        case .signed:
            guard let key = ReplicaKey(keyBytes: key), value.byteCount == 136 else { return false }
            signed[key.replica] = value.toArray()
        case .streams:
            guard let key = ReplicaKey(keyBytes: key), let branch = Streams.Branch(value) else { return false }
            streams.add(key.replica, to: branch.parent, after: branch.after)
        case .waiting:
            ranges.append(value.toArray())
        case .base:
            guard UInt64(keyBytes: key) == basePieces.count else { return false }
            basePieces.count += 1
            basePieces.bytes += UInt64(value.byteCount)
            basePieces.hashes.append(Hash256(hashing: value))
        case .late:
            guard let number = UInt64(keyBytes: key), number > 0,
                let (position, event) = try? LateRow.withFrame(
                    in: value, { position, bytes in (position, try CheckedEvent(bytes, &hasher)) }),
                late.updateValue(LateEvent(number: number, event: event), forKey: position) == nil
            else { return false }
        case .filled:
            guard let position = UInt64(keyBytes: key), value.byteCount == 8 else { return false }
            filled[position] = value.uint64(at: 0)
        case .arrivals:
            return false
        }
        return true
    }
}

/// Collects rows of one table in ``LogRows``.
struct RowCollector: RowVisitor {
    let table: LogTable
    var rows: LogRows
    var damaged: [PageDamage] = []
    var malformed = 0

    mutating func row(key: RawSpan, value: RawSpan) {
        guard let count = table.contentSize(of: value, under: key),
            rows.insert(key, value.extracting(0..<count), of: table)
        else {
            malformed += 1
            return
        }
    }

    mutating func damage(_ damage: PageDamage) { damaged.append(damage) }
}
