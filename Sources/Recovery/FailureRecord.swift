import Foundation

/// Why a store waits in recovery: the file `ContainerInitFailure.json`.
package struct FailureRecord: Codable, Hashable, Sendable {
    /// The newest snapshot: its id, time, and number of contacts.
    package struct Snapshot: Codable, Hashable, Sendable {
        package var id: String
        package var at: Date
        package var qsos: Int

        package init(id: String, at: Date, qsos: Int) { (self.id, self.at, self.qsos) = (id, at, qsos) }
    }

    /// The kind of record that `qsos` counts: programs that read the file ask how many contacts are safe.
    package static let contactKind = "qso"

    /// The version of the file's format.
    package var version = 1
    /// When the damage was found.
    package var at: Date
    /// The code for scripts: the kind of failure.
    package var code: String
    /// What is wrong, in plain words, without any logged content.
    package var message: String
    /// The damaged file.
    package var file: String
    /// The folder of the preserved file, as a path within the store's folder; empty if nothing was preserved.
    package var backup: String
    /// Whether the file itself was moved there, instead of a copy.
    package var isMoved = false
    /// The last event of each replica that was found, by the replica's id.
    package var lastGood: [String: UInt64] = [:]
    /// The newest snapshot; omitted if there is none.
    package var snapshot: Snapshot?

    package init(at: Date, code: String, message: String, file: String, backup: String) {
        (self.at, self.code, self.message, self.file, self.backup) = (at, code, message, file, backup)
    }

    /// Reads the record at `path`; `nil` if there is none. An unreadable record still means that recovery waits.
    package static func read(_ path: String) -> FailureRecord? {
        let data: Data
        do {
            guard let content = try DurableFile.read(path) else { return nil }
            data = content
        } catch {
            guard RecoveryFiles.exists(path) else { return nil }
            data = Data()
        }
        return (try? decoder.decode(FailureRecord.self, from: data))
            ?? FailureRecord(
                at: Date(timeIntervalSince1970: 0), code: "damaged",
                message: "the record of the damage is not readable", file: "log.mdb",
                backup: "")
    }

    /// Writes the record durably.
    package func write(to path: String) throws {
        try DurableFile.write([UInt8](try Self.encoder.encode(self)) + [UInt8(ascii: "\n")], to: path)
    }

    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return encoder
    }()

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()
}
