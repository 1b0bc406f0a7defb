import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// What is declared of clocks, and which head shows, as a person with a list of all events would find it.
private struct ClockModel {
    /// The declarations of each replica: the first wrong time, and the ceiling, in milliseconds.
    private var declared: [ReplicaID: [(from: Int64, ceiling: Int64)]] = [:]
    private var stamps: [EventID: UInt64] = [:]

    /// - Parameter frames: Events, in any order.
    init(_ frames: [[UInt8]]) throws {
        var added: [EventID: (replica: ReplicaID, text: String)] = [:]
        var removed: Set<EventID> = []
        for bytes in frames {
            try bytes.withSpan { bytes in
                let frame = try Frame(parsing: bytes)
                stamps[frame.id] = frame.stamp.rawValue
                let change = try? Change(
                    shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values), isWithheld: false,
                    by: frame.names(in: bytes))
                guard let change, change.kind == "replica" else { return }
                for operation in change.operations where operation.field == .number(7) {
                    removed.formUnion(operation.supersedes.map(\.event))
                    guard operation.code == .add, let value = operation.value else { continue }
                    let replica = ReplicaID(high: change.record.high, low: change.record.low)
                    added[frame.id] = (replica, String(decoding: value, as: UTF8.self))
                }
            }
        }
        for (event, entry) in added where !removed.contains(event) {
            let numbers = entry.text.split(separator: " ", omittingEmptySubsequences: false).map { Int64($0) }
            // What is no time that a stamp can have says nothing.
            guard numbers.count == 2, let from = numbers[0], let ceiling = numbers[1],
                (0..<1 << 48).contains(from), (0..<1 << 48).contains(ceiling)
            else { continue }
            declared[entry.replica, default: []].append((from, ceiling))
        }
    }

    /// The stamp of an event that counts.
    func stamp(of event: EventID) -> UInt64 {
        let stamp = stamps[event] ?? 0
        let ceilings = (declared[event.replica] ?? []).filter { $0.from <= stamp / 65_536 }.map(\.ceiling)
        return min(stamp, ceilings.min().map { UInt64($0) * 65_536 } ?? .max)
    }

    /// The value that shows of several heads.
    func shown(_ heads: [Record.Head]) -> [UInt8]? {
        heads.max { one, other in
            let (left, right) = (stamp(of: one.id.event), stamp(of: other.id.event))
            return left == right ? one.id.event < other.id.event : left < right
        }?.value
    }
}

/// Devices some of whose clocks go wrong, and that meet now and then.
private struct WrongClockFleet {
    var fleet: Fleet

    /// One random thing happens: a clock goes wrong or right, a device writes, a person declares, two devices meet.
    mutating func step(_ ids: [RecordID]) async throws {
        for clock in fleet.clocks { clock.advance(by: .seconds(Int.random(in: 1...600, using: &fleet.numbers))) }
        let place = Int.random(in: 0..<fleet.stores.count, using: &fleet.numbers)
        let (store, clock) = (fleet.stores[place], fleet.clocks[place])
        switch Int.random(in: 0..<12, using: &fleet.numbers) {
        case 0...1:
            let right = clock.now.monotonicMilliseconds + 1_767_225_600_000
            let errors: [Int64] = [0, 0, 40_000_000, 86_399_000, 90_000_000, 86_400_000 * 400, 86_400_000 * 4000]
            clock.setWall(milliseconds: right + (errors.randomElement(using: &fleet.numbers) ?? 0))
        case 2...7:
            let id = ids.randomElement(using: &fleet.numbers) ?? ids[0]
            let value = "v\(Int.random(in: 0...999, using: &fleet.numbers))"
            let field = ["COMMENT", "NAME"].randomElement(using: &fleet.numbers) ?? "NAME"
            try await store.edit(id, [field: value])
        case 8: try await declare(on: store)
        default:
            let other = Int.random(in: 0..<fleet.stores.count, using: &fleet.numbers)
            if other != place { try Fleet.send(from: fleet.stores[other], to: store, at: clock) }
        }
    }

