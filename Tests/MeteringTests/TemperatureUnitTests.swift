import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering

@Suite struct `A temperature` {
    private func channel(_ decimals: Int) -> Channel { Channel("temperature", .celsius, decimals: decimals) }

    /// Values of the scales that everybody knows, and halves of the last decimal.
    static let known: [(celsius: Int64, decimals: Int, fahrenheit: Int128)] = [
        (-40, 0, -40), (0, 0, 32), (100, 0, 212), (-273_15, 2, -459_67), (36_6, 1, 97_9), (37_0, 1, 98_6),
        // 75.2 and 73.4 degrees; -0.04 and 0.14 degrees.
        (24, 0, 75), (23, 0, 73), (-17_8, 1, 0), (-17_7, 1, 1),
    ]

    @Test(arguments: known) func `in degrees Fahrenheit is this`(celsius: Int64, decimals: Int, fahrenheit: Int128) {
        #expect(TemperatureUnit.fahrenheit.shown(celsius, of: channel(decimals)) == fahrenheit)
        #expect(TemperatureUnit.celsius.shown(celsius, of: channel(decimals)) == Int128(celsius))
    }

    @Test(arguments: UInt64(1)...200) func `is at most half of its last decimal off`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let decimals = Int.random(in: 0...9, using: &numbers)
        let value = Int64.random(in: seed % 4 == 0 ? .min ... .max : -2_000...2_000, using: &numbers)
        let shown = TemperatureUnit.fahrenheit.shown(value, of: channel(decimals))
        var one = Int128(1)
        for _ in 0..<decimals { one *= 10 }
        // Five times what it is exactly: 9 C + 160.
        let error = 5 * shown - (9 * Int128(value) + 160 * one)
        #expect(2 * error.magnitude <= 5, "\(value) with \(decimals) decimals is shown as \(shown)")
    }

    @Test func `that is a mean is rounded once`() {
        // 20.5 degrees are 68.9; 21 would be 69.8.
        #expect(TemperatureUnit.fahrenheit.shown(meanOf: 41, count: 2, of: channel(0)) == 69)
        #expect(TemperatureUnit.celsius.shown(meanOf: 41, count: 2, of: channel(0)) == 21)
        #expect(TemperatureUnit.celsius.shown(meanOf: -41, count: 2, of: channel(0)) == -21)
        // -17.5 degrees are half a degree.
        #expect(TemperatureUnit.fahrenheit.shown(meanOf: -35, count: 2, of: channel(0)) == 1)
    }

    @Test func `has its unit beside it, and what is none stays as it is`() {
        #expect(TemperatureUnit.allCases.map { $0.name(for: channel(1)) } == ["°C", "°F"])
        for unit in Channel.Unit.allCases where unit != .celsius {
            let other = Channel("x", unit, decimals: 2)
            #expect(TemperatureUnit.fahrenheit.shown(1_234, of: other) == 1_234)
            #expect(TemperatureUnit.fahrenheit.shown(meanOf: 7, count: 2, of: other) == 4)
            #expect(TemperatureUnit.fahrenheit.name(for: other) == unit.rawValue)
        }
    }
}
