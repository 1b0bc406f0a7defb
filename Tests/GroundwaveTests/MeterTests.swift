import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// Records of one meter as an older form made them: with random ids, and addresses as they came.
@Suite struct `Several records of one meter` {
    private let address = MACAddress("00:15:A5:00:11:22")!

    /// Makes a record as the older form did; returns its id.
    private func double(_ store: Store, mac: String, _ fields: [String: String]) async throws -> RecordID {
        try await store.write { batch in
            let id = batch.newID()
            try batch.set("meter", id, [Assignment("MAC", text: mac)] + fields.map { Assignment($0, text: $1) })
            return id
        }.value
    }

    private func visible(_ store: Store) throws -> [RecordID] {
        var ids: [RecordID] = []
        try store.read { view in
            try view.forEachRecord(of: "meter") { record in
                if record.isVisible { ids.append(record.id) }
                return true
            }
        }
        return ids
    }

    @Test func `become one when the store is opened, which takes over what each said last`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let one = try await double(store, mac: "00-15-a5-00-11-22", ["NAME": "kitchen", "MODEL": "tc66c"])
        let two = try await double(store, mac: "0015A5001122", ["NAME": "bench", "TEMPERATURE_UNIT": "F"])
        #expect(try Set(visible(store)) == [one, two])
        try store.close()
        let again = try await Store.open(at: temporary.url, .full()).whole
        #expect(try visible(again) == [Metering.meterID(address)])
        let meter = try #require(try again.meter(address))
        #expect(
            meter.name == "bench" && meter.model == .tc66c && meter.temperatureUnit == .fahrenheit && meter.lease == nil
        )
        #expect(try await again.mergeMeters().value.isEmpty, "once")
        try again.close()
    }

    @Test func `that two devices merge at once become the same one, and are several again where that is taken back`()
        async throws
    {
        let pair = try await MeterPair()
        let id = Metering.meterID(address)
        _ = try await double(pair.one.store, mac: "00:15:a5:00:11:22", ["NAME": "kitchen", "MODEL": "um25c"])
        _ = try await double(pair.other.store, mac: "0015A5001122", ["NAME": "bench", "MODEL": "um25c"])
        try await pair.meet()
        let merges = [
            try await pair.one.store.mergeMeters(), try await pair.other.store.mergeMeters(),
        ]
        #expect(merges.allSatisfy { $0.value == [address] })
        try await pair.meet()
        for store in pair.stores { #expect(try visible(store) == [id]) }
        #expect(try pair.one.store.digest() == pair.other.store.digest())
        #expect(try pair.one.store.meter(address)?.name == pair.other.store.meter(address)?.name)
        // Both have to be taken back: each hid the two.
        try await pair.one.store.revert(merges[0].batch)
        try await pair.meet()
        try await pair.other.store.revert(merges[1].batch)
        try await pair.meet()
        for store in pair.stores {
            let ids = try visible(store)
            #expect(ids.count == 2 && !ids.contains(id), "\(ids)")
            #expect(try await store.mergeMeters().value.isEmpty, "what was taken back stays so")
        }
        #expect(try pair.one.store.digest() == pair.other.store.digest())
    }

    @Test func `keep what the one with the right id says, and records without an address are left alone`() async throws
    {
        // A lease ends by the clock, and a busy machine may take longer than that.
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(VirtualClock(), seed: 1)))
        let store = temporary.store
        try await store.connect(address, model: .um25c)
        try await store.edit(address, name: "mine")
        _ = try await double(store, mac: "0015A5001122", ["NAME": "older", "TEMPERATURE_UNIT": "C"])
        let strange = try await double(store, mac: "no address", ["NAME": "strange"])
        try await store.mergeMeters()
        let meter = try #require(try store.meter(address))
        #expect(meter.name == "mine" && meter.temperatureUnit == .celsius && meter.lease?.isHeld == true)
        #expect(try Set(visible(store)) == [Metering.meterID(address), strange])
    }
}

/// The points of USB Meter's testing checklist, and what a lease promises beside.
@Suite(.serialized) struct `Meters of two devices` {
    private let address = MACAddress("00:15:A5:00:11:22")!

