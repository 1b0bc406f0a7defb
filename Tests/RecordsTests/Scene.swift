import GroundwaveEvents
import GroundwaveRecords

/// A few named replicas that write one record, for examples whose inputs stand in the test.
struct Scene {
    static let record = RecordID(high: 7, low: 7)
    static let frequency = FieldKey.number(1)
    static let parks = FieldKey.number(3)

    let record = Scene.record
    private var sequences: [ReplicaID: SequenceNumber] = [:]
    private(set) var events: [FramedEvent] = []

    /// The replica `a`, `b`, …: their order is that of their letters.
    static func replica(_ letter: Character) -> ReplicaID {
        ReplicaID(high: UInt64(letter.asciiValue!), low: 0)
    }

    /// Writes one event and returns the name of the head of its first operation.
    @discardableResult
    mutating func write(
        _ letter: Character, at stamp: UInt64, source: SourceID? = nil, _ operations: FieldOperation...
    ) -> HeadID {
        write(letter, at: stamp, source: source, operations)
    }

    /// Writes one event of these operations and returns the name of the head of the first one.
    @discardableResult
    mutating func write(
        _ letter: Character, at stamp: UInt64, source: SourceID? = nil, _ operations: [FieldOperation]
    ) -> HeadID {
        let replica = Self.replica(letter)
        sequences[replica, default: 0] += 1
        let id = EventID(replica, sequences[replica]!)
        let change = Change(kind: "thing", record: record, source: source, operations: operations)
        events.append(FramedEvent(id, at: Stamp(rawValue: stamp), change, nonce: stamp))
        return HeadID(id)
    }

    /// What the record is after all events, in the order in which they were written.
    func folded(schema: KindSchema? = nil) throws -> Record {
        try FoldedStore(folding: events, schema: schema)[record]!
    }

    /// All orders of the events; for at most five of them.
    var orders: [[FramedEvent]] { Self.permutations(events) }

    static func permutations(_ events: [FramedEvent]) -> [[FramedEvent]] {
        guard events.count > 1 else { return [events] }
        return events.indices.flatMap { place in
            var rest = events
            let first = rest.remove(at: place)
            return permutations(rest).map { [first] + $0 }
        }
    }
}

extension FieldOperation {
    static func set(_ field: FieldKey, _ value: String, over heads: HeadID...) -> FieldOperation {
        FieldOperation(.set, field, supersedes: heads, value: Array(value.utf8))
    }

    static func clear(_ field: FieldKey, over heads: HeadID...) -> FieldOperation {
        FieldOperation(.clear, field, supersedes: heads)
    }

    static func add(_ field: FieldKey, _ value: String, over heads: HeadID...) -> FieldOperation {
        FieldOperation(.add, field, supersedes: heads, value: Array(value.utf8))
    }

    static func remove(_ field: FieldKey, _ heads: HeadID...) -> FieldOperation {
        FieldOperation(.remove, field, supersedes: heads)
    }

    static func delete(_ heads: HeadID...) -> FieldOperation { FieldOperation(.delete, .life, supersedes: heads) }

    static func revive(over deletes: HeadID...) -> FieldOperation {
        FieldOperation(.revive, .life, supersedes: deletes)
    }
}

extension Record {
    /// The value shown for a field, as text.
    func text(_ field: FieldKey) -> String? { self[field]?.shown.value.map { String(decoding: $0, as: UTF8.self) } }

    /// All values of a field as text, the one that is shown last.
    func texts(_ field: FieldKey) -> [String?] {
        self[field]?.heads.map { $0.value.map { String(decoding: $0, as: UTF8.self) } } ?? []
    }
}
