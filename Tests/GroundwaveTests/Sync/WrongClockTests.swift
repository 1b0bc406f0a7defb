import Everything
import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// Two devices with a contact that both have; the clock of the first one goes wrong.
private struct Pair {
    static let day: Int64 = 86_400_000
    /// 2036-01-01, ten years after the start of the clocks.
    static let wrong: Int64 = 2_082_758_400_000

    var fleet: Fleet
    let id: RecordID

    var one: Store { fleet.stores[0] }
    var two: Store { fleet.stores[1] }

    init(_ devices: Int = 2, seed: UInt64 = 1) async throws {
        fleet = try await Fleet(devices, seed: seed, skew: .zero)
        id = try await fleet.stores[0].log("W1AW", ["COMMENT": "first"])
        try fleet.meet()
        pass(.seconds(60))
    }

    func pass(_ time: Duration) { for clock in fleet.clocks { clock.advance(by: time) } }

    /// Runs `body` while the clock of a device shows another time.
    func setting(_ device: Int = 0, to milliseconds: Int64, _ body: () async throws -> Void) async throws {
        let clock = fleet.clocks[device]
        let difference = milliseconds - clock.now.wallMilliseconds
        clock.setWall(milliseconds: milliseconds)
        try await body()
        clock.setWall(milliseconds: clock.now.wallMilliseconds - difference)
    }

    func comments() throws -> Set<String?> { Set(try fleet.stores.map { try $0.field("COMMENT", of: id) }) }

    func digests() throws -> Set<Hash256> { Set(try fleet.stores.map { try $0.digest().views }) }
}

