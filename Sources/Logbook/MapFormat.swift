/// The formats of maps of contacts.
public enum MapFormat: String, Hashable, Sendable, CaseIterable {
    /// GeoJSON (RFC 7946), for programs that draw maps: a point for each contact, then a polygon for each square.
    case geojson
    /// A drawn map of the world as SVG 1.1, with the squares in colours by their number of contacts, the own stations, and
    /// the way to each square.
    case svg
}

/// The result of an export as a map.
public struct MapReport: Hashable, Sendable {
    /// The number of contacts on the map.
    public internal(set) var records = 0
    /// The number of contacts that are not on the map, since they have no GRIDSQUARE of four characters or more, no LAT and
    /// LON, and no VUCC_GRIDS.
    public internal(set) var unplaced = 0
    /// The number of squares on the map.
    public internal(set) var squares = 0
    /// The number of bytes written.
    public internal(set) var bytes = 0
}
