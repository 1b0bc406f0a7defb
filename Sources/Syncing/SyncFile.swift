import Foundation
import GroundwaveReplication
import GroundwaveStore

/// The synchronisation settings and state of this device: with which remotes, and whether at all. Never synchronised.
package struct SyncFile: Codable, Hashable {
    /// The addresses of the remotes by their names.
    package var remotes: [String: String] = [:]
    /// The names of remotes that stay open although the log is sealed.
    var open: [String]?
    /// The invitations of this device that have not ended.
    var invitations: [OpenInvitation]?
    /// The epochs of the key files of invitations that this device has put at each remote, in base32.
    var placedInvitations: [String: [String]]?
    /// Whether the user has switched synchronisation off.
    package var isOff = false
    /// The state of each remote.
    package var standings: [String: Standing] = [:]

    /// The mirror; `nil` if none is kept.
    package var mirror: MirrorState?

    /// The state of one remote.
    package struct Standing: Codable, Hashable {
        /// The time of the last successful sync pass: milliseconds since 1970.
        package var lastSuccess: Int64?
        /// The time of the last sync pass.
        var lastTry: Int64 = 0
        /// Why the last sync pass failed; `nil` if it did not.
        package var failure: String?
        /// What was rejected, by the store that pushed it.
        var quarantined: [String: String] = [:]
        /// The folders of stores of other logs.
        var strangers: [String: String]?
        /// When the remote was found to have lost its contents.
        var emptied: Int64?
        /// The newest snapshot there, as far as this device knows.
        var snapshot: KnownSnapshot?
    }

    /// An invitation that has not ended. The code is not kept.
    struct OpenInvitation: Codable, Hashable {
        /// The replica whose keys are the code.
        let replica: String
        /// When it ends: milliseconds since 1970.
        let end: Int64
        /// The public key for which its key file is wrapped.
        let recipient: [UInt8]
        /// Why whoever has the code believes the key file: see ``RootProofs``.
        let mac: [UInt8]
        /// With which whoever has the code connects to this device: 32 bytes.
        let secret: [UInt8]
        /// The key file; `nil` before it is needed.
        var file: [UInt8]?
        /// The number of keys in it.
        var keyCount = 0
    }

    package static func file(of files: StoreFiles) -> JSONFile<SyncFile> {
        JSONFile(
            folder: files.folder, name: "sync.json", empty: SyncFile(), contents: "this device's remotes and mirror")
    }
}

extension StoreFiles {
    /// Returns the path of the cache of a remote; deleting it costs only time.
    func cachePath(of remote: String) -> String { folder.appending(path: "sync/\(remote).notes").path }

    /// The remotes that have a cache.
    package var remoteNames: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "sync").path)) ?? []
        return names.sorted().filter { $0.hasSuffix(".notes") }.map { String($0.dropLast(6)) }
    }

    package func readCache(of remote: String) -> RemoteCache {
        FileManager.default.contents(atPath: cachePath(of: remote)).map { RemoteCache(reading: [UInt8]($0)) }
            ?? RemoteCache()
    }

    /// Makes the folder with what this device remembers of its remotes.
    func makeSyncFolder() throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "sync"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    package func write(_ cache: RemoteCache, of remote: String) throws {
        try makeSyncFolder()
        var file = try AtomicFile(cachePath(of: remote), permissions: 0o600)
        try file.write(cache.bytes)
        try file.finish()
    }
}
