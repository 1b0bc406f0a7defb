import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// Records of every kind, known to this program or not.
enum RecordsPage {
    private static let rowLimit = 50

    /// The kinds.
    static func kinds(_ visit: Visit) throws -> PageResponse {
        var table = PageTable("Kinds of records", ["Kind", .number("Shown"), .number("Hidden")])
        for count in try visit.reading.kindCounts() where count.shown + count.hidden > 0 {
            let address = count.kind == QSOKind.name ? Address("contacts") : Address("records", count.kind)
            table.append([
                visit.link(count.kind, address), HTML(Visit.grouped(count.shown)), HTML(Visit.grouped(count.hidden)),
            ])
        }
        return PageFrame.page("Records", table.html(none: "There are no records at this moment."), visit)
    }

    /// The records of a kind that have all words of the search, in the order in which they were first written.
    static func answer(_ visit: Visit, _ kind: String) throws -> PageResponse {
        let schema: KindSchema?
        do { schema = try visit.reading.knownKind(kind) } catch let error as StoreError where error.code == .notFound {
            throw Refusal(404, "There is no kind of record called so.")
        }
        let isHidden = visit.address.value("hidden") == "1"
        let page = visit.address.value("page").flatMap { Int($0) }.map { min(max($0, 1), 1_000_000) } ?? 1
        let words = (visit.address.value("words") ?? "").lowercased().split(separator: " ")
        var found: [(position: Position, id: RecordID)] = []
        var rows: [(RecordID, [(name: String, value: String)])] = []
        try visit.reading.read { view in
            (found, rows) = ([], [])
            try view.forEachShown(of: kind) { id, values in
                if values.isVisible != isHidden { found.append((values.firstPosition, id)) }
                return true
            }
            if !words.isEmpty {
                try found.removeAll { found in
                    let texts = try view.record(kind, found.id)?.texts(schema).map { $0.value.lowercased() } ?? []
                    return !words.allSatisfy { word in texts.contains { $0.contains(word) } }
                }
            }
            found.sort { ($0.position, $0.id) < ($1.position, $1.id) }
            for (_, id) in found.dropFirst((page - 1) * rowLimit).prefix(rowLimit) {
                guard let record = try view.record(kind, id) else { continue }
                rows.append((id, record.texts(schema)))
            }
        }
        var table = PageTable("Records of the kind \(kind)", ["Record", "Fields"])
        for (id, fields) in rows {
            let words = fields.prefix(8).map { "<b>\($0.name)</b> \(RecordText.short($0.value, 40))" as HTML }
            let more: HTML = fields.count > 8 ? " <small>and \(fields.count - 8) more</small>" : ""
            table.append([
                visit.link(id.short, Visit.address(ofRecord: kind, id)), words.joined(separator: " · ") + more,
            ])
        }
        var links: [HTML] = []
        if page > 1 { links.append("<a rel=\"prev\" href=\"\(visit.address.with("page", page - 1))\">Earlier</a> ") }
        if page * rowLimit < found.count {
            links.append("<a rel=\"next\" href=\"\(visit.address.with("page", page + 1))\">Later</a> ")
        }
        let other: HTML =
            isHidden
            ? "<a href=\"\(visit.address.without("hidden", "page"))\">those that show</a>"
            : "<a href=\"\(visit.address.without("page").with("hidden", "1"))\">hidden ones</a>"
        let content: HTML = """
            <form class="filter" method="get" action="\(Address(path: visit.address.path))" aria-label="Filter">
            \(TimelineSection.hidden(visit.address, except: ["words", "page"]))\
            \(HistoryPage.text("Search", "words", visit.address, "any words"))<button>Filter</button>\
             <a href="\(visit.link(Address(path: visit.address.path)))">All</a>
            </form>
            <p class="sum" data-total="\(found.count)">\(Visit.count(found.count, isHidden ? "hidden record" : "record")) · \(other)</p>
            \(table.html(none: words.isEmpty ? "There are none at this moment." : "No record has all these words."))
            <p class="pages">\(links)</p>
            """
        return PageFrame.page("Records: \(kind)", content, visit)
    }
}
