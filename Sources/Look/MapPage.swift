import GroundwaveADIF
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveStore

/// Where the contacts are: a map of the world with the squares that were worked, and the squares as a table.
enum MapPage {
    private static let squareLimit = 200

    static func answer(_ visit: Visit) throws -> PageResponse { try ContactsPage.asked("Map", visit, page) }

    private static func page(_ visit: Visit, _ query: ContactQuery) throws -> PageResponse {
        let groups = try visit.reading.countContacts(query, groupedBy: [.grid])
        let squares = groups.groups.filter { !$0.values[0].isEmpty }
        let unplaced = groups.groups.first { $0.values[0].isEmpty }?.counts.all ?? 0
        var table = PageTable("Squares", ["Square", .number("Contacts")])
        for square in squares.prefix(squareLimit) {
            let contacts = Address("contacts").keeping(ContactsPage.names, of: visit.address)
                .with("where", "GRIDSQUARE=\(square.values[0])*")
            table.append([visit.link(square.values[0], contacts), HTML(Visit.grouped(square.counts.all))])
        }
        let picture = visit.link(Address("map.svg").keeping(ContactsPage.names, of: visit.address))
        let more: HTML =
            squares.count > squareLimit ? "<p>The \(squareLimit) squares with the most contacts are listed.</p>" : ""
        let content: HTML = """
            \(ContactsPage.form(visit))
            <p class="sum" data-total="\(squares.count)">\(Visit.count(squares.count, "square")), \
            \(Visit.count(groups.total.all, "contact")), \(Visit.grouped(unplaced)) of them without a square.</p>
            <figure class="paper"><img src="\(picture)" width="1200" height="640" \
            alt="A map of the world: \(Visit.count(squares.count, "worked square")), each coloured by its contacts, and the ways to them. The squares are listed below."></figure>
            <h2>Squares</h2>
            \(table.html(none: "No contact here has a square."))\(more)
            """
        return PageFrame.page("Map", content, visit)
    }

    /// The picture.
    static func picture(_ visit: Visit) throws -> PageResponse {
        var bytes: [UInt8] = []
        _ = try visit.reading.export(try ContactsPage.query(visit), asMap: .svg) { bytes += $0 }
        return PageResponse(svg: String(decoding: bytes, as: UTF8.self))
    }
}
