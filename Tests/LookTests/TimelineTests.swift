import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveStore
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveLook

@Suite struct `The timeline` {
    /// A clock that a test sets, in milliseconds since 1970.
    private final class Clock: Sendable {
        private let time: Mutex<Int64>
        init(_ time: Int64) { self.time = Mutex(time) }
        func advance(_ by: Int64) { time.withLock { $0 += by } }
        var surroundings: Surroundings {
            Surroundings(
                now: { [self] in
                    let time = time.withLock { $0 }
                    return Arrival(
                        wallMilliseconds: time, monotonicMilliseconds: time, boot: Array(repeating: 1, count: 16))
                }, randomNumber: Surroundings.system.randomNumber)
        }
    }

    /// Two devices that write by turns, seconds to weeks apart; all that both have written is in the first one's log.
    private static func store(_ numbers: inout SeededGenerator) async throws -> TemporaryStore {
        let clock = Clock(1_700_000_000_000)
        let cloud = MemoryTransport()
        let laptop = try await TemporaryStore(
            Configuration.full(deviceName: "laptop", surroundings: clock.surroundings))
        try await laptop.store.sync(with: cloud, as: "cloud")
        let phone = try await TemporaryStore(
            joining: cloud, as: "cloud", Configuration.full(deviceName: "phone", surroundings: clock.surroundings))
        for number in 0..<30 {
            clock.advance(
                Int64.random(
                    in: 1...[1000, 3_600_000, 86_400_000 * 9].randomElement(using: &numbers)!, using: &numbers))
            let store = numbers.chance(0.5) ? laptop.store : phone.store
            let count = Int.random(in: 1...4, using: &numbers)
            if numbers.chance(0.3) {
                let text = "<CALL:4>W1AW<QSO_DATE:8>20260501<TIME_ON:6>\(120_000 + number)<BAND:3>20m<MODE:2>CW<EOR>"
                try await store.importText(text, named: "log.adi")
            } else {
                try await store.write { batch in
                    for index in 0..<count { _ = try batch.add("qso", [Assignment("CALL", text: "N\(index)CALL")]) }
                }
            }
        }
        try await phone.store.sync(with: cloud, as: "cloud")
        try await laptop.store.sync(with: cloud, as: "cloud")
        return laptop
    }

    /// The lanes as a witness counts them: event by event, from the history.
    private static func counted(
        _ store: Store, on grid: TimeGrid, by grouping: Timeline.Grouping
    ) throws -> [String: [Int]] {
        let devices = try store.deviceNames()
        var query = HistoryQuery()
        query.isWithRenewals = true
        let entries = try store.history(query)
        // A batch is of an import if the record of one is in it; the stamps of a replica's batches differ.
        var files: [EventID: String] = [:]
        for entry in entries where entry.kind == "import" {
            files[EventID(entry.event.replica, entry.stamp.rawValue)] = "log.adi"
        }
        var lanes: [String: [Int]] = [:]
        for entry in entries {
            let moment = entry.counted.milliseconds
            guard
                let step = (0..<grid.count).first(where: { grid.bounds[$0] <= moment && moment < grid.bounds[$0 + 1] })
            else { continue }
            let name =
                switch grouping {
                case .device: devices[entry.event.replica] ?? "?"
                case .kind: entry.kind
                case .imports: files[EventID(entry.event.replica, entry.stamp.rawValue)] ?? "by hand"
                }
            lanes[name, default: Array(repeating: 0, count: grid.count)][step] += 1
        }
        return lanes
    }

    @Test(arguments: UInt64(1)...6)
    func `counts what a reader of the whole history counts, in every lane and step`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await Self.store(&numbers)
        let census = Census()
        for grouping in Timeline.Grouping.allCases {
            let whole = try #require(try await Timeline.of(temporary.store, zoom: nil, by: grouping, census))
            let middle = whole.whole.lowerBound + (whole.whole.upperBound - whole.whole.lowerBound) / 2
            for zoom in [nil, whole.whole.lowerBound...middle, middle...middle + 86_400_000, 0...1000] {
                let timeline = try #require(try await Timeline.of(temporary.store, zoom: zoom, by: grouping, census))
                let lanes = Dictionary(uniqueKeysWithValues: timeline.lanes.map { ($0.name, $0.counts) })
                #expect(
                    lanes == (try Self.counted(temporary.store, on: timeline.grid, by: grouping)),
                    "\(grouping) \(zoom.debugDescription)")
            }
        }
        // What comes later is counted, too.
        try await temporary.store.write { _ = try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }
        let after = try #require(try await Timeline.of(temporary.store, zoom: nil, by: .kind, census))
        #expect(
            Dictionary(uniqueKeysWithValues: after.lanes.map { ($0.name, $0.counts) })
                == (try Self.counted(temporary.store, on: after.grid, by: .kind)))
    }

    @Test func `joins what is too much for lanes of their own`() async throws {
        let temporary = try await TemporaryStore(Configuration.full())
        for number in 0..<12 {
            let kind = "application\(number)"
            try await temporary.store.write { batch in
                for _ in 0...number {
                    try batch.append(
                        Change(
                            kind: kind, record: batch.newID(),
                            operations: [FieldOperation(.set, .name("A"), value: [65])]))
                }
            }
        }
        let timeline = try #require(try await Timeline.of(temporary.store, zoom: nil, by: .kind, Census()))
        #expect(timeline.lanes.count == Timeline.laneLimit + 1)
        #expect(timeline.lanes.first?.total == 12)
        #expect(
            timeline.lanes.reduce(0) { $0 + $1.total } == Int(try temporary.store.log.lastPosition()),
            "none is left out")
    }
}
