import Foundation
import GroundwaveStore

/// Moments as text, in UTC.
package enum TimeText {
    /// `2026-05-01 12:00:00Z`, from seconds since 1970.
    package static func seconds(_ seconds: Int64) -> String { UTCText.spaced(seconds) }

    /// As ``seconds(_:)``, from milliseconds since 1970, such as those of a stamp.
    package static func milliseconds(_ milliseconds: Int64) -> String { seconds(milliseconds / 1000) }

    /// `2026-05-01 12:00:00Z`.
    package static func date(_ date: Date) -> String { seconds(Int64(date.timeIntervalSince1970)) }

    /// `2026-05-01T12:00:00Z`, for scripts.
    package static func iso(_ date: Date) -> String { UTCText.seconds(Int64(date.timeIntervalSince1970)) }
}
