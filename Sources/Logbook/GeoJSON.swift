import GroundwaveEvents
import GroundwaveGeography
import GroundwaveMaps
import GroundwaveRadio
import GroundwaveStore

/// Writes contacts and squares as features of GeoJSON (RFC 7946), a line for each.
///
/// Positions have the longitude first, in degrees with at most six decimals. No feature crosses 180° E.
enum GeoJSON {
    static func appendStart(to bytes: inout [UInt8]) { bytes += "{\"type\":\"FeatureCollection\",\"features\":[".utf8 }

    static func appendEnd(to bytes: inout [UInt8]) { bytes += "\n]}\n".utf8 }

    /// Appends a contact as a point.
    static func append(
        _ id: RecordID, _ facts: ContactFacts, _ place: StationPlace, isFirst: Bool, to bytes: inout [UInt8]
    ) {
        let id = "\(id)"
        appendFeature(id, isFirst, to: &bytes)
        bytes += "\"Point\",\"coordinates\":".utf8
        append(place.point.longitude, place.point.latitude, to: &bytes)
        bytes += "},\"properties\":{\"id\":\"".utf8
        bytes += id.utf8
        bytes.append(UInt8(ascii: "\""))
        append("call", facts.call, to: &bytes)
        append("band", facts.band, to: &bytes)
        append("mode", facts.modeName, to: &bytes)
        append("time", facts.startSeconds.map { UTCText.seconds($0) }, to: &bytes)
        append("grid", place.grid, to: &bytes)
        bytes += "}}".utf8
    }

    /// Appends a square as a polygon, counter-clockwise from its south-western corner.
    static func append(
        _ locator: Locator, _ square: WorkedSquares.Square, isFirst: Bool, to bytes: inout [UInt8]
    ) {
        appendFeature("\(locator)", isFirst, to: &bytes)
        bytes += "\"Polygon\",\"coordinates\":[[".utf8
        let (west, south) = (locator.west, locator.south)
        let (east, north) = (west + locator.width, south + locator.height)
        let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
        for (index, corner) in corners.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(corner.0, corner.1, to: &bytes)
        }
        bytes += "]]},\"properties\":{\"grid\":\"\(locator)\",\"contacts\":\(square.contacts),\"bands\":[".utf8
        for (index, band) in square.bands.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            NDJSON.append(text: band.utf8, to: &bytes)
        }
        bytes += "]}}".utf8
    }

    private static func appendFeature(_ id: String, _ isFirst: Bool, to bytes: inout [UInt8]) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        bytes += "\n{\"type\":\"Feature\",\"id\":\"".utf8
        bytes += id.utf8
        bytes += "\",\"geometry\":{\"type\":".utf8
    }

    /// Appends a property that is not the first one; none if it has no value.
    private static func append(_ name: String, _ value: String?, to bytes: inout [UInt8]) {
        guard let value else { return }
        bytes += ",\"".utf8
        bytes += name.utf8
        bytes += "\":".utf8
        NDJSON.append(text: value.utf8, to: &bytes)
    }

    private static func append(_ longitude: Double, _ latitude: Double, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        append(degrees: longitude, to: &bytes)
        bytes.append(UInt8(ascii: ","))
        append(degrees: latitude, to: &bytes)
        bytes.append(UInt8(ascii: "]"))
    }

    /// Appends degrees with at most six decimals, a tenth of a metre.
    private static func append(degrees: Double, to bytes: inout [UInt8]) {
        let millionths = Int((degrees * 1_000_000).rounded())
        var (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        if millionths < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes += "\(whole)".utf8
        if rest > 0 { bytes.append(UInt8(ascii: ".")) }
        while rest > 0 {
            (whole, rest) = (rest * 10).quotientAndRemainder(dividingBy: 1_000_000)
            bytes.append(UInt8(ascii: "0") + UInt8(whole))
        }
    }
}
