import Everything
import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Two stores` {
    /// Copies of a store are opened with its key: two devices that think they are one.
    private static func copy(_ store: Store, to url: URL) async throws -> Store {
        try store.close()
        try FileManager.default.copyItem(at: store.url, to: url)
        return try await opened(url)
    }

    private static func opened(_ url: URL, isReadOnly: Bool = false) async throws -> Store {
        try await Store.open(at: url, Configuration.full(isReadOnly: isReadOnly)).whole
    }

    @Test(arguments: UInt64(1)...5)
    func `of a fleet that has met are the same after one exchange, however they got there`(seed: UInt64) async throws {
        var fleet = try await Fleet(3, seed: seed)
        defer { fleet.close() }
        for _ in 0..<40 { try await fleet.step() }
        try fleet.meet()
        for store in fleet.stores {
            for other in fleet.stores where other !== store {
                let comparison = try store.compare(with: other)
                #expect(comparison.isSame && comparison.exchanges == 1 && comparison.events.isEmpty)
                #expect(try comparison.views == .same(store.digest().views))
            }
        }
    }

    @Test func `of which one is behind differ by just what it lacks`() async throws {
        let fleet = try await Fleet(2, seed: 7)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        try await two.importText(generatedLog(10), named: "b.adi")
        try fleet.meet()
        let id = try await one.write { try $0.add("qso", [Assignment("CALL", text: "N0ONE")]) }.value
        let last = try #require(one.replica)
        let number = try one.log.vector()[last]
        let comparison = try one.compare(with: two)
        #expect(!comparison.isSame && comparison.exchanges == 1 && comparison.views == .notCompared)
        let replica = try #require(comparison.replicas.first { !$0.isSame })
        #expect(replica.device == "device 0" && replica.eventsHere == number && replica.eventsThere == number - 1)
        #expect(replica.onlyHere == [EventRange(last, number, through: number)])
        #expect(comparison.replicas.count == 2 && comparison.replicas.count(where: \.isSame) == 1)
        let event = try #require(comparison.events.first)
        #expect(event.here?.record == id && event.here?.label == "N0ONE" && event.there == nil)
        let back = try two.compare(with: one)
        #expect(back.replicas.flatMap(\.onlyThere) == replica.onlyHere && back.events.first?.there == event.here)
        #expect(try one.compare(with: two, eventLimit: 0).events.isEmpty)
    }

    @Test func `that went on from one copy with one key are forked, and each event with two contents is named`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(600))
        try temporary.store.close()
        let twin = try await temporary.twin(.full())
        let copy = twin.store
        let store = try await temporary.reopened(.full())
        try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0ONE")]) }
        try await copy.write { try $0.add("qso", [Assignment("CALL", text: "N0TWO")]) }
        try await copy.write { try $0.add("qso", [Assignment("CALL", text: "N0SIX")]) }
        let comparison = try store.compare(with: copy)
        let replica = try #require(comparison.replicas.first)
        let number = replica.eventsHere
        #expect(replica.differing == [EventRange(replica.id, number, through: number)])
        #expect(replica.onlyThere == [EventRange(replica.id, number + 1, through: number + 1)])
        #expect(replica.onlyHere.isEmpty && replica.undecided.isEmpty && !comparison.isSame)
        #expect(comparison.events.map(\.here?.label) == ["N0ONE", nil])
        #expect(comparison.events.map(\.there?.label) == ["N0TWO", "N0SIX"])
        #expect(comparison.events[0].here?.leaf != comparison.events[0].there?.leaf)
        #expect(comparison.exchanges <= 5 && comparison.bytes < 2_000)
        try store.close()
        try copy.close()
    }

    /// A store of the same log with all events of `store`, changed on their way.
    static func copy(
        _ store: Store, to url: URL, _ change: (DetachedEvent) throws -> DetachedEvent
    ) async throws -> Store {
        var frames: [[UInt8]] = []
        try store.log.scan(from: 1) { _, frame, bytes in
            let event = try change(DetachedEvent(frame, in: bytes))
            var writer = ByteWriter()
            for part in [event.header, event.shape, event.values] { writer.append(contentsOf: part) }
            let body = writer.bytes
            writer.removeAll()
            writer.append(littleEndian: Frame.magic)
            writer.append(littleEndian: UInt32(body.count + 24))
            writer.append(littleEndian: UInt32(0))
            writer.append(littleEndian: UInt16(event.header.count))
            writer.append(littleEndian: UInt16(event.isWithheld ? 1 : 0))
            writer.append(littleEndian: UInt32(event.shape.count))
            writer.append(contentsOf: body)
            writer.appendChecksum()
            frames.append(writer.bytes)
            return true
        }
        let files = StoreFiles(url)
        try files.makeFolder()
        try files.write(Identity())
        let log = try EventLog.create(at: files.log, id: store.log.id, epoch: 1)
        _ = try log.append(copying: frames, arrival: .now())
        try log.close()
        return try await opened(url)
    }

    @Test func `of which one was altered in one contact differ in its event`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(400))
        let folder = try TemporaryFolder()
        let copy = try await Self.copy(store, to: folder.url.appending(path: "copy")) { event in
            let text = String(decoding: event.values, as: UTF8.self)
            guard text.contains("N0C123"), let place = event.values.firstRange(of: Array("N0C123".utf8)) else {
                return event
            }
            var values = event.values
            values.replaceSubrange(place, with: Array("N0X123".utf8))
            return try DetachedEvent(header: event.header, shape: event.shape, values: values, isWithheld: false)
        }
        let comparison = try store.compare(with: copy)
        #expect(comparison.replicas.flatMap(\.differing).map(\.count) == [1])
        #expect(
            comparison.events.map(\.here?.label) == ["N0C123"] && comparison.events.map(\.there?.label) == ["N0X123"])
        #expect(comparison.events.first?.here?.record == comparison.events.first?.there?.record)
        #expect(comparison.replicas.flatMap(\.onlyHere).isEmpty && comparison.replicas.flatMap(\.onlyThere).isEmpty)
        try copy.close()
    }

    @Test func `of which one withholds values have the same events, and views that differ rightly`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(20))
        let folder = try TemporaryFolder()
        let copy = try await Self.copy(store, to: folder.url.appending(path: "copy")) { event in
            guard event.id.sequence == 5 else { return event }
            let hash = event.values.withSpan { Hash256(hashing: $0) }
            var writer = ByteWriter()
            writer.append(hash)
            return try DetachedEvent(header: event.header, shape: event.shape, values: writer.bytes, isWithheld: true)
        }
        let comparison = try store.compare(with: copy)
        #expect(comparison.replicas.allSatisfy(\.isSame) && comparison.exchanges == 1)
        #expect(comparison.views == .different(hereIsRight: true, thereIsRight: true))
        #expect(!comparison.isSame)
        try copy.close()
    }

    @Test func `are compared without changing a byte of either`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(50))
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "copy")
        let copy = try await Self.copy(temporary.store, to: url)
        try await copy.importText(generatedLog(60))
        try copy.close()
        func files() throws -> [Data] {
            try [temporary.url, url].flatMap { folder in
                try ["log.mdb", "views.mdb", "identity"].map { try Data(contentsOf: folder.appending(path: $0)) }
            }
        }
        let before = try files()
        let (one, two) = (
            try await temporary.reopened(Configuration.full(isReadOnly: true)),
            try await Self.opened(url, isReadOnly: true)
        )
        #expect(try !one.compare(with: two).isSame)
        try one.close()
        try two.close()
        #expect(try files() == before)
    }

    @Test func `of different logs are refused, with the word whether they show the same`() async throws {
        let (one, two) = (try await TemporaryStore(.full()), try await TemporaryStore(.full()))
        for temporary in [one, two] { try await temporary.store.importText(generatedLog(5)) }
        let same = #expect(throws: StoreError.self) { try one.store.compare(with: two.store) }
        #expect(same?.code == .usage && same?.message.contains("different logs") == true)
        #expect(same?.hint?.contains("exactly the same contacts: 5") == true)
        try await two.store.importText(generatedLog(6))
        let different = #expect(throws: StoreError.self) { try one.store.compare(with: two.store) }
        #expect(different?.hint?.contains("do not show the same") == true)
    }

    @Test func `that are one are refused, also by way of a link`() async throws {
        let temporary = try await TemporaryStore(.full())
        let folder = try TemporaryFolder()
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: temporary.url)
        for url in [temporary.url, link] {
            let again = try await Self.opened(url)
            let error = #expect(throws: StoreError.self) { try temporary.store.compare(with: again) }
            #expect(error?.code == .usage && error?.message.contains("the same store") == true)
        }
    }
}
