import GroundwaveEvents
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// Traces of power meters: a list, and each as curves over time, from days to milliseconds.
enum TracesPage {
    private static let gapLimit = 50

    static func list(_ visit: Visit) throws -> PageResponse {
        var table = PageTable("Traces", ["Trace", "Meter", "Began", "Ended", "State", .number("Rows")])
        for trace in try visit.reading.traces().reversed() {
            let summary = try visit.reading.summary(of: trace.id)
            table.append([
                visit.link(name(trace), Address("trace", "\(trace.id)")), HTML(trace.model?.displayName ?? ""),
                (trace.started ?? summary.firstTime).map { Visit.time($0) } ?? "",
                (trace.ended ?? summary.lastTime).map { Visit.time($0) } ?? "", HTML(TraceText.state(trace, summary)),
                HTML(Visit.grouped(summary.rowCount)),
            ])
        }
        return PageFrame.page("Traces", table.html(none: "There are no traces at this moment."), visit)
    }

    static func answer(_ visit: Visit, _ name: String) throws -> PageResponse {
        let trace = try find(visit, name)
        let summary = try visit.reading.summary(of: trace.id)
        guard let first = summary.firstTime, let last = summary.lastTime else {
            return PageFrame.page(Self.name(trace), "<p class=\"none\">It has no rows at this moment.</p>", visit)
        }
        let whole = first..<max(last + 1, first + 2)
        let span = span(visit.address, within: whole)
        let other = try visit.address.value("with").map { try find(visit, $0) }
        let channels = try self.channels(visit, summary)
        let chart = try TraceChart(visit.reading, trace, channels, span, with: other)
        let content: HTML = """
            \(facts(visit, trace, summary))
            \(zooms(visit, span, whole))
            \(try choices(visit, trace, summary, channels))
            <div id="chart">\(chart.html)</div>
            \(try stretch(visit, trace, span))
            \(try marks(visit, trace, whole))
            """
        return PageFrame.page("Trace \(Self.name(trace))", content, visit)
    }

    /// The curves alone, for a script that moves them.
    static func chart(_ visit: Visit, _ name: String) throws -> PageResponse {
        let trace = try find(visit, name)
        let summary = try visit.reading.summary(of: trace.id)
        guard let first = summary.firstTime, let last = summary.lastTime else { throw Refusal(404, "It has no rows.") }
        let whole = first..<max(last + 1, first + 2)
        let other = try visit.address.value("with").map { try find(visit, $0) }
        let chart = try TraceChart(
            visit.reading, trace, channels(visit, summary), span(visit.address, within: whole), with: other)
        return PageResponse(chart.html)
    }

    /// What was measured about one moment, as one line, for a script that follows the pointer.
    static func values(_ visit: Visit, _ name: String) throws -> PageResponse {
        let trace = try find(visit, name)
        guard let start = visit.address.value("from").flatMap({ Int64($0) }),
            let end = visit.address.value("to").flatMap({ Int64($0) }), start < end
        else { throw Refusal(400, "A stretch has two ends.") }
        let summary = try visit.reading.summary(of: trace.id, from: start, to: end)
        let unit = try visit.reading.temperatureUnit(of: trace)
        let words = summary.channels.prefix(6).map { channel, cell in
            "\(channel.name) \(TraceText.mean(cell, channel, in: unit)) (\(TraceText.number(cell.least, channel, in: unit)) to \(TraceText.value(cell.greatest, channel, in: unit)))"
        }
        let rows = Visit.count(summary.rows.rowCount, "row")
        return PageResponse(text: "\(TraceChart.clock(start)), \(rows): \(words.joined(separator: "; "))")
    }

    private static func find(_ visit: Visit, _ name: String) throws -> Trace {
        guard let id = RecordID(text: name), let record = try visit.reading.record(Metering.trace.name, id),
            !record.isErased
        else { throw Refusal(404, "There is no such trace at this moment.") }
        return Trace(record)
    }

    private static func name(_ trace: Trace) -> String {
        trace.name.isEmpty ? trace.id.short : RecordText.short(trace.name, 60)
    }

    /// The stretch that an address chooses; never empty.
    private static func span(_ address: Address, within whole: Range<Int64>) -> Range<Int64> {
        let start = address.value("from").flatMap { Int64($0) } ?? whole.lowerBound
        let end = address.value("to").flatMap { Int64($0) } ?? whole.upperBound
        // A day before and after is as far as one can go.
        let limits = whole.lowerBound - 86_400_000..<whole.upperBound + 86_400_000
        let low = min(max(start, limits.lowerBound), limits.upperBound - 2)
        return low..<min(max(end, low + 2), limits.upperBound)
    }

    private static func channels(_ visit: Visit, _ summary: TraceSummary) throws -> [Channel] {
        var options = TracePlotOptions()
        let names = visit.address.values("channel")
        if !names.isEmpty { options.channels = Array(names.prefix(8)) }
        return try options.channels(among: summary.channels.map(\.channel))
    }

    // MARK: - Around the curves

