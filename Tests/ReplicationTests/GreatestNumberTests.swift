import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwavePeering
@testable import GroundwaveReplication

/// Whoever makes a key can say any number of any replica. Behind the greatest there is no next one, so no log has it.
@Suite struct `A statement of the greatest number there is` {
    private let identity: Identity
    private let manifest: Manifest

    init() {
        var numbers = SeededGenerator(seed: 5)
        identity = Identity.random(using: &numbers)
        let head = ObservedHead(event: EventID(ReplicaID(high: 1, low: 1), .max), rootPrefix: 1)
        manifest = Manifest(store: identity.replica, milliseconds: 0, heads: [head])
    }

    @Test func `is none in a catalog`() {
        let log = LogID(high: 1, low: 2)
        var catalog = Catalog(of: manifest, history: 1)
        catalog.number = 1
        let bytes = catalog.bytes(log: log, by: identity)
        #expect(throws: Catalog.Failure.malformed) { try Catalog(reading: bytes, of: log) }
    }

    @Test func `ends a conversation, in the hello and afterwards`() throws {
        let store = try TestStore(seed: 1)
        try store.write(3)
        let local = try Manifest(of: store.log, as: store.identity, milliseconds: 0)
        let honest = Manifest(store: identity.replica, milliseconds: 0, heads: [])
        for messages: [Message] in [
            [.hello(store.log.id, manifest)], [.hello(store.log.id, honest), .ack(count: 1, heads: manifest.heads)],
        ] {
            var session = Session(log: store.log.id, local: local)
            _ = session.start()
            let actions = messages.flatMap { session.received($0.bytes) }
            #expect(actions.contains(.end(.quarantine(.garbage))))
        }
    }

    @Test func `in notes is followed by nothing`() {
        var cache = RemoteCache()
        cache.record(manifest)
        cache.add(EventRange(ReplicaID(high: 1, low: 1), 2, through: 3))
        #expect(cache.vector[ReplicaID(high: 1, low: 1)] == .max)
        #expect(cache.kept.isEmpty)
    }
}
