import Foundation
import GroundwaveReplication
import GroundwaveStore

/// What this device keeps of synchronising: with whom, and whether at all. It never travels.
package struct SyncFile: Codable, Hashable {
    /// The addresses of the remotes by their names.
    package var remotes: [String: String] = [:]
    /// Whether the user has switched it off.
    package var isOff = false
    /// How it went at each remote.
    package var standings: [String: Standing] = [:]

    /// The folder that is kept as a mirror.
    package var mirror: MirrorState?

    /// How it went at one remote.
    package struct Standing: Codable, Hashable {
        /// When it was last looked at with success: milliseconds since 1970.
        package var lastSuccess: Int64?
        /// When it was last tried.
        var lastTry: Int64 = 0
        /// Why the last try failed.
        package var failure: String?
        /// What could not be believed, by the store that left it.
        var quarantined: [String: String] = [:]
        /// When the place was found to have lost what it had.
        var emptied: Int64?
    }

    package static func file(of files: StoreFiles) -> JSONFile<SyncFile> {
        JSONFile(
            folder: files.folder, name: "sync.json", empty: SyncFile(), contents: "this device's remotes and mirror")
    }
}

extension StoreFiles {
    /// Where the hints of a remote are kept; deleting it costs time and nothing else.
    func notes(of remote: String) -> String { folder.appending(path: "sync/\(remote).notes").path }

    /// The remotes of which something is known.
    package var remoteNames: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "sync").path)) ?? []
        return names.sorted().filter { $0.hasSuffix(".notes") }.map { String($0.dropLast(6)) }
    }

    package func readNotes(of remote: String) -> PlaceNotes {
        FileManager.default.contents(atPath: notes(of: remote)).map { PlaceNotes(reading: [UInt8]($0)) } ?? PlaceNotes()
    }

    package func write(_ placeNotes: PlaceNotes, of remote: String) throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "sync"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        var file = try AtomicFile(notes(of: remote), permissions: 0o600)
        try file.write(placeNotes.bytes)
        try file.finish()
    }
}
