import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Erasing in a fleet` {
    private static let texts = ["N0GONE", "Bartholomew"]

    private static func search(_ store: Store) throws -> [String] {
        try StoreSearch.files(below: store.url, holding: texts)
    }

    /// Two devices that both have a contact with N0GONE, which the first one logged and the second one edited.
    private static func fleet() async throws -> (Fleet, RecordID) {
        let fleet = try await Fleet(2, seed: 5)
        let id = try await fleet.stores[0].write { try $0.add("qso", [Assignment("CALL", text: "N0GONE")]) }.value
        try fleet.meet()
        try await fleet.stores[1].write { try $0.set("qso", id, [Assignment("NAME", text: "Bartholomew")]) }
        try fleet.meet()
        return (fleet, id)
    }

    /// Writes something else: what is due happens then.
    private static func writeSomething(in store: Store) async throws {
        try await store.write { _ = try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }
    }

    @Test func `every device that hears of it does the same, and takes the text from nobody`() async throws {
        let (fleet, id) = try await Self.fleet()
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let late = try FreshFrames(of: two)
        try await one.erase([id])
        #expect(try Self.search(one) == [] && !Self.search(two).isEmpty)
        try Fleet.send(from: one, to: two, at: fleet.clocks[1])
        try await Self.writeSomething(in: two)
        #expect(try Self.search(two) == [])
        try fleet.meet()
        #expect(try one.digest().views == two.digest().views)
        // A copy, and a store that knows of the erase and gets the events from one that does not.
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "third")
        _ = try await one.replay(to: url)
        let third = try await Store.open(at: url, .full()).whole
        #expect(try third.log.erased() == one.log.erased(), "a copy refuses what its origin refuses")
        #expect(try third.digest().views == one.digest().views)
        try third.close()
        let log = try EventLog.create(at: folder.path("log.mdb"), id: one.log.id, epoch: 1)
        try log.erase(one.log.refusals())
        _ = try log.append(copying: late.frames, arrival: .now())
        #expect(
            try log.root(of: #require(one.replica), through: 2) == one.log.root(of: #require(one.replica), through: 2))
        try log.close()
        #expect(try StoreSearch.files(below: folder.url, holding: Self.texts) == [])
    }

    @Test func `takes a snapshot that holds some of the events and not all`() async throws {
        let fleet = try await Fleet(2, seed: 5)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let id = try await one.write { try $0.add("qso", [Assignment("CALL", text: "N0GONE")]) }.value
        try fleet.meet()
        _ = try one.createSnapshot()
        try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Bartholomew")]) }
        try fleet.meet()
        #expect(try one.record("qso", id)?.text("NAME") == "Bartholomew")
        try await one.erase([id])
        #expect(try Self.search(one) == [])
    }

    @Test(arguments: UInt64(1)...12)
    func `whatever happens beside it, the devices agree, and verify finds nothing wrong`(seed: UInt64) async throws {
        var fleet = try await Fleet(3, seed: seed)
        defer { fleet.close() }
        for _ in 0..<25 { try await fleet.step() }
        let ids = try fleet.stores[0].read { try $0.all(.everything).map(\.id) }
        for _ in 0..<10 { try await fleet.step() }
        try await fleet.stores[0].erase(Array(ids.prefix(2)))
        for _ in 0..<20 { try await fleet.step() }
        try fleet.meet()
        for store in fleet.stores { try await Self.writeSomething(in: store) }
        try fleet.meet()
        let digests = try fleet.stores.map { try $0.digest().views }
        #expect(Set(digests).count == 1)
        #expect(try Set(fleet.stores.map { try $0.log.erased() }).count == 1)
        for store in fleet.stores {
            #expect(try store.compareWithReplay().isSame)
            try store.close()
            #expect(try await Store.verify(at: store.url, components: .all).damage == [])
        }
    }

    @Test func `takes what a device writes that had not heard of it, in either order`() async throws {
        let (fleet, id) = try await Self.fleet()
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        try await one.erase([id])
        try await two.write(note: "Barty wrote") { try $0.set("qso", id, [Assignment("NAME", text: "Barty")]) }
        try await two.write { try $0.remove("qso", id) }
        try await two.write { try $0.restore("qso", id) }
        try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Bart")]) }
        _ = try await two.revert(try #require(try two.undoableSteps(1).first))
        try fleet.meet()
        for store in [one, two] { try await Self.writeSomething(in: store) }
        try fleet.meet()
        for store in [one, two] {
            let record = try #require(try store.record("qso", id))
            #expect(record.isErased && !record.isVisible && !record.hasConflict && record.fields.isEmpty)
            #expect(try store.read { try $0.all(.everything).contains { $0.id == id } } == false)
            #expect(try StoreSearch.files(below: store.url, holding: ["Bart", "N0GONE"]) == [])
            #expect(try !store.erasing.isPending())
            #expect(try store.compareWithReplay().isSame)
        }
        #expect(try one.digest().views == two.digest().views)
        #expect(try one.log.erased() == two.log.erased())
    }

    /// What a device may do that has not heard of the erase.
    enum Deed: String, CaseIterable, CustomTestStringConvertible {
        case edit, undo, restore, importing, otherSource, revert, merge, bundle, archive, rejoin

        var testDescription: String { rawValue }
    }

    @Test(arguments: Deed.allCases)
    func `takes what another device does meanwhile, whatever that is`(deed: Deed) async throws {
        let fleet = try await Fleet(2, seed: 7)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        func file(name: String) -> String {
            generatedLog(20)
                + adi([
                    "CALL": "N0GONE", "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m", "NAME": name,
                ])
        }
        let imported = try await one.importText(file(name: "Bartholomew"))
        let id = try #require(try one.read { try $0.all(.contacts.worked("N0GONE")).first?.id })
        try fleet.meet()
        try await two.write { try $0.set("qso", id, [Assignment("COMMENT", text: "with Bartholomew")]) }
        try fleet.meet()
        let point = try two.log.lastPosition()
        // By this the second one knows that the first one has all that it archives.
        try await Self.writeSomething(in: one)
        try fleet.meet()
        let path = fleet.folder.path("values")
        let double = try await two.write { batch in
            try batch.add("qso", [("CALL", "W1AW"), ("QTH", "Here")].map { Assignment($0, text: $1) })
        }.value

        let remote = RemoteAddress.folder(fleet.folder.url.appending(path: "remote"))
        if deed == .bundle { _ = try await two.createBundle(to: path) }
        if deed == .rejoin {
            try await two.add(remote: "before", at: remote)
            _ = try await two.sync(try two.remote("before"))
        }
        try await one.erase([id])
        switch deed {
        case .edit: try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Bart")]) }
        case .undo:
            try await two.write { try $0.set("qso", id, [Assignment("COMMENT", text: "with Bart")]) }
            try await two.revert(try #require(try two.undoableSteps(1).first))
        case .restore:
            try await two.write(note: "Bartholomew left") { try $0.remove("qso", id) }
            try await two.write(note: "Bartholomew came back") { try $0.restore("qso", id) }
        case .importing: #expect(try await two.importText(file(name: "Bartholomew II")).updated == 1)
        case .otherSource:
            let text = "x\n<PROGRAMID:5>Other<EOH>\n" + file(name: "Bartholomew III")
            #expect(try await two.importText(text).imported == 0)
        case .merge:
            _ = try await two.merge([id], into: double)
            #expect(try two.record("qso", double)?.text("COMMENT") == "with Bartholomew")
        case .rejoin: break
        case .revert: try await two.revert(two.events(ofImport: #require(imported.id)))
        case .bundle: break
        case .archive: try await two.archive(before: .position(point), to: path)
        }
        #expect(try !StoreSearch.files(below: two.url, holding: Self.texts).isEmpty)
        try fleet.meet()
        for store in [one, two] { try await Self.writeSomething(in: store) }
        switch deed {
        case .bundle: _ = try await one.applyBundle(path)
        case .archive: try await two.restoreArchives([path])
        case .rejoin:
            // The device of a remote that nobody has written to since begins with the text, and hears of the erase then.
            let temporary = try await TemporaryStore(joining: remote, .full(deviceName: "third"))
            let third = temporary.store
            #expect(try !Self.search(third).isEmpty)
            try Fleet.send(from: one, to: third, at: fleet.clocks[0])
            try await Self.writeSomething(in: third)
            #expect(try Self.search(third) == [])
            #expect(try third.record("qso", id)?.isErased == true)
            withExtendedLifetime(temporary) {}
        default: break
        }
        try fleet.meet()
        for store in [one, two] {
            #expect(try StoreSearch.files(below: store.url, holding: Self.texts) == [])
            #expect(try store.record("qso", id)?.isErased == true)
            let kept = try store.record("qso", double)
            #expect(kept?.isVisible == true && kept?.text("QTH") == "Here" && kept?.text("COMMENT") == nil)
            #expect(try !store.erasing.isPending())
            #expect(try store.compareWithReplay().isSame)
        }
        #expect(try one.digest().views == two.digest().views)
        #expect(try one.log.erased() == two.log.erased())
        for store in [one, two] {
            try store.close()
            #expect(try await Store.verify(at: store.url, isDeep: true, components: .all).damage == [])
        }
    }

    @Test func `takes what waits for its predecessors, whether it came before the erase or after`() async throws {
        for isFirst in [true, false] {
            let (fleet, id) = try await Self.fleet()
            defer { fleet.close() }
            let (one, two) = (fleet.stores[0], fleet.stores[1])
            if !isFirst { try await one.erase([id]) }
            try await Self.writeSomething(in: two)
            try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Barty")]) }
            let author = try #require(two.replica)
            let last = try two.log.vector()[author]
            let frame = try #require(
                try two.log.frame(
                    of: EventRange(author, last, through: last), signedBy: two.files.readIdentity(),
                    preferredBytes: 1 << 20))
            _ = try StoreLog(store: one).receive([frame], arrival: .now())
            #expect(try one.log.pendingRanges().count == 1)
            #expect(try StoreSearch.files(below: one.url, holding: ["Barty"]) == ["log.mdb"])
            if isFirst { try await one.erase([id]) } else { try await Self.writeSomething(in: one) }
            #expect(try StoreSearch.files(below: one.url, holding: ["Barty"]) == [])
            #expect(try one.log.pendingRanges().count == 1, "it still waits, without its text")
            try fleet.meet()
            try await Self.writeSomething(in: two)
            #expect(try StoreSearch.files(below: two.url, holding: ["Barty"]) == [])
            try fleet.meet()
            #expect(try one.digest().views == two.digest().views)
        }
    }

    @Test func `is finished at the next open where the process ended in between`() async throws {
        let (fleet, id) = try await Self.fleet()
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        try await one.erase([id])
        // The event is here, and nothing was done about it: as after a kill behind the commit.
        try Fleet.send(from: one, to: two, at: fleet.clocks[1])
        #expect(try two.erasing.isPending() && !Self.search(two).isEmpty)
        try two.close()
        let reader = try await Store.open(at: two.url, Configuration.full(isReadOnly: true)).whole
        #expect(try reader.erasing.isPending() && !Self.search(two).isEmpty, "who only reads changes nothing")
        try reader.close()
        #expect(try await Store.verify(at: two.url, isDeep: true, components: .all).damage.map(\.what) == ["withheld"])
        let again = try await Store.open(at: two.url, .full()).whole
        #expect(try !again.erasing.isPending())
        #expect(try Self.search(again) == [])
        #expect(try again.compareWithReplay().isSame)
        try again.close()
    }

    @Test func `views that were left behind by a kill are built anew`() async throws {
        let (fleet, id) = try await Self.fleet()
        defer { fleet.close() }
        let store = fleet.stores[0]
        let views = store.url.appending(path: "views.mdb")
        try store.close()
        let before = try Data(contentsOf: views)
        let opened = try await Store.open(at: store.url, .full()).whole
        try await opened.erase([id])
        let digest = try opened.digest()
        try opened.close()
        // As if it had ended between the log and the views.
        try before.write(to: views)
        #expect(try !Self.search(store).isEmpty)
        let again = try await Store.open(at: store.url, .full()).whole
        #expect(try Self.search(again) == [])
        #expect(try again.digest() == digest)
        try again.close()
    }
}

/// The events of a store as they are now, for somebody who sends them late.
private struct FreshFrames {
    var frames: [[UInt8]] = []

    init(of store: Store) throws {
        try store.log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
    }
}
