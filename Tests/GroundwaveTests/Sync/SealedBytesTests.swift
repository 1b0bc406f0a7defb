import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveSeededNumbers
import GroundwaveStore
import GroundwaveTesting
import Testing

/// What devices of a sealed log have left: at a remote, and in bundles.
private struct SealedObjects {
    enum Kind: String, CaseIterable {
        case catalog, segment, head, mark, keyFile, bundle
    }

    struct Object {
        let kind: Kind
        /// Its name at the remote.
        let name: ObjectName
        let bytes: [UInt8]
    }

    static let byteLimit = 4096

    let founder: TemporaryStore
    /// A device that has the key of no later epoch than its own approval, and none of the contacts.
    let away: TemporaryStore
    private(set) var objects: [Object] = []
    private let cloud = MemoryTransport()
    private let folder: TemporaryFolder

    /// The names of what lies at the remote, as devices use them.
    var names: SealedNames { get throws { SealedNames(namesKey: try keys.keyring.namesKey) } }

    /// What the founder knows of the keys.
    var keys: LogKeys { get throws { try #require(try founder.store.logKeys()) } }

    /// Lets two devices write and synchronise until each kind of object is there often enough, and takes `count` of them.
    init(_ count: Int) async throws {
        let clock = VirtualClock()
        func configuration(_ name: String, seed: UInt64) -> Configuration {
            .full(author: "N0CALL", deviceName: name, surroundings: .virtual(clock, seed: seed))
        }
        folder = try TemporaryFolder()
        founder = try await TemporaryStore(configuration("shack", seed: 1))
        let unlocking = Unlocking.passphrase(SealedFleet.passphrase)
        _ = try await founder.store.set(setting: "syncEngine", to: "journal")
        try await founder.store.seal(passphrase: SealedFleet.passphrase, recoveryPhrase: Store.newRecoveryPhrase())
        try await founder.store.sync(with: cloud, as: "cloud")
        let phone = try await TemporaryStore(
            joining: cloud, as: "cloud", configuration("phone", seed: 2), unlocking: unlocking)
        away = try await TemporaryStore(
            joining: cloud, as: "cloud", configuration("away", seed: 3), unlocking: unlocking)
        try await founder.store.sync(with: cloud, as: "cloud")
        for device in [phone, away] { try await founder.store.approve(try device.replica) }
        try await founder.store.sync(with: cloud, as: "cloud")
        for device in [phone, away] { try await device.store.sync(with: cloud, as: "cloud") }
        var known = try away.store.log.vector()
        for round in 0..<40 {
            for (index, device) in [founder, phone].enumerated() {
                try await device.log("N\(index)C\(round)")
                if round % 5 == 0 { clock.advance(by: .seconds(7 * 3600)) }
                try await device.store.sync(with: cloud, as: "cloud")
                try await collect()
            }
            guard round < 8, round % 2 == 1 else { continue }
            // Another key file and mark, and a bundle for the device that is away.
            try await founder.store.changePassphrase(to: "\(SealedFleet.passphrase) \(round)")
            try cloud.delete(try #require(ObjectName("groundwave-sealed")))
            let path = folder.path("\(round).gwb")
            _ = try await founder.store.createBundle(missingFrom: known, to: path)
            known = try founder.store.log.vector()
            let name = try #require(ObjectName("bundles/\(round)"))
            take(Object(kind: .bundle, name: name, bytes: [UInt8](try Data(contentsOf: URL(filePath: path)))))
        }
        let rare = objects.filter { $0.kind != .catalog && $0.kind != .segment }
        let rest = objects.filter { $0.kind == .catalog || $0.kind == .segment }
        objects = Array((rare + rest).prefix(count))
    }

    private mutating func take(_ object: Object) {
        guard object.bytes.count <= Self.byteLimit, !objects.contains(where: { $0.bytes == object.bytes }) else {
            return
        }
        objects.append(object)
    }

    /// Takes what lies at the remote now.
    private mutating func collect() async throws {
        let names = try self.names
        for name in try cloud.list(prefix: .all, startAfter: nil, limit: 10_000) {
            let bytes = try #require(try cloud.get(name, range: nil, limit: 64 << 20))
            let text = name.description
            let kind: Kind
            if text.hasPrefix("keys/") {
                kind = .keyFile
            } else if text.hasSuffix("/catalog") {
                kind = .catalog
            } else if text.hasSuffix(".segment") {
                kind = .segment
            } else if text.hasSuffix(".head") {
                kind = .head
            } else if text.hasPrefix("groundwave-sealed") {
                kind = .mark
            } else {
                continue
            }
            guard kind == .keyFile || names.plain(text) != nil else { continue }
            take(Object(kind: kind, name: name, bytes: bytes))
        }
    }
}

/// Each byte of 100 objects of up to 4 KiB of a sealed log is changed in turn, and each time a device that has all keys
/// refuses the object where it opens such objects: at a remote, as a key file, and as a bundle.
///
/// By default every 50th byte is changed. With `GROUNDWAVE_EVERY_BYTE=1` in the environment each one is.
@Suite struct `Changing every byte of sealed objects` {
    private static let isWhole = ProcessInfo.processInfo.environment["GROUNDWAVE_EVERY_BYTE"] != nil

    @Test(.timeLimit(.minutes(60)))
    func `is refused in each of 100, and nothing is taken`() async throws {
        let sealed = try await SealedObjects(100)
        #expect(sealed.objects.count == 100)
        for kind in SealedObjects.Kind.allCases {
            #expect(sealed.objects.count { $0.kind == kind } >= 3, "of \(kind)")
        }
        var numbers = SeededGenerator(seed: 100)
        var (refused, taken, all) = (0, 0, 0)
        for object in sealed.objects {
            let device = try OpeningDevice(object, sealed)
            all += object.bytes.count
            for offset in object.bytes.indices {
                let isChosen = Int.random(in: 0..<50, using: &numbers) == 0
                var bytes = object.bytes
                bytes[offset] ^= UInt8.random(in: 1...255, using: &numbers)
                guard isChosen || Self.isWhole else { continue }
                if try await device.takes(bytes) {
                    taken += 1
                    Issue.record("byte \(offset) of \(object.bytes.count) of a \(object.kind): \(bytes[offset])")
                } else {
                    refused += 1
                }
            }
            #expect(try await device.takes(object.bytes), "what was left is taken: a \(object.kind)")
        }
        #expect(taken == 0 && refused > all / 60)
        print("changed bytes of sealed objects: \(refused) refused, \(taken) taken, of \(all)")
    }
}

/// A device that opens an object as it does in its work.
private struct OpeningDevice {
    private let object: SealedObjects.Object
    private let sealed: SealedObjects
    private let folder: TemporaryFolder

    init(_ object: SealedObjects.Object, _ sealed: SealedObjects) throws {
        (self.object, self.sealed, folder) = (object, sealed, try TemporaryFolder())
    }

    /// Whether the device takes anything of `bytes`.
    func takes(_ bytes: [UInt8]) async throws -> Bool {
        switch object.kind {
        case .keyFile: return isTaken(keyFile: bytes)
        case .bundle: return try await isTaken(bundle: bytes)
        case .catalog, .segment, .head, .mark: return try await isTaken(atRemote: bytes)
        }
    }

    private func isTaken(keyFile bytes: [UInt8]) -> Bool {
        guard let identity = try? sealed.founder.store.files.readIdentity(), let file = try? KeyFile(reading: bytes),
            let key = try? file.epochKey(with: RecipientKey(identity: identity))
        else { return false }
        return (try? file.contents(with: key)) != nil
    }

    /// A remote with nothing but this object.
    private func isTaken(atRemote bytes: [UInt8]) async throws -> Bool {
        let place = MemoryTransport()
        try place.replace(object.name, bytes)
        let transport = SealedTransport(place, try sealed.keys) { _ in
            []
        } writing: {
            throw CancellationError()
        }
        let name = try #require(try sealed.names.plain(object.name.description).flatMap(ObjectName.init))
        do {
            _ = try #require(try await transport.get(name, range: nil, limit: Segment.byteLimit))
            return true
        } catch let error as TransportError {
            switch error {
            case .refused(name, _), .noKey: break
            default: throw error
            }
            return false
        }
    }

    /// By a device that has all of it, and by one that has neither its events nor its key.
    private func isTaken(bundle bytes: [UInt8]) async throws -> Bool {
        let path = folder.path("bundle")
        try Data(bytes).write(to: URL(filePath: path))
        var isTaken = false
        for device in [sealed.founder, sealed.away] {
            let before = try device.store.log.vector()
            do {
                _ = try await device.store.applyBundle(path)
                isTaken = true
            } catch let error as StoreError {
                #expect([.damaged, .notPermitted, .notFound].contains(error.code), "\(error)")
                #expect(try device.store.log.vector() == before)
            }
        }
        return isTaken
    }
}
