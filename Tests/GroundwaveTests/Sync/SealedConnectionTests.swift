import Everything
import Foundation
import Groundwave
import GroundwaveConnections
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveReplication
import GroundwaveSecureStreams
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwavePeering
@testable import GroundwaveSyncing

/// What is said between two devices over TCP, recorded by whoever is between.
private final class Recorder: Sendable {
    private let heard = Mutex([[UInt8](), []])
    private let target: HostAndPort
    private let listener = Mutex<Listener?>(nil)

    /// All bytes, of both directions.
    var bytes: [[UInt8]] { heard.withLock { $0 } }
    var address: RemoteAddress {
        get throws { .host(name: "127.0.0.1", port: try #require(listener.withLock { $0?.port })) }
    }

    init(to target: HostAndPort) async throws {
        self.target = target
        let listening = try await Listener.listen(host: "127.0.0.1", port: 0, refuse: { await $0.close() }) {
            [weak self] stream in
            guard let self, let other = try? await ChannelStream.open(host: target.host, port: target.port) else {
                return
            }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.pass(stream, to: other, 0) }
                group.addTask { await self.pass(other, to: stream, 1) }
            }
        }
        listener.withLock { $0 = listening }
    }

    private func pass(_ source: ChannelStream, to other: ChannelStream, _ direction: Int) async {
        while let part = try? await source.read(upTo: 1 << 16) {
            heard.withLock { $0[direction] += part }
            guard (try? await other.write(part)) != nil else { break }
        }
        await other.close()
    }

    func stop() async { await listener.withLock { $0 }?.stop() }
}

extension TemporaryStore {
    fileprivate func add(_ call: String, _ note: String = "") async throws {
        try await store.write(note: note) { try $0.add(Contact(call)) }
    }

    fileprivate var callCount: Int {
        get throws { try store.read { try $0.count(.contacts) } }
    }

    fileprivate func serve() async throws -> Serving { try await store.serve(at: try HostAndPort("127.0.0.1:0")) }

    /// Synchronises with the device that serves at an address.
    @discardableResult
    fileprivate func meet(_ address: RemoteAddress) async throws -> SyncSummary {
        if try !store.remotes().contains(where: { $0.name == "peer" }) {
            try store.note(Remote(name: "peer", address: address))
        }
        return try await store.sync(Remote(name: "peer", address: address))
    }
}

/// Returns once `condition` holds.
private func eventually(_ condition: () throws -> Bool) async throws {
    for _ in 0..<6_000 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("It did not happen within a minute.")
}

extension Serving {
    fileprivate var remote: RemoteAddress { .host(name: address.host, port: address.port) }
}

