import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveTesting

/// The store of a device, in a folder that is deleted with this object.
final class SealedStore {
    let store: Store
    private let folder: TemporaryFolder

    /// Opens a copy of a folder, whose stores are closed.
    init(copyOf other: URL) async throws {
        folder = try TemporaryFolder()
        try TemporaryStore.copy(
            other.appending(path: "store"), stateFolder: other.appending(path: "state"),
            to: folder.url.appending(path: "store"), stateFolder: folder.url.appending(path: "state"))
        store = try await Store.open(at: folder.url.appending(path: "store"), Self.configuration(folder.url)).whole
    }

    /// Creates the store of a new device, or joins a log with it.
    init(_ make: (URL, Configuration) async throws -> Store) async throws {
        folder = try TemporaryFolder()
        store = try await make(folder.url.appending(path: "store"), Self.configuration(folder.url))
    }

    /// Two stores that do not know of each other in place of this one, as if somebody who knows how had copied a device.
    func split() async throws -> [SealedStore] {
        try store.close()
        return [try await SealedStore(copyOf: folder.url), try await SealedStore(copyOf: folder.url)]
    }

    /// Closes the store, and returns its folder, from which copies may be made.
    func closed() throws -> TemporaryFolder {
        try store.close()
        return folder
    }

    private static func configuration(_ folder: URL) -> Configuration {
        .full(author: "N0CALL", deviceName: "device", stateFolder: folder.appending(path: "state"))
    }

    deinit { try? store.close() }
}

/// A sealed log with devices that have joined it and that nobody has approved. Unlocking takes long: histories begin with
/// copies.
struct SealedFleet: Sendable {
    static let deviceCount = 5
    let words: String
    private let folders: [TemporaryFolder]

    /// The first device has sealed the log.
    static let shared = Task { try await SealedFleet() }

    private init() async throws {
        let (place, words) = (MemoryTransport(), Store.newRecoveryPhrase())
        self.words = words.joined(separator: " ")
        let founder = try await SealedStore { try await Store.create(at: $0, $1) }
        try await founder.store.seal(passphrase: "seven rivers", recoveryPhrase: words)
        try await founder.store.sync(with: place, as: "place")
        var devices = [founder]
        for _ in 1..<Self.deviceCount {
            devices.append(
                try await SealedStore {
                    try await Store.join(
                        through: place, as: "place", at: $0, $1, unlocking: .passphrase("seven rivers")
                    ).store
                })
        }
        for device in devices {
            try await device.store.sync(with: place, as: "place")
            try device.store.remove(remote: "place")
        }
        folders = try devices.map { try $0.closed() }
    }

    /// Copies of the first devices.
    func copies(_ count: Int) async throws -> [SealedStore] {
        var copies: [SealedStore] = []
        for folder in folders.prefix(count) { copies.append(try await SealedStore(copyOf: folder.url)) }
        return copies
    }
}
