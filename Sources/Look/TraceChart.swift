import GroundwaveMetering
import GroundwaveMeters
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTracePlot
import GroundwaveWording

/// The values of a trace from one moment to another: a curve for each channel, with gaps as gaps and marks as lines.
///
/// Each curve is drawn from 512 columns, whose least and greatest values come from cells, blocks or rows, whichever is enough:
/// so a day costs as much as a second.
struct TraceChart {
    /// The number of columns.
    static let columnCount = 512
    private static let height = 200

    /// From where to where, in milliseconds since 1970; the end is exclusive.
    let span: Range<Int64>
    private let series: [PlotSeries]
    private let second: [PlotSeries]
    private let absent: AbsentRows
    private let markers: [TraceMarker]
    private let unit: TemperatureUnit

    /// Collects what is drawn.
    ///
    /// - Parameter other: Another trace, whose rows are drawn as if it had begun at the same moment as this one.
    init(_ reading: any Reading, _ trace: Trace, _ channels: [Channel], _ span: Range<Int64>, with other: Trace? = nil)
        throws
    {
        self.span = span
        (series, absent) = try reading.columns(
            of: trace.id, channels, from: span.lowerBound, to: span.upperBound, count: Self.columnCount)
        if let other, let began = other.started, let start = trace.started {
            let shift = began - start
            second = try reading.columns(
                of: other.id, channels, from: span.lowerBound + shift, to: span.upperBound + shift,
                count: Self.columnCount
            ).series
        } else {
            second = []
        }
        markers = try reading.markers(of: trace.id).filter { span.contains($0.time) }
        unit = try reading.temperatureUnit(of: trace)
    }

    /// The curves.
    var html: HTML {
        let remarks: HTML =
            absent.withheldCount + absent.hiddenCount + absent.unreadableCount == 0
            ? "" : "<p class=\"sum\">\(absentWords): only their range is drawn, or nothing.</p>"
        return """
            <div class="plot" data-from="\(span.lowerBound)" data-to="\(span.upperBound)">
            \(series.indices.map { curve(series[$0], $0 < second.count ? second[$0] : nil) })\
            <div class="under" aria-hidden="true"><span>\(Self.clock(span.lowerBound))</span>\
            <span>\(Self.clock(span.lowerBound + (span.upperBound - span.lowerBound) / 2))</span><span>\(Self.clock(span.upperBound))</span></div>
            </div>
            \(remarks)
            """
    }

    private var absentWords: String {
        [(absent.withheldCount, "withheld"), (absent.hiddenCount, "hidden"), (absent.unreadableCount, "unreadable")]
            .filter { $0.0 > 0 }.map { "\(Visit.count($0.0, "row")) \($0.1)" }.joined(separator: ", ")
    }

    /// A moment to the millisecond.
    static func clock(_ milliseconds: Int64) -> String {
        let text = UTCText.milliseconds(milliseconds)
        return "\(text.prefix(10)) \(text.dropFirst(11))"
    }

    private func curve(_ series: PlotSeries, _ second: PlotSeries?) -> HTML {
        let cells = series.columns.compactMap(\.self) + (second?.columns.compactMap(\.self) ?? [])
        let bands = series.bands
        guard let least = (cells.map(\.least) + bands.map(\.least)).min(),
            let greatest = (cells.map(\.greatest) + bands.map(\.greatest)).max()
        else {
            return "<h2>\(series.channel.name)</h2><p class=\"none\">No row of it is here.</p>"
        }
        let scale = Scale(least: least, greatest: greatest, height: Self.height)
        let marks = markers.map { marker -> HTML in
            let x = column(of: marker.time)
            return
                "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(Self.height)\"><title>\(marker.text)</title></line>"
        }
        let pale = bands.map { band -> HTML in
            let (top, bottom) = (scale.y(band.greatest), scale.y(band.least))
            return
                "<rect class=\"pale\" x=\"\(band.columns.lowerBound)\" y=\"\(top)\" width=\"\(band.columns.count)\" height=\"\(max(1, bottom - top))\"/>"
        }
        let other: HTML = second.map { "<g class=\"second\">\(path(of: $0, scale))</g>" } ?? ""
        return """
            <h2>\(series.channel.name)</h2>
            <div class="scale"><span>\(TraceText.value(greatest, series.channel, in: unit))</span><span>\(TraceText.value(least, series.channel, in: unit))</span></div>
            <svg class="curve" viewBox="0 0 \(Self.columnCount) \(Self.height)" preserveAspectRatio="none" role="img" \
            aria-label="\(description(series, least, greatest))">\(gaps(of: series))\(pale)\(path(of: series, scale))\(other)\(marks)</svg>

            """
    }

    /// What the curve shows, in words.
    private func description(_ series: PlotSeries, _ least: Int64, _ greatest: Int64) -> String {
        let (low, high) = (
            TraceText.value(least, series.channel, in: unit), TraceText.value(greatest, series.channel, in: unit)
        )
        let gaps = series.gapAfter.isEmpty ? "no gap" : NumberText.count(series.gapAfter.count, "gap")
        return "\(series.channel.name) from \(low) to \(high), \(gaps)"
    }

    private func column(of time: Int64) -> Int {
        Int((time - span.lowerBound) * Int64(Self.columnCount) / (span.upperBound - span.lowerBound))
    }

    /// Where rows are missing, from the last column before to the first one after.
    private func gaps(of series: PlotSeries) -> [HTML] {
        series.gapAfter.sorted().map { column in
            let next = series.columns[(column + 1)...].firstIndex { $0 != nil } ?? Self.columnCount
            return
                "<rect class=\"gap\" x=\"\(column + 1)\" y=\"0\" width=\"\(max(1, next - column - 1))\" height=\"\(Self.height)\"><title>rows are missing</title></rect>"
        }
    }

    /// The band between the least and the greatest value of each column, broken at gaps.
    private func path(of series: PlotSeries, _ scale: Scale) -> HTML {
        var (data, run): (String, [(x: Int, cell: Cell)]) = ("", [])
        func finish() {
            guard let first = run.first, let last = run.last else { return }
            data += "M\(first.x) \(scale.y(first.cell.greatest))"
            for point in run.dropFirst() { data += "L\(point.x) \(scale.y(point.cell.greatest))" }
            data += "L\(last.x + 1) \(scale.y(last.cell.last))L\(last.x) \(scale.y(last.cell.least))"
            for point in run.dropLast().reversed() { data += "L\(point.x) \(scale.y(point.cell.least))" }
            data += "Z"
            run = []
        }
        for (x, cell) in series.columns.enumerated() {
            if let cell { run.append((x, cell)) }
            if series.gapAfter.contains(x) || series.bands.contains(where: { $0.columns.contains(x) }) { finish() }
        }
        finish()
        return "<path class=\"band\" d=\"\(data)\"/>"
    }

    /// From values to heights in the picture.
    private struct Scale {
        let least: Int64
        let greatest: Int64
        let height: Int

        func y(_ value: Int64) -> Int {
            // A line that does not move is in the middle.
            guard greatest > least else { return height / 2 }
            let (range, above) = (Double(greatest) - Double(least), Double(greatest) - Double(value))
            return 4 + Int((above / range * Double(height - 8)).rounded())
        }
    }
}
