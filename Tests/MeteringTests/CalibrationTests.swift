import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering

private func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

private func correction(_ factor: String, _ offset: String) throws -> ChannelCorrection {
    let numbers = try [factor, offset].map { try #require(DecimalNumber($0)) }
    return try #require(ChannelCorrection(factor: numbers[0], offset: numbers[1]))
}

/// Random decimal text with up to `whole` digits before the point and `decimals` behind it, and its value times ten to the
/// minus nine.
private func decimal(
    _ whole: Int, _ decimals: Int, isNegative: Bool, using numbers: inout SeededGenerator
) -> (text: String, billionths: Int128) {
    let front = Int64.random(in: 0..<Int64(power(whole)), using: &numbers)
    let behind = (0..<decimals).map { _ in "\(Int.random(in: 0...9, using: &numbers))" }.joined()
    let text = (isNegative ? "-" : "") + "\(front)" + (decimals > 0 ? ".\(behind)" : "")
    let value = Int128(front) * power(9) + (Int128(behind) ?? 0) * power(9 - decimals)
    return (text, isNegative ? -value : value)
}

@Suite struct `A decimal number` {
    @Test func `is read exactly, and written without zeros that say nothing`() throws {
        let texts = [
            ("1.003", "1.003"), ("-0.0012", "-0.0012"), ("+0.50", "0.5"), ("007", "7"), ("0.000000001", "0.000000001"),
            ("-0.0", "0"), ("999999999.999999999", "999999999.999999999"), ("10", "10"),
        ]
        for (text, expected) in texts { #expect(DecimalNumber(text)?.description == expected, "\(text)") }
        #expect(DecimalNumber("1.50") == DecimalNumber("1.5") && DecimalNumber("-0") == DecimalNumber("0"))
    }

    static let refused = [
        "", "-", ".", "1.", ".5", "1,5", "1e3", "1.2.3", " 1", "1 ", "0x10", "١", "--1", "+-1", "1234567890",
        "0.0123456789", "nan",
    ]

    @Test(arguments: refused) func `is refused where the text is another, or too long`(text: String) {
        #expect(DecimalNumber(text) == nil)
    }
}

@Suite struct `A correction of a channel` {
    @Test(arguments: UInt64(1)...200)
    func `is value times factor plus offset, rounded to the decimals of the channel and a tie to the even one`(
        seed: UInt64
    ) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let factor = decimal(
                numbers.chance(0.7) ? 1 : 3, Int.random(in: 0...9, using: &numbers), isNegative: numbers.chance(0.1),
                using: &numbers)
            let offset = decimal(
                numbers.chance(0.7) ? 1 : 9, Int.random(in: 0...9, using: &numbers), isNegative: numbers.chance(0.5),
                using: &numbers)
            guard factor.billionths != 0 else { continue }
            let correction = try correction(factor.text, offset.text)
            let decimals = Int.random(in: 0...9, using: &numbers)
            let value = Int64(bitPattern: numbers.next()) >> Int.random(in: 0...63, using: &numbers)
            let found = correction.corrected(value, decimals: decimals)
            // The exact result times ten to the nine, in the decimals of the channel.
            let exact = Int128(value) * factor.billionths + offset.billionths * power(decimals)
            if exact > Int128(Int64.max) * power(9) {
                #expect(found == .max)
            } else if exact < Int128(Int64.min) * power(9) {
                #expect(found == .min)
            } else {
                let distance = (Int128(found) * power(9) - exact).magnitude
                #expect(2 * distance <= power(9).magnitude)
                #expect(2 * distance < power(9).magnitude || found.isMultiple(of: 2), "a tie goes to the even one")
            }
        }
    }

    @Test func `has ties to the even one on both sides of 0, and stays within 64 bits`() throws {
        let half = try correction("0.5", "0")
        #expect([-5, -3, -1, 1, 3, 5, 7].map { half.corrected($0, decimals: 0) } == [-2, -2, 0, 0, 2, 2, 4])
        #expect(try correction("1.003", "-0.0012").corrected(10_000, decimals: 4) == 10_018)
        #expect(try correction("1", "0.5").corrected(2, decimals: 0) == 2)
        #expect(try correction("999", "0").corrected(.max, decimals: 3) == .max)
        #expect(try correction("-999", "0").corrected(.max, decimals: 3) == .min)
        #expect(ChannelCorrection.identity.corrected(.min, decimals: 9) == .min)
    }

    @Test func `is refused with a factor of 0 or of a thousand, and says what it does as a formula`() throws {
        for factor in ["0", "0.000", "1000", "-1000", "1000.5"] {
            let number = try #require(DecimalNumber(factor))
            #expect(ChannelCorrection(factor: number, offset: .zero) == nil, "\(factor)")
        }
        #expect(try correction("1.003", "-0.0012").formula(in: .ampere) == "× 1.003 − 0.0012 A")
        #expect(try correction("1", "0.5").formula(in: .volt) == "+ 0.5 V")
        #expect(try correction("-1", "0").formula(in: .none) == "× -1")
        #expect(try correction("1", "0").formula(in: .volt) == "× 1")
        let item = Calibration.Item("current", .ampere, try correction("1.003", "-0.0012"))
        #expect(Calibration([item]).text == "calibrated: current × 1.003 − 0.0012 A")
        #expect(Calibration([.init("current", .ampere, .identity), item]) == .none, "the first counts")
    }
}

