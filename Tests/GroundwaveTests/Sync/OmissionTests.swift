import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

@testable import GroundwaveReplication
@testable import GroundwaveSyncing

extension TemporaryStore {
    /// What this store says now that it has.
    fileprivate func manifest() throws -> Manifest {
        try Manifest(of: StoreLog(store: store), as: try store.files.readIdentity(), milliseconds: 0)
    }
}

extension Manifest {
    /// The same, with other numbers.
    fileprivate func saying(_ numbers: [ReplicaID: UInt64]) -> Manifest {
        Manifest(
            store: store, milliseconds: milliseconds,
            heads: heads.compactMap { head in
                let number = numbers[head.event.replica] ?? head.event.sequence
                guard number > 0 else { return nil }
                return ObservedHead(event: EventID(head.event.replica, number), rootPrefix: head.rootPrefix)
            })
    }
}

@Suite struct `A member that hides events from another` {
    @Test func `is named once those to whom it has shown different things compare`() async throws {
        let (here, there, common) = (MemoryTransport(), MemoryTransport(), MemoryTransport())
        let shack = try await TemporaryStore(.full(named: "shack"))
        try await shack.log("N0CALL")
        try await shack.store.sync(with: common, as: "common")
        let laptop = try await TemporaryStore(joining: common, as: "common", .full(named: "laptop"))
        let joined = try await TemporaryStore(joining: common, as: "common", .full(named: "member"))
        let member = try joined.replica
        try joined.store.close()
        // It goes on with two states of one store, which somebody can have who knows how.
        let twin = try await joined.twin(.full())
        let (open, hiding) = (try await joined.reopened(.full()), twin.store)
        defer { try? open.close() }
        try await open.write { try $0.add(Contact("N9CALL")) }
        #expect(open.replica == member && hiding.replica == member)
        try await open.sync(with: here, as: "here")
        try await shack.store.sync(with: here, as: "here")
        #expect(try shack.calls.contains("N9CALL"))
        // To the laptop it says that it has what the laptop has written since, and not what it had written itself before.
        try await laptop.store.sync(with: there, as: "there")
        try await laptop.log("N1CALL")
        try await laptop.store.sync(with: there, as: "there")
        try await hiding.sync(with: there, as: "there")
        try await laptop.store.sync(with: there, as: "there")
        func omitted(_ store: TemporaryStore) throws -> [ReplicaID: [EventRange]] {
            let devices = try store.store.syncStatus().remotes.flatMap(\.devices).filter { !$0.omitted.isEmpty }
            return Dictionary(devices.map { ($0.replica, $0.omitted) }, uniquingKeysWith: +)
        }
        #expect(try omitted(laptop).isEmpty && omitted(shack).isEmpty)
        try await shack.store.sync(with: common, as: "common")
        try await laptop.store.sync(with: common, as: "common")
        let last = try shack.store.log.vector()[member]
        #expect(try omitted(laptop) == [member: [EventRange(member, last, through: last)]])
        #expect(try omitted(shack).isEmpty)
    }

    @Test func `is not one that was only elsewhere`() async throws {
        let (here, there) = (MemoryTransport(), MemoryTransport())
        let shack = try await TemporaryStore(.full(named: "shack"))
        try await shack.log("N0CALL")
        try await shack.store.sync(with: here, as: "here")
        let phone = try await TemporaryStore(joining: here, as: "here", .full(named: "phone"))
        let laptop = try await TemporaryStore(joining: here, as: "here", .full(named: "laptop"))
        for store in [phone, laptop, phone] { try await store.store.sync(with: there, as: "there") }
        try await laptop.log("N1CALL")
        try await laptop.store.sync(with: there, as: "there")
        try await phone.log("N2CALL")
        try await phone.store.sync(with: here, as: "here")
        try await laptop.store.sync(with: here, as: "here")
        #expect(try laptop.calls.contains("N2CALL"))
        try await laptop.store.sync(with: there, as: "there")
        let devices = try laptop.store.syncStatus().remotes.flatMap(\.devices)
        #expect(devices.count >= 3 && devices.allSatisfy(\.omitted.isEmpty))
    }

