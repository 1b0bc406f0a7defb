/// The lanes as a table.
struct Table {
    let rows: [Row]

    init(_ rows: [Row]) { self.rows = rows }

    private static let head = [
        "lane", "what", "runs", "events acknowledged", "lost", "wrong", "died", "seconds", "result",
    ]

    private var cells: [[String]] {
        rows.map { row in
            let sums = row.sums
            return [row.name, row.title]
                + [sums.runs, sums.acknowledged, sums.lost, sums.wrong, sums.died, Int(row.seconds.rounded())].map(
                    String.init)
                + [row.verdict]
        }
    }

    /// The text, with aligned columns.
    var text: String {
        let lines = [Self.head] + cells
        let widths = Self.head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            line.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - line[column].count)
                return (2..<8).contains(column) ? space + line[column] : line[column] + space
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
