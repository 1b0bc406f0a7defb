import Foundation
import GroundwaveMetering
import GroundwaveMeters

/// Quantities of traces as text.
package enum TraceText {
    /// How many rows are hidden, in how many stretches, of which some may be erased.
    package static func hidden(_ rows: UInt64, _ stretches: [HiddenStretch]) -> String {
        let erased = stretches.count { $0.isErased }
        let parts = [
            stretches.count > erased ? "\(stretches.count - erased) hidden" : nil,
            erased > 0 ? "\(erased) erased" : nil,
        ]
        let count = NumberText.count(rows, "row")
        let words = parts.compactMap(\.self).joined(separator: ", ")
        return
            "\(count) of \(NumberText.count(stretches.count, "stretch", "stretches")) (\(words)): none of them counts"
    }

    /// What happened to a trace: `recording`, `finished`, `interrupted`.
    package static func state(_ trace: Trace, _ summary: TraceSummary) -> String {
        if let end = trace.end { return end.rawValue }
        return summary.tail == .none ? "open" : summary.tail.rawValue
    }

    /// Whether samples travel.
    package static func sharing(_ sharing: SampleSharing) -> String {
        switch sharing {
        case .synced: "its samples go to every device"
        case .local: "its samples stay where they were recorded"
        }
    }

    /// A time span: `1 d 02:03:04`, `00:00:12`.
    package static func span(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        let (days, rest) = (seconds / 86_400, seconds % 86_400)
        let clock = String(format: "%02d:%02d:%02d", rest / 3600, rest / 60 % 60, rest % 60)
        return days > 0 ? "\(days) d \(clock)" : clock
    }

    /// A time span to the millisecond: `01:30:00`, `00:00:12.500`, `1 d 02:03:04`.
    package static func precise(milliseconds: Int64) -> String {
        let rest = milliseconds % 1000
        return span(milliseconds: milliseconds) + (rest == 0 ? "" : String(format: ".%03d", rest))
    }

    /// A value of a channel as a decimal number with its unit, temperatures in `unit`.
    package static func value(_ value: Int64, _ channel: Channel, in unit: TemperatureUnit) -> String {
        let number = number(value, channel, in: unit)
        return channel.unit == .none ? number : "\(number) \(unit.name(for: channel))"
    }

    /// A value of a channel as a decimal number, temperatures in `unit`.
    package static func number(_ value: Int64, _ channel: Channel, in unit: TemperatureUnit) -> String {
        decimal(unit.shown(value, of: channel), channel.decimals)
    }

    /// The mean of the values of a channel, with their decimals, temperatures in `unit`.
    package static func mean(_ cell: Cell, _ channel: Channel, in unit: TemperatureUnit = .celsius) -> String {
        decimal(unit.shown(meanOf: cell.sum, count: cell.count, of: channel), channel.decimals)
    }

    /// An integer with so many decimals, exactly.
    package static func decimal(_ value: Int128, _ decimals: Int) -> String {
        guard decimals > 0 else { return "\(value)" }
        let digits = String(value.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (value < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    /// A quantity in its usual unit and with as many digits as are worth reading: `1.234 Ah`, `12.3 mAh`.
    package static func quantity(_ value: Double, _ unit: String) -> String {
        let magnitude = abs(value)
        if magnitude >= 1 || magnitude == 0 { return String(format: "%.3f %@", value, unit) }
        if magnitude >= 0.001 { return String(format: "%.3f m%@", value * 1e3, unit) }
        return String(format: "%.3f µ%@", value * 1e6, unit)
    }
}

extension TraceText {
    /// How missing rows were told.
    package static func how(_ kind: Mark.Kind) -> String {
        switch kind {
        case .unanswered: "unanswered"
        case .estimated: "estimated"
        default: "counted"
        }
    }

    /// The numbers of rows by how they were told missing, behind their sum; nothing if none are.
    package static func how(_ missing: MissingRows) -> String {
        let parts = [
            ("counted", missing.counted), ("unanswered", missing.unanswered), ("estimated", missing.estimated),
        ].filter { $0.1 > 0 }
        return parts.isEmpty ? "" : " (\(parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")))"
    }
}

extension TraceText {
    /// The number of missing rows, of gaps, and how they were told: `82 in 3 gaps (counted 80, estimated 2)`.
    package static func missing(_ rows: JoinedSummary) -> String {
        "\(rows.missingCount) in \(NumberText.count(rows.gapCount, "gap"))\(how(rows.missing))"
    }
}
