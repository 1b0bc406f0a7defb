import Foundation
import GroundwaveEvents

/// The result of recovering a damaged log, stored as `receipt.json`: ``recovered`` + ``lostCount`` = ``appended``.
package struct Receipt: Codable, Hashable, Sendable {
    /// A range of lost events, by sequence.
    package struct Range: Codable, Hashable, Sendable {
        package var replica: String
        package var first: UInt64
        package var last: UInt64

        package var count: UInt64 { last - first + 1 }

        package init(_ range: EventRange) {
            (replica, first, last) = ("\(range.replica)", range.first, range.last)
        }

        /// The range; `nil` if it is malformed.
        package var events: EventRange? {
            ReplicaID(text: replica).flatMap { EventRange($0, named: first, through: last) }
        }
    }

    package var version = 1
    /// When the log was rebuilt.
    package var at: Date
    /// The damaged file that it was rebuilt from, as a path within the store's folder; empty if there was no such file.
    package var source: String
    /// The number of events that the log is known to have had.
    package var appended: UInt64
    /// The number of events in the new log.
    package var recovered: UInt64
    /// The lost events whose ids are known, in order of replica and sequence.
    package var lost: [Range]
    /// The number of further lost events, whose ids are unknown.
    package var unnamed: UInt64
    /// Whether the log may have had more events, because neither its file nor another source shows where it ended.
    /// Then ``appended``, ``unnamed`` and ``lostCount`` are minimums; ``recovered`` is exact.
    package var isAtLeast: Bool
    /// The sources for the number of events: `file`, `token`, `views`, `snapshots`, `peers`.
    package var witnesses: [String]
    /// The number of lost events that were received again after the rebuild.
    package var returned: UInt64 = 0
    /// Whether the archive snapshot was lost.
    package var isBaseLost = false
    /// The duration of the rebuild in seconds.
    package var seconds: Double

    /// The number of lost events.
    package var lostCount: UInt64 { lost.reduce(0) { $0 + $1.count } + unnamed }

    /// Reads the receipt at `path`; `nil` if there is none, or it is malformed or has impossible values.
    package static func read(_ path: String) -> Receipt? {
        guard let content = FileManager.default.contents(atPath: path),
            let receipt = try? FailureRecord.decoder.decode(Receipt.self, from: content),
            receipt.lost.allSatisfy({ $0.events != nil }),
            [receipt.appended, receipt.recovered, receipt.unnamed].allSatisfy({ $0 <= EventLimits.sequenceNumber })
        else { return nil }
        return receipt
    }

    /// Writes the receipt durably.
    package func write(to path: String) throws {
        try DurableFile.write([UInt8](try FailureRecord.encoder.encode(self)) + [UInt8(ascii: "\n")], to: path)
    }
}
