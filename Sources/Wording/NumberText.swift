import Foundation

/// Numbers as people read them.
package enum NumberText {
    /// Bytes with a unit: `12 B`, `3.4 MB`; powers of 1000.
    package static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 { return unit == "B" ? "\(count) B" : String(format: "%.1f \(unit)", value) }
            value /= 1000
        }
        return String(format: "%.1f TB", value)
    }

    /// `1 contact`, `2 contacts`.
    package static func count(_ count: some BinaryInteger, _ word: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? word : plural ?? word + "s")"
    }

    /// `12 events`, and how many of these had been lost here, where any had.
    package static func received(_ count: Int, _ word: String = "event", returned: Int) -> String {
        returned == 0 ? Self.count(count, word) : "\(Self.count(count, word)), \(returned) of them previously lost here"
    }
}
