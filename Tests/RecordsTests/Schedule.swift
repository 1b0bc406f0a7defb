import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers

/// Three devices that edit the same records while they are apart, whose clocks are wrong by up to ten years either way,
/// and that meet now and then: in part, and in any order.
///
/// They write as the façade does: what a person wants goes through the schema, the change through the bytes of its event,
/// and the clock through what came from others.
struct Schedule {
    struct Written {
        let event: FramedEvent
        let change: Change
        /// What its author had: a bit for each place in ``written``.
        let known: UInt64
        /// The elements that the collection was to have from then on; `nil` where the write was not about it.
        let wanted: [[UInt8]]?
    }

    static let schema = KindSchema(
        name: "thing",
        fields: [
            FieldSchema(1, "FREQ+BAND", members: ["FREQ", "BAND"]), FieldSchema(2, "NAME"),
            FieldSchema(3, "PARKS", .union),
        ])
    static let tenYearsMilliseconds: Int64 = 3_653 * 86_400_000
    private static let start: Int64 = 1_767_225_600_000
    private static let fields = ["FREQ", "BAND", "NAME", "COMMENT", "PARKS"]

    let records: [RecordID]
    private(set) var written: [Written] = []
    private(set) var devices: [Device]
    private var now = start
    private var numbers: SeededGenerator

    struct Device {
        let replica: ReplicaID
        fileprivate(set) var store: FoldedStore
        fileprivate var known: UInt64 = 0
        fileprivate var clock = HybridClock()
        fileprivate var skew: Int64
        fileprivate var sequence: SequenceNumber = 0
    }

    /// A schedule of up to eighteen steps; afterwards each device is given what it lacks, in an order of its own.
    init(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        records = (0..<2).map { RecordID(high: seed, low: $0) }
        devices = (0..<3).map { _ in
            Device(
                replica: .random(using: &numbers),
                store: FoldedStore(schema: Self.schema, savesEachStep: seed % 20 == 0),
                skew: Self.skew(using: &numbers))
        }
        self.numbers = numbers
        for _ in 0..<Int.random(in: 6...18, using: &self.numbers) { try step() }
        for place in devices.indices { try give(everything, to: place) }
    }

    private var everything: UInt64 { (UInt64(1) << UInt64(written.count)) - 1 }

    private static func skew(using numbers: inout SeededGenerator) -> Int64 {
        Int64.random(in: -tenYearsMilliseconds...tenYearsMilliseconds, using: &numbers)
    }

    private mutating func step() throws {
        now += Int64.random(in: 0...3_600_000, using: &numbers)
        let place = Int.random(in: 0..<devices.count, using: &numbers)
        switch Double.random(in: 0..<1, using: &numbers) {
        case ..<0.6: try write(at: place)
        case ..<0.65: devices[place].skew = Self.skew(using: &numbers)
        default:
            let other = devices[Int.random(in: 0..<devices.count, using: &numbers)].known
            // Some of it may come another day.
            try give(numbers.chance(0.3) ? other & numbers.next() : other, to: place)
        }
    }

    private mutating func write(at place: Int) throws {
        var device = devices[place]
        let id = records[numbers.chance(0.7) ? 0 : 1]
        let record = device.store[id]
        var operations: [FieldOperation] = []
        var wanted: [[UInt8]]?
        if let record, record.isVisible, numbers.chance(0.15) {
            operations = [FieldOperation(.delete, .life, supersedes: record.coveredByDelete)]
        } else {
            let assignments = assignments()
            operations = Self.schema.operations(assigning: assignments, to: record)
            wanted = assignments.first { $0.name == "PARKS" }.map { ListSyntax.quoted.split($0.value ?? []) }
        }
        guard !operations.isEmpty else { return }
        device.sequence += 1
        let stamp = device.clock.tick(wallMilliseconds: now + device.skew)
        let change = Change(kind: "thing", record: id, operations: operations)
        let event = FramedEvent(
            EventID(device.replica, device.sequence), at: stamp, change, nonce: numbers.next())
        try device.store.fold(event)
        written.append(Written(event: event, change: change, known: device.known, wanted: wanted))
        device.known |= 1 << UInt64(written.count - 1)
        devices[place] = device
    }

    private mutating func assignments() -> [Assignment] {
        Self.fields.shuffled(using: &numbers).prefix(numbers.chance(0.3) ? 2 : 1).map { field in
            if numbers.chance(0.1) { return Assignment(field, nil) }
            if field == "PARKS" {
                return Assignment(field, text: ["x", "y", "x,y", "y,z"].randomElement(using: &numbers)!)
            }
            return Assignment(field, text: "\(Int.random(in: 0...3, using: &numbers))")
        }
    }

    /// Gives a device those of these events that it lacks, in any order.
    private mutating func give(_ events: UInt64, to place: Int) throws {
        var device = devices[place]
        let missing = written.indices.filter { (events & ~device.known) >> UInt64($0) & 1 == 1 }
        for index in missing.shuffled(using: &numbers) {
            let event = written[index].event
            try device.store.fold(event)
            device.clock.observe(event.stamp, wallMilliseconds: now + device.skew)
            device.known |= 1 << UInt64(index)
        }
        devices[place] = device
    }
}

/// What must be listed after a schedule, told from who had seen what, and from nothing that the events name.
struct ScheduleModel {
    struct Head: Hashable {
        let id: HeadID
        let stamp: Stamp
        let value: [UInt8]?
    }

    /// Each field with every write that nobody has followed who had it.
    private(set) var heads: [FieldKey: Set<Head>] = [:]
    private(set) var isVisible = false
    /// Writes that were followed by one with a lesser stamp: there the clocks say the opposite of what happened.
    private(set) var overtaken = 0

    init(_ record: RecordID, in schedule: Schedule) {
        let writes = schedule.written.enumerated().filter { $0.element.change.record == record }
        func followers(of place: Int, _ isMeant: (Schedule.Written) -> Bool) -> [Schedule.Written] {
            writes.map(\.element).filter { $0.known >> UInt64(place) & 1 == 1 && isMeant($0) }
        }
        let deletes = writes.filter { place, write in
            write.change.operations.contains { $0.code == .delete }
                && followers(of: place) { later in
                    later.change.operations.contains { [.set, .clear, .add, .revive].contains($0.code) }
                }.isEmpty
        }.map(\.element)
        for (place, write) in writes {
            for (index, operation) in write.change.operations.enumerated() {
                guard [.set, .clear, .add, .revive].contains(operation.code) else { continue }
                let isElement = operation.code == .add
                let later = followers(of: place) { later in
                    if isElement { return later.wanted.map { !$0.contains(operation.value!) } ?? false }
                    return later.change.operations.contains { $0.field == operation.field && $0.code != .delete }
                }
                overtaken += later.count { $0.event.stamp < write.event.stamp }
                guard later.isEmpty else { continue }
                let id = HeadID(write.event.id, index: isElement ? UInt32(index) : 0)
                heads[operation.field, default: []].insert(
                    Head(id: id, stamp: write.event.stamp, value: operation.value))
                if !deletes.contains(where: { $0.known >> UInt64(place) & 1 == 1 }) { isVisible = true }
            }
        }
    }

    /// What is shown of a field of one value: the greatest stamp, then the greatest replica and number.
    func shown(_ field: FieldKey) -> Head? { heads[field]?.max { ($0.stamp, $0.id) < ($1.stamp, $1.id) } }
}
