import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers

/// A random history of some replicas that write offline and now and then meet.
///
/// Each author writes what it sees: its own store as it is, or as it was when a form was opened some time ago.
struct History {
    struct Written {
        let event: FramedEvent
        let change: Change
        /// The places in the history of everything its author had.
        let known: Set<Int>
    }

    static let frequency = FieldKey.number(1)
    static let notes = FieldKey.name("notes")
    static let parks = FieldKey.number(3)
    static let schema = KindSchema(name: "thing", fields: [.init(1, "freq"), .init(3, "parks", .union)])
    static let sources = [SourceID(name: "LoTW"), SourceID(name: "QRZ")]

    private(set) var written: [Written] = []
    let records: [RecordID]
    private var generator: SeededGenerator

    var events: [FramedEvent] { written.map(\.event) }

    /// Two to four replicas, two records, up to thirty steps.
    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        records = (0..<2).map { RecordID(high: seed, low: $0) }
        var authors = (0..<[2, 3, 4].randomElement(using: &generator)!).map { _ in Author(using: &generator) }
        for _ in 0..<[6, 12, 30].randomElement(using: &generator)! {
            let place = authors.indices.randomElement(using: &generator)!
            switch Double.random(in: 0..<1, using: &generator) {
            case ..<0.5:
                try write(as: &authors[place])
            case ..<0.65:
                authors[place].form = authors[place].store
            default:
                let source = authors[place].known
                try meet(&authors[authors.indices.randomElement(using: &generator)!], source)
            }
        }
    }

    /// All events in some order in which everything comes after what its author had seen.
    func causalOrder(seed: UInt64) -> [FramedEvent] {
        var generator = SeededGenerator(seed: seed)
        var waiting = Array(written.indices).shuffled(using: &generator)
        var done: Set<Int> = []
        var order: [FramedEvent] = []
        while !waiting.isEmpty {
            let next = waiting.firstIndex { written[$0].known.isSubset(of: done) }!
            let place = waiting.remove(at: next)
            done.insert(place)
            order.append(written[place].event)
            waiting.shuffle(using: &generator)
        }
        return order
    }

    /// All events in any order at all.
    func anyOrder(seed: UInt64) -> [FramedEvent] {
        var generator = SeededGenerator(seed: seed)
        return events.shuffled(using: &generator)
    }
}

extension History {
    private struct Author {
        let replica: ReplicaID
        var store = FoldedStore(schema: History.schema)
        var known: [Int] = []
        var form: FoldedStore?
        var stamp: UInt64
        var sequence: SequenceNumber = 0

        init(using generator: inout SeededGenerator) {
            replica = .random(using: &generator)
            // Clocks that are far apart, and stamps that are often the same.
            stamp = UInt64.random(in: 1...12, using: &generator)
        }
    }

    private mutating func write(as author: inout Author) throws {
        let view = author.form != nil && generator.chance(0.7) ? author.form! : author.store
        author.form = nil
        let record = records.randomElement(using: &generator)!
        author.sequence += 1
        author.stamp += UInt64.random(in: 0...3, using: &generator)
        let id = EventID(author.replica, author.sequence)
        let source = generator.chance(0.3) ? Self.sources.randomElement(using: &generator) : nil
        let change = Change(
            kind: "thing", record: record, source: source, operations: operations(viewing: view[record]))
        let event = FramedEvent(id, at: Stamp(rawValue: author.stamp), change, nonce: generator.next())
        try author.store.fold(event)
        written.append(Written(event: event, change: change, known: Set(author.known)))
        author.known.append(written.count - 1)
    }

    private mutating func meet(_ author: inout Author, _ theirs: [Int]) throws {
        let missing = theirs.filter { !author.known.contains($0) }
        for place in missing.prefix(Int.random(in: 1...9, using: &generator)) {
            guard written[place].known.isSubset(of: author.known) else { continue }
            try author.store.fold(written[place].event)
            author.known.append(place)
        }
    }

    /// One to three operations on different keys; a delete stands alone.
    private mutating func operations(viewing record: Record?) -> [FieldOperation] {
        var operations: [String: FieldOperation] = [:]
        for _ in 0..<[1, 1, 2, 3].randomElement(using: &generator)! {
            let (key, operation) = operation(viewing: record)
            if operation.code == .delete { return [operation] }
            operations[key] = operation
        }
        return operations.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func operation(viewing record: Record?) -> (key: String, FieldOperation) {
        let deletes = record?.deletions.map { HeadID($0.event) } ?? []
        let field = Bool.random(using: &generator) ? Self.frequency : Self.notes
        let element = Bool.random(using: &generator) ? "x" : "y"
        let superseded = record?.superseded(by: field) ?? []
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return ("\(field)", FieldOperation(.clear, field, supersedes: superseded))
        case 1:
            return (element, FieldOperation(.add, Self.parks, supersedes: deletes, value: Array(element.utf8)))
        case 2:
            let additions = record?[Self.parks]?.heads.filter { $0.value == Array(element.utf8) } ?? []
            return (element, FieldOperation(.remove, Self.parks, supersedes: additions.map(\.id)))
        case 3: return ("delete", FieldOperation(.delete, .life, supersedes: record?.coveredByDelete ?? []))
        case 4:
            return ("revive", FieldOperation(.revive, .life, supersedes: record?.superseded(by: .life) ?? []))
        default:
            let value = "v\(Int.random(in: 0..<4, using: &generator))"
            return ("\(field)", FieldOperation(.set, field, supersedes: superseded, value: Array(value.utf8)))
        }
    }
}
