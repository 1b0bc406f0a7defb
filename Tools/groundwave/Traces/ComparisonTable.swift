import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

/// Two traces beside one another, as `trace compare` prints them.
struct ComparisonTable {
    private let comparison: TraceComparison
    private let channels: [TraceComparison.CommonChannel]
    private let sides: [TraceComparison.Side]
    private let totals: [TraceTotals]

    /// - Parameter names: The channels to compare, in this order; `nil` for all.
    /// - Throws: ``StoreError`` with code `usage` if one of them is not in both traces.
    init(_ comparison: TraceComparison, channels names: [String]?) throws {
        self.comparison = comparison
        channels =
            try names.map { names in
                try names.map { try comparison.channel(named: $0) }
            } ?? comparison.channels
        sides = [comparison.a, comparison.b]
        totals = sides.map { TraceTotals(of: $0.stretch.rows.parts) }
    }

    /// The number of rows of both that cannot be read.
    var unreadableCount: UInt64 { sides.reduce(0) { $0 + $1.stretch.unreadableCount } }

    func print() throws {
        try Terminal.print(title)
        try facts.print()
        if channels.isEmpty {
            try Terminal.print("")
            try Terminal.print("No channel is in both.")
        } else {
            try printChannels()
        }
        for (letter, only) in [("A", comparison.onlyInA), ("B", comparison.onlyInB)] where !only.isEmpty {
            let names = only.map { $0.unit == .none ? $0.name : "\($0.name) in \($0.unit.rawValue)" }
            try Terminal.print("Only in \(letter): \(names.joined(separator: ", ")).")
        }
    }

    private var title: TerminalText {
        let range = comparison.range
        switch comparison.alignment {
        case .start:
            let ends = [range.lowerBound, range.upperBound].map { TraceText.precise(milliseconds: $0) }
            return "From \(ends[0]) to \(ends[1]) since the first row of each."
        case .clock:
            let ends = [range.lowerBound, range.upperBound].map { UTCText.milliseconds($0) }
            return "From \(ends[0]) to \(ends[1])."
        }
    }

    private var facts: TextTable {
        var facts = TextTable(["WHAT", "A", "B", "B - A"])
        func add(_ what: String, _ values: [String], _ difference: String = "") {
            facts.append([what] + values + (difference.isEmpty ? [] : [difference]))
        }
        add("trace", sides.map { $0.trace.id.short })
        if sides.contains(where: { !$0.trace.name.isEmpty }) {
            add("name", sides.map { RecordText.short($0.trace.name, 40) })
        }
        add("meter", sides.map { $0.trace.meter?.description ?? "?" })
        add("model", sides.map { $0.trace.model?.displayName ?? "unknown" })
        let rows = sides.map(\.stretch.rows)
        add("first row", rows.map { $0.leastTime.map { UTCText.milliseconds($0) } ?? "" })
        add("last row", rows.map { $0.greatestTime.map { UTCText.milliseconds($0) } ?? "" })
        add("rows", rows.map { "\($0.rowCount)" })
        add("missing", rows.map { TraceText.missing($0) })
        if totals.contains(where: { $0.charge != nil }) {
            add("charge", totals.map { Self.text($0.charge, "Ah") }, Self.text(difference(\.charge), "Ah"))
        }
        if totals.contains(where: { $0.energy != nil }) {
            add("energy", totals.map { $0.energyText ?? "" }, Self.text(difference(\.energy), "Wh"))
        }
        if totals.contains(where: { $0.charge != nil }) {
            add("covered", totals.map { TraceText.span(milliseconds: Int64(clamping: $0.coveredMilliseconds)) })
        }
        let stretches = sides.map(\.stretch)
        if stretches.contains(where: { !$0.calibration.isEmpty }) {
            add("calibrated", stretches.map(\.calibration.formulas))
        }
        if stretches.contains(where: { $0.hiddenCount > 0 }) {
            add("hidden", stretches.map { "\(NumberText.count($0.hiddenCount, "row")), not counted" })
        }
        if stretches.contains(where: { $0.withheldCount > 0 }) {
            add("not here", stretches.map { "\(NumberText.count($0.withheldCount, "row")), not counted" })
        }
        if stretches.contains(where: { $0.unreadableCount > 0 }) {
            add("unreadable", stretches.map { "\(NumberText.count($0.unreadableCount, "row")), not counted" })
        }
        return facts
    }

