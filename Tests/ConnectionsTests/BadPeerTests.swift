import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSeededNumbers
import Testing

@Suite(.serialized) struct `A peer that does what it should not` {
    /// A store that waits for others, and is soon out of patience.
    private func host(events: Int = 3, peerLimit: Int = 64) async throws -> Host {
        let store = try TestStore(seed: 1)
        try store.write(events, batchCount: 20, byteCount: 30_000)
        var limits = ConnectionLimits()
        limits.hello = .milliseconds(1000)
        limits.silence = .milliseconds(1000)
        limits.farewell = .milliseconds(200)
        return try await Host(store, peerLimit: peerLimit, limits: limits)
    }

    /// Another store meets the host meanwhile, and is done; again where this machine itself was too slow for the limits.
    private func expectThatOthersGoOn(_ host: Host) async throws {
        let store = try TestStore(seed: UInt64.random(in: 100...100_000))
        try store.write(10)
        let roots = try host.store.roots()
        for attempt in 1...20 {
            do {
                #expect(try await meet(store, at: host.listener.port).isDone)
                break
            } catch {
                #expect(attempt < 20, "\(error)")
            }
        }
        #expect(try Set(store.roots()).isSuperset(of: roots))
    }

    @Test func `and sends garbage is left at once`() async throws {
        let host = try await host()
        let peer = try await RawPeer(port: host.listener.port)
        var numbers = SeededGenerator(seed: 4)
        var garbage = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        // The length is one that may be; what follows is none of ours.
        garbage.replaceSubrange(0..<4, with: [100, 0, 0, 0])
        try await peer.send(garbage)
        let ending = try await host.ending { _ in true }
        #expect(ending.standing.ending == .quarantine(.garbage))
        await peer.closed()
        try await expectThatOthersGoOn(host)
        await host.listener.stop()
    }

    @Test func `and announces a huge message is left before a byte of it comes`() async throws {
        let host = try await host()
        let peer = try await RawPeer(port: host.listener.port)
        try await peer.send([0xFF, 0xFF, 0xFF, 0x7F, 2])
        let ending = try await host.ending { _ in true }
        #expect(ending.standing.ending == .quarantine(.tooLong(0x7FFF_FFFF)))
        #expect(ending.peakBytes < 100_000)
        await host.listener.stop()
    }

    @Test(arguments: [true, false])
    func `and never says hello, or drips it, is left in time`(drips: Bool) async throws {
        let host = try await host()
        let peer = try await RawPeer(port: host.listener.port)
        let other = try TestStore(seed: 7)
        let dripping = Task {
            for byte in try other.hello() where drips {
                try await peer.send([byte])
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        try await expectThatOthersGoOn(host)
        _ = try await host.ending { $0.error as? ConnectionError == .silent(.hello) }
        dripping.cancel()
        await host.listener.stop()
    }

    @Test func `and never reads is left, and little is held for it`() async throws {
        let host = try await host(events: 200)
        let peer = try await RawPeer(port: host.listener.port, reads: false)
        try await peer.send(try TestStore(seed: 7).hello())
        try await expectThatOthersGoOn(host)
        let ending = try await host.ending { $0.error as? ConnectionError == .silent(.reading) }
        #expect(ending.peakBytes < 8 << 20)
        print("held for one who never reads: \(ending.peakBytes) bytes")
        await peer.close()
        await host.listener.stop()
    }

    @Test func `and says hello and nothing more is left`() async throws {
        let host = try await host()
        let peer = try await RawPeer(port: host.listener.port)
        try await peer.send(try TestStore(seed: 7).hello())
        _ = try await host.ending { $0.error as? ConnectionError == .silent(.answer) }
        await peer.closed()
        await host.listener.stop()
    }

    @Test(arguments: [true, false])
    func `and floods is left, whether it reads or not`(reads: Bool) async throws {
        let host = try await host()
        let flooder = try TestStore(seed: 7)
        try flooder.write(30, batchCount: 30, byteCount: 30_000)
        // What it says in an honest conversation, and then the last of it again and again.
        var runner = try flooder.runner()
        let hello = try runner.start()
        let ranges = try runner.received(try TestStore(seed: 8).hello())
        #expect(ranges.count > 800_000)
        let peer = try await RawPeer(port: host.listener.port, reads: reads)
        let flood = Task {
            try await peer.send(hello)
            await peer.flood(ranges)
        }
        try await expectThatOthersGoOn(host)
        let ending = try await host.ending { $0.isQuarantine || $0.error as? ConnectionError == .silent(.reading) }
        #expect(ending.peakBytes < 12 << 20)
        print("held for one who floods: \(ending.peakBytes) bytes; \(String(describing: ending.standing.ending))")
        try? await flood.value
        await host.listener.stop()
    }

    @Test func `and says again and again that it is idle is left`() async throws {
        let host = try await host()
        let (empty, other) = (try TestStore(seed: 7), try TestStore(seed: 8))
        var runner = try empty.runner()
        let hello = try runner.start()
        let idle = try runner.received(try other.hello())
        let peer = try await RawPeer(port: host.listener.port)
        try await peer.send(hello)
        await peer.flood(Array(repeating: idle, count: 500).flatMap { $0 })
        let ending = try await host.ending { _ in true }
        #expect(ending.standing.ending == .quarantine(.unexpected("repeated messages that it is caught up")))
        await host.listener.stop()
    }

    @Test func `that only opens connections and says nothing shuts nobody out`() async throws {
        let store = try TestStore(seed: 1)
        try store.write(3)
        var limits = ConnectionLimits()
        limits.hello = .seconds(600)
        let host = try await Host(store, peerLimit: 3, limits: limits)
        var silent: [RawPeer] = []
        for _ in 0..<3 { silent.append(try await RawPeer(port: host.listener.port)) }
        try await eventually { host.listener.count == 3 }
        for seed in UInt64(5)..<9 {
            let other = try TestStore(seed: seed)
            #expect(try await meet(other, at: host.listener.port).isDone)
        }
        #expect(host.listener.count <= 3)
        await host.listener.stop()
        withExtendedLifetime(silent) {}
    }

    @Test func `beside as many as may be connected is told so, and has a place when one leaves`() async throws {
        let host = try await host(peerLimit: 2)
        let (first, second, third) = (try TestStore(seed: 5), try TestStore(seed: 6), try TestStore(seed: 7))
        let staying = try await connect(host.listener.port)
        let other = try await connect(host.listener.port)
        async let one = staying.run(endsWhenDone: false) { try first.runner() }
        async let two = other.run(endsWhenDone: false) { try second.runner() }
        try await eventually { staying.standing.isDone && other.standing.isDone }
        let refused = try await meet(third, at: host.listener.port)
        #expect(!refused.isDone)
        #expect(refused.ending == .close("too many devices are connected: try again later"))
        staying.stop()
        _ = try await one
        try await eventually { host.listener.count == 1 }
        #expect(try await meet(third, at: host.listener.port).isDone)
        other.stop()
        _ = try await two
        await host.listener.stop()
    }
}
