import Foundation

/// Why a store waits in recovery: the file `ContainerInitFailure.json`.
package struct FailureRecord: Codable, Hashable, Sendable {
    /// The newest snapshot, and what it holds.
    package struct Snapshot: Codable, Hashable, Sendable {
        package var id: String
        package var at: Date
        package var qsos: Int

        package init(id: String, at: Date, qsos: Int) { (self.id, self.at, self.qsos) = (id, at, qsos) }
    }

    /// The form of the file.
    package var version = 1
    /// When it was found.
    package var at: Date
    /// The word for scripts: what sort of trouble.
    package var code: String
    /// What is wrong, in plain words, without anything of what was logged.
    package var message: String
    /// Which file.
    package var file: String
    /// Where the damaged file was put, in the store's folder.
    package var backup: String
    /// Whether the file itself was moved there, in place of a copy.
    package var isMoved = false
    /// The last event of each replica that could be found, by the replica's id.
    package var lastGood: [String: UInt64] = [:]
    /// The newest snapshot; left out where there is none.
    package var snapshot: Snapshot?

    package init(at: Date, code: String, message: String, file: String, backup: String) {
        (self.at, self.code, self.message, self.file, self.backup) = (at, code, message, file, backup)
    }

    /// Reads the record at `path`; `nil` where there is none. One that cannot be read still says that recovery waits.
    package static func read(_ path: String) -> FailureRecord? {
        let data = FileManager.default.contents(atPath: path)
        if data == nil, !RecoveryFiles.exists(path) { return nil }
        return data.flatMap { try? decoder.decode(FailureRecord.self, from: $0) }
            ?? FailureRecord(
                at: Date(timeIntervalSince1970: 0), code: "damaged", message: "What was found is no longer known.",
                file: "log.mdb", backup: "")
    }

    /// Writes it.
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