    /// Somebody says something of a clock, also what makes no sense.
    private mutating func declare(on store: Store) async throws {
        let replicas = try store.replicas().filter { $0.device != nil }.map(\.id)
        guard let replica = replicas.randomElement(using: &fleet.numbers) else { return }
        if Int.random(in: 0..<4, using: &fleet.numbers) == 0 {
            try await store.withdrawWrongClock(of: replica)
            return
        }
        let times: [Int64] = [
            0, 1, .max, -1, .min, 1_767_225_600_000 + Int64.random(in: 0...100_000_000, using: &fleet.numbers),
            1_767_225_600_000 + 86_400_000 * 400, 1 << 47, (1 << 48) - 1, 1 << 48,
        ]
        let from = times.randomElement(using: &fleet.numbers) ?? 0
        let ceiling = times.randomElement(using: &fleet.numbers) ?? 0
        let text =
            ["\(from) \(ceiling)", "\(from)", "\(from)  \(ceiling)", "x y", "", "\(from) \(ceiling) 1"]
            .randomElement(using: &fleet.numbers) ?? ""
        let isSound = Int.random(in: 0..<3, using: &fleet.numbers) > 0
        try await store.write { batch in
            try batch.append(
                Change(
                    kind: "replica", record: RecordID(high: replica.high, low: replica.low),
                    operations: [
                        FieldOperation(
                            .add, .number(7), value: Array((isSound ? "\(max(0, from)) \(max(0, ceiling))" : text).utf8)
                        )
                    ]))
        }
    }
}

@Suite struct `Clocks that are wrong at random` {
    @Test(arguments: UInt64(1)...12)
    func `all devices agree, in any order, and show what the lesser stamps say`(seed: UInt64) async throws {
        var fleet = try await WrongClockFleet(fleet: Fleet(3, seed: seed, skew: .zero))
        defer { fleet.fleet.close() }
        let first = fleet.fleet.stores[0]
        let ids = [try await first.log("W1AW"), try await first.log("K1AA"), try await first.log("N0CALL")]
        try fleet.fleet.meet()
        for _ in 0..<120 { try await fleet.step(ids) }
        try fleet.fleet.meet()
        try fleet.fleet.meet()
        let digests = try Set(fleet.fleet.stores.map { try $0.digest().views })
        #expect(digests.count == 1)
        var frames: [[UInt8]] = []
        try first.log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
        let model = try ClockModel(frames)
        for store in fleet.fleet.stores {
            for id in ids {
                for field in try store.record("qso", id)?.fields ?? [] where field.key != .life {
                    #expect(field.value == model.shown(field.heads), "\(field.key)")
                    for head in field.heads { #expect(head.stamp.rawValue == model.stamp(of: head.id.event)) }
                }
            }
        }
        // Each device takes in events as they come, here after every few, in an order of its own.
        for _ in 0..<3 {
            let fold = try FreshFold([], of: first)
            var rest = Dictionary(grouping: frames) { bytes in bytes.withSpan { (try? Frame(parsing: $0))?.id.replica }
            }
            while let replica = rest.keys.sorted(by: { "\($0 as Any)" < "\($1 as Any)" })
                .randomElement(using: &fleet.fleet.numbers)
            {
                let count = Int.random(in: 1...7, using: &fleet.fleet.numbers)
                let next = Array(rest[replica]?.prefix(count) ?? [])
                _ = try fold.log.append(copying: next, arrival: .now())
                try fold.views.catchUp()
                rest[replica] = rest[replica].map { Array($0.dropFirst(count)) }.flatMap { $0.isEmpty ? nil : $0 }
            }
            #expect(try fold.views.read { try $0.digest() }.hash == digests.first)
        }
        try await checkPast(of: first, &fleet.fleet.numbers, frames, ids)
    }

    /// What a point shows is what its events alone fold to.
    private func checkPast(
        of store: Store, _ numbers: inout SeededGenerator, _ frames: [[UInt8]], _ ids: [RecordID]
    ) async throws {
        if Bool.random(using: &numbers) { _ = try store.createSnapshot() }
        for _ in 0..<6 {
            let count = Int.random(in: 1...frames.count, using: &numbers)
            let past = try await store.at(.position(UInt64(count)))
            let fold = try FreshFold(Array(frames.prefix(count)), of: store)
            #expect(try past.digest().views == fold.views.read { try $0.digest() }.hash, "@\(count)")
            for id in ids {
                let single = try past.record("qso", id)
                #expect(try single == past.read { try $0.record("qso", id) })
            }
        }
    }
}
