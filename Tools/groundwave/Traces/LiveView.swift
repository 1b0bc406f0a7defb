import Foundation
import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

/// What is shown of a trace while it is recorded: its channels, its totals, and the last minutes of one channel.
///
/// Pure: takes what was read, and returns lines.
struct LiveView {
    /// The time without a new row from which it is shown.
    private static let silentMilliseconds: Int64 = 3_000
    private static let channelLimit = 8

    private(set) var trace: Trace
    private(set) var summary: TraceSummary
    /// The values of the channel that is drawn; `nil` before it is known which.
    private(set) var recent: RecentValues?
    /// The unit in which temperatures are shown.
    var temperatureUnit: TemperatureUnit
    private let channel: String?
    private let span: Int64
    private let hint: TerminalText
    /// When the last row came, by a clock that is never set.
    private var lastCame: Int64

    /// Creates a view of `trace`, first seen at the moment `now`.
    ///
    /// - Parameters:
    ///   - channel: The channel that is drawn; the first in amperes if `nil`, or the first one if there is none.
    ///   - minutes: For how long a time it is drawn.
    ///   - hint: The last line.
    init(
        _ trace: Trace, _ summary: TraceSummary, drawing channel: String? = nil, minutes: Int = 5,
        hint: TerminalText = TerminalText(), temperatureUnit: TemperatureUnit = .celsius, at now: Arrival
    ) {
        self.temperatureUnit = temperatureUnit
        (self.trace, self.summary, self.channel, self.hint) = (trace, summary, channel, hint)
        span = Int64(minutes) * 60_000
        let age = summary.lastTime.map { max(0, now.wallMilliseconds - $0) } ?? 0
        lastCame = now.monotonicMilliseconds - age
        chooseChannel()
    }

    /// Takes what was read of the trace at the moment `now`.
    mutating func take(_ trace: Trace, _ summary: TraceSummary, at now: Arrival) {
        if summary.rowCount != self.summary.rowCount { lastCame = now.monotonicMilliseconds }
        if summary.calibration != self.summary.calibration { recent = nil }
        (self.trace, self.summary) = (trace, summary)
        chooseChannel()
    }

    /// Takes the next rows of the channel that is drawn.
    mutating func take(_ rows: TraceRows) { recent?.take(rows) }

    private mutating func chooseChannel() {
        guard recent == nil else { return }
        let channels = summary.channels.map(\.channel)
        let first = channels.first { $0.unit == .ampere } ?? channels.first
        recent = (channel ?? first?.name).map { RecentValues(of: $0, span: span) }
    }

    /// The milliseconds since the last row, if no row has come for a while; `nil` after the end.
    func silence(at now: Arrival) -> Int64? {
        guard trace.end == nil, summary.tail != .interrupted else { return nil }
        let silence = now.monotonicMilliseconds - lastCame
        return silence >= Self.silentMilliseconds ? silence : nil
    }

    /// The lines for a terminal of `size` at the moment `now`. They may be longer than it is wide, but are not more than
    /// it has.
    func lines(on size: Screen.Size, at now: Arrival) -> [TerminalText] {
        let facts = Self.flow(facts(at: now), width: size.columns - 1)
        let hints = trace.end == nil && !hint.isEmpty ? [hint] : []
        var rest = size.rows - 1 - facts.count - hints.count
        let chartRows = rest >= 16 ? 4 : rest >= 10 ? 2 : 0
        let chart = chartRows > 0 ? chart(width: size.columns - 1, rows: chartRows, at: now) : []
        rest -= chart.count
        return Array(([title] + table(lineCount: rest) + facts + chart + hints).prefix(size.rows))
    }

    /// One line: the time of the last row, the number of rows, and the last values.
    func line(at now: Arrival) -> TerminalText {
        var parts = [NumberText.count(summary.rowCount, "row")]
        for (channel, cell) in shownChannels.prefix(Self.channelLimit) {
            parts.append("\(channel.name) \(TraceText.value(cell.last, channel, in: temperatureUnit))")
        }
        if let calibration = summary.calibration.text { parts.append(calibration) }
        if summary.missingCount > 0 { parts.append(missing) }
        if let silence = silence(at: now) { parts.append("no rows for \(silence / 1000) s") }
        let time = summary.lastTime.map { "\(UTCText.milliseconds($0))  " } ?? ""
        return "\(time)\(parts.joined(separator: "  "))"
    }
}