@Suite struct `A clock that was wrong` {
    @Test func `wins nothing once it is right again, and what was written then stays as it is`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        let old = try #require(pair.one.replica)
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        try pair.fleet.meet()
        pair.pass(.seconds(60))
        try await pair.one.edit(pair.id, ["COMMENT": "right"])
        pair.pass(.seconds(60))
        // It has not seen that, and is later.
        try await pair.two.edit(pair.id, ["COMMENT": "later"])
        try pair.fleet.meet()
        #expect(try pair.comments() == ["later"])
        #expect(try pair.digests().count == 1)
        #expect(pair.one.replica != old)
        let entries = try pair.two.positions(of: "qso", pair.id).compactMap { try pair.two.audit.entry(at: $0) }
        let wrong = try #require(entries.first { $0.stamp.milliseconds >= Pair.wrong })
        #expect(wrong.changes.first?.after == Array("wrong".utf8))
        #expect(wrong.counted.milliseconds < pair.fleet.clocks[0].now.wallMilliseconds)
        #expect(entries.filter { $0.counted != $0.stamp }.count == 1)
        let former = try #require(try pair.two.replicas().first { $0.id == old })
        #expect(former.clockWasAhead.map { $0 > 3000 * Pair.day } == true && former.clockSeemsAhead == nil)
        let new = try #require(pair.one.replica)
        #expect(former.successors == [new])
        #expect(try pair.one.replicas().first { $0.isThisDevice }?.clockWasAhead == nil)
    }

    @Test func `loses against what was written after it, too, as long as nothing is edited again`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        pair.pass(.seconds(60))
        try await pair.two.edit(pair.id, ["COMMENT": "later"])
        try pair.fleet.meet()
        #expect(try pair.comments() == ["wrong"], "a suspicion changes nothing")
        #expect(try pair.two.replicas().contains { $0.clockSeemsAhead != nil })
        pair.pass(.seconds(3600))
        _ = try await pair.one.log("K1AA")
        try pair.fleet.meet()
        #expect(try pair.comments() == ["later"], "its steady clock knows when it wrote")
        #expect(try pair.digests().count == 1)
    }

    @Test(arguments: [(Pair.day - 60_000, true), (Pair.day, false), (Pair.day + 60_000, false)])
    func `is one that was a day or more ahead`(ahead: Int64, isKept: Bool) async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        let (old, now) = (pair.one.replica, pair.fleet.clocks[0].now.wallMilliseconds)
        try await pair.setting(to: now + ahead) { _ = try await pair.one.log("K1AA") }
        _ = try await pair.one.log("N0CALL")
        #expect((pair.one.replica == old) == isKept)
        // The clock of the log does not go back for one that it keeps, and begins anew for one that it does not.
        let replica = try #require(pair.one.replica)
        let last = try #require(try pair.one.log.lastStamp(of: replica))
        #expect(last.milliseconds == (isKept ? now + ahead : now))
    }

    @Test func `is not adopted again by the new replica, not at the next open either`() async throws {
        let clock = VirtualClock()
        let configuration = Configuration.full(surroundings: .virtual(clock, seed: 3))
        let temporary = try await TemporaryStore(configuration)
        let start = clock.now.wallMilliseconds
        clock.setWall(milliseconds: Pair.wrong)
        _ = try await temporary.store.log("W1AW")
        clock.setWall(milliseconds: start + 1000)
        try temporary.store.close()
        for round in 1...3 {
            let store = try await temporary.reopened(configuration)
            _ = try await store.log("K1AA", at: "120\(round)")
            let replica = try #require(store.replica)
            let last = try #require(try store.log.lastStamp(of: replica))
            #expect(last.milliseconds == start + 1000)
            #expect(try store.replicas().count == 2, "one new replica, and no more")
            try store.close()
            #expect(try await Store.verify(at: temporary.url, isDeep: true, components: .all).damage == [])
        }
    }

    @Test func `says nothing of others while it shows a time before anybody can have logged here`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        let old = pair.one.replica
        try await pair.setting(to: 0) { try await pair.one.edit(pair.id, ["COMMENT": "unset"]) }
        #expect(pair.one.replica == old)
        #expect(try pair.one.replicas().allSatisfy { $0.clockWasAhead == nil })
        try pair.fleet.meet()
        #expect(try pair.comments() == ["unset"])
    }

    @Test func `that nobody knows of when it was heard of moves nothing, when it is declared or withdrawn all agree`()
        async throws
    {
        let pair = try await Pair(3)
        defer { pair.fleet.close() }
        let (two, three) = (pair.two, pair.fleet.stores[2])
        let gone = try #require(pair.one.replica)
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        pair.pass(.seconds(60))
        try await two.edit(pair.id, ["COMMENT": "later"])
        try pair.fleet.meet()
        let by = two.surroundings.now().wallMilliseconds - 61_000
        let (own, other) = (try #require(two.replica), try #require(three.replica))
        #expect(throws: StoreError.self) { try two.previewWrongClock(of: own) }
        #expect(throws: StoreError.self) { try two.previewWrongClock(of: gone, from: Pair.wrong + 1) }
        #expect(throws: StoreError.self) { try two.previewWrongClock(of: gone, writtenBy: Pair.wrong) }
        #expect(throws: StoreError.self) { try two.previewWrongClock(of: gone, writtenBy: 1) }
        #expect(throws: StoreError.self) { try two.previewWrongClock(of: other) }
        let report = try two.previewWrongClock(of: gone, writtenBy: by)
        #expect(report.from == Pair.wrong && report.events == 1 && report.writtenBy == by)
        #expect(try pair.comments() == ["wrong"])
        let last = try two.log.lastPosition()
        #expect(try await two.declareWrongClock(of: gone, writtenBy: by).batch != nil)
        #expect(try await two.declareWrongClock(of: gone, writtenBy: by).batch == nil)
        #expect(try two.log.lastPosition() == last + 1)
        #expect(try two.field("COMMENT", of: pair.id) == "later")
        try pair.fleet.meet()
        #expect(try pair.comments() == ["later"])
        #expect(try pair.digests().count == 1)
        // A second one that says less does not count, one that says more does.
        try await three.declareWrongClock(of: gone)
        try pair.fleet.meet()
        #expect(try pair.comments() == ["later"])
        #expect(try await three.withdrawWrongClock(of: gone).value)
        #expect(try await three.withdrawWrongClock(of: gone).value == false)
        try pair.fleet.meet()
        #expect(try pair.comments() == ["wrong"])
        #expect(try pair.digests().count == 1)
    }

    @Test func `belongs to what it was, at a point and in what a point shows`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        // So many that a state near the present is one of the views but for some records.
        for minute in 0..<60 { _ = try await pair.two.log("N0CALL", at: "\(1200 + minute)") }
        let start = pair.fleet.clocks[0].now.wallMilliseconds
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        pair.pass(.seconds(60))
        try await pair.two.edit(pair.id, ["COMMENT": "later"])
        try pair.fleet.meet()
        let before = try pair.one.log.lastPosition()
        let old = try #require(pair.one.replica)
        #expect(try await pair.one.at(.time(milliseconds: start + 1)).vector[old] == 2)
        pair.pass(.seconds(3600))
        _ = try await pair.one.log("K1AA")
        try pair.fleet.meet()
        // The wrong write was made at the start of the first minute, the other one at its end.
        let past = try await pair.two.at(.time(milliseconds: start))
        #expect(try past.record("qso", pair.id)?.text("COMMENT") == "wrong")
        #expect(
            try await pair.two.at(.time(milliseconds: start - 1)).record("qso", pair.id)?.text("COMMENT") == "first")
        // What a state showed before the declaration came, it still shows.
        let shown = try await pair.one.at(.position(before))
        #expect(try shown.record("qso", pair.id)?.text("COMMENT") == "wrong")
        #expect(try shown.read { try $0.record("qso", pair.id) }?.text("COMMENT") == "wrong")
        var told: [RecordID] = []
        try pair.one.forEachDifference(from: shown, to: pair.one) {
            told.append($0.record)
            return true
        }
        #expect(told.contains(pair.id))
    }

    @Test func `is told to whoever follows the changes`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        pair.pass(.seconds(60))
        try await pair.two.edit(pair.id, ["COMMENT": "later"])
        try pair.fleet.meet()
        let (_, mark) = try pair.two.views.read(since: nil) { _, _ in }
        let token = try pair.two.currentToken()
        pair.pass(.seconds(3600))
        _ = try await pair.one.log("K1AA")
        try pair.fleet.meet()
        var changes: [ChangeSet.RecordChange] = []
        for try await set in pair.two.changes(since: token, through: try pair.two.currentToken()) {
            changes += set.changes
        }
        let change = try #require(changes.first { $0.record == pair.id })
        #expect(change.fields.map(\.after) == [Array("later".utf8)])
        #expect(change.fields.map(\.before) == [Array("wrong".utf8)])
        let (touched, _) = try pair.two.views.read(since: mark) { $1 }
        #expect(touched.records(of: "qso")?.contains(pair.id) != false)
    }

    @Test(arguments: [false, true])
    func `is declared of archived events, too, and that is withdrawn`(isDeclaredBefore: Bool) async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        let gone = try #require(pair.one.replica)
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        pair.pass(.seconds(60))
        try await pair.two.edit(pair.id, ["COMMENT": "later"])
        let by = pair.two.surroundings.now().wallMilliseconds - 1000
        try pair.fleet.meet()
        if isDeclaredBefore { try await pair.two.declareWrongClock(of: gone, writtenBy: by) }
        let point = Point.position(try pair.two.log.lastPosition())
        let archive = pair.fleet.folder.url.appending(path: "old.gwa").path
        try await pair.two.archive(before: point, to: archive, retired: [gone])
        if !isDeclaredBefore { try await pair.two.declareWrongClock(of: gone, writtenBy: by) }
        #expect(try pair.two.field("COMMENT", of: pair.id) == "later")
        try pair.fleet.meet()
        #expect(try pair.comments() == ["later"])
        #expect(try pair.digests().count == 1)
        try await pair.two.withdrawWrongClock(of: gone)
        #expect(try pair.two.field("COMMENT", of: pair.id) == "wrong")
        try pair.fleet.meet()
        #expect(try pair.digests().count == 1)
    }

    // The rows of a snapshot follow what was declared when it was made.
    @Test func `is withdrawn where a past state begins with a snapshot that was made before`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        let gone = try #require(pair.one.replica)
        try await pair.setting(to: Pair.wrong) { try await pair.one.edit(pair.id, ["COMMENT": "wrong"]) }
        pair.pass(.seconds(60))
        try await pair.two.edit(pair.id, ["COMMENT": "later"])
        let by = pair.two.surroundings.now().wallMilliseconds - 1000
        try pair.fleet.meet()
        try await pair.two.declareWrongClock(of: gone, writtenBy: by)
        _ = try pair.two.createSnapshot()
        try await pair.two.withdrawWrongClock(of: gone)
        let withdrawn = try pair.two.log.lastPosition()
        // Far enough for the snapshot to be the shorter way there.
        for minute in 0..<200 { _ = try await pair.two.log("K1AA", at: String(format: "%04d", minute % 60 + 1200)) }
        let past = try await pair.two.at(.position(withdrawn))
        #expect(try past.read { try $0.record("qso", pair.id) }?.text("COMMENT") == "wrong")
        let before = try await pair.two.at(.position(withdrawn - 1))
        #expect(try before.read { try $0.record("qso", pair.id) }?.text("COMMENT") == "later")
    }

    @Test func `does not make a file say anything twice`() async throws {
        let pair = try await Pair()
        defer { pair.fleet.close() }
        func text(_ name: String) -> String {
            adi(["CALL": "K1AA", "QSO_DATE": "20260102", "TIME_ON": "1200", "NAME": name])
        }
        try await pair.setting(to: Pair.wrong) { try await pair.one.importText(text("Ann"), named: "log.adi") }
        pair.pass(.seconds(60))
        try await pair.one.importText(text("Bob"), named: "log.adi")
        #expect(try await pair.one.importText(text("Bob"), named: "log.adi").unchanged == 1)
        try pair.fleet.meet()
        #expect(try await pair.two.importText(text("Bob"), named: "log.adi").unchanged == 1)
    }
}
