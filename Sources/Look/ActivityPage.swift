import GroundwaveADIF
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveStore

/// When and how the contacts were made, as charts: by year, band and mode, by hour of the day, and how far awards are.
enum ActivityPage {
    static func answer(_ visit: Visit) throws -> PageResponse { try ContactsPage.asked("Activity", visit, page) }

    private static func page(_ visit: Visit, _ query: ContactQuery) throws -> PageResponse {
        let counts = try visit.reading.countContacts(query, by: [.band, .day, .hour])
        var years: [String: Int] = [:]
        for group in counts.groups(by: .day) { years[String(group.key.prefix(4)), default: 0] += group.count }
        var hours: [String: Int] = [:]
        for group in counts.groups(by: .hour) { hours[String(group.key.suffix(2)), default: 0] += group.count }
        let content: HTML = """
            \(ContactsPage.form(visit))
            <p class="sum" data-total="\(counts.total)">\(Visit.count(counts.total, "contact"))</p>
            \(bars("By year", years.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
            \(try bandsAndModes(query, counts.groups(by: .band).map(\.key), visit))
            \(bars("By hour of the day, UTC", (0..<24).map { hour in
                let name = hour < 10 ? "0\(hour)" : "\(hour)"
                return (name, hours[name] ?? 0)
            }))
            \(try awards(query, visit))
            """
        return PageFrame.page("Activity", content, visit)
    }

    /// Bars, one below the other, each with its name and number.
    private static func bars(
        _ title: String, _ values: [(name: String, count: Int)]
    ) -> HTML {
        let greatest = values.map(\.count).max() ?? 0
        guard greatest > 0 else { return "" }
        var table = PageTable(title, ["", "", .number("Contacts")])
        for (name, count) in values {
            let width = max(count > 0 ? 1 : 0, count * 300 / greatest)
            let bar: HTML = """
                <svg class="bar" viewBox="0 0 300 10" preserveAspectRatio="none" aria-hidden="true"><rect width="\(width)" height="10"/></svg>
                """
            table.append([HTML(name), bar, HTML(Visit.grouped(count))])
        }
        return "<section class=\"chart bars-chart\"><h2>\(title)</h2>\n\(table.html(none: ""))</section>\n"
    }

    /// Bands by modes, darker where there are more; the number stands in each cell.
    private static func bandsAndModes(_ query: ContactQuery, _ bands: [String], _ visit: Visit) throws -> HTML {
        let groups = try visit.reading.countContacts(query, groupedBy: [.property(.band), .property(.mode)]).groups
        var modes: [String: Int] = [:]
        var cells: [String: [String: Int]] = [:]
        for group in groups {
            modes[group.values[1], default: 0] += group.counts.all
            cells[group.values[0], default: [:]][group.values[1], default: 0] += group.counts.all
        }
        let shown = modes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8).map(\.key)
        guard !shown.isEmpty else { return "" }
        let greatest = groups.map(\.counts.all).max() ?? 1
        var table = PageTable("Contacts by band and mode", ["Band"] + shown.map { .number($0.isEmpty ? "none" : $0) })
        for band in bands {
            table.append(
                [HTML(band.isEmpty ? "none" : band)]
                    + shown.map { mode in
                        guard let count = cells[band]?[mode] else { return "" }
                        let level = min(5, 1 + count * 5 / max(1, greatest + 1))
                        let address = Address("contacts").keeping(ContactsPage.names, of: visit.address).with(
                            "band", band
                        ).with("mode", mode)
                        return
                            "<a class=\"heat heat\(level)\" href=\"\(visit.link(address))\">\(Visit.grouped(count))</a>"
                    })
        }
        return
            "<section class=\"chart\"><h2>By band and mode</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"By band and mode\" tabindex=\"0\">\(table.html(none: ""))</div></section>\n"
    }

    /// How many countries, zones, states and squares were worked, and how many are confirmed: one walk over the contacts.
    private static func awards(_ query: ContactQuery, _ visit: Visit) throws -> HTML {
        let kinds: [(name: String, field: FieldName, of: Int?)] = [
            ("DXCC entities", .dxcc, nil), ("CQ zones", .cqz, 40), ("ITU zones", .ituz, 90), ("States", .state, nil),
            ("Grid squares", .gridsquare, nil),
        ]
        var worked: [Set<[UInt8]>] = []
        var confirmed: [Set<[UInt8]>] = []
        try visit.reading.read { view in
            worked = Array(repeating: [], count: kinds.count)
            confirmed = worked
            try view.forEachShownContactFromLatest(query) { _, contact in
                let isConfirmed = ContactGroups.Counts(of: contact).confirmed > 0
                for (index, kind) in kinds.enumerated() {
                    guard var value = contact.value(kind.field).map({ Array($0) }), !value.isEmpty else { continue }
                    if kind.field == .gridsquare { value = value.prefix(4).map { $0 & 0xDF < 0x41 ? $0 : $0 & 0xDF } }
                    worked[index].insert(value)
                    if isConfirmed { confirmed[index].insert(value) }
                }
                return true
            }
        }
        var table = PageTable("Progress of awards", ["What", .number("Worked"), .number("Confirmed"), ""])
        for (index, kind) in kinds.enumerated() {
            table.append([
                HTML(kind.name), HTML(Visit.grouped(worked[index].count)), HTML(Visit.grouped(confirmed[index].count)),
                kind.of.map { "of \($0)" } ?? "",
            ])
        }
        return "<section class=\"chart\"><h2>Progress of awards</h2>\n\(table.html(none: ""))</section>\n"
    }
}
