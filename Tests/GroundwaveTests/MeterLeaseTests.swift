import Everything
import Foundation
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveTesting
import Testing

/// Who has a meter, and since when, by the clocks of several devices and at past moments.
@Suite struct `The lease of a meter` {
    private let address = MACAddress("00:15:A5:00:11:22")!

    private func lease(_ store: some Reading) throws -> MeterLease? { try store.meter(address)?.lease }

    private func isHeld(_ store: some Reading) throws -> Bool { try lease(store)?.isHeld == true }

    @Test func `that ended before a device joined anew is not held there`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(1))
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        pair.pass(.seconds(300))
        let late = try await pair.joined()
        #expect(try lease(late.store)?.isHeld == false, "it ended three minutes before")
        #expect(try lease(late.store)?.expires == lease(pair.one.store)?.expires)
    }

    @Test func `that has not ended is held on a device that joins anew, for the rest of its time`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(1))
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        pair.pass(.seconds(50))
        let anew = try await pair.joined()
        #expect(try isHeld(anew.store))
        #expect(try lease(anew.store)?.expires == lease(pair.one.store)?.expires)
    }

    @Test func `that came late is as old as it took, though clocks differ by minutes`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(1))
        for _ in 0..<2 {
            try await pair.one.store.connect(address, model: .um25c)
            try await pair.meet()
            #expect(try isHeld(pair.other.store))
            pair.pass(.seconds(60))
        }
        // The clock there is three minutes behind: by it the lease comes at once.
        try await pair.one.store.connect(address, model: .um25c)
        pair.pass(.seconds(180))
        try await pair.meet()
        #expect(try lease(pair.other.store)?.isHeld == false)
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        #expect(try isHeld(pair.other.store))
    }

    @Test func `of a device whose clock is behind is held where it came at once`() async throws {
        let pair = try await MeterPair()
        // So long that the slow clock has gone by all stamps of the other.
        pair.pass(.seconds(400))
        for _ in 0..<4 {
            try await pair.other.store.connect(address, model: .um25c)
            try await pair.meet()
            pair.pass(.seconds(60))
        }
        #expect(try isHeld(pair.one.store), "three minutes by the clocks, one in fact")
    }

    @Test func `is held while the clock of its device stands behind its stamps`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(400))
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        pair.clocks[0].setWall(milliseconds: pair.clocks[0].now.wallMilliseconds - 400_000)
        for _ in 0..<5 {
            pair.pass(.seconds(60))
            try await pair.one.store.connect(address, model: .um25c)
            try await pair.meet()
            #expect(try isHeld(pair.other.store))
        }
    }

    @Test func `is judged at the moment that is asked for`() async throws {
        let pair = try await MeterPair()
        let store = pair.one.store
        try await store.connect(address, model: .um25c)
        let connected = try store.log.lastPosition()
        let start = pair.clocks[0].now.wallMilliseconds
        pair.pass(.seconds(60))
        try await store.edit(address, name: "bench")
        let named = try store.log.lastPosition()
        pair.pass(.seconds(3600))
        try await store.edit(address, name: "kitchen")
        #expect(try lease(store)?.isHeld == false, "it ended an hour ago")
        let held: [Point] = [
            .position(connected), .position(named), .after(EventID(try #require(store.replica), named)),
            .time(milliseconds: start), .time(milliseconds: start + 119_999),
            .vector(try store.log.vector(through: named)),
        ]
        for point in held {
            let past = try #require(try await lease(store.at(point)), "\(point)")
            #expect(past.isHeld && past.expires == start + 120_000, "\(point)")
        }
        for point in [.time(milliseconds: start + 120_000), .position(try store.log.lastPosition())] as [Point] {
            #expect(try await lease(store.at(point))?.isHeld == false, "\(point)")
        }
        // What would be without some events would be now.
        #expect(try await lease(store.replaying(EventFilter()))?.isHeld == false)
    }

    @Test func `at a past moment is that of the device that had it then`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(400))
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        let taken = try pair.other.store.log.lastPosition()
        pair.pass(.seconds(30))
        try await pair.one.store.disconnect(address)
        try await pair.meet()
        let released = try pair.other.store.log.lastPosition()
        try await pair.other.store.connect(address, model: .um25c)
        let store = pair.other.store
        #expect(try await lease(store.at(.position(taken)))?.device == "phone")
        #expect(try await lease(store.at(.position(released))) == nil)
        #expect(try lease(store)?.device == "laptop")
    }

    @Test func `says since when the device is connected, and the meter when it was last changed`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(400))
        let (start, store) = (pair.clocks[0].now.wallMilliseconds, pair.one.store)
        try await store.connect(address, model: .um25c)
        #expect(try lease(store)?.since == start && store.meter(address)?.updated == start)
        pair.pass(.seconds(60))
        try await store.connect(address, model: .um25c)
        try await pair.meet()
        for store in pair.stores {
            #expect(try lease(store)?.since == start, "a renewal connects nobody anew")
            #expect(try store.meter(address)?.updated == start + 60_000, "but it is a change")
        }
        pair.pass(.seconds(10))
        try await store.disconnect(address)
        pair.pass(.seconds(10))
        try await store.connect(address, model: .um25c)
        #expect(try lease(store)?.since == start + 80_000)
        try await store.edit(address, name: "bench")
        #expect(try store.meter(address)?.updated == start + 80_000)
    }

    @Test func `that another device takes over says since when that one is connected`() async throws {
        let pair = try await MeterPair()
        pair.pass(.seconds(400))
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        pair.pass(.seconds(121))
        let taken = pair.clocks[1].now.wallMilliseconds
        try await pair.other.store.connect(address, model: .um25c)
        try await pair.meet()
        for store in pair.stores {
            let lease = try #require(try lease(store))
            #expect(lease.device == "laptop" && lease.since == taken, "by the clock of the laptop")
        }
        // The first device has it again once the laptop's has ended; what it said before does not come back.
        pair.pass(.seconds(121))
        let again = pair.clocks[0].now.wallMilliseconds
        try await pair.one.store.connect(address, model: .um25c)
        #expect(try lease(pair.one.store)?.since == again && lease(pair.one.store)?.term == 3)
    }

    @Test func `that has ended and is taken by the same device is a new connection`() async throws {
        let pair = try await MeterPair()
        let store = pair.one.store
        try await store.connect(address, model: .um25c)
        pair.pass(.seconds(121))
        let again = pair.clocks[0].now.wallMilliseconds
        try await store.connect(address, model: .um25c)
        #expect(try lease(store)?.since == again)
    }
}