    private func handovers(_ store: Store, _ query: HistoryQuery) throws -> [Handover] {
        try store.history(query).compactMap { Handover($0.kind, $0.changes) }
    }

    private func meter(_ store: Store) throws -> Meter { try #require(try store.meter(address)) }

    @Test func `1: who connects is seen on the other one within two seconds`() async throws {
        let pair = try await MeterPair()
        let lease = try await pair.soon {
            try await pair.one.store.connect(address, model: .um25c)
        } see: {
            try #require(try meter(pair.other.store).lease)
        }
        #expect(lease.isHeld && lease.device == "phone" && lease.term == 1)
        let error = await #expect(throws: StoreError.self) {
            try await pair.other.store.connect(address, model: .um25c)
        }
        #expect(error?.code == .busy && error?.message.contains("phone") == true)
        #expect(try await pair.other.store.disconnect(address) == false, "only who has it lets it go")
    }

    @Test func `2: who lets go is gone on the other one within two seconds, which can connect then`() async throws {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        let leases = try await pair.soon {
            _ = try await pair.one.store.disconnect(address)
        } see: {
            try pair.stores.map { try meter($0).lease }
        }
        #expect(leases == [nil, nil])
        #expect(try handovers(pair.one.store, HistoryQuery()).first == .letGo)
        try await pair.other.store.connect(address, model: .um25c)
        #expect(try meter(pair.other.store).lease?.term == 2)
    }

