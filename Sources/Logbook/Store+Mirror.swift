import Foundation
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveStore
import GroundwaveSyncing

/// The result of writing a mirror.
public struct MirrorWritten: Hashable, Sendable {
    /// The path of the file of all contacts.
    public let adif: String
    /// The number of contacts in it.
    public let contacts: Int
    /// The path of the file of the synchronised settings.
    public let settings: String
    /// The number of photos of sessions beside them.
    public let photos: Int
    /// The names of the photos that are not: they are missing in the folder of photos, or are other files there.
    public let missingPhotos: [String]
}

/// The settings of a mirror.
public struct MirrorSetting: Hashable, Sendable {
    /// The folder.
    public let folder: URL
    /// The folder of the photos that sessions name; `nil` if these are not mirrored.
    public let photos: URL?

    /// Creates the settings of a mirror in `folder`.
    public init(folder: URL, photos: URL? = nil) {
        (self.folder, self.photos) = (folder, photos)
    }
}

extension Store {
    /// Returns the settings of the mirror; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` if the file of these settings cannot be read.
    public func mirror() throws -> MirrorSetting? {
        try syncFile.read().mirror.map { mirror in
            MirrorSetting(folder: URL(filePath: mirror.folder), photos: mirror.photos.map { URL(filePath: $0) })
        }
    }

    /// Keeps a mirror from now on, or none. Files in the old folder stay there.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such folder.
    public func setMirror(_ setting: MirrorSetting?) throws {
        try requireWritable()
        for folder in [setting?.folder, setting?.photos].compactMap(\.self) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw StoreError(
                    .notFound, "There is no folder \(folder.path).", hint: "Create it first, or connect the drive.")
            }
        }
        try syncFile.update { file in
            file.mirror = setting.map { setting in
                MirrorState(
                    folder: setting.folder.standardizedFileURL.path, photos: setting.photos?.standardizedFileURL.path)
            }
            return true
        }
    }

    /// Writes the mirror now: `groundwave.adi` with every contact that shows, `groundwave-settings.json` with the
    /// synchronised settings, which ``importSettings(_:named:isDryRun:note:author:)`` reads back, and in `photos` the
    /// files that sessions name, if their folder is set. Each file replaces the one before atomically.
    ///
    /// - Throws: ``StoreError`` with code `usage` if there is no mirror; the code for the system error if a file
    ///   cannot be written. That file and the following ones are then unchanged.
    /// - Complexity: An export of the whole log, and O(bytes of photos that are new).
    @discardableResult
    public func writeMirror() throws -> MirrorWritten {
        guard let mirror = try syncFile.read().mirror else {
            throw StoreError(
                .usage, "There is no mirror folder.", hint: "To set one: \(.setMirror)")
        }
        let folder = URL(filePath: mirror.folder)
        let (adif, settings) = (
            folder.appending(path: "groundwave.adi").path, folder.appending(path: "groundwave-settings.json").path
        )
        let position = try log.lastPosition()
        let seconds = surroundings.now().wallMilliseconds / 1000
        let contacts = try export(.contacts, as: .adi, created: seconds, toFile: adif).records
        var file = try AtomicFile(settings)
        try file.write(try exportSettings())
        try file.finish()
        var photos: MirrorPhotos?
        if let source = mirror.photos {
            var copying = MirrorPhotos(from: URL(filePath: source), to: folder.appending(path: "photos"))
            try copying.copy(Set(try sessions().flatMap(\.photos)))
            photos = copying
        }
        let now = surroundings.now().wallMilliseconds
        try syncFile.update { file in
            guard file.mirror?.folder == mirror.folder else { return false }
            file.mirror?.position = position
            file.mirror?.written = now
            return true
        }
        return MirrorWritten(
            adif: adif, contacts: contacts, settings: settings, photos: photos?.count ?? 0,
            missingPhotos: photos?.missing ?? [])
    }
}
