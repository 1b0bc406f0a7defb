import Groundwave
import GroundwaveEvents
import GroundwaveRecords

/// The words for a stamp that counts as an earlier one, since the clock of its device was wrong.
enum ClockText {
    /// The stamp that counts, for JSON; `nil` if it is the one that was written.
    static func counted(_ counted: Stamp, insteadOf stamp: Stamp) -> String? {
        counted == stamp ? nil : UTCText.milliseconds(counted.milliseconds)
    }

    /// A note, after which time the clock showed if that does not count.
    static func note(_ note: String, _ counted: Stamp, insteadOf stamp: Stamp) -> String {
        if counted == stamp { return note }
        let words = "clock was wrong: \(TimeText.milliseconds(stamp.milliseconds))"
        return note.isEmpty ? words : "\(words); \(note)"
    }

    /// What a declaration says; `nil` if the value is none.
    static func declaration(_ value: [UInt8]?) -> String? {
        value.flatMap { ClockDeclaration(reading: $0) }.map {
            "clock was wrong: from \(TimeText.milliseconds($0.from)) on, written by \(TimeText.milliseconds($0.ceiling))"
        }
    }
}
