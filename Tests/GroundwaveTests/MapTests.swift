import Everything
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveTesting
import Testing

/// A map in GeoJSON, as another parser reads it.
private struct Features {
    typealias Position = [Double]
    var points: [(position: Position, properties: [String: Any])] = []
    var squares: [String: (ring: [Position], properties: [String: Any])] = [:]

    init(_ bytes: [UInt8]) throws {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["type"] as? String == "FeatureCollection")
        for feature in try #require(object["features"] as? [[String: Any]]) {
            #expect(feature["type"] as? String == "Feature")
            let geometry = try #require(feature["geometry"] as? [String: Any])
            let properties = try #require(feature["properties"] as? [String: Any])
            let id = try #require(feature["id"] as? String)
            if geometry["type"] as? String == "Point" {
                #expect(id == properties["id"] as? String)
                #expect(squares.isEmpty, "contacts come first")
                points.append((try #require(geometry["coordinates"] as? Position), properties))
            } else {
                #expect(geometry["type"] as? String == "Polygon" && id == properties["grid"] as? String)
                let rings = try #require(geometry["coordinates"] as? [[Position]])
                #expect(rings.count == 1 && squares[id] == nil)
                squares[id] = (rings[0], properties)
            }
        }
    }
}

/// The twice signed area of a ring: positive if it runs counter-clockwise.
private func area(_ ring: [[Double]]) -> Double {
    zip(ring, ring.dropFirst()).reduce(0) { $0 + $1.0[0] * $1.1[1] - $1.1[0] * $1.0[1] }
}

extension Reading {
    fileprivate func map(_ format: MapFormat, _ query: ContactQuery = .contacts) throws -> (MapReport, [UInt8]) {
        var bytes: [UInt8] = []
        let report = try export(query, asMap: format) { bytes += $0 }
        #expect(report.bytes == bytes.count)
        return (report, bytes)
    }
}

