import GroundwaveMetering

/// A unit in which a program of others writes a channel, and what makes it one of ours:
/// (value + ``addend``) · ``numerator`` / ``denominator`` · 10 to the ``power``.
struct ForeignUnit: Hashable {
    /// The name that is written behind a column: `mA`.
    let name: String
    /// The unit of the trace.
    let unit: Channel.Unit
    /// The power of ten.
    var power = 0
    /// The numerator of the factor.
    var numerator: Int64 = 1
    /// The denominator of the factor.
    var denominator: Int64 = 1
    /// What is added first.
    var addend = LooseDecimal(0, exponent: 0)

    /// All units that can be named.
    static let all: [ForeignUnit] =
        scaled("V", .volt, "", "m", "u", "k") + scaled("A", .ampere, "", "m", "u", "n")
        + scaled("W", .watt, "", "m", "u", "k") + scaled("Ohm", .ohm, "", "m", "k", "M")
        + scaled("Ah", .ampereHour, "", "m", "u") + scaled("Wh", .wattHour, "", "m", "u", "k")
        + scaled("Hz", .hertz, "", "k") + scaled("s", .second, "", "m", "u")
        + [
            ForeignUnit(name: "As", unit: .ampereHour, denominator: 3600),
            ForeignUnit(name: "Ws", unit: .wattHour, denominator: 3600),
            ForeignUnit(name: "J", unit: .wattHour, denominator: 3600),
            ForeignUnit(name: "C", unit: .celsius),
            ForeignUnit(
                name: "F", unit: .celsius, numerator: 5, denominator: 9, addend: LooseDecimal(-32, exponent: 0)),
            ForeignUnit(name: "K", unit: .celsius, addend: LooseDecimal(-273_15, exponent: -2)),
            ForeignUnit(name: "none", unit: .none),
        ]

    /// Returns the unit of this name; `nil` if there is none.
    static func named(_ name: some StringProtocol) -> ForeignUnit? { all.first { $0.name == name } }

    /// Returns the unit that a channel has if none is named: that of the usual quantities, else none.
    static func usual(of channel: some StringProtocol) -> ForeignUnit {
        // The quantity of `group0.charge` and of `voltage2`.
        let name = channel.split(separator: ".").last ?? ""
        let quantity = name.prefix { !$0.isNumber }
        let names = [
            "voltage": "V", "d+": "V", "d-": "V", "cc": "V", "vdd": "V", "current": "A", "power": "W",
            "resistance": "Ohm", "temperature": "C", "charge": "Ah", "energy": "Wh", "frequency": "Hz", "time": "s",
        ]
        return named(names[String(quantity)] ?? "none") ?? ForeignUnit(name: "none", unit: .none)
    }

    /// Returns how many decimals `number` has in the unit of the trace; the most there can be if it has no end there.
    func decimals(of number: LooseDecimal) -> Int {
        if denominator != 1 { return Self.decimalLimit }
        return max(0, -min(number.exponent, addend.digits == 0 ? number.exponent : addend.exponent) - power)
    }

    /// Converts `number` into an integer with `decimals` decimals, rounded half to even.
    ///
    /// - Returns: The integer, and whether it is exact; `nil` if it does not fit into 64 bits.
    func converted(_ number: LooseDecimal, decimals: Int) -> (value: Int64, isExact: Bool)? {
        guard let (digits, exponent) = sum(number) else { return nil }
        if digits == 0 { return (0, true) }
        let shift = exponent + power + decimals
        guard shift <= Self.shiftLimit else { return nil }
        if -shift > Self.shiftLimit { return (0, false) }
        let factor = Int128(numerator) * (shift > 0 ? Self.powersOfTen[shift] : 1)
        let divisor = Int128(denominator) * (shift < 0 ? Self.powersOfTen[-shift] : 1)
        let (dividend, hasOverflow) = digits.multipliedReportingOverflow(by: factor)
        if hasOverflow { return nil }
        let (whole, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        let twice = rest.magnitude * 2
        let isUp = twice > divisor.magnitude || (twice == divisor.magnitude && whole % 2 != 0)
        let rounded = isUp ? whole + (dividend < 0 ? -1 : 1) : whole
        return Int64(exactly: rounded).map { ($0, rest == 0) }
    }

    /// Returns the digits and the power of ten of `number` + ``addend``; `nil` if they have too many digits.
    private func sum(_ number: LooseDecimal) -> (Int128, Int)? {
        if addend.digits == 0 { return (Int128(number.digits), number.exponent) }
        let exponent = min(number.exponent, addend.exponent)
        let (first, second) = (number.exponent - exponent, addend.exponent - exponent)
        guard first <= Self.sumLimit, second <= Self.sumLimit else { return nil }
        return (
            Int128(number.digits) * Self.powersOfTen[first] + Int128(addend.digits) * Self.powersOfTen[second], exponent
        )
    }

    /// The most decimals of a channel.
    static let decimalLimit = 9
    /// The most digits by which a number is shifted: times a denominator of 3,600 this fits into 128 bits.
    private static let shiftLimit = 34
    /// The most digits by which one of two numbers is shifted before they are added.
    private static let sumLimit = 18
    private static let powersOfTen = (0...shiftLimit).map { (0..<$0).reduce(Int128(1)) { power, _ in power * 10 } }

    private static func scaled(_ name: String, _ unit: Channel.Unit, _ prefixes: String...) -> [ForeignUnit] {
        let powers = ["": 0, "m": -3, "u": -6, "n": -9, "k": 3, "M": 6]
        return prefixes.map { ForeignUnit(name: $0 + name, unit: unit, power: powers[$0] ?? 0) }
    }
}
