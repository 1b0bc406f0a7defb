import Foundation
import GroundwaveEvents

/// What was got out of a damaged log, and what was not: recovered + lost = appended.
package struct Receipt: Codable, Hashable, Sendable {
    /// Events that are lost, by number.
    package struct Range: Codable, Hashable, Sendable {
        package var replica: String
        package var first: UInt64
        package var last: UInt64

        package var count: UInt64 { last - first + 1 }

        package init(_ range: EventRange) {
            (replica, first, last) = ("\(range.replica)", range.first, range.last)
        }

        /// These; `nil` where nothing can be named so.
        package var events: EventRange? {
            ReplicaID(text: replica).flatMap { EventRange($0, named: first, through: last) }
        }
    }

    package var version = 1
    /// When the log was made anew.
    package var at: Date
    /// The file that it was made from, in the store's folder.
    package var source: String
    /// How many events the log is known to have had.
    package var appended: UInt64
    /// How many of them are in the new log.
    package var recovered: UInt64
    /// Which of them are lost, in order of replica and number.
    package var lost: [Range]
    /// How many more are lost of which not even the name is left.
    package var unnamed: UInt64
    /// Whether more may have been appended than anything here knows of: then the numbers above are the least.
    package var isAtLeast: Bool
    /// Who told how many events there were: `file`, `token`, `views`, `snapshots`, `peers`.
    package var witnesses: [String]
    /// Events that were lost and have come back since, from others.
    package var returned: UInt64 = 0
    /// Whether the snapshot that stands for archived history was lost.
    package var isBaseLost = false
    /// How long it took.
    package var seconds: Double

    /// How many events are lost.
    package var lostCount: UInt64 { lost.reduce(0) { $0 + $1.count } + unnamed }

    /// Reads the receipt at `path`; `nil` where there is none, or what it says cannot be.
    package static func read(_ path: String) -> Receipt? {
        guard let content = FileManager.default.contents(atPath: path),
            let receipt = try? FailureRecord.decoder.decode(Receipt.self, from: content),
            receipt.lost.allSatisfy({ $0.events != nil }),
            [receipt.appended, receipt.recovered, receipt.unnamed].allSatisfy({ $0 <= EventLimits.sequenceNumber })
        else { return nil }
        return receipt
    }

    /// Writes it.
    package func write(to path: String) throws {
        try DurableFile.write([UInt8](try FailureRecord.encoder.encode(self)) + [UInt8(ascii: "\n")], to: path)
    }
}
