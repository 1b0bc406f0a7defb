import Everything
import Groundwave
import GroundwaveRadio
import GroundwaveTesting
import Testing

/// A sealed log with devices at one place in memory.
struct SealedFleet {
    static let passphrase = "seven rivers to the sea"
    let cloud = MemoryTransport()
    let founder: TemporaryStore
    let words: String

    init(_ configuration: Configuration = .full(named: "shack")) async throws {
        founder = try await TemporaryStore(configuration)
        let words = Store.newRecoveryPhrase()
        try await founder.store.seal(passphrase: Self.passphrase, recoveryPhrase: words)
        self.words = words.joined(separator: " ")
        try await sync(founder)
    }

    func sync(_ stores: TemporaryStore...) async throws {
        for temporary in stores { try await temporary.store.sync(with: cloud, as: "cloud") }
    }

    func join(_ name: String, with unlocking: Unlocking = .passphrase(Self.passphrase)) async throws -> TemporaryStore {
        try await TemporaryStore(joining: cloud, as: "cloud", .full(named: name), unlocking: unlocking)
    }

    /// A device that has joined and was approved.
    func member(_ name: String) async throws -> TemporaryStore {
        let joined = try await join(name)
        try await sync(founder)
        try await founder.store.approve(try joined.replica)
        try await sync(founder, joined)
        return joined
    }
}

extension Configuration {
    static func full(named name: String) -> Configuration {
        var configuration = Configuration.full()
        configuration.deviceName = name
        return configuration
    }
}

extension TemporaryStore {
    var replica: ReplicaID {
        get throws { try #require(store.replica) }
    }

    func log(_ call: String) async throws { try await store.write { try $0.add(Contact(call)) } }

    var calls: Set<String> {
        get throws {
            let all = try store.read { try $0.all(.contacts) }
            return Set(
                all.compactMap { QSOKind.schema.value(of: "CALL", in: $0) }.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// Whether this store and the others have the same events and show the same.
    func agrees(with others: TemporaryStore...) throws -> Bool {
        let digest = try store.logDigest()
        return try others.allSatisfy { try $0.store.logDigest() == digest && $0.calls == calls }
    }
}
