/// A table of a page: a caption for those who cannot see it, heads, and rows. On a narrow screen each row is a block of its
/// own, in which every cell has its head beside it.
struct PageTable {
    /// A column.
    struct Column: ExpressibleByStringLiteral {
        let name: String
        let isNumber: Bool

        init(_ name: String, isNumber: Bool = false) { (self.name, self.isNumber) = (name, isNumber) }
        init(stringLiteral name: String) { self.init(name) }

        /// A column of numbers, which stand one below the other by their last digits.
        static func number(_ name: String) -> Column { Column(name, isNumber: true) }
    }

    private let caption: String
    private let columns: [Column]
    private var rows = HTML()
    /// The number of rows.
    private(set) var count = 0

    init(_ caption: String, _ columns: [Column]) { (self.caption, self.columns) = (caption, columns) }

    /// Adds a row: a cell for each column, the first of which names the row.
    ///
    /// - Parameter id: The name by which a link leads to it; empty for none.
    mutating func append(_ cells: [HTML], id: String = "") {
        count += 1
        rows += id.isEmpty ? "<tr>" : "<tr id=\"\(id)\">"
        for (index, cell) in cells.enumerated() {
            let column = columns[index]
            let label: HTML = column.name.isEmpty ? "" : " data-label=\"\(column.name)\""
            let style: HTML = column.isNumber ? " class=\"number\"" : ""
            rows += index == 0 ? "<th scope=\"row\"\(label)\(style)>\(cell)</th>" : "<td\(label)\(style)>\(cell)</td>"
        }
        rows += "</tr>\n"
    }

    /// The table; if it has no rows, `none` as a sentence.
    func html(none: HTML) -> HTML {
        if count == 0 { return "<p class=\"none\">\(none)</p>" }
        let heads = columns.map { column -> HTML in
            let style: HTML = column.isNumber ? " class=\"number\"" : ""
            return column.name.isEmpty ? "<td></td>" : "<th scope=\"col\"\(style)>\(column.name)</th>"
        }
        return """
            <table><caption class="unseen">\(caption)</caption>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(rows)</tbody></table>
            """
    }
}
