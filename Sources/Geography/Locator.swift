/// A Maidenhead locator: a cell of the grid that covers the Earth from 180° W and the South Pole.
///
/// | characters | name | each | width | height |
/// |---|---|---|---|---|
/// | `FN` | field | `A`–`R` | 20° | 10° |
/// | `FN31` | square | `0`–`9` | 2° | 1° |
/// | `FN31pr` | subsquare | `a`–`x` | 5′ | 2.5′ |
/// | `FN31pr45` | extended square | `0`–`9` | 30″ | 15″ |
///
/// The first character of each pair counts to the east, the second to the north. The southern and western edges belong to
/// a cell. Source: ADIF 3.1.6, "Data Types", GridSquare.
package struct Locator: Hashable, Sendable {
    /// The distance of the western edge from 180° W, in units of 30″.
    private let column: Int32
    /// The distance of the southern edge from the South Pole, in units of 15″.
    private let row: Int32
    /// The number of characters: 2, 4, 6 or 8.
    package let length: Int

    /// The widths of cells of two, four, six and eight characters in units of 30″; also their heights in units of 15″.
    private static let sizes: [Int32] = [2400, 240, 10, 1]
    /// The number of columns of the smallest cells around the Earth, and of rows from pole to pole.
    private static let count: Int32 = 43_200

    private init(column: Int32, row: Int32, length: Int) {
        let size = Self.sizes[length / 2 - 1]
        (self.column, self.row, self.length) = (column - column % size, row - row % size, length)
    }

    /// Reads a locator in upper or lower case; `nil` if `text` is not a locator of 2, 4, 6 or 8 characters.
    package init?(_ text: some Collection<UInt8>) {
        guard [2, 4, 6, 8].contains(text.count) else { return nil }
        var (column, row): (Int32, Int32) = (0, 0)
        for (index, byte) in text.enumerated() {
            guard let digit = Self.digit(byte, ofPair: index / 2) else { return nil }
            let distance = digit * Self.sizes[index / 2]
            if index % 2 == 0 { column += distance } else { row += distance }
        }
        (self.column, self.row, length) = (column, row, text.count)
    }

    private static func digit(_ byte: UInt8, ofPair pair: Int) -> Int32? {
        let letter = byte & 0xDF
        switch (pair, letter, byte) {
        case (0, UInt8(ascii: "A")...UInt8(ascii: "R"), _), (2, UInt8(ascii: "A")...UInt8(ascii: "X"), _):
            return Int32(letter - UInt8(ascii: "A"))
        case (1, _, UInt8(ascii: "0")...UInt8(ascii: "9")), (3, _, UInt8(ascii: "0")...UInt8(ascii: "9")):
            return Int32(byte - UInt8(ascii: "0"))
        default: return nil
        }
    }

    /// The locator of the cell that contains a point.
    ///
    /// - Precondition: `length` is 2, 4, 6 or 8.
    package init(containing point: Coordinates, length: Int) {
        precondition([2, 4, 6, 8].contains(length), "A locator has 2, 4, 6 or 8 characters.")
        // The North Pole belongs to the northernmost row.
        self.init(
            column: min(Int32((point.longitude + 180) * 120), Self.count - 1),
            row: min(Int32((point.latitude + 90) * 240), Self.count - 1), length: length)
    }

    private var size: Int32 { Self.sizes[length / 2 - 1] }

    /// The longitude of the western edge, in degrees: -180 up to, but not including, 180.
    package var west: Double { Double(column) / 120 - 180 }
    /// The latitude of the southern edge, in degrees: -90 up to, but not including, 90.
    package var south: Double { Double(row) / 240 - 90 }
    /// The width in degrees of longitude. A cell never extends beyond 180° E.
    package var width: Double { Double(size) / 120 }
    /// The height in degrees of latitude.
    package var height: Double { Double(size) / 240 }

    /// The point in the middle.
    package var centre: Coordinates {
        Coordinates(checkedLatitude: south + height / 2, longitude: west + width / 2)
    }

    /// The square, of four characters, that this is or lies in; `nil` for a field.
    package var square: Locator? { length < 4 ? nil : Locator(column: column, row: row, length: 4) }

    /// Whether `point` is in the cell.
    package func contains(_ point: Coordinates) -> Bool { Locator(containing: point, length: length) == self }
}

extension Locator: Comparable, CustomStringConvertible {
    /// The locator in its usual spelling: `FN31pr45`.
    package var description: String {
        var (column, row) = (column, row)
        var bytes: [UInt8] = []
        for (pair, size) in Self.sizes.prefix(length / 2).enumerated() {
            let first = [UInt8(ascii: "A"), UInt8(ascii: "0"), UInt8(ascii: "a"), UInt8(ascii: "0")][pair]
            for place in [column / size, row / size] { bytes.append(first + UInt8(place)) }
            (column, row) = (column % size, row % size)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Orders locators from west to east, those of a column from south to north.
    package static func < (left: Locator, right: Locator) -> Bool {
        (left.column, left.row, left.length) < (right.column, right.row, right.length)
    }
}
