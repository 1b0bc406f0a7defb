import Foundation
import GroundwaveEvents

/// What was decided about a store that waits in recovery; carried out when the store is opened next.
package struct Choice: Codable, Hashable, Sendable {
    package enum Way: String, Codable, Sendable {
        /// The log that was made from what could be salvaged.
        case salvage
        /// The same, with a snapshot standing for what came before it.
        case snapshot
        /// An empty log, into which everything is fetched from the remotes.
        case remote
        /// An empty log; synchronising is switched off.
        case reset
    }

    package var way: Way
    /// When it was decided.
    package var at: Date
    /// The id of the record that will say what came of it. Whoever carries it out once more, beside another process or
    /// after one that was ended, finds that it was said.
    package var record: String

    package init(_ way: Way, at: Date, record: RecordID) {
        (self.way, self.at, self.record) = (way, at, "\(record)")
    }

    /// Reads what was decided; `nil` where nothing was, and where what lies there says nothing.
    ///
    /// - Throws: ``FileFailure`` where it cannot be read now: that is not the same as nothing.
    package static func read(_ files: RecoveryFiles) throws(FileFailure) -> Choice? {
        try RecoveryFiles.decoded(Choice.self, at: files.choice)
    }

    /// Writes it.
    package func write(_ files: RecoveryFiles) throws {
        try DurableFile.write([UInt8](try FailureRecord.encoder.encode(self)) + [UInt8(ascii: "\n")], to: files.choice)
    }
}
