import Foundation

/// The date of an HTTP header: `Wed, 21 Oct 2015 07:28:00 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the seconds since 1970; `nil` if it is not such a date.
    static func seconds(_ text: String) -> Int64? {
        let form = /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT/
        guard let parts = text.wholeMatch(of: form)?.output, let month = months.firstIndex(of: String(parts.2)) else {
            return nil
        }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        let date = try? Date("\(parts.3)-\(number)-\(parts.1)T\(parts.4)Z", strategy: .iso8601)
        return date.map { Int64($0.timeIntervalSince1970) }
    }
}
