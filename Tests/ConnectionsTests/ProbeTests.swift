import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveReplication
import Testing

@Suite struct `Asking who is there` {
    @Test func `tells the log and what of it is there`() async throws {
        let store = try TestStore(seed: 1)
        try store.write(7)
        let host = try await Host(store)
        let answer = try await Probe.ask(host: "127.0.0.1", port: host.listener.port)
        #expect(answer.greeting.log == store.log.id)
        let vector = try store.log.vector()
        #expect(answer.greeting.manifest.vector == vector)
        #expect(answer.duration > .zero)
        // Nobody is taken for a liar because somebody asked.
        let ending = try await host.ending { _ in true }
        #expect(ending.error == nil && !ending.isQuarantine)
        await host.listener.stop()
    }

    @Test func `says so where nobody is, and where somebody else is`() async throws {
        let host = try await Host(try TestStore(seed: 1))
        let port = host.listener.port
        await host.listener.stop()
        await #expect(throws: ConnectionError.unreachable("connection refused")) {
            _ = try await Probe.ask(host: "127.0.0.1", port: port)
        }
        await #expect(throws: ConnectionError.self) {
            _ = try await Probe.ask(host: "no-such-host.invalid", port: 7373)
        }
    }
}