    private func printChannels() throws {
        // A meter of ten groups sends twenty totals that nobody uses.
        let silent = channels.filter { $0.isZero }
        if silent.count < channels.count {
            try Terminal.print("")
            var table = TextTable(
                ["CHANNEL", "MEAN A", "MEAN B", "B - A", "LEAST A", "LEAST B", "GREATEST A", "GREATEST B", "UNIT"],
                numbersFrom: 1, to: 7)
            for channel in channels where !channel.isZero {
                let values = channel.texts
                table.append(
                    [
                        channel.channel.name, values.a.mean, values.b.mean, values.difference, values.a.min,
                        values.b.min, values.a.max, values.b.max, channel.channel.unit.rawValue,
                    ])
            }
            try table.print()
        }
        if !silent.isEmpty {
            let named = silent.map(\.channel.name)
            let rest = named.count > 8 ? " and \(named.count - 6) more" : ""
            let shown = rest.isEmpty ? named[...] : named.prefix(6)
            try Terminal.print("0 throughout in both: \(shown.joined(separator: ", "))\(rest).")
        }
    }

    /// The quantity of B less that of A; `nil` if one of them has none.
    private func difference(_ quantity: KeyPath<TraceTotals, Double?>) -> Double? {
        guard let a = totals[0][keyPath: quantity], let b = totals[1][keyPath: quantity] else { return nil }
        return b - a
    }

    private static func text(_ quantity: Double?, _ unit: String) -> String {
        quantity.map { TraceText.quantity($0, unit) } ?? ""
    }
}

extension ComparisonTable {
    /// The comparison as JSON.
    struct Result: Encodable {
        struct Side: Encodable {
            var mac: String?
            var model: String?
            let stretch: StretchResult

            private enum CodingKeys: String, CodingKey { case mac, model }

            func encode(to encoder: any Encoder) throws {
                try stretch.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encodeIfPresent(mac, forKey: .mac)
                try container.encodeIfPresent(model, forKey: .model)
            }
        }

        struct Values: Encodable {
            var mean: String
            var min: String
            var max: String
        }

        struct Channel: Encodable {
            var name: String
            var unit: String
            var decimals: Int
            var a: Values
            var b: Values
            var difference: String
        }

        struct Only: Encodable {
            var name: String
            var unit: String
        }

        struct Difference: Encodable {
            var charge: Double?
            var energy: Double?
        }

        var align: String
        var from: String?
        var to: String?
        var fromSeconds: Double?
        var toSeconds: Double?
        var a: Side
        var b: Side
        var difference: Difference
        var channels: [Channel]
        var onlyA: [Only]
        var onlyB: [Only]
    }

    var result: Result {
        let sides = zip(sides, totals).map { side, totals in
            Result.Side(
                mac: side.trace.meter?.description, model: side.trace.model?.rawValue,
                stretch: StretchResult(side.stretch, of: side.trace, totals))
        }
        let (range, isClock) = (comparison.range, comparison.alignment == .clock)
        func only(_ channels: [Channel]) -> [Result.Only] {
            channels.map { .init(name: $0.name, unit: $0.unit.rawValue) }
        }
        return Result(
            align: comparison.alignment.rawValue,
            from: isClock ? UTCText.milliseconds(range.lowerBound) : nil,
            to: isClock ? UTCText.milliseconds(range.upperBound) : nil,
            fromSeconds: isClock ? nil : Double(range.lowerBound) / 1000,
            toSeconds: isClock ? nil : Double(range.upperBound) / 1000, a: sides[0], b: sides[1],
            difference: .init(charge: difference(\.charge), energy: difference(\.energy)),
            channels: channels.map(\.result), onlyA: only(comparison.onlyInA), onlyB: only(comparison.onlyInB))
    }
}

extension TraceComparison {
    fileprivate func channel(named name: String) throws -> CommonChannel {
        guard let channel = channels.first(where: { $0.channel.name == name }) else {
            throw StoreError(
                .usage, "There is no channel \(name) that both traces have.",
                hint: "They have in common: \(channels.map(\.channel.name).joined(separator: ", ")).")
        }
        return channel
    }
}

extension TraceComparison.CommonChannel {
    fileprivate var isZero: Bool { [a, b].allSatisfy { $0.least == 0 && $0.greatest == 0 } }

    fileprivate var texts:
        (
            a: ComparisonTable.Result.Values, b: ComparisonTable.Result.Values, difference: String
        )
    {
        func values(_ cell: Cell, mean: Int128) -> ComparisonTable.Result.Values {
            .init(
                mean: TraceText.decimal(mean, meanDecimals),
                min: TraceText.decimal(Int128(cell.least), channel.decimals),
                max: TraceText.decimal(Int128(cell.greatest), channel.decimals))
        }
        return (
            values(a, mean: meanOfA), values(b, mean: meanOfB), TraceText.decimal(difference, meanDecimals)
        )
    }

    fileprivate var result: ComparisonTable.Result.Channel {
        let texts = texts
        return .init(
            name: channel.name, unit: channel.unit.rawValue, decimals: channel.decimals, a: texts.a, b: texts.b,
            difference: texts.difference)
    }
}