    @Test func `3: its name is on the other one within two seconds, and so is that it has none any more`()
        async throws
    {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .tc66c)
        try await pair.meet()
        let named = try await pair.soon {
            try await pair.one.store.edit(address, name: "bench")
        } see: {
            try meter(pair.other.store)
        }
        #expect(named.name == "bench" && named.model == .tc66c)
        let unnamed = try await pair.soon {
            try await pair.other.store.edit(address, name: "")
        } see: {
            try meter(pair.one.store)
        }
        #expect(unnamed.name.isEmpty)
        await #expect(throws: StoreError.self) {
            try await pair.one.store.edit(MACAddress("00:15:A5:00:11:23")!, name: "nobody's")
        }
    }

    @Test func `4: its unit of temperature is on the other one within two seconds`() async throws {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .tc66c)
        try await pair.meet()
        let found = try await pair.soon {
            try await pair.one.store.edit(address, temperatureUnit: .fahrenheit)
        } see: {
            try meter(pair.other.store)
        }
        #expect(found.temperatureUnit == .fahrenheit && found.name.isEmpty)
    }

    @Test func `5: what is written without a connection goes out within two seconds when it is back`() async throws {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        let place = pair.folder.url.appending(path: "place")
        let away = pair.folder.url.appending(path: "away")
        try FileManager.default.moveItem(at: place, to: away)
        try await pair.one.store.edit(address, name: "on a summit")
        let remote = try #require(try pair.one.store.remotes().first)
        await #expect(throws: StoreError.self) { try await pair.one.store.sync(remote) }
        #expect(try meter(pair.one.store).name == "on a summit" && meter(pair.other.store).name.isEmpty)
        let found = try await pair.soon {
            try FileManager.default.moveItem(at: away, to: place)
        } see: {
            try meter(pair.other.store)
        }
        #expect(found.name == "on a summit")
    }

    @Test func `6: a device that begins anew has all of it within two seconds, and an old lease does not look fresh`()
        async throws
    {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.one.store.edit(address, name: "bench")
        try await pair.meet()
        pair.pass(.seconds(3600))
        let start = ContinuousClock.now
        let anew = try await pair.joined()
        let found = try meter(anew.store)
        let took = ContinuousClock.now - start
        #expect(took < .seconds(2), "it took \(took)")
        #expect(found.name == "bench" && found.lease?.isHeld == false)
        // Nor where the views are made anew.
        try FileManager.default.removeItem(at: pair.other.store.url.appending(path: "views.mdb"))
        #expect(try meter(pair.other.store).lease?.isHeld == false)
    }

    @Test func `7: two who change one meter at once agree within two seconds of the later change`() async throws {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        try await pair.one.store.edit(address, name: "one", temperatureUnit: .celsius)
        pair.pass(.seconds(1))
        let (here, there) = try await pair.soon {
            try await pair.other.store.edit(address, name: "other")
        } see: {
            (try meter(pair.one.store), try meter(pair.other.store))
        }
        #expect(here.name == there.name && ["one", "other"].contains(here.name))
        #expect(here.temperatureUnit == .celsius && there.temperatureUnit == .celsius)
        #expect(try pair.one.store.digest() == pair.other.store.digest())
    }

    @Test func `who watches meters is told of what another device changed, and of nothing else`() async throws {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        let there = pair.other.store
        let changes = there.changes(
            since: try there.currentToken(), matching: .kind(Metering.meter.name).excludingThisDevice())
        let told = Task {
            for try await set in changes where !set.changes.isEmpty { return ChangeSet?.some(set) }
            return nil
        }
        try await there.edit(address, name: "its own")
        try await pair.one.store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }
        let set = try await pair.soon {
            try await pair.one.store.edit(address, temperatureUnit: .fahrenheit)
        } see: {
            try await told.value
        }
        #expect(set?.changes.map(\.record) == [Metering.meterID(address)] && set?.device == "phone")
        #expect(set?.changes.first?.fields.map(\.field) == ["TEMPERATURE_UNIT"])
    }

    @Test func `two who meet a meter at once have one record of it, and the first has it`() async throws {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        pair.pass(.seconds(5))
        try await pair.other.store.connect(MACAddress("0015a5001122")!, model: .um25c)
        try await pair.meet()
        for store in pair.stores { #expect(try store.meters().count == 1) }
        // Of equal terms the least stamp: both see the same one.
        let leases = try pair.stores.map { try meter($0).lease }
        #expect(leases[0]?.isHeld == true && leases[0]?.replica == leases[1]?.replica)
    }

    @Test func `where the start of the machine is not known, the age of a lease is that by the wall clock`()
        async throws
    {
        let clock = VirtualClock(boot: [UInt8](repeating: 0, count: 16))
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        try await temporary.store.connect(address, model: .um25c)
        // Of two starts whose monotonic clocks both begin at 0, nobody can tell one from the other.
        clock.setWall(milliseconds: clock.now.wallMilliseconds + 3_600_000)
        #expect(try meter(temporary.store).lease?.isHeld == false)
    }

    @Test func `a lease ends after two minutes unless it is renewed, and is then taken over by one term more`()
        async throws
    {
        let pair = try await MeterPair()
        try await pair.one.store.connect(address, model: .um25c)
        try await pair.meet()
        for _ in 0..<4 {
            pair.pass(.seconds(60))
            try await pair.one.store.connect(address, model: .um25c)
            try await pair.meet()
            let lease = try #require(try meter(pair.other.store).lease)
            #expect(lease.isHeld && lease.term == 1, "a renewal keeps the term")
        }
        pair.pass(.seconds(121))
        for store in pair.stores { #expect(try meter(store).lease?.isHeld == false) }
        try await pair.other.store.connect(address, model: .um25c)
        try await pair.meet()
        for store in pair.stores {
            let lease = try #require(try meter(store).lease)
            #expect(lease.isHeld && lease.device == "laptop" && lease.term == 2)
        }
        // Who reads what happened does not read each minute of it.
        var query = HistoryQuery()
        query.record = (Metering.meter.name, Metering.meterID(address))
        for store in pair.stores {
            query.isWithRenewals = false
            #expect(try handovers(store, query) == [.taken(term: 2), .taken(term: 1)])
            query.isWithRenewals = true
            #expect(
                try handovers(store, query) == [
                    .taken(term: 2), .renewed, .renewed, .renewed, .renewed, .taken(term: 1),
                ])
        }
        // What the clock of the wall is set to meanwhile changes nothing.
        pair.clocks[1].setWall(milliseconds: 0)
        #expect(try meter(pair.other.store).lease?.isHeld == true)
    }
}
