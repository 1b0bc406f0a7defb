import GroundwaveADIF
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveStore
import GroundwaveWording

/// Contacts for paper: a log by day, and labels for QSL cards. The earliest come first, as in a book.
enum PaperPages {
    /// So many contacts, the latest ones: as many as a book has.
    static let limit = 2000

    /// A log by day.
    static func log(_ visit: Visit) throws -> PageResponse { try ContactsPage.asked("Log", visit, log) }

    private static func log(_ visit: Visit, _ query: ContactQuery) throws -> PageResponse {
        var (day, table, content) = ("", Self.table(of: ""), HTML())
        try visit.reading.forEachShownContactByTime(latest(query)) { _, contact in
            let facts = ContactFacts(contact)
            let time = facts.startSeconds.map { TimeText.seconds($0) } ?? ""
            if time.prefix(10) != day {
                content += section(day, table)
                day = String(time.prefix(10))
                table = Self.table(of: day)
            }
            table.append([
                HTML(String(time.dropFirst(11).prefix(5))), HTML(RecordText.short(facts.call, 24)),
                HTML(facts.band ?? ""),
                HTML(facts.emission?.description ?? ""), text(contact, .freq), text(contact, .rstSent),
                text(contact, .rstRcvd),
                text(contact, .name), text(contact, .qth), text(contact, .comment, 60),
            ])
        }
        content += section(day, table)
        return PageFrame.page("Log", content.isEmpty ? "<p class=\"none\">No contact matches.</p>" : content, visit)
    }

    /// Labels for cards: what the station that was worked wants to read on one.
    static func labels(_ visit: Visit) throws -> PageResponse { try ContactsPage.asked("Labels", visit, labels) }

    private static func labels(_ visit: Visit, _ query: ContactQuery) throws -> PageResponse {
        var items = HTML()
        try visit.reading.forEachShownContactByTime(latest(query)) { _, contact in
            let facts = ContactFacts(contact)
            let via = contact.text(.qslVia) ?? ""
            let way: HTML = via.isEmpty ? "" : "<br>via \(RecordText.short(via, 24))"
            items += """
                <li><b>\(RecordText.short(facts.call, 24))</b>\(way)<br>\
                \(facts.startSeconds.map { HTML(TimeText.seconds($0)) } ?? "")<br>\
                \(facts.band ?? "") \(facts.emission?.description ?? "") RST \(text(contact, .rstSent))<br>\
                de \(text(contact, .stationCallsign))</li>

                """
        }
        let content: HTML =
            items.isEmpty ? "<p class=\"none\">No contact matches.</p>" : "<ul class=\"labels\">\(items)</ul>"
        return PageFrame.page("Labels", content, visit)
    }

    private static func latest(_ query: ContactQuery) -> ContactQuery {
        var query = query
        query.limit = limit
        return query
    }

    private static func table(of day: String) -> PageTable {
        PageTable(
            "Contacts of \(day)",
            ["UTC", "Call", "Band", "Mode", "Frequency", "Sent", "Received", "Name", "Place", "Comment"])
    }

    private static func section(_ day: String, _ table: PageTable) -> HTML {
        table.count == 0 ? "" : "<h2>\(day.isEmpty ? "Without a date" : day)</h2>\n\(table.html(none: ""))\n"
    }

    private static func text(_ contact: borrowing ShownValues, _ name: FieldName, _ limit: Int = 24) -> HTML {
        HTML(RecordText.short(contact.text(name) ?? "", limit))
    }
}