@Suite struct `Calibrated rows` {
    private static let layout = Layout([
        Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 4),
        Channel("power", .watt, decimals: 2),
    ])

    private func rows(_ count: Int, lacking share: Double, using numbers: inout SeededGenerator) -> TraceRows {
        var rows = TraceRows(Self.layout, first: 0)
        var time: Int64 = 1_777_636_800_000
        for row in 0..<count {
            if row > 0, numbers.chance(0.05) { rows.marks.append(Mark(.gap, before: row, count: 2)) }
            rows.times.append(time)
            time += Int64.random(in: 1...1_500, using: &numbers)
            let hasVoltage = !numbers.chance(share)
            rows.columns[0].append(hasVoltage ? Int64.random(in: -2_000...20_000, using: &numbers) : 0)
            rows.columns[1].append(Int64.random(in: -5_000...50_000, using: &numbers))
            rows.columns[2].append(Int64.random(in: 0...9_000, using: &numbers))
            rows.patterns.append(RowPattern(channels: (0..<3).filter { $0 != 0 || hasVoltage }, tick: false))
        }
        if rows.patterns.allSatisfy({ $0 == RowPattern(all: Self.layout) }) { rows.patterns = [] }
        return rows
    }

    /// Billionths, as the model reckons.
    private struct Model {
        var factor: Int128 = 1_000_000_000
        var offset: Int128 = 0
        var item: Calibration.Item?

        init() {}

        init(_ channel: Channel, withOffset: Bool, using numbers: inout SeededGenerator) throws {
            let factor = decimal(1, 6, isNegative: numbers.chance(0.1), using: &numbers)
            let offset = decimal(1, 5, isNegative: numbers.chance(0.5), using: &numbers)
            self.factor = factor.billionths == 0 ? power(9) : factor.billionths
            self.offset = withOffset ? offset.billionths : 0
            item = .init(
                channel.name, channel.unit,
                try correction(factor.billionths == 0 ? "1" : factor.text, withOffset ? offset.text : "0"))
        }

        /// The corrected value times ten to the nine.
        func exact(_ value: Int64, _ decimals: Int) -> Int128 { Int128(value) * factor + offset * power(decimals) }
    }

    @Test(arguments: UInt64(1)...120)
    func `have a summary, a charge and an energy that follow from those that were measured`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let share = seed.isMultiple(of: 3) ? 0.2 : 0
        let measured = rows(Int.random(in: 1...60, using: &numbers), lacking: share, using: &numbers)
        var models = [Model(), Model(), Model()]
        for channel in 0..<3 where numbers.chance(0.7) {
            models[channel] = try Model(
                Self.layout.channels[channel], withOffset: numbers.chance(0.6), using: &numbers)
        }
        let calibration = Calibration(models.compactMap(\.item))
        let shown = measured.calibrated(by: calibration)
        let summary = BlockSummary(of: measured, after: nil).calibrated(by: calibration)
        let (layout, decimals) = (summary.layout, Self.layout.channels.map(\.decimals))
        for (column, channel) in layout.channels.enumerated() {
            let source = try #require(Self.layout.channels.firstIndex(of: channel))
            let present = (0..<measured.count).filter { measured.has(source, at: $0) }
            for row in 0..<measured.count where !measured.has(source, at: row) {
                #expect(shown.columns[source][row] == 0 && !shown.has(source, at: row))
            }
            let values = present.map { shown.columns[source][$0] }
            for (row, value) in zip(present, values) {
                let exact = models[source].exact(measured.columns[source][row], decimals[source])
                #expect(2 * (Int128(value) * power(9) - exact).magnitude <= power(9).magnitude)
            }
            let cell = summary.cells[column]
            #expect((cell.first, cell.last) == (values.first, values.last))
            #expect((cell.least, cell.greatest, cell.count) == (values.min(), values.max(), values.count))
            let sum = present.reduce(Int128(0)) {
                $0 + models[source].exact(measured.columns[source][$1], decimals[source])
            }
            #expect(2 * (cell.sum * power(9) - sum).magnitude <= power(9).magnitude, "the sum is rounded once")
        }
        let (charge, energy) = try exactTotals(measured, models)
        #expect(2 * (summary.totals.charge * power(9) - charge).magnitude <= power(9).magnitude)
        #expect(summary.totals.covered == BlockSummary(of: measured, after: nil).totals.covered)
        guard layout.voltageChannel != nil else { return }
        // A few units for the roundings on the way, one of which the offset of the voltage multiplies.
        let distance = (summary.totals.energy * power(18) - energy).magnitude
        let offset = Int128(models[0].offset.magnitude) * 1_000 / power(9)
        let bound = (summary.totals.energyUncertainty + 30 + offset).magnitude
        #expect(distance <= bound * power(18).magnitude)
        if models[1].offset == 0, share == 0 { #expect(summary.totals.energyUncertainty == 0) }
    }

    /// Twice charge and energy over the rows, times ten to the nine and to the eighteen, from values that are not rounded.
    private func exactTotals(_ rows: TraceRows, _ models: [Model]) throws -> (charge: Int128, energy: Int128) {
        let gaps = Set(rows.marks.filter { $0.kind.isGap }.map(\.row))
        var (charge, energy) = (Int128(0), Int128(0))
        var (last, lastWithVoltage): (Int?, Int?)
        var isVoltageBehindGap = false
        for row in 0..<rows.count {
            if gaps.contains(row) { isVoltageBehindGap = true }
            let ampere = models[1].exact(rows.columns[1][row], 4)
            if let last, !gaps.contains(row) {
                charge +=
                    (ampere + models[1].exact(rows.columns[1][last], 4)) * Int128(rows.times[row] - rows.times[last])
            }
            last = row
            guard rows.has(0, at: row) else { continue }
            if let before = lastWithVoltage, !isVoltageBehindGap {
                let powers = [before, row].map {
                    models[0].exact(rows.columns[0][$0], 3) * models[1].exact(rows.columns[1][$0], 4)
                }
                energy += (powers[0] + powers[1]) * Int128(rows.times[row] - rows.times[before])
            }
            (lastWithVoltage, isVoltageBehindGap) = (row, false)
        }
        return (charge, energy)
    }

    @Test func `are the measured ones where another unit, or another channel, is calibrated`() throws {
        var numbers = SeededGenerator(seed: 1)
        let measured = rows(10, lacking: 0, using: &numbers)
        let two = try correction("2", "1")
        let calibration = Calibration([.init("current", .volt, two), .init("nothing", .ampere, two)])
        #expect(measured.calibrated(by: calibration) == measured)
        #expect(measured.calibrated(by: .none) == measured)
        let summary = JoinedSummary(BlockSummary(of: measured, after: nil))
        #expect(summary.calibrated(by: calibration) == summary)
        #expect(calibration.limited(to: Self.layout.channels).isEmpty)
        let current = Calibration([.init("current", .ampere, two)])
        let shown = measured.calibrated(by: current)
        #expect(
            shown.columns[0] == measured.columns[0] && shown.columns[1] == measured.columns[1].map { 2 * $0 + 10_000 })
        #expect(current.limited(to: Self.layout.channels) == current)
    }
}