@Suite(.serialized) struct `Talking with a device of a sealed log` {
    /// Ends something that has not ended by itself after a minute.
    private static func patience(_ end: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            guard (try? await Task.sleep(for: .seconds(60))) != nil else { return }
            end()
        }
    }

    @Test func `carries everything both ways`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let serving = try await fleet.founder.serve()
        try await phone.add("N1CALL")
        try await fleet.founder.add("N2CALL")
        let summary = try await phone.meet(serving.remote)
        #expect(summary.sentEvents == 1 && summary.receivedEvents == 1)
        #expect(try phone.store.logDigest() == fleet.founder.store.logDigest() && phone.callCount == 2)
        let probe = try await phone.store.probe(try phone.store.remote("peer"))
        #expect(probe.isSameLog && probe.replica == fleet.founder.store.replica)
        let (here, there) = MemoryStream.pair(capacity: 1)
        try await phone.add("N3CALL")
        async let one = fleet.founder.store.sync(over: here, as: "phone")
        async let other = phone.store.sync(over: there, as: "shack")
        let (received, sent) = try await (one.receivedEvents, other.sentEvents)
        #expect(received == 1 && sent == 1)
        await serving.stop()
    }

    @Test func `shows nothing to whoever records it that a search finds, and an open one does`() async throws {
        let canaries = (0..<96).map { "N0C\($0)" } + ["shack-of-canaries", "a note with a canary"]
        /// Records how a store passes its events to another one of its log, and counts the canaries in that.
        func found(_ one: TemporaryStore, _ other: TemporaryStore, _ log: LogID) async throws -> Int {
            let serving = try await one.serve()
            let recorder = try await Recorder(to: serving.address)
            for call in canaries.prefix(96) { try await one.add(call, canaries[97]) }
            try await other.meet(try recorder.address)
            #expect(try other.callCount == 96)
            await recorder.stop()
            await serving.stop()
            var heard = recorder.bytes.flatMap { $0 }
            // What is said openly is in ranges, which are compressed.
            for bytes in recorder.bytes {
                var (reader, messages) = (MessageReader(), [Message]())
                try? reader.read(bytes, into: &messages)
                for case .range(let range) in messages {
                    let frame = try RangeFrame(reading: range, of: log)
                    for number in frame.range.first...frame.range.last {
                        try frame.withEvent(number) { _, bytes in heard += bytes.toArray() }
                    }
                }
            }
            let needles = canaries.map { [UInt8]($0.utf8) } + [log.bytes, try #require(one.store.replica).bytes]
            return needles.count { Data(heard).range(of: Data($0)) != nil }
        }
        var configuration = Configuration.full()
        configuration.deviceName = canaries[96]
        let fleet = try await SealedFleet(configuration)
        let phone = try await fleet.member("phone")
        #expect(try await found(fleet.founder, phone, fleet.founder.store.logID) == 0)
        let plain = try await TemporaryStore(configuration)
        let (here, there) = MemoryStream.pair()
        async let serving = plain.store.sync(over: here, as: "tablet")
        let tablet = try await TemporaryStore(joining: there, as: "shack", .full())
        _ = try await serving
        // All of them, the id of the log and that of the replica.
        let count = try await found(plain, tablet, plain.store.logID)
        #expect(count == canaries.count + 2)
    }

    @Test func `shows nothing of a log that a device joins with a code`() async throws {
        let fleet = try await SealedFleet(.full(named: "shack-of-canaries"))
        for number in 0..<96 { try await fleet.founder.add("N0C\(number)", "a note with a canary") }
        let code = try await fleet.founder.store.invite().code
        let serving = try await fleet.founder.serve()
        let recorder = try await Recorder(to: serving.address)
        let folder = try TemporaryFolder()
        var configuration = Configuration.full(named: "phone")
        configuration.stateFolder = folder.url.appending(path: "state")
        let phone = try await Store.join(
            try recorder.address, at: folder.url.appending(path: "store"), configuration, unlocking: .code(code)
        ).store
        #expect(try phone.read { try $0.count(.contacts) } == 96)
        let heard = Data(recorder.bytes.flatMap { $0 })
        await recorder.stop()
        await serving.stop()
        let keyring = try #require(try phone.logKeys()).keyring
        let known = try KnownCode(code).code
        let secrets =
            [keyring.namesKey, known.connectionSecret, known.identity.secret]
            + keyring.epochs.compactMap { keyring.key(of: $0)?.bytes }
        let words = (0..<96).map { "N0C\($0)" } + ["shack-of-canaries", "a note with a canary", "phone", code, "GWK1"]
        let needles = words.map { [UInt8]($0.utf8) } + secrets + [phone.logID.bytes, try #require(phone.replica).bytes]
        #expect(heard.count > 4_000 && needles.count { heard.range(of: Data($0)) != nil } == 0)
        try phone.close()
    }

    @Test func `gives a stranger not a byte`() async throws {
        let fleet = try await SealedFleet()
        let serving = try await fleet.founder.serve()
        let stranger = try await TemporaryStore(.full())
        let error = await #expect(throws: StoreError.self) { try await stranger.meet(serving.remote) }
        #expect(error?.code == .unreachable)
        for sent in [[], [UInt8](repeating: 7, count: 47), [UInt8](repeating: 7, count: 300)] {
            let stream = try await ChannelStream.open(host: serving.address.host, port: serving.address.port)
            if sent.isEmpty { await stream.close() } else { try await stream.write(sent) }
            if sent.count == 47 { await stream.close() }
            #expect(try await stream.read(upTo: 1000) == nil)
        }
        let joining = await #expect(throws: StoreError.self) {
            let folder = try TemporaryFolder()
            _ = try await Store.join(serving.remote, at: folder.url.appending(path: "store"), .full())
        }
        #expect(joining?.code == .unreachable)
        await serving.stop()
    }

    @Test func `waits for the approval of both devices`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.join("phone")
        let serving = try await fleet.founder.serve()
        try await phone.add("N1CALL")
        let refused = await #expect(throws: StoreError.self) { try await phone.meet(serving.remote) }
        #expect(refused?.code == .unreachable && refused?.hint?.description.isEmpty == false)
        try await fleet.sync(phone, fleet.founder)
        try await fleet.founder.store.approve(try #require(phone.store.replica))
        try await phone.meet(serving.remote)
        #expect(try phone.store.logDigest() == fleet.founder.store.logDigest())
        await serving.stop()
    }

    @Test func `ends when one of them is revoked in the middle of it, which hears nothing later`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let serving = try await fleet.founder.serve()
        let address = serving.remote
        let stream = try await ChannelStream.open(host: serving.address.host, port: serving.address.port)
        let talking = Task { try await phone.store.runConnection(over: stream, as: .initiator, endsWhenDone: false) }
        let patience = Self.patience { talking.cancel() }
        defer { patience.cancel() }
        try await fleet.founder.add("N1CALL")
        try await eventually { try phone.callCount == 1 }
        try await fleet.founder.store.revoke(try #require(phone.store.replica))
        let result = try await talking.value
        #expect(result.standing.ending == .close("this device does not belong to the log any more"))
        try await fleet.founder.add("N2CALL")
        for _ in 0..<3 {
            await #expect(throws: StoreError.self) { try await phone.meet(address) }
        }
        #expect(try phone.callCount == 1)
        await serving.stop()
    }

    @Test func `takes the place of an open connection once the log is sealed`() async throws {
        let founder = try await TemporaryStore(.full())
        let (here, there) = MemoryStream.pair()
        async let joining = founder.store.sync(over: here, as: "tablet")
        let tablet = try await TemporaryStore(joining: there, as: "shack", .full())
        _ = try await joining
        let replica = try #require(tablet.store.replica)
        let serving = try await founder.serve()
        let stream = try await ChannelStream.open(host: serving.address.host, port: serving.address.port)
        let talking = Task { try await tablet.store.runConnection(over: stream, as: .initiator, endsWhenDone: false) }
        let patience = Self.patience { talking.cancel() }
        defer { patience.cancel() }
        try await eventually { serving.count == 1 }
        try await founder.store.seal(
            passphrase: "seven rivers", recoveryPhrase: Store.newRecoveryPhrase(), including: [replica])
        let result = try await talking.value
        #expect(result.standing.ending == .close("the log is sealed now"))
        await #expect(throws: StoreError.self) { try await tablet.meet(serving.remote) }
        // What says that the log is sealed came before the end.
        try await tablet.store.acceptSeal(by: try #require(founder.store.replica))
        try await founder.add("N1CALL")
        try await tablet.meet(serving.remote)
        #expect(try tablet.callCount == 1)
        await serving.stop()
    }

    @Test func `is over when the other end does not prove in time who it is`() async throws {
        let fleet = try await SealedFleet()
        let identity = try fleet.founder.store.files.readIdentity()
        for role in [SecureStream.Role.initiator, .responder, nil] {
            let (here, there) = MemoryStream.pair()
            await #expect(throws: ConnectionError.silent(.hello)) {
                _ = try await fleet.founder.store.secured(here, as: role, identity, within: .milliseconds(50))
            }
            await #expect(throws: MemoryStream.Broken.self) { try await there.write([1]) }
        }
    }
}

