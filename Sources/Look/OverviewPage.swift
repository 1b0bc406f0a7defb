import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// The first page: what is in the log, and what happened last.
enum OverviewPage {
    static func answer(_ visit: Visit) throws -> PageResponse {
        let contacts = try visit.reading.countContacts(.contacts, groupedBy: []).total.all
        let devices = try visit.reading.deviceNames()
        let list = try BatchList(visit.reading, BatchList.Filter(), before: nil, limit: 8)
        let content: HTML = """
            \(BatchPage.factList([
                ("Contacts", visit.link(Visit.grouped(contacts), Address("contacts"))),
                ("Events", "<span data-count>\(Visit.grouped(visit.moment.eventCount))</span>"),
                ("Devices", visit.link(Set(devices.values).sorted().joined(separator: ", "), Address("devices"))),
                ("Log", "<code>\(visit.store.logID)</code>"),
            ]))
            <h2>What happened last</h2>
            \(try list.html("The latest batches", visit))
            <p class="pages">\(visit.link("All of the history", Address("history"))) \(Writing.link("Undo the last change of this device", visit, "undo", []))</p>
            \(try imports(visit))
            """
        return PageFrame.page("Overview", content, visit)
    }

    private static func imports(_ visit: Visit) throws -> HTML {
        var records: [Record] = []
        try visit.reading.read { view in
            records = []
            try view.forEachRecord(of: ImportKind.name) { record in
                records.append(record)
                return true
            }
        }
        guard !records.isEmpty else { return "" }
        records.sort { $0.firstPosition > $1.firstPosition }
        var table = PageTable("Imports", ["File", "Source", .number("New"), .number("Changed")])
        for record in records.prefix(20) {
            func text(_ name: String) -> String {
                ImportKind.schema.value(of: name, in: record).map { RecordText.text($0) } ?? ""
            }
            let file = text("FILE")
            table.append([
                visit.link(
                    file.isEmpty ? record.id.short : RecordText.short(file, 60),
                    Visit.address(ofRecord: ImportKind.name, record.id)),
                HTML(RecordText.short(text("SOURCE"), 40)), HTML(text("IMPORTED")), HTML(text("UPDATED")),
            ])
        }
        return "<h2>Imports</h2>\n\(table.html(none: ""))"
    }
}
