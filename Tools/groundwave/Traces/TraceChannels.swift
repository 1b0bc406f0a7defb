import GroundwaveMetering
import GroundwaveWording

/// The channels of some rows, as `trace show` prints them.
struct TraceChannels {
    /// A channel as JSON.
    struct Result: Encodable {
        var name: String
        var unit: String
        var decimals: Int
        var min: String
        var max: String
        var mean: String
        var first: String
        var last: String
    }

    let channels: [(channel: Channel, cell: Cell)]

    var results: [Result] {
        channels.map { channel, cell in
            Result(
                name: channel.name, unit: channel.unit.rawValue, decimals: channel.decimals,
                min: TraceText.decimal(Int128(cell.least), channel.decimals),
                max: TraceText.decimal(Int128(cell.greatest), channel.decimals),
                mean: TraceText.mean(cell, channel),
                first: TraceText.decimal(Int128(cell.first), channel.decimals),
                last: TraceText.decimal(Int128(cell.last), channel.decimals))
        }
    }

    /// Prints them as a table below an empty line, temperatures in `unit`; those that are 0 throughout in one line.
    func print(in unit: TemperatureUnit) throws {
        if channels.isEmpty { return }
        try Terminal.print("")
        var table = TextTable(["CHANNEL", "LEAST", "MEAN", "GREATEST", "LAST", "UNIT"], numbersFrom: 1)
        // A meter of ten groups sends twenty totals that nobody uses.
        let silent = channels.filter { unit.isZero($0.cell, of: $0.channel) }.map(\.channel.name)
        for (channel, cell) in channels where !silent.contains(channel.name) {
            table.append([
                channel.name, TraceText.number(cell.least, channel, in: unit), TraceText.mean(cell, channel, in: unit),
                TraceText.number(cell.greatest, channel, in: unit), TraceText.number(cell.last, channel, in: unit),
                unit.name(for: channel),
            ])
        }
        if silent.count < channels.count { try table.print() }
        if !silent.isEmpty {
            let rest = silent.count > 8 ? " and \(silent.count - 6) more" : ""
            let named = rest.isEmpty ? silent[...] : silent.prefix(6)
            try Terminal.print("0 throughout: \(named.joined(separator: ", "))\(rest).")
        }
    }
}

extension TemperatureUnit {
    /// Whether all values of a channel are shown as 0.
    func isZero(_ cell: Cell, of channel: Channel) -> Bool {
        shown(cell.least, of: channel) == 0 && shown(cell.greatest, of: channel) == 0
    }
}

extension TraceTotals {
    /// Adds them to a table of facts; with how long the rows last of which they are.
    func append(to facts: inout TextTable, span: Int64?) {
        if let charge { facts.append(["charge", TraceText.quantity(charge, "Ah")]) }
        if let energy = energyText { facts.append(["energy", energy]) }
        guard charge != nil else { return }
        let covered = TraceText.span(milliseconds: Int64(clamping: coveredMilliseconds))
        let whole = span.map { " of \(TraceText.span(milliseconds: $0))" } ?? ""
        facts.append(["covered", "\(covered)\(whole), gaps left out"])
    }
}
