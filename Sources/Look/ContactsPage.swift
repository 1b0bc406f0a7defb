import GroundwaveADIF
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// Contacts, the newest first, chosen as on the command line.
enum ContactsPage {
    /// So many on a page.
    static let rowLimit = 50
    static let names = [
        "words", "call", "band", "mode", "since", "until", "recorded-since", "session", "park", "operator", "where",
        "hidden",
    ]

    static func answer(_ visit: Visit) throws -> PageResponse { try asked("Contacts", visit, page) }

    private static func page(_ visit: Visit, _ query: ContactQuery) throws -> PageResponse {
        let page = visit.address.value("page").flatMap { Int($0) }.map { min(max($0, 1), 1_000_000) } ?? 1
        let total = try visit.reading.countContacts(query, groupedBy: []).total.all
        var table = PageTable(
            "Contacts", ["Call", "When", "Band", "Mode", "Frequency", "Sent", "Received", "Name", "Grid", "Park"])
        try visit.reading.read { view in
            table = PageTable(
                "Contacts", ["Call", "When", "Band", "Mode", "Frequency", "Sent", "Received", "Name", "Grid", "Park"])
            var limited = query
            limited.limit = page * rowLimit
            var skipped = (page - 1) * rowLimit
            try view.forEachShownContactFromLatest(limited) { id, values in
                if skipped > 0 { skipped -= 1 } else { append(id, values, to: &table, visit) }
                return true
            }
        }
        let links = [("on the map", "map"), ("as charts", "activity"), ("for paper", "paper"), ("as labels", "labels")]
        let word = query.isHidden ? "hidden contact" : "contact"
        let content: HTML = """
            \(form(visit))
            <p class="sum" data-total="\(total)">\(Visit.count(total, word))\
            \(total > rowLimit ? " · page \(page) of \((total + rowLimit - 1) / rowLimit)" : "" as HTML) · \
            \(links.map { name, address -> HTML in
                "<a href=\"\(visit.link(Address(address)).keeping(names, of: visit.address))\">\(name)</a>"
            }.joined(separator: " · "))</p>
            \(table.html(none: "No contact matches."))
            \(pages(visit, page, total))
            """
        return PageFrame.page("Contacts", content, visit)
    }

    /// The page that `body` makes of the contacts that the address chooses; if it chooses none that there could be, the form
    /// with what is wrong.
    static func asked(
        _ title: String, _ visit: Visit, _ body: (Visit, ContactQuery) throws -> PageResponse
    ) throws -> PageResponse {
        let query: ContactQuery
        do { query = try Self.query(visit) } catch let error as StoreError
            where [.usage, .notFound].contains(error.code)
        {
            return PageFrame.page(title, "\(form(visit))\(problem(error))", visit, status: 400)
        }
        return try body(visit, query)
    }

    /// The contacts that the parameters of the address choose.
    static func query(_ visit: Visit) throws -> ContactQuery {
        let address = visit.address
        var filters = ContactFilters()
        (filters.call, filters.band, filters.mode) = (
            address.value("call"), address.value("band"), address.value("mode")
        )
        (filters.since, filters.until) = (address.value("since"), address.value("until"))
        (filters.recordedSince, filters.session) = (address.value("recorded-since"), address.value("session"))
        (filters.park, filters.operator) = (address.value("park"), address.value("operator"))
        filters.conditions = address.values("where")
        var query = try filters.query(visit.reading, now: visit.now)
        query.words = (address.value("words") ?? "").split(separator: " ").map(String.init)
        query.isHidden = address.value("hidden") == "1"
        return query
    }

    private static func append(
        _ id: RecordID, _ values: borrowing ShownValues, to table: inout PageTable, _ visit: Visit
    ) {
        let facts = ContactFacts(values)
        func text(_ name: FieldName, _ limit: Int = 24) -> HTML {
            HTML(RecordText.short(values.text(name) ?? "", limit))
        }
        table.append([
            visit.link(
                facts.call.isEmpty ? id.short : RecordText.short(facts.call, 24),
                Visit.address(ofRecord: QSOKind.name, id)),
            facts.startSeconds.map { Visit.time($0 * 1000) } ?? "unknown", HTML(RecordText.short(facts.band ?? "", 24)),
            HTML(RecordText.short(facts.emission?.description ?? "", 24)), text(.freq), text(.rstSent), text(.rstRcvd),
            text(.name), text(.gridsquare), text(.potaRef),
        ])
    }

    private static func pages(_ visit: Visit, _ page: Int, _ total: Int) -> HTML {
        var links: [HTML] = []
        if page > 1 {
            let address = visit.address.with("page", page == 2 ? nil : page - 1)
            links.append("<a rel=\"prev\" href=\"\(address)\">Newer</a> ")
        }
        if page * rowLimit < total {
            links.append("<a rel=\"next\" href=\"\(visit.address.with("page", page + 1))\">Older</a> ")
        }
        return links.isEmpty ? "" : "<p class=\"pages\">\(links)</p>"
    }

    /// The form that chooses contacts.
    static func form(_ visit: Visit) -> HTML {
        let address = visit.address
        let hidden: HTML = address.value("hidden") == "1" ? " checked" : ""
        let first: [HTML] = [
            HistoryPage.text("Search", "words", address, "any words"), HistoryPage.text("Call", "call", address, "W1*"),
            HistoryPage.text("Band", "band", address, "20m"), HistoryPage.text("Mode", "mode", address, "CW"),
        ]
        let rest: [HTML] = [
            HistoryPage.text("Since", "since", address, "2026-05"),
            HistoryPage.text("Until", "until", address, "2026-05-31"),
            HistoryPage.text("Changed since", "recorded-since", address, "90m"),
            HistoryPage.text("Session", "session", address, "last"),
            HistoryPage.text("Park", "park", address, "US-1234"), HistoryPage.text("Operator", "operator", address),
            HistoryPage.text("Field", "where", address, "GRIDSQUARE=FN*"),
        ]
        let isOpen = names.dropFirst(4).contains { address.value($0) != nil }
        let open: HTML = isOpen ? " open" : ""
        return """
            <form class="filter" method="get" action="\(Address(path: address.path))" aria-label="Filter">
            \(TimelineSection.hidden(address, except: names + ["page"]))\
            \(first)<details\(open)><summary>More filters</summary><div class="filter">\(rest)\
            <label class="check"><input type="checkbox" name="hidden" value="1"\(hidden)> hidden contacts</label></div></details>
            <button>Filter</button> <a href="\(visit.link(Address(path: address.path)))">All</a>
            </form>
            """
    }

    /// What is wrong with a filter.
    static func problem(_ error: StoreError) -> HTML {
        "<p class=\"problem\" role=\"alert\">\(error.message) \(error.hint ?? "")</p>"
    }
}
