import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveSealing

/// What sealing costs: a transfer through a folder, sealed and open; the keys of a log; a roster of many devices.
enum SealBench {
    private static let passphrase = "seven rivers to the sea"

    private static func configuration(_ folder: URL, _ name: String) -> Configuration {
        var configuration = Configuration.full(author: "N0CALL", deviceName: name)
        configuration.stateFolder = folder.appending(path: "state-\(name)")
        return configuration
    }

    private static func created(_ folder: URL, isSealed: Bool) async throws -> Store {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try await Store.create(at: folder.appending(path: "one"), configuration(folder, "one"))
        if isSealed { try await store.seal(passphrase: passphrase, recoveryPhrase: Store.newRecoveryPhrase()) }
        try await store.add(remote: "place", at: .folder(folder.appending(path: "place")))
        return store
    }

    // MARK: - A transfer

    /// Measures a push of new events to a folder, and the pull of them by another store that has what was before.
    static func transfer(_ path: String, events: Int, isSealed: Bool) async throws {
        let folder = URL(filePath: path)
        let one = try await created(folder, isSealed: isSealed)
        try await one.sync(try one.remote("place"))
        let two = try await Store.join(
            .folder(folder.appending(path: "place")), at: folder.appending(path: "two"), configuration(folder, "two"),
            unlocking: isSealed ? .passphrase(passphrase) : nil
        ).store
        let remote = try two.remotes()[0]
        try await two.sync(remote)
        if isSealed {
            try await one.sync(try one.remote("place"))
            guard let replica = two.replica else { throw Failure("a store without a replica") }
            try await one.approve(replica)
        }
        try await one.sync(try one.remote("place"))
        try await two.sync(remote)
        let before = try bytes(of: folder.appending(path: "place"))
        try await write(events, to: one)
        let pushed = try await elapsed { try await one.sync(try one.remote("place")) }
        let size = try bytes(of: folder.appending(path: "place")) - before
        let pulled = try await elapsed { try await two.sync(remote) }
        guard try one.logDigest() == two.logDigest() else { throw Failure("the stores differ") }
        try one.close()
        try two.close()
        let whole = String(format: "%.1f", (pushed + pulled) * 1000)
        print(
            "engine seal-transfer \(isSealed ? "sealed" : "open"): \(whole) ms push "
                + "\(String(format: "%.1f", pushed * 1000)) pull \(String(format: "%.1f", pulled * 1000)) bytes \(size)"
        )
    }

    private static func write(_ events: Int, to store: Store) async throws {
        for start in stride(from: 0, to: events, by: 200) {
            try await store.write(note: "Batch") { batch in
                for number in start..<min(start + 200, events) {
                    _ = try batch.add(TimeTravelBench.contact(number, mixed(UInt64(number))))
                }
            }
        }
    }

    // MARK: - Keys

    /// Measures how long a device needs for the key of an epoch that is wrapped for it last, and a passphrase for its own.
    static func keys(devices: Int) throws {
        var generator = SeededGenerator(state: 1)
        let identities = (0..<devices).map { _ in Identity.random(using: &generator) }
        let scrypt = ScryptParameters.random(using: &generator)
        let reader = try RecipientKey(passphrase: passphrase, parameters: scrypt)
        let key = EpochKey.random(using: &generator)
        let (log, root) = (LogID(high: 1, low: 2), Hash256(hashing: [1].span.bytes))
        let namesKey = [UInt8](repeating: 1, count: 32)
        let contents = KeyFile.Contents(
            log: log, root: root, namesKey: namesKey,
            proofs: RootProofs(
                of: log, root, namesKey: namesKey, phrase: .random(using: &generator), passphrase: reader),
            recipients: [KeyFile.Recipient(.passphrase, publicKey: reader.publicKey)]
                + identities.map { KeyFile.Recipient(.device, publicKey: RecipientKey(identity: $0).publicKey) },
            formerKeys: [])
        let bytes = try KeyFile.bytes(contents, with: key, scrypt: scrypt, using: &generator)
        let last = RecipientKey(identity: identities[devices - 1])
        var times: [Double] = []
        for _ in 0..<21 {
            times.append(
                try seconds {
                    let file = try KeyFile(reading: bytes)
                    guard try file.contents(with: try file.epochKey(with: last)).recipients == contents.recipients
                    else {
                        throw Failure("other contents")
                    }
                })
        }
        let slow = try seconds { _ = try RecipientKey(passphrase: passphrase, parameters: scrypt) }
        print(
            "engine seal-keys \(devices): \(String(format: "%.2f", times.sorted()[10] * 1000)) ms passphrase "
                + String(format: "%.0f", slow * 1000))
    }

    // MARK: - The roster

    /// Measures what a pass costs more that has nothing to do, when as many devices belong to the log.
    static func roster(_ path: String, devices: Int) async throws {
        let folder = URL(filePath: path)
        let store = try await created(folder, isSealed: true)
        let remote = try store.remote("place")
        let few = try await idle(store, remote)
        var generator = SeededGenerator(state: 2)
        for _ in 0..<devices { try await store.approve(Identity.random(using: &generator).replica) }
        let many = try await idle(store, remote)
        try store.close()
        print(
            "engine seal-roster \(devices): \(String(format: "%.2f", (many - few) * 1000)) ms more than "
                + String(format: "%.2f", few * 1000))
    }

    /// The median time of a pass that has nothing to do.
    private static func idle(_ store: Store, _ remote: Remote) async throws -> Double {
        for _ in 0..<3 { try await store.sync(remote) }
        var times: [Double] = []
        for _ in 0..<21 { times.append(try await elapsed { try await store.sync(remote) }) }
        return times.sorted()[10]
    }

    // MARK: - Small things

    private static func elapsed(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private static func bytes(of folder: URL) throws -> Int {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return try files.compactMap { $0 as? URL }.reduce(0) { sum, file in
            sum + ((try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}
