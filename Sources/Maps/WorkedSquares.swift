import GroundwaveADIF
import GroundwaveGeography

/// The squares that contacts were made with, and where from.
package struct WorkedSquares: Sendable {
    /// A square of four characters.
    package struct Square: Sendable {
        /// The number of contacts; at least 1.
        package fileprivate(set) var contacts = 0
        /// The square of the own station at the first contact that gives it.
        package fileprivate(set) var origin: Locator?
        private var names: Set<String> = []

        /// The bands, from the longest wavelength to the shortest; those that ADIF does not list come last.
        package var bands: [String] {
            names.map { (rank: Band(named: $0)?.rawValue ?? .max, name: $0) }.sorted { $0 < $1 }.map(\.name)
        }

        fileprivate mutating func insert(band: String) { names.insert(band) }
    }

    /// A place that contacts were made from.
    package struct Station: Sendable {
        /// The first point in its square that a contact gives.
        package let point: Coordinates
        /// The number of contacts.
        package fileprivate(set) var contacts = 0
    }

    /// Each worked square.
    package private(set) var squares: [Locator: Square] = [:]
    /// The own stations, by their squares.
    package private(set) var stations: [Locator: Station] = [:]

    /// Creates an empty collection.
    package init() {}

    /// Adds a contact with a station in `squares`.
    ///
    /// - Parameter own: The own station and its square, if the contact gives it.
    package mutating func add(_ squares: [Locator], band: String?, from own: (square: Locator, point: Coordinates)?) {
        for square in squares {
            self.squares[square, default: Square()].contacts += 1
            if let band { self.squares[square]?.insert(band: band) }
            if self.squares[square]?.origin == nil { self.squares[square]?.origin = own?.square }
        }
        guard let own else { return }
        stations[own.square, default: Station(point: own.point)].contacts += 1
    }
}
