import GroundwaveADIF
import GroundwaveGeography
import GroundwaveRecords

/// The place of a station, as the fields of a contact give it.
///
/// GRIDSQUARE counts first, since it is what stations exchange. LAT and LON refine it if they lie in it, and count alone if
/// it is not given. VUCC_GRIDS, of a station on the edge or corner of squares, counts if nothing else is given. A locator of
/// two characters is no place: a field is as large as a country.
package struct StationPlace: Hashable, Sendable {
    /// The station: the middle of its locator unless LAT and LON are more exact.
    package let point: Coordinates
    /// The squares, of four characters: one, or those that meet where the station is.
    package let squares: [Locator]
    /// The locator, or the list of locators, in the usual spelling.
    package let grid: String

    /// The place of the other station; `nil` if the contact does not give it.
    package static func ofOther(_ contact: borrowing ShownValues) -> StationPlace? {
        StationPlace(.gridsquare, .lat, .lon, .vuccGrids) { contact.value($0) }
    }

    /// The place of the own station; `nil` if the contact does not give it.
    package static func ofOwn(_ contact: borrowing ShownValues) -> StationPlace? {
        StationPlace(.myGridsquare, .myLat, .myLon, .myVUCCGrids) { contact.value($0) }
    }

    /// The way from the own station of a contact to the other one; `nil` if the contact does not give both places.
    package static func way(_ contact: Record) -> GreatCircle? {
        func value(_ name: FieldName) -> ArraySlice<UInt8>? { contact.text(name).map { Array($0.utf8)[...] } }
        guard let own = StationPlace(.myGridsquare, .myLat, .myLon, .myVUCCGrids, value),
            let other = StationPlace(.gridsquare, .lat, .lon, .vuccGrids, value)
        else { return nil }
        return GreatCircle(from: own.point, to: other.point)
    }

    private init?(
        _ grid: FieldName, _ latitude: FieldName, _ longitude: FieldName, _ list: FieldName,
        _ value: (FieldName) -> ArraySlice<UInt8>?
    ) {
        func trimmed(_ name: FieldName) -> ArraySlice<UInt8> { Self.trimmed(value(name) ?? []) }
        let point = Coordinates(adifLatitude: trimmed(latitude), longitude: trimmed(longitude))
        if let locator = Locator(trimmed(grid)), let square = locator.square {
            let isRefined = point.map { locator.contains($0) } ?? false
            self.init(
                point: isRefined ? point ?? locator.centre : locator.centre, squares: [square], grid: "\(locator)")
        } else if let point {
            let locator = Locator(containing: point, length: 6)
            self.init(point: point, squares: locator.square.map { [$0] } ?? [], grid: "\(locator)")
        } else {
            self.init(list: trimmed(list))
        }
    }

    private init(point: Coordinates, squares: [Locator], grid: String) {
        (self.point, self.squares, self.grid) = (point, squares, grid)
    }

    /// Reads a list of two to four neighbouring locators; the station is in the middle of them.
    private init?(list: ArraySlice<UInt8>) {
        let parts = list.split(separator: UInt8(ascii: ","), maxSplits: 4)
        let locators = parts.compactMap { Locator(Self.trimmed($0)) }
        let squares = locators.compactMap(\.square)
        guard (2...4).contains(parts.count), squares.count == parts.count, let first = squares.first?.centre else {
            return nil
        }
        var (north, east) = (0.0, 0.0)
        for square in squares {
            let (up, right) = (square.centre.latitude - first.latitude, square.centre.longitude - first.longitude)
            // Neighbours may lie on both sides of 180° E.
            let turned = right > 180 ? right - 360 : right < -180 ? right + 360 : right
            guard abs(up) <= square.height, abs(turned) <= square.width else { return nil }
            (north, east) = (north + up, east + turned)
        }
        let count = Double(squares.count)
        let longitude = first.longitude + east / count
        guard
            let middle = Coordinates(
                latitude: first.latitude + north / count,
                longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude)
        else { return nil }
        self.init(point: middle, squares: squares, grid: locators.map(\.description).joined(separator: ","))
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = text
        while slice.first == UInt8(ascii: " ") { slice.removeFirst() }
        while slice.last == UInt8(ascii: " ") { slice.removeLast() }
        return slice
    }
}
