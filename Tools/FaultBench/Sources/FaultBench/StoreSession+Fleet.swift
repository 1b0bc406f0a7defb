import Everything
import Foundation
import Groundwave
import GroundwaveEventLog

/// The operations of a store that meets others: it syncs, applies bundles, and another device clones the log on the
/// same disk.
///
/// The remote and the peer lie outside the disk that loses power: they keep what they have.
extension StoreSession {
    private static func place(_ folder: String) -> RemoteAddress { .folder(URL(filePath: "\(folder)/place")) }

    private static func configuration(_ name: String, state: String) -> Configuration {
        Configuration.full(author: "N0FLT", deviceName: name, stateFolder: URL(filePath: state))
    }

    /// The remote of the store, added if it has none.
    private static func remote(of store: Store, _ folder: String) async throws -> Remote {
        if let remote = try store.remotes().first { return remote }
        try await store.add(remote: "place", at: place(folder))
        return try store.remote("place")
    }

    /// Another device, which clones the log from the remote. If that was killed, a new device takes its place.
    private static func peer(_ folder: String) async throws -> Store {
        let (url, state) = (URL(filePath: "\(folder)/peer"), "\(folder)/peer-state")
        let configuration = configuration("peer", state: state)
        let mark = "\(folder)/peer-joined"
        if FileManager.default.fileExists(atPath: mark) { return try await Store.open(at: url, configuration).whole }
        for path in [url.path, state] { try? FileManager.default.removeItem(atPath: path) }
        let peer = try await Store.join(place(folder), at: url, configuration).store
        try Data().write(to: URL(filePath: mark))
        return peer
    }

    /// The peer writes, and sometimes erases.
    private mutating func act(_ peer: Store) async throws {
        let batch = (0..<Int.random(in: 1...20, using: &generator)).map { _ in contact() }
        try await peer.write { for contact in batch { _ = try $0.add(contact) } }
        let ids = try peer.read { try $0.all(.contacts) }.map(\.id)
        if generator.chance(0.2), let id = ids.randomElement(using: &generator) { _ = try await peer.erase([id]) }
    }

    static let sync: Operation = { session, store, _ in
        let remote = try await remote(of: store, session.folder)
        try await store.sync(remote)
        let peer = try await peer(session.folder)
        try await session.act(peer)
        try await peer.sync(try peer.remote("place"))
        try peer.close()
        try await store.sync(remote)
        // An erasure elsewhere may have changed the log here.
        return true
    }

    static let bundle: Operation = { session, store, _ in
        try await store.sync(try await remote(of: store, session.folder))
        let peer = try await peer(session.folder)
        try await session.act(peer)
        let path = "\(session.folder)/bundle"
        try? FileManager.default.removeItem(atPath: path)
        _ = try await peer.createBundle(to: path)
        try peer.close()
        _ = try await store.applyBundle(path)
        return true
    }

    static let join: Operation = { session, store, _ in
        try await store.sync(try await remote(of: store, session.folder))
        try await joined(session.folder).close()
        return false
    }

    /// The device that clones the log on the same disk; a clone that was interrupted is started again, as a person
    /// would.
    static func joined(_ folder: String) async throws -> Store {
        let url = URL(filePath: "\(folder)/disk/joined")
        let configuration = configuration("joined", state: "\(folder)/disk/joined-state")
        do { return try await Store.join(place(folder), at: url, configuration).store } catch let error as StoreError
            where error.code == .exists
        { return try await Store.open(at: url, configuration).whole }
    }

    /// Syncs all others, so that they have what is here and report it.
    static func letAllSee(_ store: Store, in folder: String) async throws {
        let remote = try await remote(of: store, folder)
        try await store.sync(remote)
        var others = [try await peer(folder)]
        if FileManager.default.fileExists(atPath: "\(folder)/disk/joined") { others.append(try await joined(folder)) }
        for other in others {
            try await other.sync(try other.remote("place"))
            try other.close()
        }
        try await store.sync(remote)
    }

    /// Syncs the whole fleet after any fault: then all must have the same contents.
    static func meet(in folder: String) async throws {
        let url = URL(filePath: path(in: folder))
        let store = try await Store.open(at: url, configuration(in: folder)).whole
        Witness.write(line: "b sync")
        let remote = try await remote(of: store, folder)
        try await store.sync(remote, isFull: true)
        var others = [try await peer(folder)]
        if FileManager.default.fileExists(atPath: "\(folder)/disk/joined") { others.append(try await joined(folder)) }
        for other in others where try other.remotes().isEmpty {
            Witness.write(line: "w a device that joined knows no place")
            try await other.add(remote: "place", at: place(folder))
        }
        for _ in 0..<2 {
            for other in others { try await other.sync(try other.remote("place"), isFull: true) }
            try await store.sync(remote, isFull: true)
        }
        var witness = Witness()
        try witness.tellAgain(of: try EventLog(opening: url.appending(path: "log.mdb").path), then: "a sync")
        let digest = try store.digest()
        for other in others {
            try await other.sync(try other.remote("place"))
            let found = try other.digest()
            if found.views != digest.views { Witness.write(line: "w two digests after a sync") }
            if found.vector != digest.vector { Witness.write(line: "w two vectors after a sync") }
            guard try other.compareWithReplay().isSame else { throw Failure("the views are not what the log folds to") }
            try other.close()
        }
        try store.close()
    }
}
