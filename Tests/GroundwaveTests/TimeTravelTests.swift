import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Time travel` {
    @Test(arguments: UInt64(1)...25)
    func `at any point shows what a fresh store shows that is folded from just those events`(seed: UInt64) async throws
    {
        var fleet = try await Fleet(1 + Int(seed % 3), seed: seed)
        defer { fleet.close() }
        for _ in 0..<90 { try await fleet.step() }
        let store = fleet.stores[0]
        for _ in 0..<20 {
            let point = try PastOracle.point(in: store, &fleet.numbers)
            let resolved = try store.resolve(point)
            #expect(try resolved.vector == PastOracle.vector(of: point, in: store), "\(point)")
            let past = try await store.at(point)
            let fresh = try FreshFold(of: store) { _, frame in resolved.vector.contains(frame.id) }
            let digest = try past.digest()
            #expect(digest.vector == resolved.vector)
            #expect(try digest.views == fresh.views.read { try $0.digest().hash }, "\(point)")
            #expect(try digest.content == fresh.views.read { try $0.contentDigest().hash }, "\(point)")
            // What a list shows comes by the indexes.
            #expect(try ids(past, .everything) == fresh.views.read { try $0.all(.everything).map(\.id) })
            let query = ContactQuery.contacts.worked("W1AW")
            #expect(try ids(past, query) == fresh.views.read { try $0.all(query).map(\.id) })
        }
    }

    /// Points in order, of which each may go on with the file of the one before; every third one is kept and must go on
    /// showing its own.
    @Test(arguments: UInt64(1)...10)
    func `through points in order shows at each what a fresh fold shows`(seed: UInt64) async throws {
        var fleet = try await Fleet(1 + Int(seed % 3), seed: seed)
        defer { fleet.close() }
        for _ in 0..<60 { try await fleet.step() }
        let store = fleet.stores[0]
        _ = try store.createSnapshot()
        var contacts: [RecordID] = []
        for number in 0..<40 {
            let written = try await store.write { batch in try batch.add(Contact("W\(number)AW", start: 1)) }
            contacts.append(written.value)
            // So much that nothing near it is an overlay over the present.
            try await store.write { [contacts] batch in
                for id in contacts { try batch.set(\.comment, of: id, to: "\(number)") }
            }
        }
        let last = try store.log.lastPosition()
        var points = (0..<12).map { _ in Point.position(.random(in: 1...last, using: &fleet.numbers)) }
        for _ in 0..<6 { points.append(try PastOracle.point(in: store, &fleet.numbers)) }
        points.sort { left, right in
            let counts = [left, right].map { (try? store.resolve($0).vector.eventCount) ?? 0 }
            return counts[0] < counts[1]
        }
        var kept: [(past: PastStore, digest: ViewDigest)] = []
        var goneOn = 0
        for (number, point) in points.enumerated() {
            let hadFormer = store.reusablePastView.isThere
            let past = try await store.at(point)
            let digest = try past.read { try $0.digest() }
            if hadFormer, !store.reusablePastView.isThere { goneOn += 1 }
            let folder = try TemporaryFolder()
            let fresh = try PastViews(
                of: store.views, EventFilter(past.vector), temporaryPath: folder.path("fresh.mdb"), snapshots: [])
            #expect(try fresh.read { try $0.digest() } == digest, "\(point)")
            #expect(try fresh.read { try $0.all(.contacts) } == past.read { try $0.all(.contacts) }, "\(point)")
            if number % 3 == 0 { kept.append((past, digest)) }
        }
        #expect(goneOn > 0)
        for (past, digest) in kept { #expect(try past.read { try $0.digest() } == digest) }
    }

    private func ids(_ store: some Reading, _ query: ContactQuery) throws -> [RecordID] {
        try store.read { try $0.all(query).map(\.id) }
    }

    @Test(arguments: UInt64(1)...5)
    func `of one record is told alike by the index of its events and by the whole state`(seed: UInt64) async throws {
        var fleet = try await Fleet(2, seed: seed)
        defer { fleet.close() }
        for _ in 0..<80 { try await fleet.step() }
        let store = fleet.stores[1]
        let ids = try store.read { view in
            var ids: [RecordID] = []
            try view.forEachRecord(of: "qso") { record in
                ids.append(record.id)
                return true
            }
            return ids
        }
        for _ in 0..<10 {
            let past = try await store.at(PastOracle.point(in: store, &fleet.numbers))
            for id in ids {
                let record = try past.record("qso", id)
                #expect(try record == past.read { try $0.record("qso", id) })
                #expect(try past.positions(of: "qso", id).count == record?.eventCount ?? 0)
                guard record != nil else { continue }
                var query = HistoryQuery()
                query.record = ("qso", id)
                #expect(try past.history(query).allSatisfy { past.vector.contains($0.event) })
                #expect(try past.blame("qso", id).allSatisfy { past.vector.contains($0.winner.event) })
            }
        }
    }

    @Test func `shows the same however much is written after it was opened`() async throws {
        var fleet = try await Fleet(2, seed: 77)
        defer { fleet.close() }
        for _ in 0..<60 { try await fleet.step() }
        let store = fleet.stores[0]
        let pinned = try await store.at(.position(store.log.lastPosition()))
        let digest = try pinned.digest()
        #expect(try digest == store.digest())
        for round in 0..<60 {
            try await fleet.step()
            if round % 10 == 0 { #expect(try pinned.digest() == digest) }
        }
        // Views that were built anew may number devices and fields otherwise.
        try store.views.rebuild()
        #expect(try pinned.digest() == digest)
    }

    @Test func `before the first event is an empty store`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(3))
        let past = try await temporary.store.at(.position(0))
        #expect(try past.digest().events == 0)
        #expect(try past.read { try $0.kindsWithRecords() } == [])
        #expect(try past.read { try $0.count(.everything) } == 0)
    }

    /// A file of contacts is one batch. Rounding a point in it to the ends of the batch would show nothing of it.
    @Test func `into an import shows what was written up to there`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(20))
        let replica = try #require(store.replica)
        var events: [(position: Position, event: EventID)] = []
        try store.log.scan(from: 1) { position, frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values), isWithheld: false,
                by: frame.names(in: bytes))
            if change?.kind == QSOKind.name { events.append((position, frame.id)) }
            return true
        }
        #expect(events.count == 20)
        let last = try #require(events.last)
        #expect(try store.log.batch(of: events[0].event)?.contains(last.event.sequence) == true)
        for (index, (position, event)) in events.enumerated() {
            var vector = VersionVector()
            vector[replica] = event.sequence
            for point in [.position(position), .vector(vector), .known(event)] as [Point] {
                let past = try await store.at(point)
                #expect(try ids(past, .contacts).count == index + 1, "\(point)")
                #expect(try store.resolve(point).missing == [])
            }
            #expect(try await ids(store.at(.before(event)), .contacts).isEmpty)
            #expect(try await ids(store.at(.after(event)), .contacts).count == 20)
        }
        var difference: [RecordDifference.What] = []
        let first = try await store.at(.position(events[4].position))
        let second = try await store.at(.position(last.position))
        try store.forEachDifference(from: first, to: second) {
            difference.append($0.what)
            return true
        }
        #expect(difference == [RecordDifference.What](repeating: .added, count: 15))
    }

    @Test func `to a point that is not there is refused with what there is`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let last = try store.log.lastPosition()
        await #expect { try await store.at(.position(last + 1)) } throws: { error in
            let error = error as? StoreError
            return error?.code == .notFound && error?.hint?.contains("@\(last)") == true
        }
        let nobody = EventID(ReplicaID(high: 1, low: 1), 1)
        for point in [Point.before(nobody), .after(nobody), .known(nobody)] {
            await #expect { try await store.at(point) } throws: { ($0 as? StoreError)?.code == .notFound }
        }
    }

    @Test func `takes the words that people say`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(deviceName: "shack"))
        let store = temporary.store
        try await store.importText(generatedLog(3))
        let replica = try #require(store.replica)
        let now: Int64 = 1_777_680_000  // 2026-05-02
        #expect(try store.point("@2", now: now) == .position(2))
        #expect(try store.point("yesterday", now: now) == .time(milliseconds: now * 1000 - 1))
        #expect(try store.point("2026-05-01T12:00", now: now) == .time(milliseconds: 1_777_636_800_999))
        #expect(try store.point("before:\(replica).2", now: now) == .before(EventID(replica, 2)))
        #expect(try store.point("after:shack.3", now: now) == .after(EventID(replica, 3)))
        #expect(try store.point("after:@2", now: now) == .after(EventID(replica, 2)))
        #expect(try store.point("known:\(replica.short)@4", now: now) == .known(EventID(replica, 4)))
        var vector = VersionVector()
        vector[replica] = 2
        #expect(try store.point("vector:shack=2", now: now) == .vector(vector))
        for text in [
            "", "@", "@x", "before:", "known:shack", "vector:shack", "sometime", "snapshot:", "before:shack.0",
        ] {
            #expect { try store.point(text, now: now) } throws: { error in
                [.usage, .notFound].contains((error as? StoreError)?.code)
            }
        }
    }
}