@Suite struct `A map of contacts` {
    @Test func `is a collection of points and squares, with what the contacts say`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(
            "x<EOH>"
                + adi([
                    "CALL": "W1AW", "QSO_DATE": "20260501", "TIME_ON": "120030", "FREQ": "14.030", "MODE": "CW",
                    "GRIDSQUARE": "fn31PR",
                ]) + adi(["CALL": "K1AA", "BAND": "40m", "MODE": "SSB", "SUBMODE": "LSB", "GRIDSQUARE": "FN31"])
                + adi(["CALL": "K1\"A\\", "BAND": "odd", "GRIDSQUARE": "RR99"]) + adi(["CALL": "N0CALL"]))
        let (report, bytes) = try store.map(.geojson)
        #expect(report.records == 3 && report.squares == 2 && report.unplaced == 1)
        let features = try Features(bytes)
        // FN31pr: 72.75° W and 2.5′, 41° N and 42.5′ and 1.25′.
        #expect(features.points.map(\.position) == [[-72.708333, 41.729167], [-73, 41.5], [179, 89.5]])
        let first = features.points[0].properties
        #expect(first["call"] as? String == "W1AW" && first["band"] as? String == "20m")
        #expect(first["mode"] as? String == "CW" && first["time"] as? String == "2026-05-01T12:00:30Z")
        #expect(first["grid"] as? String == "FN31pr" && first.count == 6)
        #expect(features.points[1].properties["mode"] as? String == "SSB")
        #expect(features.points[1].properties["time"] == nil)
        #expect(features.points[2].properties["call"] as? String == "K1\"A\\")
        let square = try #require(features.squares["FN31"])
        #expect(square.ring == [[-74, 41], [-72, 41], [-72, 42], [-74, 42], [-74, 41]])
        #expect(square.properties["contacts"] as? Int == 2)
        #expect(square.properties["bands"] as? [String] == ["40m", "20m"])
        #expect(features.squares["RR99"]?.ring.map { $0[0] }.max() == 180)
        #expect(features.squares["RR99"]?.properties["bands"] as? [String] == ["odd"])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.split(separator: "\n").count == 2 + 5, "a line for each feature")
    }

    @Test func `of no contacts is an empty collection, and a picture of the world`() async throws {
        let temporary = try await TemporaryStore(.full())
        let (report, bytes) = try temporary.store.map(.geojson)
        let features = try Features(bytes)
        #expect(features.points.isEmpty && features.squares.isEmpty && report.records == 0)
        try await temporary.store.importText(adi(["CALL": "N0CALL"]))
        #expect(try Features(try temporary.store.map(.geojson).1).points.isEmpty)
        let svg = String(decoding: try temporary.store.map(.svg).1, as: UTF8.self)
        #expect(svg.contains(">Grid squares worked</text>") && svg.contains(">0 contacts in 0 grid squares</text>"))
    }

    // The corner of FN31, FN32, FN41 and FN42 is at 72° W and 42° N; that of AJ50 and RJ50 is on 180° E.
    @Test(
        arguments: [
            (["GRIDSQUARE": "FN31", "LAT": "N041 42.895", "LON": "W072 43.639"], "FN31", [-72.727317, 41.714917]),
            (["GRIDSQUARE": "FN31", "LAT": "N051 42.895", "LON": "W072 43.639"], "FN31", [-73, 41.5]),
            (["LAT": "N041 42.895", "LON": "W072 43.639"], "FN31pr", [-72.727317, 41.714917]),
            (["GRIDSQUARE": "FN", "LAT": "n041 42.895", "LON": "w072 43.639"], "FN31pr", [-72.727317, 41.714917]),
            (["GRIDSQUARE": "FN31", "VUCC_GRIDS": "EM10,EM11"], "FN31", [-73, 41.5]),
            (["VUCC_GRIDS": "FN31,fn32, FN41,FN42"], "FN31,FN32,FN41,FN42", [-72, 42]),
            (["VUCC_GRIDS": "FN31,FN41"], "FN31,FN41", [-72, 41.5]),
            (["VUCC_GRIDS": "RJ90,AJ00"], "RJ90,AJ00", [-180, 0.5]),
            (["VUCC_GRIDS": "AJ00,RJ90"], "AJ00,RJ90", [-180, 0.5]),
            (["GRIDSQUARE": " FN31 "], "FN31", [-73, 41.5]),
        ] as [([String: String], String, [Double])])
    func `has a station where its fields put it`(fields: [String: String], grid: String, position: [Double])
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(
            "x<EOH><CALL:4>W1AW" + fields.map { "<\($0):\($1.utf8.count)>\($1)" }.joined() + "<EOR>")
        let features = try Features(try temporary.store.map(.geojson).1)
        #expect(features.points.map(\.position) == [position])
        #expect(features.points.first?.properties["grid"] as? String == grid)
        #expect(Set(features.squares.keys) == Set(grid.split(separator: ",").map { String($0.prefix(4)) }))
    }

    @Test(
        arguments: [
            [:], ["GRIDSQUARE": "FN"], ["GRIDSQUARE": "FN3"], ["GRIDSQUARE": "ZZ99"], ["GRIDSQUARE": "none"],
            ["LAT": "N041 42.895"], ["LAT": "41.7", "LON": "-72.7"], ["LAT": "N091 00.000", "LON": "W072 43.639"],
            ["VUCC_GRIDS": "FN31"], ["VUCC_GRIDS": "FN31,EM10"], ["VUCC_GRIDS": "FN31,FN"],
            ["VUCC_GRIDS": "FN31,FN32,FN41,FN42,FN31"], ["VUCC_GRIDS": "FN31,FN51"], ["GRIDSQUARE": "FN31pr45xx"],
        ] as [[String: String]])
    func `leaves out and counts a contact without a place`(fields: [String: String]) async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(
            "x<EOH><CALL:4>W1AW" + fields.map { "<\($0):\($1.utf8.count)>\($1)" }.joined() + "<EOR>")
        for format in MapFormat.allCases {
            let (report, _) = try temporary.store.map(format)
            #expect(report.records == 0 && report.unplaced == 1 && report.squares == 0)
        }
    }

    @Test func `names the only own call, and counts contacts, squares and days`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(
            adi(["CALL": "W1AW", "QSO_DATE": "20260502", "GRIDSQUARE": "FN31", "STATION_CALLSIGN": "n0call"])
                + adi(["CALL": "K1AA", "QSO_DATE": "20251231", "GRIDSQUARE": "FN31", "STATION_CALLSIGN": "N0CALL"]))
        func svg(_ query: ContactQuery = .contacts) throws -> String {
            String(decoding: try temporary.store.map(.svg, query).1, as: UTF8.self)
        }
        #expect(try svg().contains(">Grid squares worked by N0CALL</text>"))
        #expect(try svg().contains(">2 contacts in 1 grid square, 2025-12-31 to 2026-05-02 UTC</text>"))
        #expect(try svg(.contacts.worked("W1AW")).contains(">1 contact in 1 grid square, 2026-05-02 UTC</text>"))
        try await temporary.store.importText(
            adi(["CALL": "K1AB", "QSO_DATE": "20260502", "GRIDSQUARE": "FN31", "STATION_CALLSIGN": "N0CALL/P"]))
        #expect(try svg().contains(">Grid squares worked</text>"))
    }

    @Test func `has no hidden contacts and no notes of an activation`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(
            adi(["CALL": "W1AW", "GRIDSQUARE": "FN31"])
                + adi(["CALL": "WEATHER", "MODE": "WEATHER", "GRIDSQUARE": "EM10"]))
        #expect(try temporary.store.map(.geojson).0.records == 1)
        let id = try #require(try temporary.store.firstContact()).id
        _ = try await temporary.store.write { try $0.remove("qso", id) }
        #expect(try temporary.store.map(.geojson).0.records == 0)
    }

    @Test func `of real logs has the squares that another reading of their text finds`() async throws {
        var compared = 0
        for file in Collection.files() where file.pathExtension.lowercased() != "adx" {
            let bytes = [UInt8](try Data(contentsOf: file))
            guard bytes.count < 400_000 else { continue }
            let reading = PlainReading(bytes)
            if reading.squares.isEmpty { continue }
            let temporary = try await TemporaryStore(.full())
            guard (try? await temporary.store.importBytes(bytes, named: file.lastPathComponent)) != nil else {
                continue
            }
            let (report, geojson) = try temporary.store.map(.geojson)
            let features = try Features(geojson)
            #expect(report.squares == features.squares.count && report.records == features.points.count)
            #expect(Set(features.squares.keys) == reading.squares, "\(file.lastPathComponent)")
            for (name, square) in features.squares {
                #expect(
                    square.ring.count == 5 && square.ring.first == square.ring.last && area(square.ring) == 4, "\(name)"
                )
            }
            let svg = String(decoding: try temporary.store.map(.svg).1, as: UTF8.self)
            #expect(svg.count(of: " contact") >= reading.squares.count)
            compared += 1
        }
        if Collection.folder != nil { #expect(compared > 20) }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}

/// The squares of a log, read from its text without the code under test: values up to the next tag, and locators by what the
/// standard allows.
private struct PlainReading {
    var squares: Set<String> = []

    init(_ bytes: [UInt8]) {
        var fields: [String: String] = [:]
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        {
            let tag = String(decoding: bytes[(start + 1)..<end], as: UTF8.self).uppercased().split(separator: ":")
            index = end + 1
            switch (tag.first, tag.dropFirst().first.flatMap { Int($0) }) {
            case ("EOH", _): fields = [:]
            case ("EOR", _):
                add(fields)
                fields = [:]
            case (let name?, let length?):
                // Some programs write wrong lengths: up to the next tag is what they mean.
                let end = bytes[min(index + length, bytes.count)...].first == UInt8(ascii: "<") ? index + length : index
                let next = bytes[end...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                fields[String(name)] = String(decoding: bytes[index..<next], as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                index = next
            default: break
            }
        }
    }

    private mutating func add(_ fields: [String: String]) {
        if ["WEATHER", "SOLAR", "NOTE"].contains(fields["MODE"]?.uppercased()) { return }
        func isLocator(_ text: String) -> Bool {
            text.uppercased().wholeMatch(of: /[A-R]{2}[0-9]{2}([A-X]{2}([0-9]{2})?)?/) != nil
        }
        if let grid = fields["GRIDSQUARE"], isLocator(grid) {
            squares.insert(String(grid.uppercased().prefix(4)))
        } else if let north = degrees(fields["LAT"]), let east = degrees(fields["LON"]) {
            let (column, row) = (Int((east + 180) / 2), Int(north + 90))
            let letters = Array("ABCDEFGHIJKLMNOPQR")
            squares.insert("\(letters[column / 10])\(letters[row / 10])\(column % 10)\(row % 10)")
        } else if let list = fields["VUCC_GRIDS"]?.split(separator: ",").map(String.init), list.allSatisfy(isLocator) {
            squares.formUnion(list.map { String($0.uppercased().prefix(4)) })
        }
    }

    private func degrees(_ text: String?) -> Double? {
        guard let match = text?.uppercased().wholeMatch(of: /([NSEW])([0-9]{3}) ([0-9]{2}\.[0-9]{3})/),
            let whole = Double(match.2), let minutes = Double(match.3)
        else { return nil }
        return (whole + minutes / 60) * (match.1 == "S" || match.1 == "W" ? -1 : 1)
    }
}
