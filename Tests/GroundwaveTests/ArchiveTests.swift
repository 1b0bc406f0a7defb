import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct Archiving {
    private static let texts = ["Bartholomew", "Mislaid Valley"]

    /// A store with contacts that were written long ago, and some since; the point lies between.
    private static func store() async throws -> (temporary: TemporaryStore, point: Point, old: RecordID, new: RecordID)
    {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let store = temporary.store
        try await store.importText(generatedLog(300))
        let old = try await store.write { batch in
            try batch.add("qso", [Assignment("CALL", text: "N0OLD"), Assignment("NAME", text: "Bartholomew")])
        }.value
        try await store.write(note: "He lives in Mislaid Valley") {
            try $0.set("qso", old, [Assignment("QTH", text: "Mislaid Valley")])
        }
        let point = Point.position(try store.log.lastPosition())
        try await store.write { try $0.set("qso", old, [Assignment("NAME", text: "Bart")]) }
        let new = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0NEW")]) }.value
        return (temporary, point, old, new)
    }

    private static func digest(_ store: Store) throws -> (content: Hash256, rows: Hash256) {
        // The record of the archive itself is new; everything else is what it was.
        let content = try store.digest().content
        let rows = try store.read { view in
            var writer = [UInt8]()
            for kind in try view.kindsWithRecords() where kind != ArchiveKind.name {
                try view.forEachRecord(of: kind) { record in
                    writer += Array("\(record.id) \(record.fields)".utf8)
                    return true
                }
            }
            return writer.withSpan { Hash256(hashing: $0) }
        }
        return (content, rows)
    }

    @Test func `moves the values to the file, and changes no digest, root or proof`() async throws {
        let (temporary, point, old, _) = try await Self.store()
        let store = temporary.store
        let folder = try TemporaryFolder()
        let file = folder.path("old.gwa")
        let before = try Self.digest(store)
        let replica = try #require(store.replica)
        let (last, root) = (try store.log.vector()[replica], try store.log.root(of: replica))
        let head = try store.signedHead()
        let proof = try store.proof(ofContact: old)
        try store.runMaintenance()

        let archived = try await store.archive(before: point, to: file)
        #expect(archived.eventCount > 300 && archived.logBytes < archived.logBytesBefore && archived.fileBytes > 1000)
        #expect(try Self.digest(store) == before)
        #expect(try store.log.root(of: replica, through: last) == root)
        #expect(try proof.check().trees.allSatisfy { try proof.anchor(of: $0, in: [head]) == .sameTree })
        #expect(try store.compareWithReplay().isSame)
        let digest = try store.digest()
        try store.close()
        #expect(try await Store.verify(at: store.url, isDeep: true, components: .all).damage == [])
        // No page of the log has the old values, but in the snapshot that stands for them.
        #expect(try StoreSearch.files(below: folder.url, holding: Self.texts) == ["old.gwa"])
        let log = try Data(contentsOf: store.url.appending(path: "log.mdb"))
        #expect(log.range(of: Data("He lives in".utf8)) == nil)

        for name in ["views.mdb", "views.mdb-lock", "snapshots"] {
            try? FileManager.default.removeItem(at: store.url.appending(path: name))
        }
        let reopened = try await temporary.reopened(.full())
        #expect(try reopened.digest() == digest)
        try reopened.close()
    }

    @Test func `leaves what keeps the books: who wrote, and what an import was`() async throws {
        let (temporary, point, _, _) = try await Self.store()
        let store = temporary.store
        let folder = try TemporaryFolder()
        let (steps, replicas) = (try store.undoableSteps(9), try store.replicas().map(\.device))
        try await store.archive(before: point, to: folder.path("old.gwa"))
        let now = try store.undoableSteps(9)
        #expect(now.count == steps.count && now.map(\.changeCount) == steps.map(\.changeCount))
        #expect(now.last?.note == steps.last?.note && steps.last?.note.text.contains("test.adi") == true)
        #expect(try store.replicas().map(\.device) == replicas)
        #expect(try !store.log.missingValues().contains(EventID(#require(store.replica), 1)))
    }

    @Test func `is passed over by undo and refused by revert: it is taken back from its file`() async throws {
        let (temporary, point, _, new) = try await Self.store()
        let store = temporary.store
        let folder = try TemporaryFolder()
        try await store.archive(before: point, to: folder.path("old.gwa"))
        let said = try store.event(named: "last")
        let events = try store.events(standingFor: said)
        let content = try store.digest().content
        for revert in [{ try store.previewRevert($0) }, { try await store.revert($0) }]
            as [(EventSet) async throws -> Reverted]
        {
            let error = try await #require(throws: StoreError.self, performing: { _ = try await revert(events) })
            #expect(error.code == .usage && error.advice?.remedies == [.restoreArchive])
        }
        #expect(try store.event(named: "last") == said && store.digest().content == content, "nothing was written")
        let step = try #require(try store.undoableSteps(1).first)
        #expect(step.changeCount == 1 && step.note.text != "Archive")
        try await store.revert(step)
        #expect(try store.record("qso", new)?.isVisible == false, "what was written before it is taken back")
    }

    @Test func `what took place before is called archived, never told wrongly, and told with the file`() async throws {
        let (temporary, point, old, new) = try await Self.store()
        let store = temporary.store
        let folder = try TemporaryFolder()
        let file = folder.path("old.gwa")
        let middle = try store.log.vector(through: 150)
        let earlier = try await store.at(.vector(middle)).digest()
        let then = try await store.at(point).digest()
        let history = try store.audit.entries(of: "qso", old, store)
        try await store.archive(before: point, to: file)

        #expect(try await store.at(point).digest().content == then.content, "the point of the archive itself is there")
        let past = try await store.at(.vector(middle))
        #expect { try past.digest() } throws: { ($0 as? StoreError)?.code == .archived }
        #expect { try past.record("qso", old) } throws: { ($0 as? StoreError)?.code == .archived }
        #expect(try past.record("qso", new) == nil, "it was written since")
        let told = try store.audit.entries(of: "qso", old, store)
        #expect(told.count == history.count)
        #expect(told.filter { entry in entry.changes.contains { $0.withheld == .archived } }.count == 2)
        // The step over the border: what stood there before is archived, and not nothing.
        #expect(told.last?.changes.first?.withheldBefore == .archived)
        // What was written since can be undone; what is archived cannot.
        try await store.write { try $0.set("qso", new, [Assignment("NAME", text: "Ann")]) }
        for step in try store.undoableSteps(1) { try await store.revert(step) }
        #expect(try store.record("qso", new)?.text("NAME") == nil)
        let events = EventSet([EventRange(try #require(store.replica), 3, through: 3)])
        await #expect { try await store.revert(events) } throws: { ($0 as? StoreError)?.code == .archived }
        try store.close()

        let whole = try await Store.open(at: store.url, Configuration.full(archives: [file])).whole
        #expect(whole.isReadOnly)
        #expect(try await whole.at(.vector(middle)).digest() == earlier)
        #expect(try whole.audit.entries(of: "qso", old, whole) == history)
        try whole.close()
    }

    @Test func `a view of the past from before it is not gone on with`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        for _ in 0..<30 {
            try await store.write { batch in
                for number in 0..<100 { _ = try batch.add("qso", [Assignment("CALL", text: "N\(number)CALL")]) }
            }
        }
        let positions: [Position] = [101, 601, 1501]
        let right = try await store.at(.position(positions[2])).digest()
        // Left behind for whoever goes on from there.
        for position in positions[..<2] { _ = try await store.at(.position(position)).digest() }
        #expect(store.reusablePastView.isThere)
        let folder = try TemporaryFolder()
        try await store.archive(before: .position(1001), to: folder.path("old.gwa"))
        #expect(!store.reusablePastView.isThere)
        let past = try await store.at(.position(positions[2]))
        #expect(try past.digest() == right)
    }

    @Test func `expires the tokens from before it, and those alone`() async throws {
        let (temporary, point, _, new) = try await Self.store()
        let store = temporary.store
        let old = try store.log.token(at: 150)
        let present = try store.currentToken()
        let folder = try TemporaryFolder()
        try await store.archive(before: point, to: folder.path("old.gwa"))
        try await store.write { try $0.set("qso", new, [Assignment("NAME", text: "Ann")]) }
        var changes = store.changes(since: present).makeAsyncIterator()
        #expect(try await changes.next() != nil)
        var expired = store.changes(since: old).makeAsyncIterator()
        await #expect { try await expired.next() } throws: { ($0 as? StoreError)?.code == .expired }
    }

    @Test func `can be taken back, and made once more further on`() async throws {
        let (temporary, point, _, new) = try await Self.store()
        let store = temporary.store
        let folder = try TemporaryFolder()
        let files = ["one.gwa", "two.gwa"].map { folder.path($0) }
        let whole = try store.log.vector()
        let digest = try await store.at(.vector(whole)).digest()
        try await store.archive(before: point, to: files[0])
        try await store.write { try $0.set("qso", new, [Assignment("NAME", text: "Ann")]) }
        let last = try store.log.lastPosition()
        try await store.archive(before: .position(last), to: files[1])
        #expect(try await store.at(.position(last)).digest().contentCount == digest.contentCount)
        #expect(try store.compareWithReplay().isSame)
        // One file is not enough, in either order both are.
        await #expect { try await store.restoreArchives([files[1]]) } throws: {
            ($0 as? StoreError)?.code == .archived
        }
        let present = try store.digest()
        try await store.restoreArchives(files.reversed())
        #expect(try store.log.base() == nil && store.digest() == present)
        #expect(try await store.at(.vector(whole)).digest() == digest)
        #expect(try store.compareWithReplay().isSame)
        await #expect { try await store.restoreArchives(files) } throws: { ($0 as? StoreError)?.code == .usage }
        try store.close()
        #expect(try await Store.verify(at: store.url, isDeep: true, components: .all).damage == [])
    }

    @Test func `is refused where a device has not seen all of it, where nothing is left, and over a file`() async throws
    {
        let fleet = try await Fleet(2, seed: 5)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let folder = try TemporaryFolder()
        try await two.write { _ = try $0.add("qso", [Assignment("CALL", text: "N0ONE")]) }
        try await one.write { _ = try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }
        try fleet.meet()
        let point = Point.position(try one.log.lastPosition())
        let file = folder.path("old.gwa")
        await #expect { try await one.archive(before: point, to: file) } throws: {
            ($0 as? StoreError)?.code == .usage
                && ($0 as? StoreError)?.hint?.contains("leave it out of account") == true
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        // Once the other device has written with that in view, it has shown that it has seen it.
        try await two.write { _ = try $0.add("qso", [Assignment("CALL", text: "N0TWO")]) }
        try fleet.meet()
        #expect(try await one.archive(before: point, to: file, isDryRun: true).eventCount == 2)
        #expect(!FileManager.default.fileExists(atPath: file))
        try await one.archive(before: point, to: file)
        await #expect { try await one.archive(before: .position(one.log.lastPosition()), to: file) } throws: {
            ($0 as? StoreError)?.code == .exists
        }
        await #expect { try await one.archive(before: point, to: folder.path("b.gwa")) } throws: {
            ($0 as? StoreError)?.code == .usage
        }
        // What the other device writes meanwhile folds to the same on both.
        try await two.write { _ = try $0.add("qso", [Assignment("CALL", text: "N0LATE")]) }
        try fleet.meet()
        #expect(try one.digest().views == two.digest().views)
    }

    @Test(arguments: UInt64(1)...6)
    func `folds to the same as a store that was never archived, whatever comes later`(seed: UInt64) async throws {
        var fleet = try await Fleet(3, seed: seed)
        defer { fleet.close() }
        for _ in 0..<40 { try await fleet.step() }
        try fleet.meet()
        let store = fleet.stores[0]
        let folder = try TemporaryFolder()
        let file = folder.path("old.gwa")
        let point = Point.position(try store.log.lastPosition() * 2 / 3)
        let gone = Set(fleet.stores.compactMap(\.replica))
        try await store.archive(before: point, to: file, retired: gone)
        for _ in 0..<20 { try await fleet.step() }
        try fleet.meet()
        #expect(try store.digest() == fleet.stores[1].digest())
        #expect(try store.compareWithReplay().isSame)
        let base = try #require(try store.log.base()?.vector)
        // At points that the base belongs to, what the others show; at others "archived", or just the same.
        let last = try store.log.lastPosition()
        for position in stride(from: Position(1), through: last, by: 7) {
            let vector = try store.resolve(.position(position)).vector
            let here = try await store.at(.vector(vector))
            let there = try await fleet.stores[1].at(.vector(vector)).digest()
            do {
                #expect(try here.digest() == there)
            } catch let error as StoreError {
                #expect(error.code == .archived && !vector.covers(base))
            }
        }
        try store.close()
        let whole = try await Store.open(at: store.url, Configuration.full(archives: [file])).whole
        for position in stride(from: Position(1), through: last, by: 13) {
            let vector = try whole.resolve(.position(position)).vector
            #expect(try await whole.at(.vector(vector)).digest() == fleet.stores[1].at(.vector(vector)).digest())
        }
        try whole.close()
    }

    @Test func `what another device erases leaves the snapshot in the log too`() async throws {
        let fleet = try await Fleet(2, seed: 8)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let id = try await one.write { batch in
            try batch.add("qso", [Assignment("CALL", text: "N0GONE"), Assignment("NAME", text: "Bartholomew")])
        }.value
        try await one.importText(generatedLog(50))
        try fleet.meet()
        try await two.write { try $0.set("qso", id, [Assignment("QTH", text: "Mislaid Valley")]) }
        try fleet.meet()
        let folder = try TemporaryFolder()
        try await one.archive(before: .position(one.log.lastPosition()), to: folder.path("old.gwa"))
        #expect(try one.record("qso", id)?.text("NAME") == "Bartholomew")
        try await two.erase([id])
        try fleet.meet()
        try await one.write { _ = try $0.add("qso", [Assignment("CALL", text: "N0NEW")]) }
        try fleet.meet()
        #expect(try one.record("qso", id)?.text("NAME") == nil)
        #expect(try one.digest().views == two.digest().views)
        #expect(try one.compareWithReplay().isSame)
        #expect(try StoreSearch.files(below: one.url, holding: ["N0GONE"] + Self.texts) == [])
        // The file of the archive does not bring it back either.
        try await one.restoreArchives([folder.path("old.gwa")])
        #expect(try one.record("qso", id)?.text("NAME") == nil && one.digest().views == two.digest().views)
        #expect(try StoreSearch.files(below: one.url, holding: ["N0GONE"] + Self.texts) == [])
    }

    @Test func `every changed byte of its file is refused`() async throws {
        let (temporary, point, _, _) = try await Self.store()
        let folder = try TemporaryFolder()
        let path = folder.path("old.gwa")
        try await temporary.store.archive(before: point, to: path)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        try ArchiveReader(path).verify()
        let changed = folder.path("changed.gwa")
        for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 800)) {
            var copy = bytes
            copy[place] ^= 1 << UInt8(place % 8)
            try Data(copy).write(to: URL(filePath: changed))
            #expect(throws: ArchiveError.self, "byte \(place)") { try ArchiveReader(changed).verify() }
        }
        // Behind the small head comes the part with the events: which these are is said.
        var copy = bytes
        copy[bytes.count / 2] ^= 1
        try Data(copy).write(to: URL(filePath: changed))
        try temporary.store.close()
        let verification = try await Store.verify(at: temporary.url, archives: [changed], components: .all)
        let named = try #require(verification.damage.first)
        #expect(verification.damage.count == 1 && named.what == "archive")
        #expect(named.replica == temporary.store.replica && named.first == 2 && named.last == 304)
        for count in [0, 3, 50, bytes.count / 2, bytes.count - 1] {
            try Data(bytes.prefix(count)).write(to: URL(filePath: changed))
            #expect(throws: ArchiveError.self) { try ArchiveReader(changed).verify() }
        }
    }
}

extension Audit {
    /// The entries of one record, the oldest first.
    fileprivate func entries(of kind: String, _ id: RecordID, _ store: some Reading) throws -> [AuditEntry] {
        try store.positions(of: kind, id).compactMap { try entry(at: $0) }
    }
}
