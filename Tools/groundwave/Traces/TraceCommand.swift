import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveRecords

struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Traces: what USB power meters measure, recorded row by row.",
        discussion: """
            Specify a trace by its id, the first letters of the id, its name, or last.
            """,
        subcommands: [
            TraceRecord.self, TraceWatch.self, TraceList.self, TraceShow.self, TraceCompare.self, TraceVerify.self,
            TracePlot.self, TraceExport.self, TraceImport.self, TraceDecode.self, TraceSet.self, TraceRetain.self,
            TraceRemove.self,
            TraceRestore.self, TraceMark.self, TraceCalibrate.self,
        ])
}

/// Traces by the names that people give them.
enum TraceName {
    /// Returns the trace that `text` names, among those that show, or the hidden ones; a whole id names either.
    static func resolve(_ text: String, _ store: some Reading, hidden: Bool = false) throws -> Trace {
        let traces = try store.traces(hidden: hidden)
        if text == "last" {
            guard let last = traces.last else {
                throw StoreError(
                    .notFound, hidden ? "There are no hidden traces." : "There are no traces.",
                    hint: hidden ? nil : "To record one, see groundwave trace record --help")
            }
            return last
        }
        let named = traces.filter { !$0.name.isEmpty && $0.name.lowercased() == text.lowercased() }
        if named.count == 1 { return named[0] }
        if named.count > 1 {
            let records = try named.compactMap { try store.record(Metering.trace.name, $0.id) }
            throw AmbiguousName.error(text, records, kind: Metering.trace.name)
        }
        let id = try store.resolve(text, kind: Metering.trace.name, among: hidden ? .hidden : .all)
        if let found = traces.first(where: { $0.id == id }) { return found }
        if RecordID(text: text) != nil, let found = try store.traces(hidden: !hidden).first(where: { $0.id == id }) {
            return found
        }
        throw StoreError(
            .notFound, "There is no \(hidden ? "hidden " : "")trace \(text).",
            hint: "To see all: groundwave trace list\(hidden ? " --hidden" : "")")
    }
}

/// Quantities of traces as text.
enum TraceText {
    /// How many rows are hidden, in how many stretches, of which some may be erased.
    static func hidden(_ rows: UInt64, _ stretches: [HiddenStretch]) -> String {
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
    static func state(_ trace: Trace, _ summary: TraceSummary) -> String {
        if let end = trace.end { return end.rawValue }
        return summary.tail == .none ? "open" : summary.tail.rawValue
    }

    /// Whether samples travel.
    static func sharing(_ sharing: SampleSharing) -> String {
        switch sharing {
        case .synced: "its samples go to every device"
        case .local: "its samples stay where they were recorded"
        }
    }

    /// A time span: `1 d 02:03:04`, `00:00:12`.
    static func span(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        let (days, rest) = (seconds / 86_400, seconds % 86_400)
        let clock = String(format: "%02d:%02d:%02d", rest / 3600, rest / 60 % 60, rest % 60)
        return days > 0 ? "\(days) d \(clock)" : clock
    }

    /// A time span to the millisecond: `01:30:00`, `00:00:12.500`, `1 d 02:03:04`.
    static func precise(milliseconds: Int64) -> String {
        let rest = milliseconds % 1000
        return span(milliseconds: milliseconds) + (rest == 0 ? "" : String(format: ".%03d", rest))
    }

    /// A value of a channel as a decimal number with its unit, temperatures in `unit`.
    static func value(_ value: Int64, _ channel: Channel, in unit: TemperatureUnit) -> String {
        let number = number(value, channel, in: unit)
        return channel.unit == .none ? number : "\(number) \(unit.name(for: channel))"
    }

    /// A value of a channel as a decimal number, temperatures in `unit`.
    static func number(_ value: Int64, _ channel: Channel, in unit: TemperatureUnit) -> String {
        decimal(unit.shown(value, of: channel), channel.decimals)
    }

    /// The mean of the values of a channel, with their decimals, temperatures in `unit`.
    static func mean(_ cell: Cell, _ channel: Channel, in unit: TemperatureUnit = .celsius) -> String {
        decimal(unit.shown(meanOf: cell.sum, count: cell.count, of: channel), channel.decimals)
    }

    /// An integer with so many decimals, exactly.
    static func decimal(_ value: Int128, _ decimals: Int) -> String {
        guard decimals > 0 else { return "\(value)" }
        let digits = String(value.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (value < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    /// A quantity in its usual unit and with as many digits as are worth reading: `1.234 Ah`, `12.3 mAh`.
    static func quantity(_ value: Double, _ unit: String) -> String {
        let magnitude = abs(value)
        if magnitude >= 1 || magnitude == 0 { return String(format: "%.3f %@", value, unit) }
        if magnitude >= 0.001 { return String(format: "%.3f m%@", value * 1e3, unit) }
        return String(format: "%.3f µ%@", value * 1e6, unit)
    }
}

extension MeterModel: ExpressibleByArgument {}
extension MeterModel.Link: ExpressibleByArgument {}

extension TraceText {
    /// How missing rows were told.
    static func how(_ kind: Mark.Kind) -> String {
        switch kind {
        case .unanswered: "unanswered"
        case .estimated: "estimated"
        default: "counted"
        }
    }

    /// The numbers of rows by how they were told missing, behind their sum; nothing if none are.
    static func how(_ missing: MissingRows) -> String {
        let parts = [
            ("counted", missing.counted), ("unanswered", missing.unanswered), ("estimated", missing.estimated),
        ].filter { $0.1 > 0 }
        return parts.isEmpty ? "" : " (\(parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")))"
    }
}
