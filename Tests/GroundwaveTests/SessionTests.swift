import Everything
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// 2026-05-01 12:00:00 UTC.
private let noon: Int64 = 1_777_636_800

@Suite struct `Sessions of a store` {
    @Test func `the author is the operator of the open session, else the device`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "", deviceName: "shack"))
        let store = temporary.store
        let before = try await store.write { try $0.log(fields("CALL=W1AW", "BAND=20m"), now: noon) }
        _ = try await store.startSession(fields("CALL=N0CALL", "OPERATOR=n0abc"), now: noon)
        let during = try await store.write { try $0.log(fields("CALL=W1AW", "BAND=20m"), now: noon) }
        let named = try await store.write(author: "K0XYZ") { try $0.log(fields("CALL=W1AW", "BAND=20m"), now: noon) }
        #expect(try author(of: before.batch, store) == "shack")
        #expect(try author(of: during.batch, store) == "N0ABC")
        #expect(try author(of: named.batch, store) == "K0XYZ")
    }

    @Test func `the start of a session is by its operator`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "", deviceName: "shack"))
        let started = try await temporary.store.startSession(fields("CALL=N0CALL"), now: noon)
        #expect(try author(of: started.batch, temporary.store) == "N0CALL")
    }

    @Test func `a contact gets what it does not say from the active session, and nothing from a paused one`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let session = try await store.startSession(
            fields("CALL=N0CALL", "PARK=us-1234", "FREQ=7.032", "MODE=CW", "POWER=5", "RIG=KX2"), now: noon
        ).value.id
        let first = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon) }.value
        let second = try await store.write {
            try $0.log(fields("CALL=W1AW", "BAND=20m", "MODE=SSB", "MY_RIG=FT-891"), now: noon)
        }.value
        _ = try await store.setSession(session, to: .paused, now: noon)
        let third = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon) }.value
        try store.read { view in
            let a = try #require(try view.record(QSOKind.name, first.id))
            #expect(a.session == session)
            #expect(a.text(.freq) == "7.032")
            #expect(a.text(.band) == "40m")
            #expect(a.text(.stationCallsign) == "N0CALL")
            #expect(a.text(.myPOTARef) == "US-1234")
            #expect(a.text(.mySIG) == "POTA")
            #expect(a.text(.mySIGInfo) == "US-1234")
            #expect(a.text("TX_PWR") == "5")
            let b = try #require(try view.record(QSOKind.name, second.id))
            #expect(b.text(.freq) == nil, "a frequency of another band is not the contact's")
            #expect(b.text(.band) == "20m")
            #expect(b.text("MY_RIG") == "FT-891")
            let c = try #require(try view.record(QSOKind.name, third.id))
            #expect(c.session == nil)
            #expect(c.text(.stationCallsign) == nil)
        }
        #expect(third.remarks.contains { $0.contains("paused") })
    }

    @Test func `starting asks to end the open session, and replaces it where that is wanted`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.startSession([], now: noon).value.id
        let error = try await #require(
            throws: StoreError.self, performing: { try await store.startSession([], now: noon + 60) })
        #expect(error.code == .usage)
        let second = try await store.startSession([], now: noon + 60, isReplacing: true).value
        #expect(second.replaced == first)
        #expect(try store.openSession()?.id == second.id)
        #expect(try store.sessions().map(\.status) == [.ended, .active])
        #expect(try store.sessions()[0].fields["ENDED"] == "2026-05-01T12:01:00Z")
    }

    @Test func `ending twice writes once, and resuming takes the end away`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.startSession([], now: noon).value.id
        #expect(try await store.setSession(id, to: .ended, now: noon + 60).value)
        #expect(try await store.setSession(id, to: .ended, now: noon + 120).batch == nil)
        #expect(try store.openSession() == nil)
        #expect(try await store.setSession(id, to: .active, now: noon + 180).value)
        #expect(try store.openSession()?.fields["ENDED"] == nil)
    }

    @Test func `a session that is open on another device is taken over by resuming it`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.startSession([], now: noon).value.id
        let other = ReplicaID(high: 1, low: 2)
        #expect(try store.read { try $0.openSession(of: other) } == nil)
        #expect(try store.openSession()?.id == id)
    }

    @Test func `a hidden session is not open`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.startSession([], now: noon).value.id
        _ = try await store.write { try $0.removeByHand("session", id) }
        #expect(try store.openSession() == nil)
    }

    @Test(arguments: ["FREQ=7032", "POWER=lots", "GRID=XX", "STATUS=ended", "RIGG=KX2", "MY_RIG=KX2"])
    func `a session refuses what a contact would, and fields it does not have`(typed: String) async throws {
        let temporary = try await TemporaryStore(.full())
        let error = try await #require(
            throws: StoreError.self, performing: { try await temporary.store.startSession(fields(typed), now: noon) })
        #expect(error.code == .usage)
        #expect(try temporary.store.sessions().isEmpty)
    }

    private func author(of batch: Batch?, _ store: Store) throws -> String? {
        let batch = try #require(batch)
        return try store.history(HistoryQuery()).first { $0.event == batch.first }?.note.author
    }
}

@Suite struct `Dupes` {
    @Test func `in a rove another park is no dupe`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.startSession(fields("PARK=US-1234", "FREQ=7.032", "MODE=CW"), now: noon).value.id
        let first = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon) }.value
        let repeated = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon + 60) }.value
        _ = try await store.editSession(id, fields("PARK=US-5678"), now: 0)
        let elsewhere = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon + 120) }.value
        #expect(try dupe(of: repeated, store) == first.id)
        #expect(try dupe(of: elsewhere, store) == nil)
    }

    @Test func `a park counts anew after midnight UTC, a contest does not`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        _ = try await store.startSession(fields("PARK=US-1234", "FREQ=7.032", "MODE=CW"), now: noon)
        _ = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon) }
        let nextDay = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon + 86400) }.value
        #expect(try dupe(of: nextDay, store) == nil)
        _ = try await store.startSession(
            fields("CONTEST=CQ-WW-CW", "FREQ=7.032", "MODE=CW"), now: noon, isReplacing: true)
        let first = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon) }.value
        let second = try await store.write { try $0.log(fields("CALL=W1AW"), now: noon + 86400) }.value
        #expect(try dupe(of: second, store) == first.id)
    }

    private func dupe(of contact: LoggedContact, _ store: Store) throws -> RecordID? {
        try store.read { try $0.firstDupe(of: contact)?.id }
    }
}

/// `FIELD=VALUE` words as assignments.
func fields(_ words: String...) -> [Assignment] {
    words.map { word in
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return Assignment(parts[0], parts[1].isEmpty ? nil : Array(parts[1].utf8))
    }
}
