import Everything
import Foundation
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Erasing a contact` {
    /// What nobody is to find afterwards.
    private static let texts = ["N0GONE", "Bartholomew", "Mislaid Valley", "asked to be forgotten"]

    /// A store with contacts of which one, edited, undone and imported again, is to be erased.
    private static func store() async throws -> (TemporaryStore, RecordID) {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let store = temporary.store
        let gone = adi(["CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m"])
        try await store.importText(generatedLog(300) + gone, named: "log.adi")
        let id = try #require(try store.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        for name in ["Bartholomew", "Bart"] {
            try await store.write(note: "He asked to be forgotten") {
                try $0.set("qso", id, [Assignment("NAME", text: name), Assignment("COMMENT", text: "Mislaid Valley")])
            }
        }
        try await store.revert(try #require(try store.undoableSteps(1).first), note: "Undo")
        try await store.write { batch in
            _ = try batch.add("qso", [Assignment("CALL", text: "W1AW"), Assignment("NAME", text: "Hiram")])
        }
        return (temporary, id)
    }

    private static func search(_ store: Store) throws -> [String] {
        try StoreSearch.files(below: store.url, holding: texts)
    }

    @Test func `leaves no trace of its text in any file, and everything else as it was`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let snapshot = try store.createSnapshot()
        let old = files(of: store, "snapshots")
        #expect(
            Set(try Self.search(store)) == Set(["log.mdb", "views.mdb"] + old), "what is searched for is found before")
        let past = try await store.at(.vector(snapshot.vector))
        #expect(try past.record("qso", id)?.text("NAME") == "Bartholomew")
        let others = try store.read { try $0.all(.everything).filter { $0.id != id } }
        let roots = try store.log.root(of: #require(store.replica))
        let vector = try store.log.vector()

        let erased = try await store.erase([id], note: "On request")
        // Of the contact, of its key, and the record of the erase.
        #expect(erased.withheldCount >= 4 && erased.batches.count == 1 && erased.eventCount == 2)
        #expect(try Self.search(store) == [])
        #expect(try store.read { try $0.all(.everything).filter { $0.id != id } } == others)
        let replica = try #require(store.replica)
        #expect(try store.log.root(of: replica, through: vector[replica]) == roots)
        let record = try #require(try store.record("qso", id))
        #expect(record.isErased && !record.isVisible && record.fields.isEmpty)
        #expect(try !store.erasing.isPending())
        #expect(Set(files(of: store, "snapshots")).isDisjoint(with: old))
        #expect(try past.record("qso", id)?.text("NAME") == nil)
        #expect(try past.read { try $0.record("qso", id)?.text("NAME") } == nil)
        _ = try store.createSnapshot()
        #expect(try Self.search(store) == [], "a snapshot made since has none of it")

        let digest = try store.digest()
        try store.close()
        #expect(try Self.search(store) == [])
        let verification = try await Store.verify(at: store.url, isDeep: true, components: .all)
        #expect(verification.damage == [])
        for name in ["views.mdb", "views.mdb-lock"] {
            try FileManager.default.removeItem(at: store.url.appending(path: name))
        }
        let reopened = try await temporary.reopened(.full())
        #expect(try reopened.digest() == digest)
        #expect(try Self.search(reopened) == [])
        try reopened.close()
    }

    @Test func `keeps every proof and signed head`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let head = try store.signedHead()
        let before = try store.proof(ofContact: id)
        let other = try #require(try store.read { try $0.all(.contacts.worked("W1AW")).first?.id })
        let otherBefore = try store.proof(ofContact: other)
        try await store.erase([id])
        #expect(try before.check().trees.allSatisfy { try before.anchor(of: $0, in: [head]) == .sameTree })
        let after = try store.proof(ofContact: id, for: head).check()
        #expect(after.events.contains { $0.isWithheld } && after.isErased && after.record.fields.isEmpty)
        guard case .kept = try store.standing(of: head) else { throw StoreError(.bug, "The head is not kept.") }
        _ = try otherBefore.check()
        #expect(try store.proof(ofContact: other).check().withheldFields == [])
    }

    @Test func `cannot be taken back, and what was before never shows again`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let edits = try store.positions(of: "qso", id)
        let erased = try await store.erase([id])
        let batch = try #require(erased.batches.first)
        #expect(throws: StoreError.self) { try store.previewRevert(EventSet([batch.range])) }
        let error = await #expect(throws: StoreError.self) { try await store.revert(batch) }
        #expect(error?.code == .usage)
        #expect(try !store.undoableBatches(10).contains(batch))
        // Undoing and leaving out what is left brings nothing back.
        for step in try store.undoableSteps(10) { try await store.revert(step) }
        for position in edits {
            guard let event = try store.log.withEvent(at: position, { frame, _ in frame.id }) else { continue }
            let one = EventSet([EventRange(event.replica, event.sequence, through: event.sequence)])
            _ = try await store.revert(one)
            var filter = EventFilter()
            filter.without = one
            let record = try store.read { try $0.record("qso", id, counting: filter, in: store.views.history) }
            #expect(record?.fields.allSatisfy { $0.heads.allSatisfy { $0.value == nil } } ?? true)
        }
        // An empty contact is none: it is neither shown again nor written to.
        for body in [
            { try $0.restore("qso", id) }, { try $0.set("qso", id, [Assignment("NAME", text: "Hiram")]) },
        ] as [@Sendable (inout WriteBatch) throws -> Bool] {
            let error = await #expect(throws: StoreError.self) { try await store.write { try body(&$0) } }
            #expect(error?.code == .usage && error?.message.contains("was erased") == true)
        }
        #expect(try store.record("qso", id)?.isVisible == false)
        #expect(!String(decoding: try store.exported(.adi), as: UTF8.self).uppercased().contains("<EOR>\n<EOR>"))
        #expect(try store.record("qso", id)?.fields.isEmpty == true)
        _ = try store.blame("qso", id)
        for position in try store.positions(of: "qso", id) { _ = try store.audit.entry(at: position) }
        _ = try store.exported(.adi)
        #expect(try Self.search(store) == [])
        try store.close()
        #expect(try await Store.verify(at: store.url, isDeep: true, components: .all).damage == [])
    }

    @Test func `is not undone by the same file, which finds the contact hidden`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let gone = adi(["CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m"])
        try await store.erase([id])
        let again = try await store.importText(generatedLog(300) + gone, named: "log.adi")
        #expect(again.erased == 1 && again.hidden == 0 && again.imported == 0 && again.updated == 0)
        #expect(try Self.search(store) == [])
        // Nor by a file of another program, which may name the station.
        let other = adi([
            "CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": "120030", "FREQ": "14.074",
            "STATION_CALLSIGN": "N0CALL", "NAME": "Bartholomew",
        ])
        var options = ImportOptions()
        options.source = "other"
        let elsewhere = try await store.importText(other, named: "other.adi", options)
        #expect(elsewhere.erased == 1 && elsewhere.imported == 0)
        #expect(try Self.search(store) == [])
        // Only who asks for it gets the contact again, as another one; the same file then means that one.
        options.takesErasedAgain = true
        #expect(try await store.importText(other, named: "other.adi", options).imported == 1)
        let new = try #require(try store.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        #expect(new != id)
        #expect(try await store.importText(other, named: "other.adi", options).unchanged == 1)
        #expect(try store.record("qso", id)?.isErased == true)
    }

    /// A contact that was logged by hand, and corrected, has had several keys.
    @Test func `is not undone by a file that has the contact as it was once`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { batch in
            try batch.add(
                "qso",
                [
                    ("CALL", "N0GON"), ("QSO_DATE", "20260102"), ("TIME_ON", "1200"), ("BAND", "20m"),
                    ("STATION_CALLSIGN", "N0CALL"),
                ].map { Assignment($0, text: $1) })
        }.value
        try await store.write { try $0.set("qso", id, [Assignment("CALL", text: "N0GONE")]) }
        try await store.write { try $0.set("qso", id, [Assignment("BAND", text: "40m")]) }
        try await store.erase([id])
        func report(_ call: String, _ time: String, _ band: String, _ station: String) async throws -> ImportReport {
            let text = adi([
                "CALL": call, "QSO_DATE": "20260102", "TIME_ON": time, "BAND": band, "STATION_CALLSIGN": station,
            ])
            var options = ImportOptions()
            options.source = "\(call) \(band) \(station)"
            return try await store.importText(text, named: "other.adi", options)
        }
        for (call, band, station) in [
            ("N0GON", "20m", "N0CALL"), ("N0GONE", "20m", "N0CALL"), ("N0GONE", "40m", "N0CALL"), ("N0GONE", "40m", ""),
        ] {
            let report = try await report(call, "120030", band, station)
            #expect(report.erased == 1 && report.imported == 0, "\(call) on \(band) with \(station)")
        }
        #expect(try await report("N0GONE", "1201", "20m", "N0CALL").imported == 1, "another contact with that station")
        #expect(try await report("N0GONE", "1200", "20m", "N0AAA").imported == 1, "a contact of another station")
    }

    /// What an undo has hidden, the same file shows again; not so what was erased since.
    @Test func `is not undone by the file whose import was undone before`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let text = generatedLog(3) + adi(["CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m"])
        let report = try await store.importText(text)
        let id = try #require(try store.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        try await store.revert(store.events(ofImport: try #require(report.id)))
        try await store.erase([id])
        let again = try await store.importText(text)
        #expect(again.imported == 3 && again.erased == 1)
        #expect(try store.record("qso", id)?.isErased == true)
        #expect(try Self.search(store) == [])
    }

    @Test func `again takes nothing, and says nothing that could be searched`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let error = await #expect(throws: StoreError.self) { try await store.erase([id], note: "For n0gone/p") }
        #expect(error?.code == .usage)
        let last = try store.log.lastPosition()
        #expect(try Self.search(store) == ["log.mdb", "views.mdb"])
        #expect(try store.log.lastPosition() == last)
        #expect(try await store.erase([id]).withheldCount > 0)
        let again = try await store.erase([id])
        #expect(again.withheldCount == 0 && again.batches == [])
        await #expect(throws: StoreError.self) { try await store.erase([RecordID(high: 1, low: 1)]) }
    }

    @Test func `names what else mentions the call, and what is out of reach`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let noted = try await store.write(note: "Met N0GONE/P there") {
            try $0.add("qso", [Assignment("CALL", text: "N0AAA")])
        }.value
        let valued = try await store.write {
            try $0.add("qso", [Assignment("CALL", text: "N0BBB"), Assignment("COMMENT", text: "spotted by n0gone.")])
        }.value
        _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0GONER")]) }
        let mentions = try store.mentions(of: "N0GONE", except: [id])
        #expect(mentions.map(\.record) == [noted, valued])
        #expect(mentions.map(\.isInNote) == [true, false])
        let folder = store.url.appending(path: "EmergencyBackup")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(#"{"a": "n0gone"}"#.utf8).write(to: store.url.appending(path: "settings.json"))
        try Data("{}".utf8).write(to: store.url.appending(path: "exports.json"))
        let copies = store.copiesOutOfReach(of: "N0GONE")
        #expect(copies.map { URL(filePath: $0).lastPathComponent } == ["EmergencyBackup", "settings.json"])
    }

    @Test func `takes what was said with a removal, which has no values`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        try await store.write(note: "Bartholomew asked to be forgotten") { try $0.remove("qso", id) }
        try await store.write(note: "N0GONE is back from the Mislaid Valley") { try $0.restore("qso", id) }
        try await store.erase([id])
        #expect(try Self.search(store) == [])
    }

    @Test func `takes the remains of unfinished files with it`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        for name in ["views.mdb.new-1-2", "log.mdb.abc.creating", "views.mdb.new-1-2.x.creating"] {
            try FileManager.default.copyItem(
                at: store.url.appending(path: "log.mdb"), to: store.url.appending(path: name))
        }
        #expect(try Self.search(store).count == 5)
        try await store.erase([id])
        #expect(try Self.search(store) == [])
    }
}

/// The names of the files in a folder of `store`.
private func files(of store: Store, _ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: store.url.appending(path: folder).path)) ?? []).sorted()
}