    @Test func `is named for what others wrote, which it has seen`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(.full(named: "shack"))
        try await shack.log("N0CALL")
        try await shack.store.sync(with: cloud, as: "cloud")
        let phone = try await TemporaryStore(joining: cloud, as: "cloud", .full(named: "phone"))
        try await phone.log("N1CALL")
        try await phone.store.sync(with: cloud, as: "cloud")
        try await shack.store.sync(with: cloud, as: "cloud")
        let (founder, replica) = (try shack.replica, try phone.replica)
        let manifest = try phone.manifest()
        let log = shack.store.log
        #expect(try manifest.omissions(by: log).isEmpty)
        let last = try #require(manifest.vector.entries.first { $0.replica == founder }).sequence
        #expect(
            try manifest.saying([founder: last - 1]).omissions(by: log) == [EventRange(founder, last, through: last)])
        #expect(
            try manifest.saying([founder: 0]).omissions(by: log) == [EventRange(founder, 1, through: last)])
        // Its first event is older than what it says to have of the other one.
        #expect(try manifest.saying([replica: 0]).omissions(by: log).first?.replica == replica)
        // It may be of a history that forks elsewhere.
        var unknown = manifest.saying([founder: last - 1])
        unknown.advance(ObservedHead(event: EventID(ReplicaID(high: 1, low: 1), 1), rootPrefix: 1))
        #expect(try unknown.omissions(by: log).isEmpty)
        // What it passes on as it has received it is shown.
        let root = try #require(try log.root(of: founder, through: last)).prefix
        let kept = Manifest(
            store: manifest.store, milliseconds: 0, heads: manifest.saying([founder: last - 1]).heads,
            kept: [RetainedRange(range: EventRange(founder, last, through: last), rootPrefix: root)])
        #expect(try kept.omissions(by: log).isEmpty)
    }

    @Test(arguments: 1...6)
    func `is told by what its events say it had seen, and nobody else is, in any history`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let places = [MemoryTransport(), MemoryTransport()]
        let first = try await TemporaryStore(.full(named: "device 0"))
        try await first.log("N0CALL")
        for (number, place) in places.enumerated() { try await first.store.sync(with: place, as: "place\(number)") }
        var stores = [first]
        for number in 1..<4 {
            stores.append(try await TemporaryStore(joining: places[0], as: "place0", .full(named: "device \(number)")))
        }
        /// What the author of each event had before it, as its store said then.
        var seen: [EventID: VersionVector] = [:]
        var said: [(manifest: Manifest, own: UInt64)] = []
        for step in 0..<60 {
            let store = stores[Int.random(in: 0...3, using: &numbers)]
            let replica = try store.replica
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<4:
                let before = try store.store.log.vector()
                try await store.log("N\(step)CALL")
                for number in before[replica] + 1...(try store.store.log.vector()[replica]) {
                    seen[EventID(replica, number)] = before
                }
            case 4..<7:
                let place = Int.random(in: 0...1, using: &numbers)
                try await store.store.sync(with: places[place], as: "place\(place)")
            default: said.append((try store.manifest(), try store.store.log.vector()[replica]))
            }
        }
        for (number, place) in places.enumerated() {
            for _ in 0..<2 { for store in stores { try await store.store.sync(with: place, as: "place\(number)") } }
        }
        let log = stores[0].store.log
        var named = 0
        for (manifest, own) in said {
            for store in stores { #expect(try manifest.omissions(by: store.store.log).isEmpty, "seed \(seed)") }
            // The same device says less of itself than it had.
            let less = Int.random(in: 0...Int(own) - 1, using: &numbers)
            let lie = manifest.saying([manifest.store: UInt64(less)])
            let others = lie.vector.entries.filter { $0.replica != lie.store }
            let expected = (UInt64(less) + 1...own).filter { number in
                guard let had = seen[EventID(lie.store, number)] else { return false }
                return others.contains { $0.sequence > had[$0.replica] }
            }
            guard let end = expected.last, expected.count == Int(end) - less else { continue }
            let found = try lie.omissions(by: log).filter { $0.replica == lie.store }
            #expect(found == [EventRange(lie.store, UInt64(less) + 1, through: end)], "seed \(seed)")
            named += 1
        }
        #expect(named > 0)
    }
}
