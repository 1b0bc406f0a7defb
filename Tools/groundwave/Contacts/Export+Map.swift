import Groundwave
import GroundwaveLogbook
import GroundwaveWording

extension Export {
    /// The result of an export as a map.
    private struct MapResult: Encodable {
        var records: Int
        var squares: Int
        var unplaced: Int
        var bytes: Int
    }

    /// Writes a map of the contacts.
    func run(drawing map: MapFormat) async throws {
        for (name, isGiven) in [
            ("--format", format != nil), ("--split", split != nil), ("--new", new != nil),
            ("--contest", contest != nil),
            ("--header", !header.isEmpty), ("--sent", sent != nil),
        ] where isGiven {
            throw StoreError(
                .usage, "--map draws a map, so it cannot be combined with \(name).", hint: "Leave out --map or \(name)."
            )
        }
        let output = try overwriting.file(output)
        if output == nil, options.json {
            throw StoreError(
                .usage, "--json and the map cannot both go to standard output.", hint: "Name a file with -o.")
        }
        let store = try await options.open()
        let query = try filters.query(store)
        guard let output else {
            return remark(try store.export(query, asMap: map) { try Output.write(file: $0) })
        }
        let report = try Progress.during("Exporting") { _ in try store.export(query, asMap: map, toFile: output) }
        if options.json {
            try Terminal.print(
                json: MapResult(
                    records: report.records, squares: report.squares, unplaced: report.unplaced, bytes: report.bytes))
        } else {
            try Terminal.print(
                """
                \(NumberText.count(report.records, "contact")) in \(NumberText.count(report.squares, "grid square")), \
                \(NumberText.count(report.bytes, "byte")).
                """)
        }
        remark(report)
    }

    /// Reports the contacts that are not on the map.
    private func remark(_ report: MapReport) {
        guard report.unplaced > 0 else { return }
        Terminal.remark(
            "Not on the map: \(NumberText.count(report.unplaced, "contact")) without GRIDSQUARE, LAT and LON, or VUCC_GRIDS."
        )
    }
}
