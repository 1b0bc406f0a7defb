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
}

/// A folder that the user can see and that gets, from time to time, all contacts as ADIF and the settings as JSON.
struct Mirror: Codable, Hashable {
    var folder: String
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
    /// The folder that is kept as a mirror; `nil` where there is none.
    public func mirrorFolder() throws -> URL? { try syncFile.read().mirror.map { URL(filePath: $0.folder) } }

    /// Keeps `folder` as a mirror from now on, or keeps none. What lies in the old folder stays there.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is no such folder.
    public func setMirror(_ folder: URL?) throws {
        try requireWritable()
        if let folder {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw StoreError(
                    .notFound, "There is no folder \(folder.path).", hint: "Make it first, or plug the medium in.")
            }
        }
        try syncFile.update { file in
            file.mirror = folder.map { Mirror(folder: $0.standardizedFileURL.path) }
            return true
        }
    }

    /// Writes the mirror now: `groundwave.adi` with every contact that shows, `groundwave-settings.json` with the settings
    /// that travel, which ``importSettings(_:named:isDryRun:note:author:)`` reads back. Each takes the place of the one before in one step.
    ///
    /// - Throws: ``StoreError`` with code `usage` where there is no mirror; `inputOutput` where its folder cannot be
    ///   written. The files are then those of before.
    /// - Complexity: An export of the whole log.
    @discardableResult
    public func writeMirror() throws -> MirrorWritten {
        guard let mirror = try syncFile.read().mirror else {
            throw StoreError(
                .usage, "No folder is kept as a mirror.", hint: "Name one: groundwave backup mirror FOLDER.")
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
        let now = surroundings.now().wallMilliseconds
        try syncFile.update { file in
            guard file.mirror?.folder == mirror.folder else { return false }
            file.mirror?.position = position
            file.mirror?.written = now
            return true
        }
        return MirrorWritten(adif: adif, contacts: contacts, settings: settings)
    }
}
