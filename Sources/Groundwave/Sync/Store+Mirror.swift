import Foundation
import Radio

/// What a mirror was written of.
public struct MirrorWritten: Hashable, Sendable {
    /// The file of all contacts.
    public let adif: String
    /// How many contacts it has.
    public let contacts: Int
    /// The file of the settings that travel.
    public let settings: String
    /// How many photos of sessions lie beside them.
    public let photos: Int
    /// The names of those that do not: they are not in the folder of photos, or are other files there.
    public let missingPhotos: [String]
}

/// What is kept as a mirror.
public struct MirrorSetting: Hashable, Sendable {
    /// The folder.
    public let folder: URL
    /// Where the photos are that sessions name; `nil` where these are not mirrored.
    public let photos: URL?

    /// A mirror in `folder`.
    public init(folder: URL, photos: URL? = nil) {
        (self.folder, self.photos) = (folder, photos)
    }
}

/// A folder that the user can see and that gets, from time to time, all contacts as ADIF and the settings as JSON.
struct Mirror: Codable, Hashable {
    var folder: String
    /// Where the photos are that sessions name; `nil` where these are not mirrored.
    var photos: String?
    /// The log's last position when it was written last; 0 for never.
    var position: UInt64 = 0
    /// When that was: milliseconds since 1970.
    var written: Int64 = 0

    /// How long a change may be missing from it: an hour.
    static let intervalMilliseconds: Int64 = 3600 * 1000

    /// Whether it is due, when the log has come to `position`.
    func isDue(position: UInt64, now: Int64) -> Bool {
        position != self.position && abs(now - written) >= Self.intervalMilliseconds
    }
}

extension Store {
    /// What is kept as a mirror; `nil` where nothing is.
    public func mirror() throws -> MirrorSetting? {
        try syncFile.read().mirror.map { mirror in
            MirrorSetting(folder: URL(filePath: mirror.folder), photos: mirror.photos.map { URL(filePath: $0) })
        }
    }

    /// Keeps a mirror from now on, or none. What lies in the old folder stays there.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is no such folder.
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
                Mirror(
                    folder: setting.folder.standardizedFileURL.path, photos: setting.photos?.standardizedFileURL.path)
            }
            return true
        }
    }

    /// Writes the mirror now: `groundwave.adi` with every contact that shows, `groundwave-settings.json` with the settings
    /// that travel, which ``importSettings(_:named:isDryRun:note:author:)`` reads back, and in `photos` the files that
    /// sessions name, where their folder is named. Each file takes the place of the one before in one step.
    ///
    /// - Throws: ``StoreError`` with code `usage` where there is no mirror; `inputOutput` where its folder cannot be
    ///   written. The files are then those of before.
    /// - Complexity: An export of the whole log, and O(bytes of photos that are new).
    @discardableResult
    public func writeMirror() throws -> MirrorWritten {
        guard let mirror = try syncFile.read().mirror else {
            throw StoreError(
                .usage, "There is no mirror folder.", hint: "Set one: groundwave backup mirror FOLDER")
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
