import GroundwaveADIF
import GroundwaveByteCoding

extension ADIFFields {
    /// Appends a field, unless its value is blank. Blanks at the ends of the value are left out.
    mutating func add(_ name: String, _ value: some BidirectionalCollection<UInt8>) {
        let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte || byte == 0 }
        guard let first = value.firstIndex(where: { !isBlank($0) }), let last = value.lastIndex(where: { !isBlank($0) })
        else { return }
        append(FieldName(name), value: value[first...last])
    }

    /// Appends mode and submode, as ADIF has them: `FT4` is a submode of `MFSK`.
    mutating func add(mode text: String) {
        guard let mode = Mode(mode: text) else { return }
        add("MODE", Array(mode.name.utf8))
        if let submode = mode.submode { add("SUBMODE", Array(submode.utf8)) }
    }

    /// Appends a frequency in megahertz, unless it is 0 or more than any band has, and with `FREQ` its band.
    ///
    /// - Parameter decimals: The number of decimal places, 0 to 6: as many as the program itself writes into its log file,
    ///   so that message and file say the same.
    mutating func add(hertz: UInt64, _ name: String, decimals: Int) {
        guard hertz > 0, hertz <= UInt64(Frequency.maximumHertz) else { return }
        let places = Self.digits(Int64(hertz % 1_000_000), 6).prefix(decimals)
        add(name, Array(String(hertz / 1_000_000).utf8) + [UInt8(ascii: ".")] + places)
        if name == "FREQ", let band = Band(containing: Frequency(hertz: Int64(hertz))) {
            add("BAND", Array(band.name.utf8))
        }
    }

    /// Appends date and time of a moment, seconds since 1970 in the years 1930 to 9999.
    mutating func add(time seconds: Int64, _ dateName: String, _ timeName: String) {
        let (day, second) = CivilDate.floorDivided(seconds, 86_400)
        let date = CivilDate.date(ofDay: day)
        add(dateName, Self.digits(date.year, 4) + Self.digits(date.month, 2) + Self.digits(date.day, 2))
        add(timeName, Self.digits(second / 3600, 2) + Self.digits(second / 60 % 60, 2) + Self.digits(second % 60, 2))
    }

    /// The last `count` decimal digits of a number that is not negative.
    private static func digits(_ number: Int64, _ count: Int) -> [UInt8] {
        var rest = number
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: count)
        for place in digits.indices.reversed() {
            digits[place] += UInt8(rest % 10)
            rest /= 10
        }
        return digits
    }
}
