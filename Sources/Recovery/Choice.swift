import Foundation
import GroundwaveEvents

/// The decision about a store in recovery; carried out when the store is opened next.
package struct Choice: Codable, Hashable, Sendable {
    package enum Action: String, Codable, Sendable {
        /// The log that was rebuilt from the salvaged events.
        case salvage
        /// The same, with a snapshot that replaces the history before it.
        case snapshot
        /// An empty log; all events are fetched from the remotes.
        case remote
        /// An empty log; synchronising is switched off.
        case reset
    }

    package var way: Action
    /// When it was decided.
    package var at: Date
    /// The id of the record that will report the result. If the decision is carried out again, by another process or
    /// after an interruption, the record shows that it was reported already.
    package var record: String

    package init(_ way: Action, at: Date, record: RecordID) {
        (self.way, self.at, self.record) = (way, at, "\(record)")
    }

    /// Reads the decision; `nil` if there is none, or if the file is malformed.
    ///
    /// - Throws: ``FileFailure`` if the file exists but cannot be read now.
    package static func read(_ files: RecoveryFiles) throws(FileFailure) -> Choice? {
        try RecoveryFiles.decoded(Choice.self, at: files.choice)
    }

    /// Writes the decision durably.
    package func write(_ files: RecoveryFiles) throws {
        try DurableFile.write([UInt8](try FailureRecord.encoder.encode(self)) + [UInt8(ascii: "\n")], to: files.choice)
    }
}