@Suite struct `A device that was away when its log was sealed` {
    @Test func `goes on once it has accepted that with the passphrase, and not with another one`() async throws {
        let (founder, phone) = (try await TemporaryStore(.full()), try TemporaryFolder())
        let place = RemoteAddress.folder(phone.url.appending(path: "place"))
        try await founder.add("N0CALL")
        try await founder.store.add(remote: "stick", at: place)
        let stick = try founder.store.remote("stick")
        try await founder.store.sync(stick)
        let away = try await Store.join(place, at: phone.url.appending(path: "store"), .full()).store
        defer { try? away.close() }
        let remote = try away.remotes()[0]
        try await away.sync(remote)
        try await founder.store.sync(stick)
        try await founder.store.seal(
            passphrase: "seven rivers", recoveryPhrase: Store.newRecoveryPhrase(),
            including: [try #require(away.replica)])
        try await founder.store.seal(remote: "stick")
        try await founder.add("N1CALL")
        try await founder.store.sync(stick)
        let error = await #expect(throws: StoreError.self) { try await away.sync(remote) }
        #expect(error?.code == .notPermitted)
        for wrong in [Unlocking.passphrase("six rivers"), .phrase(Store.newRecoveryPhrase().joined(separator: " "))] {
            let refused = await #expect(throws: StoreError.self) { try await away.acceptSeal(at: remote.name, wrong) }
            #expect(try refused?.code == .notPermitted && !away.isSealed())
        }
        try await away.acceptSeal(at: remote.name, .passphrase("seven rivers"))
        try await away.write { try $0.add(Contact("N2CALL")) }
        try await away.sync(remote)
        #expect(try away.read { try $0.count(.contacts) } == 3)
        #expect(try away.membership(of: try #require(away.replica)) == .member)
        try await founder.store.sync(stick)
        #expect(try founder.store.logDigest() == away.logDigest())
        // A device that has lost its keys gets them again.
        try FileManager.default.removeItem(at: away.url.appending(path: "keys"))
        try await away.acceptSeal(at: remote.name, .passphrase("seven rivers"))
        try await founder.add("N3CALL")
        try await founder.store.sync(stick)
        try await away.sync(remote)
        #expect(try away.read { try $0.count(.contacts) } == 4)
        #expect(try away.syncStatus().remotes.allSatisfy { !$0.isOpen })
    }

    /// A log with a remote in a folder, sealed there.
    private func sealed(_ folder: TemporaryFolder) async throws -> (TemporaryStore, Remote, URL) {
        let (founder, place) = (try await TemporaryStore(.full()), folder.url.appending(path: "place"))
        try await founder.store.add(remote: "stick", at: .folder(place))
        let stick = try founder.store.remote("stick")
        try await founder.add("N0CALL")
        try await founder.store.sync(stick)
        try await founder.store.seal(passphrase: "seven rivers", recoveryPhrase: Store.newRecoveryPhrase())
        return (founder, stick, place)
    }

    @Test func `opens no remote of a log of which it does not know that it is sealed`() async throws {
        let folder = try TemporaryFolder()
        let (founder, stick, place) = try await sealed(folder)
        let away = try await Store.join(.folder(place), at: folder.url.appending(path: "store"), .full()).store
        defer { try? away.close() }
        try await founder.store.seal(remote: "stick")
        try await founder.store.sync(stick)
        let keys = place.appending(path: "keys").path
        let before = try FileManager.default.contentsOfDirectory(atPath: keys)
        let error = await #expect(throws: StoreError.self) { _ = try await away.unseal(remote: "place") }
        #expect(error?.code == .usage)
        #expect(try !before.isEmpty && FileManager.default.contentsOfDirectory(atPath: keys) == before)
    }

    @Test func `deletes nothing sealed when it seals a remote that somebody has sealed meanwhile`() async throws {
        let folder = try TemporaryFolder()
        let (founder, stick, place) = try await sealed(folder)
        let mark = try Data(contentsOf: place.appending(path: "groundwave-log"))
        try await founder.store.seal(remote: "stick")
        try await founder.store.sync(stick)
        // As another device saw it before.
        try mark.write(to: place.appending(path: "groundwave-log"))
        #expect(try await founder.store.seal(remote: "stick") == 1)
        let joined = try await Store.join(
            .folder(place), at: folder.url.appending(path: "store"), .full(), unlocking: .passphrase("seven rivers")
        ).store
        defer { try? joined.close() }
        #expect(try joined.read { try $0.count(.contacts) } == 1)
    }

    @Test func `is sealed there by a pass that has waited while that was done`() async throws {
        let folder = try TemporaryFolder()
        let (founder, stick, place) = try await sealed(folder)
        var lock: PassLock? = try await PassLock.taken(for: stick, in: founder.store.files)
        let waiting = Task { try await founder.store.sync(stick) }
        // It has decided how the remote is reached, and waits.
        try await Task.sleep(for: .milliseconds(500))
        for name in try FileManager.default.contentsOfDirectory(atPath: place.path) {
            try FileManager.default.removeItem(at: place.appending(path: name))
        }
        try founder.store.setOpen(false, remote: "stick")
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try await waiting.value
        #expect(FileManager.default.fileExists(atPath: place.appending(path: "groundwave-sealed").path))
        #expect(!FileManager.default.fileExists(atPath: place.appending(path: "groundwave-log").path))
    }

    @Test func `is followed by a program that keeps synchronising`() async throws {
        let folder = try TemporaryFolder()
        let (founder, stick, place) = try await sealed(folder)
        let syncing = try founder.store.startSyncing(with: [stick])
        try await founder.store.seal(remote: "stick")
        try await founder.add("N1CALL")
        try await eventually { FileManager.default.fileExists(atPath: place.appending(path: "groundwave-sealed").path) }
        try await eventually { try founder.store.syncStatus().remotes.allSatisfy { $0.unsent.isEmpty } }
        syncing.stop()
        #expect(!FileManager.default.fileExists(atPath: place.appending(path: "groundwave-log").path))
        for case let file as URL in FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
            ?? .init()
        {
            guard let bytes = try? Data(contentsOf: file), !bytes.isEmpty else { continue }
            #expect(["GWX1", "GWK1"].contains(String(decoding: bytes.prefix(4), as: UTF8.self)), "\(file.path)")
        }
    }
}
