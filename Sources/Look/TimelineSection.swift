import GroundwaveEvents
import GroundwaveStore
import GroundwaveWording

/// The time, the first control of every page: when how much was written, which moment is looked at, and ways to another one.
enum TimelineSection {
    static func html(_ visit: Visit) -> HTML {
        guard let timeline = visit.timeline else {
            return "<section id=\"time\" aria-label=\"Time\"><p>The log has no events yet.</p></section>\n"
        }
        return """
            <section id="time" aria-label="Time">
            \(moment(visit))
            \(picture(timeline, visit))
            \(controls(timeline, visit))
            </section>

            """
    }

    /// Which moment is looked at, as a sentence.
    private static func moment(_ visit: Visit) -> HTML {
        let moment = visit.moment
        if moment.isPresent {
            return """
                <p id="moment" class="now"><strong>Now</strong>: all <span data-count>\(Visit.grouped(moment.eventCount))</span> events \
                count, the last of \(Visit.time(moment.lastWritten)).</p>
                """
        }
        let all = (try? visit.store.log.vector().eventCount) ?? moment.eventCount
        return """
            <p id="moment" class="past"><strong>As of \(Visit.time(moment.lastWritten))</strong>: \
            \(Visit.grouped(moment.eventCount)) of \(Visit.grouped(all)) events count. \
            <a href="\(visit.address.without("at"))">Back to now</a> · \
            <a href="\(visit.link(Address("compare")).without("at").with("from", visit.address.value("at")))">What has changed since</a></p>
            """
    }

    // MARK: - The picture

    private static func picture(_ timeline: Timeline, _ visit: Visit) -> HTML {
        let greatest = timeline.lanes.map { $0.counts.max() ?? 0 }.max() ?? 0
        let lanes = timeline.lanes.map { lane(of: $0, timeline, greatest, visit) }.joined()
        return """
            <div class="lanes" data-from="\(timeline.grid.span.lowerBound)" data-to="\(timeline.grid.span.upperBound)">
            \(lanes)\(axis(timeline.grid))</div>
            \(table(timeline))
            """
    }

    /// The height of a lane in its own units.
    private static let height = 100

    private static func lane(of lane: Timeline.Lane, _ timeline: Timeline, _ greatest: Int, _ visit: Visit) -> HTML {
        let grid = timeline.grid
        let bars = lane.counts.enumerated().filter { $0.element > 0 }.map { index, count -> HTML in
            // A step with anything at all can be seen, beside one with thousands.
            let size = max(12, barHeight(count, greatest))
            return """
                <a href="\(link(to: grid, index, visit))" tabindex="-1">\
                <rect x="\(index * 10)" y="\(height - size)" width="9" height="\(size)"/>\
                <title>\(grid.label(index)), \(grid.stepName): \(Visit.count(count, "event"))</title></a>
                """
        }
        return """
            <div class="lane"><span class="lane-name">\(lane.name)</span>\
            <svg class="bars" viewBox="0 0 \(grid.count * 10) \(height)" preserveAspectRatio="none" role="group" \
            aria-label="\(lane.name): \(Visit.count(lane.total, "event")) from \(grid.label(0)) on">\
            \(later(visit, grid))\(bars.joined())</svg>\
            <span class="lane-count">\(Visit.grouped(lane.total))</span></div>

            """
    }

    /// By the square root of the count: a day with four contacts is half as high as one with sixteen.
    private static func barHeight(_ count: Int, _ greatest: Int) -> Int {
        Int((Double(count) / Double(max(1, greatest))).squareRoot() * Double(height))
    }

    /// What is later than the moment that is looked at.
    private static func later(_ visit: Visit, _ grid: TimeGrid) -> HTML {
        if visit.moment.isPresent { return "" }
        let place = grid.place(of: visit.moment.lastWritten) / 100
        return """
            <rect class="later" x="\(place)" y="0" width="\(max(0, grid.count * 10 - place))" height="\(height)"/>
            """
    }

    /// The end of a step as the moment to look at.
    private static func link(to grid: TimeGrid, _ index: Int, _ visit: Visit) -> Address {
        base(visit).with("at", UTCText.milliseconds(grid.bounds[index + 1] - 1))
    }

