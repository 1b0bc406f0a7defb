import Everything
import Foundation
import Groundwave
import GroundwaveConnections
import GroundwaveEvents
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSealing
import GroundwaveSecureStreams
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

@Suite(.serialized) struct `A code over a connection` {
    /// What a device that shows a code sees of one that joins with it, over a stream in memory.
    private func meet(
        _ shack: TemporaryStore, _ code: String, named name: String = "phone",
        over ends: (MemoryStream, MemoryStream) = MemoryStream.pair()
    ) async throws -> (joined: TemporaryStore, summary: SyncSummary) {
        async let serving = shack.store.sync(over: ends.0, as: "new")
        let joined = try await TemporaryStore(
            joining: ends.1, as: "shack", .full(named: name), unlocking: .code(code))
        return (joined, try await serving)
    }

    /// The code of the error with which joining over TCP fails, with what is left of the store.
    private func refusal(at address: RemoteAddress, _ unlocking: Unlocking?) async throws -> (StoreError?, Bool) {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        var configuration = Configuration.full(named: "late")
        configuration.stateFolder = folder.url.appending(path: "state")
        let error = await #expect(throws: StoreError.self) {
            _ = try await Store.join(address, at: url, configuration, unlocking: unlocking)
        }
        return (error, FileManager.default.fileExists(atPath: url.appending(path: "log.mdb").path))
    }

    @Test func `lets a device into the log at once, over TCP, and is worth nothing afterwards`() async throws {
        let fleet = try await SealedFleet()
        try await fleet.founder.log("N0CALL")
        let serving = try await fleet.founder.store.serve(at: try HostAndPort("127.0.0.1:0"))
        let address = RemoteAddress.host(name: serving.address.host, port: serving.address.port)
        let code = try await fleet.founder.store.invite().code
        let folder = try TemporaryFolder()
        var configuration = Configuration.full(named: "phone")
        configuration.stateFolder = folder.url.appending(path: "state")
        let (phone, summary) = try await Store.join(
            address, at: folder.url.appending(path: "store"), configuration, unlocking: .code(code))
        defer { try? phone.close() }
        let replica = try #require(phone.replica)
        #expect(try phone.membership(of: replica) == .member && phone.read { try $0.count(.contacts) } == 1)
        #expect(summary.receivedEvents > 0 && summary.sentEvents > 0)
        var events = serving.events.makeAsyncIterator()
        var joined: Serving.Event?
        while let event = await events.next() {
            if case .disconnected = event { break }
            if case .joined = event { joined = event }
        }
        guard case .joined(let peer, isMember: true) = joined else {
            throw StoreError(.bug, "It says \(String(describing: joined)).")
        }
        #expect(try peer.replica == replica && fleet.founder.store.openInvitations().isEmpty)
        // From now on it is a device like others.
        try await phone.write { try $0.add(Contact("N1CALL")) }
        try await phone.sync(try phone.remotes()[0])
        #expect(
            try phone.logDigest() == fleet.founder.store.logDigest() && fleet.founder.calls == ["N0CALL", "N1CALL"])
        #expect(try fleet.founder.store.membership(of: replica) == .member)
        let (late, isThere) = try await refusal(at: address, .code(code))
        #expect(late?.code == .notPermitted && !isThere)
        await serving.stop()
    }

    @Test func `lets it in over a stream of an application, whichever end is which`() async throws {
        for round in 0..<4 {
            let fleet = try await SealedFleet()
            try await fleet.founder.log("N\(round)CALL")
            let (phone, summary) = try await meet(fleet.founder, try await fleet.founder.store.invite().code)
            #expect(try summary.admitted == [phone.replica] && summary.refused.isEmpty)
            #expect(try phone.store.membership(of: phone.replica) == .member && phone.calls == fleet.founder.calls)
            let (here, there) = MemoryStream.pair()
            async let one = fleet.founder.store.sync(over: here, as: "phone")
            async let other = phone.store.sync(over: there, as: "shack")
            _ = try await (one, other)
            #expect(try phone.agrees(with: fleet.founder))
        }
    }

    @Test func `is taken by nobody else, and by nobody after its end`() async throws {
        let clock = VirtualClock()
        let founder = try await TemporaryStore(
            Configuration.full(deviceName: "shack", surroundings: .virtual(clock, seed: 7)))
        try await founder.store.seal(passphrase: "seven rivers", recoveryPhrase: Store.newRecoveryPhrase())
        let serving = try await founder.store.serve(at: try HostAndPort("127.0.0.1:0"))
        let address = RemoteAddress.host(name: serving.address.host, port: serving.address.port)
        let (code, ended) = (
            try await founder.store.invite(for: .seconds(3600)).code, try await founder.store.invite().code
        )
        let fleet = try await SealedFleet()
        let other = try await fleet.founder.store.invite().code
        let invitations = try founder.store.openInvitations()
        #expect(invitations.count == 2)
        let longer = try #require(invitations.max { $0.value < $1.value })
        try await founder.store.revoke(longer.key)
        clock.advance(by: .seconds(3601))
        for text in [code, ended, other] {
            let (error, isThere) = try await refusal(at: address, .code(text))
            #expect(error?.code == .notPermitted && !isThere && error?.message.contains(text) == false)
        }
        let (wrong, _) = try await refusal(at: address, .passphrase("seven rivers"))
        #expect(wrong?.code == .usage)
        let (none, _) = try await refusal(at: address, nil)
        #expect(none?.code == .unreachable && none?.isSealedRemote == true)
        #expect(try founder.store.replicas().count { $0.events > 0 } == 1)
        await serving.stop()
    }

    @Test(arguments: [false, true])
    func `holds nobody longer than until its end, or until the device belongs`(isUsed: Bool) async throws {
        let (clock, folder) = (VirtualClock(), try TemporaryFolder())
        let founder = try await TemporaryStore(
            Configuration.full(deviceName: "shack", surroundings: .virtual(clock, seed: 7)))
        try await founder.store.seal(passphrase: "seven rivers", recoveryPhrase: Store.newRecoveryPhrase())
        try await founder.log("N0CALL")
        let code = try KnownCode(try await founder.store.invite(for: .seconds(3600)).code)
        let (here, there) = MemoryStream.pair()
        let serving = Task { try await founder.store.runConnection(over: here, as: .responder, endsWhenDone: false) }
        // A program that does not do what it should next.
        let identity = Identity()
        let keyed = try await Store.received(over: there, hasConnected: true, by: code, identity)
        var configuration = Configuration.full(named: "guest")
        configuration.stateFolder = folder.url.appending(path: "state")
        let guest = try await Store.create(
            at: folder.url.appending(path: "store"), log: keyed.keys.log, as: identity, configuration)
        defer { try? guest.close() }
        try guest.adopt(keyed.keys)
        let connection = StreamConnection(keyed.stream)
        let talking = Task {
            try await connection.run(endsWhenDone: false) {
                try SessionRunner(
                    StoreLog(store: guest), as: identity, with: keyed.stream.peer, now: Surroundings.system.now)
            }
        }
        let patience = Task {
            try await Task.sleep(for: .seconds(30))
            talking.cancel()
        }
        defer { patience.cancel() }
        for _ in 0..<3_000 where try !guest.log.vector().covers(founder.store.log.vector()) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try guest.read { try $0.count(.contacts) } == 1)
        if isUsed { #expect(try await guest.enter(by: code)) } else { clock.advance(by: .seconds(3601)) }
        connection.logChanged()
        let ending = try await talking.value.ending
        #expect(ending == .close(isUsed ? "" : "this device does not belong to the log any more"))
        let result = try await serving.value
        #expect(result.admitted == (isUsed ? [identity.replica] : []) && result.refused.isEmpty)
        #expect(try founder.store.openInvitations().isEmpty)
    }

    @Test func `may break after any byte: another connection goes on`() async throws {
        var numbers = SeededGenerator(seed: 24)
        for round in 0..<12 {
            let fleet = try await SealedFleet()
            try await fleet.founder.store.write { batch in
                for number in 0..<20 { _ = try batch.add(Contact("N\(number)CALL")) }
            }
            let code = try await fleet.founder.store.invite().code
            let folder = try TemporaryFolder()
            var configuration = Configuration.full(named: "phone")
            configuration.stateFolder = folder.url.appending(path: "state")
            let url = folder.url.appending(path: "store")
            var (phone, limit) = (Store?.none, Int?(Int.random(in: 1...6_000, using: &numbers)))
            for attempt in 0..<4 where phone == nil {
                // The last one has no code: if it was used up, this device was let in.
                let isLast = attempt > 1 && attempt % 2 == 1
                let ends = MemoryStream.pair(breaksAfter: limit)
                let (shack, present) = (fleet.founder.store, configuration)
                async let serving = try? shack.sync(over: ends.0, as: "new")
                do {
                    phone = try await Store.join(
                        over: ends.1, as: "shack", at: url, present, unlocking: isLast ? nil : .code(code)
                    ).store
                } catch let error as StoreError {
                    #expect([.unreachable, .notPermitted].contains(error.code), "\(round) \(attempt) \(error)")
                }
                _ = await serving
                limit = nil
            }
            let joined = try #require(phone, "round \(round)")
            let replica = try #require(joined.replica)
            #expect(try joined.membership(of: replica) == .member)
            #expect(try joined.read { try $0.count(.contacts) } == 20)
            let (here, there) = MemoryStream.pair()
            async let one = fleet.founder.store.sync(over: here, as: "phone")
            async let other = joined.sync(over: there, as: "shack")
            _ = try await (one, other)
            #expect(try fleet.founder.store.membership(of: replica) == .member)
            #expect(try joined.logDigest() == fleet.founder.store.logDigest(), "round \(round)")
            #expect(try fleet.founder.store.openInvitations().isEmpty)
            try joined.close()
        }
    }

    /// What a device that joins makes of a key file that comes from somebody who knows the code.
    private func received(_ sent: [UInt8], by code: String) async throws -> KeyedStream {
        let (here, there) = MemoryStream.pair()
        let (identity, secret) = (Identity(), try InvitationCode(reading: code).connectionSecret)
        async let serving = {
            let stream = try await SecureStream.opened(
                over: here, as: .responder, secret: secret, identity: identity
            ) { _, _ in true }
            try await stream.write(sent)
            return stream
        }()
        let keyed = try await Store.received(
            over: there, hasConnected: true, by: try KnownCode(code), Identity())
        _ = try await serving
        return keyed
    }

    @Test func `is refused with a reason if the other end knows it and sends no keys that it opens`() async throws {
        let fleet = try await SealedFleet()
        let code = try await fleet.founder.store.invite().code
        let open = try #require(try fleet.founder.store.usableInvitations().first)
        let good = try fleet.founder.store.keyFile(of: open)
        _ = try await fleet.founder.store.invite()
        let other = try #require(
            try fleet.founder.store.usableInvitations().first { $0.recipient != open.recipient })
        var changed = good
        changed[good.count / 2] ^= 1
        // A member knows for whom the file is, and not the code.
        let forged = try fleet.founder.keyFile(for: open.recipient)
        let huge = Array(good[..<4]) + [0xFF, 0xFF, 0xFF, 0x7F]
        for sent in [
            [UInt8](repeating: 7, count: 100), Array(good[..<8]) + [UInt8](repeating: 0, count: good.count - 8), huge,
            changed, try fleet.founder.store.keyFile(of: other), forged,
        ] {
            let error = await #expect(throws: StoreError.self) { _ = try await received(sent, by: code) }
            #expect(error?.code == .damaged)
        }
        #expect(try await received(good, by: code).keys.log == fleet.founder.store.logID)
    }
}
