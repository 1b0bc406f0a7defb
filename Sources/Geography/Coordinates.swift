/// A point of the Earth's surface, in degrees.
package struct Coordinates: Hashable, Sendable {
    /// -90 to 90; north is positive.
    package let latitude: Double
    /// -180 up to, but not including, 180; east is positive.
    package let longitude: Double

    /// Creates a point; `nil` if the latitude is not in -90...90 or the longitude not in -180...180.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.init(checkedLatitude: latitude, longitude: longitude)
    }

    /// Creates a point whose latitude is in -90...90. The longitude may be a turn too far to either side.
    init(checkedLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude >= 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    /// Reads a point from two values like `N041 42.895` and `W072 43.639`, in upper or lower case; `nil` if either has
    /// another form or is out of range.
    ///
    /// Source: ADIF 3.1.6, "Data Types", Location: `XDDD MM.MMM`.
    package init?(adifLatitude latitude: some Collection<UInt8>, longitude: some Collection<UInt8>) {
        guard let latitude = Self.degrees(latitude, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S")),
            let longitude = Self.degrees(longitude, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"))
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    private static func degrees(_ text: some Collection<UInt8>, positive: UInt8, negative: UInt8) -> Double? {
        guard text.count == 11 else { return nil }
        let bytes = Array(text)
        let direction = bytes[0] & 0xDF
        guard direction == positive || direction == negative, bytes[4] == UInt8(ascii: " "),
            bytes[7] == UInt8(ascii: "."), let whole = number(bytes[1...3]), let minutes = number(bytes[5...6]),
            let thousandths = number(bytes[8...10]), minutes < 60
        else { return nil }
        let degrees = Double(whole) + Double(minutes * 1000 + thousandths) / 60_000
        return direction == positive ? degrees : -degrees
    }

    /// Returns the number of at most three digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