    /// The address of the page without what belongs to one moment alone.
    private static func base(_ visit: Visit) -> Address { visit.address.without("at", "page", "before") }

    private static func axis(_ grid: TimeGrid) -> HTML {
        let count = min(5, grid.count)
        let labels = (0..<count).map { index -> HTML in
            "<span>\(short(grid.label(index * grid.count / count), after: index == 0 ? "" : grid.label((index - 1) * grid.count / count)))</span>"
        }
        return
            "<div class=\"axis\" aria-hidden=\"true\"><span class=\"lane-name\"></span><div>\(labels)</div><span class=\"lane-count\"></span></div>\n"
    }

    /// A label without the day that the one before it has.
    private static func short(_ label: String, after former: String) -> String {
        label.count > 10 && label.prefix(11) == former.prefix(11) ? String(label.dropFirst(11)) : label
    }

    /// The same as a table.
    private static func table(_ timeline: Timeline) -> HTML {
        let grid = timeline.grid
        var table = PageTable(
            "Events by \(timeline.grouping.name) and time",
            [PageTable.Column("From")] + timeline.lanes.map { .number($0.name) })
        for index in 0..<grid.count where timeline.lanes.contains(where: { $0.counts[index] > 0 }) {
            table.append([HTML(grid.label(index))] + timeline.lanes.map { HTML(Visit.grouped($0.counts[index])) })
        }
        return """
            <details class="numbers"><summary>The numbers: events by \(timeline.grouping.name), each \(grid.stepName)</summary>
            <div class="scroll" role="region" aria-label="Events by time" tabindex="0">\(table.html(none: "Nothing was written then."))</div>
            </details>
            """
    }

    // MARK: - The controls

    private static func controls(_ timeline: Timeline, _ visit: Visit) -> HTML {
        let groupings = Timeline.Grouping.allCases.map { grouping -> HTML in
            let mark: HTML = grouping == timeline.grouping ? " selected" : ""
            return "<option value=\"\(grouping.rawValue)\"\(mark)>\(grouping.name)</option>"
        }
        return """
            <form class="when" method="get" action="\(Address(path: visit.address.path))">
            \(hidden(visit.address, except: ["at", "by", "page", "before"]))\
            <label>Look at <input name="at" value="" placeholder="2026-05-01, 2d, @120" autocomplete="off" spellcheck="false"></label>
            <label>Lanes by <select name="by">\(groupings)</select></label>
            <button>Show</button>
            <span class="zoom">\(zooms(timeline, visit))</span>
            </form>
            """
    }

    private static func zooms(_ timeline: Timeline, _ visit: Visit) -> [HTML] {
        let span = timeline.grid.span
        let width = max(1000, span.upperBound - span.lowerBound + 1)
        let centre = visit.moment.isPresent ? span.lowerBound + width / 2 : visit.moment.lastWritten
        let isWhole = span.lowerBound <= timeline.whole.lowerBound && span.upperBound >= timeline.whole.upperBound
        func zoom(_ name: String, _ start: Int64, _ end: Int64) -> HTML {
            "<a href=\"\(visit.address.with("zoom", "\(start)..\(end)"))\">\(name)</a> "
        }
        var links = [
            zoom("Closer", centre - width / 6, centre + width / 6),
            zoom("Earlier", span.lowerBound - width / 2, span.upperBound - width / 2),
            zoom("Later", span.lowerBound + width / 2, span.upperBound + width / 2),
        ]
        if !isWhole {
            links.insert(zoom("Wider", span.lowerBound - width, span.upperBound + width), at: 1)
            links.append("<a href=\"\(visit.address.without("zoom"))\">All of it</a> ")
        }
        let ends = [span.lowerBound - 1, span.upperBound].map { UTCText.milliseconds($0) }
        links.append(
            "<a href=\"\(Address("compare").with("from", ends[0]).with("to", ends[1]).keeping(["zoom", "by"], of: visit.address))\">What changed in it</a>"
        )
        return links
    }

    /// The parameters of an address as fields that nobody sees, so that a form keeps them.
    static func hidden(_ address: Address, except names: [String]) -> HTML {
        address.parameters.filter { !names.contains($0.name) }.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }.joined()
    }
}
