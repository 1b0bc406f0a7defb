import Everything
import Foundation
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveReplication
import GroundwaveStore
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveSyncing

@Suite struct `A store that is being joined` {
    /// A log of a few contacts with a snapshot at the remote, and a contact that is newer than it.
    private func journal() async throws -> JournalDevice {
        let journal = try await JournalDevice()
        try await journal.store.importText(generatedLog(200), named: "generated.adi")
        let id = try await journal.store.log("W1AW")
        try await journal.store.edit(id, ["NAME": "Operator"])
        try await journal.sync()
        _ = try await journal.store.log("K1AA", at: "1300")
        try await journal.sync()
        return journal
    }

    /// A transport that fails from the first segment on, so that a join stops behind the snapshot.
    private func withoutHistory(_ journal: JournalDevice) -> ObservedTransport {
        ObservedTransport(journal.cloud) { request throws(TransportError) in
            if request.hasPrefix("get stores") { throw .unreachable("The share is away.") }
        }
    }

    @Test func `shows what the snapshot has, and says what it is`() async throws {
        let journal = try await journal()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        let told = Mutex<[String]>([])
        let error = await #expect(throws: StoreError.self) {
            _ = try await journal.joined(at: url, through: withoutHistory(journal)) { step in
                if case .readable(let snapshot) = step { told.withLock { $0.append("\(snapshot.recordCount)") } }
            }
        }
        #expect(error?.code == .unreachable)
        let joining = try #require(try Store.whileJoining(at: url, .full()))
        #expect(joining.address == "application://cloud" && joining.replica == nil)
        #expect(told.withLock { $0 } == ["\(joining.snapshot.recordCount)"])
        // 201 contacts, and not the one that was written afterwards.
        #expect(try joining.contactCount() == 201)
        let vector = joining.snapshot.vector
        #expect(vector.eventCount == (try journal.store.log.vector().eventCount) - 1)
        let past = try await journal.store.at(.vector(vector))
        let shown = try joining.read { try $0.all(.everything) }
        let expected = try past.read { try $0.all(.everything) }
        #expect(shown.map(\.id) == expected.map(\.id))
        for (one, other) in zip(shown, expected) {
            #expect(one.fields.map(\.value) == other.fields.map(\.value))
        }
        #expect(try joining.setting("syncEngine")?.value == "journal")
        #expect(joining.receivedEvents < vector.eventCount)
        // The store itself is no whole one, for nobody.
        await #expect(throws: StoreError.self) { _ = try await Store.open(at: url, .full()) }
    }

    @Test(arguments: UInt64(1)...8)
    func `shows what was true at the vector of the snapshot, whatever was written`(seed: UInt64) async throws {
        let journal = try await JournalDevice(seed: seed)
        var generator = SeededGenerator(seed: seed)
        var ids: [RecordID] = []
        for number in 0..<60 {
            journal.clock.advance(by: .seconds(Int.random(in: 0...7200, using: &generator)))
            let id = ids.randomElement(using: &generator)
            switch (Int.random(in: 0..<6, using: &generator), id) {
            case (2...3, let id?):
                try await journal.store.edit(id, ["NAME": "name \(number % 7)", "COMMENT": "comment \(number % 5)"])
            case (4, let id?): _ = try await journal.store.write { try $0.remove("qso", id) }
            case (5, let id?): _ = try await journal.store.write { try $0.restore("qso", id) }
            default: ids.append(try await journal.store.log("N\(number)CALL", at: String(format: "%04d", number)))
            }
            if Int.random(in: 0..<4, using: &generator) == 0 { try await journal.sync() }
        }
        try await journal.sync()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        await #expect(throws: StoreError.self) {
            _ = try await journal.joined(at: url, through: withoutHistory(journal))
        }
        let joining = try #require(try Store.whileJoining(at: url, .full()))
        // The model is the fold of the events of that vector, which the first device has.
        let past = try await journal.store.at(.vector(joining.snapshot.vector))
        #expect(try joining.read { try Self.contacts($0) } == past.read { try Self.contacts($0) })
    }

    /// All contacts, hidden ones too, with what each of their fields shows.
    private static func contacts(_ view: borrowing ViewReader) throws -> [String] {
        var found: [String] = []
        try view.forEachRecord(of: "qso") { record in
            found.append("\(record.id) \(record.isVisible) \(record.fields.map { "\($0.key)=\($0.value ?? [])" })")
            return true
        }
        return found
    }

    @Test func `has no history, and invents none`() async throws {
        let journal = try await journal()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        await #expect(throws: StoreError.self) {
            _ = try await journal.joined(at: url, through: withoutHistory(journal))
        }
        let joining = try #require(try Store.whileJoining(at: url, .full()))
        let id = try #require(try joining.read { try $0.all(.everything).first?.id })
        #expect(joining.positions(of: "qso", id).isEmpty)
        #expect(try joining.audit.lastPosition() == 0)
    }

    @Test func `is whole at its end, and nothing of the snapshot stays`() async throws {
        let journal = try await journal()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        let steps = Mutex<[(UInt64, UInt64?)]>([])
        let store = try await journal.joined(at: url) { step in
            if case .history(let events, let total) = step { steps.withLock { $0.append((events, total)) } }
        }
        #expect(try store.contactCount() == 202 && store.syncStatus().here.isEmpty)
        #expect(try store.digest().content == journal.store.digest().content)
        #expect(try Store.whileJoining(at: url, .full()) == nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: url.path)
        #expect(!files.contains { $0.hasPrefix("join") }, "\(files)")
        let said = steps.withLock { $0 }
        #expect(said.allSatisfy { $0.1 != nil } && said.map(\.0) == said.map(\.0).sorted())
        try store.close()
    }

    @Test func `fetches no snapshot where none is`() async throws {
        let journal = try await JournalDevice(engine: "records")
        _ = try await journal.store.log("W1AW")
        try await journal.sync()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        await #expect(throws: StoreError.self) {
            _ = try await journal.joined(at: url, through: withoutHistory(journal))
        }
        #expect(try Store.whileJoining(at: url, .full()) == nil)
        #expect(try await journal.joined(at: url).contactCount() == 1)
    }

    @Test(arguments: 0..<30)
    func `broken off at any request shows nothing or the whole snapshot, and goes on`(answered: Int) async throws {
        let journal = try await journal()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        let requests = Mutex(0)
        let parts = Mutex(0)
        let broken = ObservedTransport(journal.cloud) { request throws(TransportError) in
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            if number > answered { throw .unreachable("The share is away.") }
            if request.hasPrefix("get snapshots/parts") { parts.withLock { $0 += 1 } }
        }
        let whole = ObservedTransport(journal.cloud) { request in
            if request.hasPrefix("get snapshots/parts") { parts.withLock { $0 += 1 } }
        }
        do { try await journal.joined(at: url, through: broken).close() } catch is StoreError {
            if let joining = try Store.whileJoining(at: url, .full()) { #expect(try joining.contactCount() == 201) }
            let store = try await journal.joined(at: url, through: whole)
            #expect(try store.digest().content == journal.store.digest().content)
            try store.close()
        }
        #expect(parts.withLock { $0 } == 1, "the only part is fetched once")
    }

    @Test func `keeps what a pull has learnt after each commit, so that a kill costs little`() async throws {
        let journal = try await journal()
        let folder = try TemporaryFolder()
        let second = try await journal.joined(at: folder.url.appending(path: "second"))
        _ = try await second.log("K1AA", at: "1400")
        try await second.sync(with: journal.cloud, as: "cloud")
        let ids = try [journal.store, second].map { try #require($0.replica) }.sorted()
        try second.close()
        let url = folder.url.appending(path: "third")
        let known = Mutex<[Bool]>([])
        let watched = ObservedTransport(journal.cloud) { request in
            // Once the folder of the later store is read, the events of the earlier one are known on the disk.
            if request.hasPrefix("get stores/\(ids[1])"), request.hasSuffix(".segment") {
                known.withLock { $0.append(StoreFiles(url).readCache(of: "cloud").next[ids[0]] != nil) }
            }
        }
        try await journal.joined(at: url, through: watched, seed: 3).close()
        #expect(known.withLock { $0 }.first == true)
    }
}

@Suite struct `A snapshot that cannot be trusted` {
    private let folder: TemporaryFolder
    private let journal: JournalDevice
    private var url: URL { folder.url.appending(path: "store") }

    init() async throws {
        folder = try TemporaryFolder()
        journal = try await JournalDevice()
        _ = try await journal.store.log("W1AW")
        try await journal.sync()
        journal.clock.advance(by: .seconds(7 * 3600))
        _ = try await journal.store.log("K1AA")
        try await journal.sync()
    }

    private func name(_ kind: String, newest index: Int) async throws -> ObjectName {
        let name = try await journal.placed.names()[index]
        return try #require(
            ObjectName(kind == "head" ? "snapshots/heads/\(name).head" : "snapshots/parts/\(name)-0001.part"))
    }

    private func replace(_ name: ObjectName, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try #require(try journal.cloud.get(name, range: nil, limit: 8 << 20))
        change(&bytes)
        try journal.cloud.delete(name)
        _ = try journal.cloud.putIfAbsent(name, bytes)
    }

    /// Joins, and returns the number of contacts of the snapshot that was shown, and what was said of others.
    private func join() async throws -> (shown: Int?, said: [String]) {
        let shown = Mutex<Int?>(nil)
        let said = Mutex<[String]>([])
        let url = url
        let store = try await journal.joined(at: url) { step in
            switch step {
            case .readable: shown.withLock { $0 = try? Store.whileJoining(at: url, .full())?.contactCount() }
            case .unusable(_, let reason): said.withLock { $0.append(reason) }
            case .snapshot, .history: break
            }
        }
        #expect(try store.digest().content == journal.store.digest().content, "the join is whole whatever lies there")
        try store.close()
        return (shown.withLock { $0 }, said.withLock { $0 })
    }

    @Test func `is not needed where the newest is whole`() async throws {
        let joined = try await join()
        #expect(joined.shown == 2 && joined.said.isEmpty)
    }

    @Test(arguments: ["head", "part"])
    func `changed by a byte gives way to the next older one`(kind: String) async throws {
        try replace(try await name(kind, newest: 1)) { $0[$0.count / 2] ^= 1 }
        let joined = try await join()
        #expect(joined.shown == 1 && joined.said.count == 1)
        #expect(joined.said.first?.hasPrefix("its") == true)
    }

    @Test(arguments: ["head", "part"])
    func `cut short or gone gives way to the next older one`(kind: String) async throws {
        try replace(try await name(kind, newest: 1)) { $0.removeLast($0.count / 2) }
        try journal.cloud.delete(try await name("part", newest: 0))
        let joined = try await join()
        #expect(joined.shown == nil && joined.said.count == 2, "nor is the older one of use")
    }

    @Test func `signed by nobody of this log, or of another one, is not shown`() async throws {
        let other = try await JournalDevice(seed: 9)
        _ = try await other.store.log("K9ZZ")
        try await other.sync()
        let own = try await journal.placed.names()
        // The other log's snapshot, with all its objects, as the newest.
        other.clock.advance(by: .seconds(9 * 3600))
        _ = try await other.store.log("K8ZZ")
        try await other.sync()
        for name in try other.cloud.list(prefix: .all, startAfter: nil, limit: 100)
        where name.description.hasPrefix("snapshots/") {
            _ = try journal.cloud.putIfAbsent(
                name, try #require(try other.cloud.get(name, range: nil, limit: 8 << 20)))
        }
        let head = try await journal.placed.head(own[1])
        let forged = try #require(
            PlacedSnapshotHead(
                log: head.log, created: head.created + 10 * 3_600_000, layout: head.layout, vector: head.vector,
                byteCount: head.byteCount, hash: head.hash, parts: head.parts))
        _ = try journal.cloud.putIfAbsent(
            try #require(ObjectName("snapshots/heads/\(forged.name).head")), forged.bytes(signedBy: Identity()))
        let joined = try await join()
        #expect(joined.shown == 2)
        #expect(
            joined.said.contains { $0.contains("another log") } && joined.said.contains { $0.contains("signature") },
            "\(joined.said)")
    }

    @Test func `of another version of the program, or of other content than its head states, is not shown`()
        async throws
    {
        let identity = try journal.store.files.readIdentity()
        let head = try await journal.placed.head(try await journal.placed.names()[1])
        let part = try await journal.placed.part(1, of: head)
        // Signed as it should be, but of a layout that this version does not know; and of another vector.
        var vector = head.vector
        vector[identity.replica] += 1
        for (hours, layout, vector) in [(1, head.layout + 1, head.vector), (2, head.layout, vector)] {
            let other = try #require(
                PlacedSnapshotHead(
                    log: head.log, created: head.created + Int64(hours) * 3_600_000, layout: layout, vector: vector,
                    byteCount: head.byteCount, hash: head.hash, parts: head.parts))
            try await journal.placed.leave(other, signedBy: identity) { _ in part }
        }
        let joined = try await join()
        #expect(joined.shown == 2)
        #expect(joined.said == ["its content was changed or cut short", "it is from another version of this program"])
    }

    @Test func `of a time to come is tried last`() async throws {
        let identity = try journal.store.files.readIdentity()
        let head = try await journal.placed.head(try await journal.placed.names()[0])
        let part = try await journal.placed.part(1, of: head)
        let future = try #require(
            PlacedSnapshotHead(
                log: head.log, created: head.created + 400 * 86_400_000, layout: head.layout, vector: head.vector,
                byteCount: head.byteCount, hash: head.hash, parts: head.parts))
        try await journal.placed.leave(future, signedBy: identity) { _ in part }
        let joined = try await join()
        #expect(joined.shown == 2 && joined.said.isEmpty)
    }

    @Test func `damaged on the disk of the new device is not shown`() async throws {
        let withoutHistory = ObservedTransport(journal.cloud) { request throws(TransportError) in
            if request.hasPrefix("get stores") { throw .unreachable("The share is away.") }
        }
        await #expect(throws: StoreError.self) { _ = try await journal.joined(at: url, through: withoutHistory) }
        let path = JoinedSnapshot(StoreFiles(url)).path
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 3] ^= 0x10
        try bytes.write(to: URL(filePath: path))
        #expect(try Store.whileJoining(at: url, .full()) == nil)
        #expect(try await join().shown == 2, "it is fetched again")
    }
}

extension JoiningStore {
    fileprivate func contactCount() throws -> Int { try read { try $0.count(.contacts) } }
}
