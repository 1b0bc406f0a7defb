import Everything
import Foundation
import GroundwaveConnections
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveTesting
import Testing

@Suite(.serialized) struct `Talking with a device` {
    private static let here = try? HostAndPort("127.0.0.1:0")

    /// A store that waits for others, and a second one that has joined it.
    private func pair() async throws -> (TemporaryStore, Serving, Joined) {
        let shack = try await TemporaryStore(.full())
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        let serving = try await shack.store.serve(at: try #require(Self.here))
        return (shack, serving, try await Joined(serving.address))
    }

    /// A store made by joining the one that waits at an address.
    private final class Joined: Sendable {
        let store: Store
        let summary: SyncSummary
        let remote: Remote
        private let folder: TemporaryFolder

        init(_ address: HostAndPort) async throws {
            folder = try TemporaryFolder()
            var configuration = Configuration.full()
            configuration.stateFolder = folder.url.appending(path: "state")
            (store, summary) = try await Store.join(
                .host(name: address.host, port: address.port), at: folder.url.appending(path: "store"), configuration)
            remote = try store.remotes()[0]
        }

        deinit { try? store.close() }
    }

    private func calls(_ store: Store) throws -> [String] {
        try store.read { view in try view.all(.contacts).map { Contact($0).call }.sorted() }
    }

    @Test func `both ways, and both know that it is complete`() async throws {
        let (shack, serving, portable) = try await pair()
        #expect(portable.summary.receivedEvents == 2)
        try await shack.store.write { try $0.add(Contact("K1ABC")) }
        try await portable.store.write { try $0.add(Contact("N0CALL")) }
        let summary = try await portable.store.sync(portable.remote)
        #expect(summary.sentEvents == 1 && summary.receivedEvents == 1)
        #expect(try shack.store.logDigest() == portable.store.logDigest())
        let status = try portable.store.syncStatus()
        #expect(status.isComplete)
        #expect(status.remotes[0].devices.map(\.replica) == [shack.store.replica])
        let shown = try await portable.store.contents(of: portable.remote)
        #expect(shown.peer?.replica == shack.store.replica && shown.peer?.has == [] && shown.peer?.missing == [])
        let probe = try await portable.store.probe(portable.remote)
        #expect(probe.isSameLog && probe.replica == shack.store.replica)
        await serving.stop()
    }

    @Test func `brings samples once somebody wants them`() async throws {
        let (shack, serving, portable) = try await pair()
        let trace = try await shack.store.recorded(6_000)
        try await portable.store.sync(portable.remote)
        #expect(try portable.store.numbers(of: trace) == ([], 6_000))
        try await portable.store.edit(trace: trace, sharing: .synced)
        // The first conversation tells of the wish, the second one has it met.
        for _ in 0..<2 { try await portable.store.sync(portable.remote) }
        #expect(try portable.store.numbers(of: trace) == (Array(0..<6_000), 0))
        #expect(try portable.store.wantedValues().isEmpty)
        #expect(try portable.store.logDigest() == shack.store.logDigest())
        await serving.stop()
    }

    @Test func `that is not there is an error, and what was logged waits`() async throws {
        let (_, serving, portable) = try await pair()
        await serving.stop()
        try await portable.store.write { try $0.add(Contact("N0CALL")) }
        let error = await #expect(throws: StoreError.self) { try await portable.store.sync(portable.remote) }
        #expect(error?.code == .unreachable && error?.hint != nil)
        let status = try portable.store.syncStatus()
        #expect(!status.isComplete && status.remotes[0].failure != nil && status.remotes[0].unsent.count == 1)
        // It may be named all the same.
        try await portable.store.add(remote: "later", at: .host(name: "127.0.0.1", port: 1))
    }

    @Test func `of another log is an error that names it`() async throws {
        let (shack, serving, _) = try await pair()
        let other = try await TemporaryStore(.full())
        let address = RemoteAddress.host(name: serving.address.host, port: serving.address.port)
        let error = await #expect(throws: StoreError.self) { try await other.store.add(remote: "shack", at: address) }
        #expect(error?.code == .exists)
        await serving.stop()
        #expect(try calls(shack.store) == ["W1AW"])
    }

    @Test func `one edit shows there at once`() async throws {
        let (shack, serving, portable) = try await pair()
        let syncing = try portable.store.startSyncing(with: [portable.remote])
        var events = syncing.events.makeAsyncIterator()
        guard case .synced = await events.next() else { return #expect(Bool(false), "it is connected") }
        var times: [Duration] = []
        for number in 1...50 {
            let (writer, reader) = number % 2 == 0 ? (shack.store, portable.store) : (portable.store, shack.store)
            let start = ContinuousClock.now
            try await writer.write { try $0.add(Contact("W\(number)AW")) }
            let written = ContinuousClock.now
            while try reader.read({ try $0.count(.contacts) }) < number + 1 {
                try #require(ContinuousClock.now - start < .seconds(60))
                await Task.yield()
            }
            times.append(ContinuousClock.now - written)
        }
        times.sort()
        print("an edit shows in the other store after \(times[25]) at the median, \(times[49]) at most")
        #expect(times[25] < .seconds(2))
        syncing.stop()
        await serving.stop()
    }

    @Test func `is connected again after it was away`() async throws {
        let (shack, serving, portable) = try await pair()
        let syncing = try portable.store.startSyncing(with: [portable.remote])
        var events = syncing.events.makeAsyncIterator()
        guard case .synced = await events.next() else { return #expect(Bool(false), "it is connected") }
        await serving.stop()
        guard case .failed(_, let error) = await events.next() else { return #expect(Bool(false), "it has gone") }
        #expect(error.code == .unreachable)
        try await portable.store.write { try $0.add(Contact("N0CALL")) }
        let again = try await shack.store.serve(at: serving.address)
        while try calls(shack.store) != ["N0CALL", "W1AW"] { try await Task.sleep(for: .milliseconds(20)) }
        syncing.stop()
        await again.stop()
    }

    @Test func `passes on what another device brings`() async throws {
        let (shack, serving, portable) = try await pair()
        let third = try await Joined(serving.address)
        let syncing = try portable.store.startSyncing(with: [portable.remote])
        try await third.store.write { try $0.add(Contact("N0CALL")) }
        try await third.store.sync(third.remote)
        while try calls(portable.store) != ["N0CALL", "W1AW"] { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try calls(shack.store) == ["N0CALL", "W1AW"])
        syncing.stop()
        await serving.stop()
    }

    @Test func `tells that this store was put back, which then goes on under a new name`() async throws {
        let (shack, serving, portable) = try await pair()
        await serving.stop()
        try shack.store.close()
        // The image of a machine is put back: what it wrote since has been seen elsewhere.
        let earlier = try await shack.twin(.full())
        let later = try await shack.reopened(.full())
        try await later.write { try $0.add(Contact("K1ABC")) }
        let again = try await later.serve(at: serving.address)
        try await portable.store.sync(portable.remote)
        await again.stop()
        let old = try #require(earlier.store.replica)
        // Both sides may be the one that was put back: here the one that waits.
        let third = try await earlier.store.serve(at: serving.address)
        let summary = try await portable.store.sync(portable.remote)
        #expect(summary.quarantined.isEmpty)
        #expect(earlier.store.replica != old)
        #expect(try calls(earlier.store) == ["K1ABC", "W1AW"])
        #expect(try earlier.store.logDigest() == portable.store.logDigest())
        await third.stop()
    }

    @Test func `stops when synchronising is switched off`() async throws {
        let (shack, serving, portable) = try await pair()
        try shack.store.setSync(isOff: true)
        let error = await #expect(throws: StoreError.self) { try await portable.store.sync(portable.remote) }
        #expect(error?.code == .unreachable && error?.message.contains("switched off") == true)
        await #expect(throws: StoreError.self) { _ = try await shack.store.serve(at: serving.address) }
        await serving.stop()
    }

    @Test(arguments: [
        ("groundwave://shack", "groundwave://shack:7373"),
        ("groundwave://Shack.local:80/", "groundwave://shack.local:80"),
        ("groundwave://[2001:DB8::7]:99", "groundwave://[2001:db8::7]:99"),
        ("groundwave://[::1]", "groundwave://[::1]:7373"),
    ])
    func `is named by an address that is written one way`(text: String, written: String) throws {
        let address = try RemoteAddress(text)
        #expect("\(address)" == written)
        #expect(try RemoteAddress(written) == address)
    }

    @Test(arguments: [
        "groundwave://a:b", "groundwave://a:0", "groundwave://a:65536", "groundwave://2001:db8::7", "groundwave://a/b",
        "groundwave://user@a", "groundwave://a b", "groundwave://[::1]x", "groundwave://[a]:1", "groundwave://a:",
    ])
    func `is not named by what is no address`(text: String) {
        let error = #expect(throws: StoreError.self) { try RemoteAddress(text) }
        #expect(error?.code == .usage)
    }
}
