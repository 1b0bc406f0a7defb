import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveStore
import GroundwaveWording

/// What differs between two moments, record by record and field by field.
enum ComparePage {
    private static let recordLimit = 200

    static func answer(_ visit: Visit, _ moments: Moments) async throws -> PageResponse {
        guard let start = visit.address.value("from") else { return PageFrame.page("Compare", form(visit), visit) }
        var states: [any Reading] = []
        var labels: [HTML] = []
        for text in [start, visit.address.value("to") ?? ""] {
            guard !text.isEmpty else {
                states.append(visit.store)
                labels.append("now")
                continue
            }
            do {
                let point = try visit.store.resolve(visit.store.point(text, now: visit.now))
                states.append(try await moments.past(point.vector, in: visit.store))
                labels.append(
                    Visit.time(try visit.store.describing { try visit.store.greatestStamp(of: point.vector) }))
            } catch let error as StoreError where [.usage, .notFound].contains(error.code) {
                let page: HTML = "\(form(visit))\(ContactsPage.problem(error))"
                return PageFrame.page("Compare", page, visit, status: 400)
            }
        }
        var (records, table) = (
            RecordNames(visit.store), PageTable("Differences", ["Record", "Field", "Before", "After"])
        )
        var (count, hasMore) = (0, false)
        try difference(visit.store, states[0], states[1]) { difference in
            guard count < recordLimit else {
                hasMore = true
                return false
            }
            count += 1
            let name = try records.name(difference.kind, difference.record)
            let link = visit.link(name, Visit.address(ofRecord: difference.kind, difference.record))
            let what: HTML =
                difference.what == .changed
                ? "" : " <b class=\"\(difference.what.rawValue)\">\(difference.what.rawValue)</b>"
            guard difference.what == .changed else {
                // What is there on one side alone is told in one line.
                let isAdded = difference.what == .added
                let words = difference.fields.prefix(6).map { field in
                    "\(field.name) \(ShownValue.text(isAdded ? field.after : field.before, limit: 24))"
                }
                let more = difference.fields.count > 6 ? ", \(difference.fields.count - 6) more" : ""
                let all = HTML(words.joined(separator: ", ") + more)
                table.append(["\(link)\(what)", "", isAdded ? "" : all, isAdded ? all : ""])
                return true
            }
            for (index, field) in difference.fields.prefix(20).enumerated() {
                table.append([
                    index == 0 ? link : "<span class=\"ditto\">\(name)</span>", HTML(field.name),
                    field.before.map { HTML(ShownValue.text($0, limit: 200)) } ?? "<span class=\"none\">–</span>",
                    field.after.map { HTML(ShownValue.text($0, limit: 200)) } ?? "<span class=\"none\">–</span>",
                ])
            }
            return true
        }
        let swapped = visit.address.without("from", "to").with("from", visit.address.value("to")).with("to", start)
        let content: HTML = """
            \(form(visit))
            <p class="sum" data-total="\(count)">From \(labels[0]) to \(labels[1]): \
            \(hasMore ? "more than " : "" as HTML)\(Visit.count(count, "record")) \(count == 1 ? "differs" : "differ" as HTML). \
            \(visit.address.value("to") == nil ? "" : "<a href=\"\(swapped)\">The other way round</a>" as HTML)</p>
            \(table.html(none: "Both show the same."))
            \(hasMore ? "<p>Only the first \(recordLimit) records are listed: choose moments nearer to each other.</p>" : "" as HTML)
            """
        return PageFrame.page("Compare", content, visit)
    }

    /// As `Store.forEachDifference`, of two states whose types are not known.
    private static func difference(
        _ store: Store, _ first: any Reading, _ second: any Reading, _ body: (RecordDifference) throws -> Bool
    ) throws {
        func opened(_ first: some Reading) throws {
            func both(_ second: some Reading) throws { try store.forEachDifference(from: first, to: second, body) }
            try both(second)
        }
        try opened(first)
    }

    private static func form(_ visit: Visit) -> HTML {
        """
        <form class="filter" method="get" action="/compare" aria-label="Two moments">
        \(TimelineSection.hidden(visit.address, except: ["from", "to", "at"]))\
        \(HistoryPage.text("From", "from", visit.address, "2026-05-01, @120"))\(HistoryPage.text("To", "to", visit.address, "now"))\
        <button>Compare</button>
        </form>

        """
    }
}
