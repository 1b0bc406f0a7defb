import Foundation
import Testing

@Suite struct `The map of a log` {
    private static let log = """
        made up<EOH>
        <CALL:4>W1AW<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<GRIDSQUARE:6>FN31pr\
        <MY_GRIDSQUARE:6>JN58td<STATION_CALLSIGN:6>N0CALL<EOR>
        <CALL:4>K1AA<QSO_DATE:8>20260502<TIME_ON:4>1300<BAND:2>6m<MODE:3>FT8<GRIDSQUARE:4>EM10\
        <MY_GRIDSQUARE:6>JN58td<STATION_CALLSIGN:6>N0CALL<EOR>
        <CALL:6>N0CALL<QSO_DATE:8>20260503<TIME_ON:4>1300<BAND:3>20m<MODE:3>FT8<EOR>

        """

    private func program() throws -> Program {
        let program = try Program()
        let imported = try program.run(["import", "-"], input: Self.log)
        try #require(imported.status == 0, "\(imported.errors)")
        return program
    }

    private func features(_ text: String) throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(object?["features"] as? [[String: Any]])
    }

    @Test func `is written to a file or to standard output, and what is not on it is counted`() throws {
        let program = try program()
        let path = program.folder.appending(path: "map.geojson").path
        let written = try program.run("export", "--map", "geojson", "-o", path)
        #expect(written.status == 0, "\(written.errors)")
        let text = try program.text("map.geojson")
        #expect(written.output == "2 contacts in 2 grid squares, \(text.utf8.count) bytes.\n")
        #expect(written.errors == "Not on the map: 1 contact without GRIDSQUARE, LAT and LON, or VUCC_GRIDS.\n")
        let features = try features(text)
        #expect(features.compactMap { ($0["properties"] as? [String: Any])?["call"] as? String } == ["W1AW", "K1AA"])
        for arguments in [["export", "--map", "geojson"], ["export", "--map", "geojson", "-o", "-"]] {
            let printed = try program.run(arguments)
            #expect(printed.status == 0 && printed.output == text && printed.errors == written.errors)
        }
        let result = try program.json("export", "--map", "geojson", "-o", path, "--force")
        #expect(result["records"] as? Int == 2 && result["squares"] as? Int == 2 && result["unplaced"] as? Int == 1)
        #expect(result["bytes"] as? Int == text.utf8.count)
    }

    @Test func `has the contacts that the filters choose`() throws {
        let program = try program()
        let printed = try program.run("export", "--map", "geojson", "--band", "6m")
        #expect(printed.status == 0 && printed.errors.isEmpty)
        #expect(try features(printed.output).compactMap { $0["id"] as? String }.contains("EM10"))
        #expect(try features(printed.output).count == 2)
    }

    @Test func `is a picture with a rectangle for each square`() throws {
        let program = try program()
        let printed = try program.run("export", "--map", "svg")
        #expect(printed.status == 0)
        #expect(printed.output.hasPrefix("<?xml") && printed.output.hasSuffix("</svg>\n"))
        #expect(printed.output.contains("Grid squares worked by N0CALL"))
        #expect(printed.output.contains("2 contacts in 2 grid squares, 2026-05-01 to 2026-05-02 UTC"))
        for square in ["FN31", "EM10"] { #expect(printed.output.contains("<title>\(square): 1 contact</title>")) }
        #expect(printed.output.contains("<title>own station in JN58</title>"))
    }

    // To write the picture anew: import the log into an empty store, then export --map svg -o Docs/Images/map.svg --force.
    @Test func `of the example is the picture in Docs`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let program = try Program()
        let log = root.appending(path: "Fixtures/adif/example/worked.adi").path
        #expect(try program.run("import", log).status == 0)
        let picture = try String(contentsOf: root.appending(path: "Docs/Images/map.svg"), encoding: .utf8)
        #expect(try program.run("export", "--map", "svg").output == picture)
    }

    @Test func `does not replace a file unless it is asked to`() throws {
        let program = try program()
        let path = program.folder.appending(path: "map.svg").path
        try Data("mine".utf8).write(to: URL(filePath: path))
        let refused = try program.run("export", "--map", "svg", "-o", path, "--json")
        #expect(
            refused.error["code"] as? String == "exists" && refused.error["hint"] as? String == "To replace it: --force"
        )
        #expect(try program.text("map.svg") == "mine")
        #expect(try program.run("export", "--map", "svg", "-o", path, "--force").status == 0)
        #expect(try program.text("map.svg").hasPrefix("<?xml"))
    }

    @Test(arguments: [
        ["--format", "adi"], ["--split", "day"], ["--new", "name"], ["--contest", "CQ-WW-CW"], ["--header", "NAME=x"],
        ["--sent", "5"],
    ])
    func `cannot be combined with what is of logs`(options: [String]) throws {
        let program = try program()
        let path = program.folder.appending(path: "map.svg").path
        let refused = try program.run(["export", "--map", "svg", "-o", path] + options)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--map draws a map, so it cannot be combined with \(options[0])."))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `is refused in another format, and beside JSON on standard output`() throws {
        let program = try program()
        #expect(try program.run("export", "--map", "png").status == 64)
        let both = try program.run("export", "--map", "svg", "--json")
        #expect(both.status == 64 && both.error["hint"] as? String == "Name a file with -o.")
    }

    // Another formula has 6335.78 km and 297.66° from JN58td to FN31pr, and 52.36° back.
    @Test func `show tells distance and bearing of a contact that has both places`() throws {
        let program = try program()
        let shown = try program.run("qso", "show", "W1AW")
        #expect(shown.output.contains("\ndistance 6336 km, bearing 298°, long path 118°\n"), "\(shown.output)")
        let json = try program.json("qso", "show", "W1AW")
        #expect(json["distance"] as? Int == 6336 && json["bearing"] as? Int == 298)
        let without = try program.json("qso", "show", "N0CALL")
        #expect(without["distance"] == nil && without["bearing"] == nil)
        #expect(!(try program.run("qso", "show", "N0CALL").output.contains("distance")))
        #expect(try program.run("qso", "edit", "W1AW", "GRIDSQUARE=JN58td").status == 0)
        #expect(try program.run("qso", "show", "W1AW").output.contains("\ndistance 0 km\n"))
        let here = try program.json("qso", "show", "W1AW")
        #expect(here["distance"] as? Int == 0 && here["bearing"] == nil)
    }
}