    private static func facts(_ visit: Visit, _ trace: Trace, _ summary: TraceSummary) -> HTML {
        let totals = TraceTotals(of: summary.parts)
        var rows: [(HTML, HTML)] = [
            ("State", HTML(TraceText.state(trace, summary))), ("Rows", HTML(Visit.grouped(summary.rowCount))),
            ("Missing", HTML(TraceText.missing(summary.rows))),
            ("Record", visit.link(trace.id.short, Visit.address(ofRecord: Metering.trace.name, trace.id))),
        ]
        if let charge = totals.charge { rows.append(("Charge", HTML(TraceText.quantity(charge, "Ah")))) }
        if let energy = totals.energyText { rows.append(("Energy", HTML(energy))) }
        return BatchPage.factList(rows)
    }

    private static func zooms(_ visit: Visit, _ span: Range<Int64>, _ whole: Range<Int64>) -> HTML {
        let width = span.upperBound - span.lowerBound
        let centre = span.lowerBound + width / 2
        func link(_ name: HTML, _ start: Int64, _ end: Int64) -> HTML {
            "<a href=\"\(visit.address.with("from", start).with("to", end))\">\(name)</a> "
        }
        let quarter = max(1, width / 8)
        return """
            <p class="pages" id="zoom">\(link("Closer", centre - quarter, centre + quarter))\(link("Wider", centre - width * 2, centre + width * 2))\
            \(link("Earlier", span.lowerBound - width / 2, span.upperBound - width / 2))\
            \(link("Later", span.lowerBound + width / 2, span.upperBound + width / 2))\
            <a href="\(visit.address.without("from", "to"))">All of it</a></p>
            """
    }

    private static func choices(
        _ visit: Visit, _ trace: Trace, _ summary: TraceSummary, _ chosen: [Channel]
    ) throws -> HTML {
        let boxes = summary.channels.prefix(40).map { channel, _ -> HTML in
            let mark: HTML = chosen.contains { $0.name == channel.name } ? " checked" : ""
            return
                "<label class=\"check\"><input type=\"checkbox\" name=\"channel\" value=\"\(channel.name)\"\(mark)> \(channel.name)</label>\n"
        }
        let other = visit.address.value("with")
        let traces = try visit.reading.traces().filter { $0.id != trace.id }.suffix(100).map { candidate -> HTML in
            let mark: HTML = "\(candidate.id)" == other ? " selected" : ""
            return "<option value=\"\(candidate.id)\"\(mark)>\(name(candidate))</option>"
        }
        return """
            <details class="numbers"><summary>Channels, and another trace beside it</summary>
            <form class="filter" method="get" action="\(Address(path: visit.address.path))">
            \(TimelineSection.hidden(visit.address, except: ["channel", "with"]))\(boxes)\
            <label>Beside it <select name="with"><option value="">nothing</option>\(traces)</select></label> <button>Draw</button>
            </form></details>
            """
    }

    /// What the stretch that is drawn amounts to.
    private static func stretch(_ visit: Visit, _ trace: Trace, _ span: Range<Int64>) throws -> HTML {
        let summary = try visit.reading.summary(of: trace.id, from: span.lowerBound, to: span.upperBound)
        let unit = try visit.reading.temperatureUnit(of: trace)
        var table = PageTable(
            "Statistics of the stretch",
            ["Channel", .number("Least"), .number("Mean"), .number("Greatest"), .number("Last"), "Unit"])
        for (channel, cell) in summary.channels.prefix(40) {
            table.append([
                HTML(channel.name), HTML(TraceText.number(cell.least, channel, in: unit)),
                HTML(TraceText.mean(cell, channel, in: unit)),
                HTML(TraceText.number(cell.greatest, channel, in: unit)),
                HTML(TraceText.number(cell.last, channel, in: unit)),
                HTML(unit.name(for: channel)),
            ])
        }
        return """
            <p id="under-pointer" class="sum" aria-live="off"></p>
            \(Writing.link("Mark its middle", visit, "mark", [("record", "\(trace.id)"), ("time", "\(span.lowerBound + (span.upperBound - span.lowerBound) / 2)")]))
            <h2>This stretch: \(TraceText.precise(milliseconds: span.upperBound - span.lowerBound)), \(Visit.count(summary.rows.rowCount, "row"))</h2>
            \(table.html(none: "No row is in it."))
            """
    }

    private static func marks(_ visit: Visit, _ trace: Trace, _ whole: Range<Int64>) throws -> HTML {
        let markers = try visit.reading.markers(of: trace.id)
        let gaps = try visit.reading.gaps(of: trace.id)
        var parts = HTML()
        if !markers.isEmpty {
            var table = PageTable("Marks", ["When", "Mark"])
            for marker in markers.prefix(gapLimit) {
                let around = visit.address.with("from", marker.time - 5000).with("to", marker.time + 5000)
                table.append([
                    "<a href=\"\(around)\">\(TraceChart.clock(marker.time))</a>",
                    HTML(RecordText.short(marker.text, 200)),
                ])
            }
            parts += "<h2>Marks</h2>\n\(table.html(none: ""))"
        }
        if !gaps.isEmpty {
            var table = PageTable("Gaps", [.number("Before row"), .number("Missing rows"), "How it is known"])
            for gap in gaps.prefix(gapLimit) {
                table.append([
                    HTML(Visit.grouped(gap.row)), HTML(Visit.grouped(gap.count)), HTML(TraceText.how(gap.kind)),
                ])
            }
            let more: HTML = gaps.count > gapLimit ? "<p>And \(Visit.grouped(gaps.count - gapLimit)) more.</p>" : ""
            parts += "<h2>Gaps</h2>\n\(table.html(none: ""))\(more)"
        }
        return parts
    }
}