extension LiveView {
    private var title: TerminalText {
        let name = trace.name.isEmpty ? trace.id.short : trace.name
        let meter = [trace.model?.displayName, trace.meter?.description].compactMap { $0 }.joined(separator: " ")
        return "\(name)  \(meter)  \(TraceText.state(trace, summary))"
    }

    /// The channels that are not 0 throughout.
    private var shownChannels: [(channel: Channel, cell: Cell)] {
        summary.channels.filter { !temperatureUnit.isZero($0.cell, of: $0.channel) }
    }

    private func table(lineCount: Int) -> [TerminalText] {
        if lineCount < 2 { return [] }
        guard summary.rowCount > 0 else { return ["No rows yet."] }
        var table = TextTable(["CHANNEL", "LAST", "LEAST", "MEAN", "GREATEST", "UNIT"], numbersFrom: 1, to: 4)
        for (channel, cell) in shownChannels.prefix(min(Self.channelLimit, lineCount - 1)) {
            let unit = temperatureUnit
            table.append([
                channel.name, TraceText.number(cell.last, channel, in: unit),
                TraceText.number(cell.least, channel, in: unit), TraceText.mean(cell, channel, in: unit),
                TraceText.number(cell.greatest, channel, in: unit), unit.name(for: channel),
            ])
        }
        return table.lines
    }

    private var missing: String { "missing \(TraceText.missing(summary.rows))" }

    private func facts(at now: Arrival) -> [TerminalText] {
        let totals = TraceTotals(of: summary.parts)
        var facts: [String] = []
        if let charge = totals.charge { facts.append("charge \(TraceText.quantity(charge, "Ah"))") }
        if let energy = totals.energyText { facts.append("energy \(energy)") }
        if let first = summary.firstTime, let last = summary.lastTime {
            if totals.charge != nil {
                let covered = TraceText.span(milliseconds: Int64(clamping: totals.coveredMilliseconds))
                facts.append("covered \(covered)")
            }
            facts.append("span \(TraceText.span(milliseconds: last &- first))")
        }
        facts += ["rows \(summary.rowCount)", missing, "repeated \(summary.repeatCount)"]
        if let calibration = summary.calibration.text { facts.append(calibration) }
        if let silence = silence(at: now) { facts.append("no rows for \(silence / 1000) s") }
        return facts.map { "\($0)" }
    }

    /// Lines with as many of `parts` as fit in each.
    private static func flow(_ parts: [TerminalText], width: Int) -> [TerminalText] {
        var lines: [TerminalText] = []
        for part in parts {
            if let last = lines.last, last.width + 3 + part.width <= width {
                lines[lines.count - 1] = last + "   " + part
            } else {
                lines.append(part)
            }
        }
        return lines
    }

    /// A heading, and `rows` lines of dots with the greatest and the least value before the first and the last one.
    private func chart(width: Int, rows: Int, at now: Arrival) -> [TerminalText] {
        guard let recent, let last = summary.lastTime else { return [] }
        guard let (channel, cell) = summary.channels.first(where: { $0.channel.name == recent.name }) else {
            return ["There is no channel \(recent.name)."]
        }
        // No value needs more room than the extremes of the trace do.
        let labelWidth =
            [cell.least, cell.greatest].map { TraceText.number($0, channel, in: temperatureUnit).count }.max() ?? 0
        let columns = recent.columns(2 * max(1, width - labelWidth - 1), to: last &+ (silence(at: now) ?? 0))
        let values = columns.compactMap { $0 }
        let range = (values.map(\.lowerBound).min() ?? 0)...(values.map(\.upperBound).max() ?? 0)
        let unit = channel.unit == .none ? "" : " in \(temperatureUnit.name(for: channel))"
        let dots = BrailleChart.lines(columns, rows: rows, in: range).enumerated().map { row, dots in
            let value = row == 0 ? range.upperBound : row == rows - 1 ? range.lowerBound : nil
            let label = value.map { drawn($0, channel) } ?? ""
            return (TerminalText.blanks(labelWidth - label.count) + "\(label) \(dots)").withoutTrailingBlanks
        }
        return ["\(channel.name)\(unit), the last \(NumberText.count(recent.span / 60_000, "minute")):"] + dots
    }

    /// The least or the greatest value that is drawn, with the decimals of its channel.
    private func drawn(_ value: Double, _ channel: Channel) -> String {
        let shown = temperatureUnit.isConverted(channel) ? value * 1.8 + 32 : value
        return String(format: "%.\(channel.decimals)f", shown)
    }
}
