/// The data of a path: lines through points in tenths of a pixel. Each line starts at absolute coordinates, and its
/// other points are relative, which is shorter.
package struct SVGPath {
    /// The value of the attribute `d`.
    package private(set) var data = ""
    private var x = 0
    private var y = 0

    /// Creates a path without points.
    package init() {}

    /// Starts a line at this point.
    package mutating func move(toX x: Int, y: Int) {
        data += "M\(Self.pair(x, y))"
        (self.x, self.y) = (x, y)
    }

    /// Continues the line to this point.
    package mutating func line(toX x: Int, y: Int) {
        let (dx, dy) = (x - self.x, y - self.y)
        if dx == 0 {
            data += "v\(SVGNumber.tenths(dy))"
        } else if dy == 0 {
            data += "h\(SVGNumber.tenths(dx))"
        } else {
            data += "l\(Self.pair(dx, dy))"
        }
        (self.x, self.y) = (x, y)
    }

    /// Marks the point at which the line started: with round ends, a line of length 0 is a dot.
    package mutating func dot() { data += "h0" }

    /// Closes the line: it ends where it started, and can be filled.
    package mutating func close() { data += "z" }

    /// Returns two numbers; a minus sign of the second replaces the separating space.
    private static func pair(_ x: Int, _ y: Int) -> String {
        "\(SVGNumber.tenths(x))\(y < 0 ? "" : " ")\(SVGNumber.tenths(y))"
    }
}

/// Numbers as attributes of SVG have them.
package enum SVGNumber {
    /// Returns `value` tenths as a decimal number.
    package static func tenths(_ value: Int) -> String {
        let (whole, part) = value.magnitude.quotientAndRemainder(dividingBy: 10)
        return "\(value < 0 ? "-" : "")\(whole)\(part == 0 ? "" : ".\(part)")"
    }

    /// Returns a colour whose red, green and blue are the lower 24 bits of `rgb`.
    package static func colour(_ rgb: UInt32) -> String {
        let digits = String(rgb & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
