import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveStore
import GroundwaveWording

/// What happened, newest first.
enum HistoryPage {
    private static let rowLimit = 50

    static func answer(_ visit: Visit) throws -> PageResponse {
        let address = visit.address
        let devices = try visit.reading.deviceNames()
        var filter = BatchList.Filter()
        if let device = address.value("device") {
            filter.replicas = Set(
                devices.filter { $0.value == device || "\($0.key)".hasPrefix(device.uppercased()) }.keys)
        }
        (filter.author, filter.kind) = (address.value("author"), address.value("kind"))
        filter.field = address.value("field")?.uppercased()
        filter.since = try address.value("since").map { try TimeArgument($0, now: visit.now).startMilliseconds }
        filter.until = try address.value("until").map { try TimeArgument($0, now: visit.now).endMilliseconds }
        let before = address.value("before").flatMap { Position($0) }
        let list = try BatchList(visit.reading, filter, before: before, limit: rowLimit)
        let older: HTML =
            list.next.map { next -> HTML in
                "<p class=\"pages\"><a rel=\"next\" href=\"\(address.with("before", next))\">Older</a></p>"
            } ?? ""
        let content: HTML = """
            \(form(visit, Set(devices.values).sorted()))
            \(try list.html("Batches, newest first", visit))
            \(older)
            """
        return PageFrame.page("History", content, visit)
    }

    private static func form(_ visit: Visit, _ devices: [String]) -> HTML {
        let address = visit.address
        let kinds = visit.reading.kinds.all.map(\.name).sorted()
        let fields: [HTML] = [
            choice("Device", "device", devices, address.value("device")),
            choice("Kind", "kind", kinds, address.value("kind")),
            text("Author", "author", address), text("Field", "field", address), text("Since", "since", address),
            text("Until", "until", address),
        ]
        return """
            <form class="filter" method="get" action="/history" aria-label="Filter">
            \(TimelineSection.hidden(address, except: ["device", "kind", "author", "field", "since", "until", "before"]))\
            \(fields)<button>Filter</button> <a href="\(visit.link(Address("history")))">All</a>
            </form>
            """
    }

    /// A field of a form in which something is typed.
    static func text(_ label: String, _ name: String, _ address: Address, _ example: String = "") -> HTML {
        "<label>\(label) <input name=\"\(name)\" value=\"\(address.value(name) ?? "")\" placeholder=\"\(example)\" autocomplete=\"off\" spellcheck=\"false\"></label>\n"
    }

    /// A field of a form in which one of several is chosen.
    static func choice(_ label: String, _ name: String, _ values: [String], _ chosen: String?) -> HTML {
        var values = values
        if let chosen, !values.contains(chosen) { values.append(chosen) }
        let options = values.map { value -> HTML in
            let mark: HTML = value == chosen ? " selected" : ""
            return "<option value=\"\(value)\"\(mark)>\(RecordText.short(value, 40))</option>"
        }
        return "<label>\(label) <select name=\"\(name)\"><option value=\"\">any</option>\(options)</select></label>\n"
    }
}
