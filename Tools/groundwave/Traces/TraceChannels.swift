import GroundwaveMetering

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
                mean: TraceText.decimal(cell.mean, channel.decimals),
                first: TraceText.decimal(Int128(cell.first), channel.decimals),
                last: TraceText.decimal(Int128(cell.last), channel.decimals))
        }
    }

    /// Prints them as a table below an empty line; those that are 0 throughout in one line.
    func print() throws {
        if channels.isEmpty { return }
        try Terminal.print("")
        var table = TextTable(["CHANNEL", "LEAST", "MEAN", "GREATEST", "LAST", "UNIT"], numbersFrom: 1)
        // A meter of ten groups sends twenty totals that nobody uses.
        let silent = channels.filter { $0.cell.least == 0 && $0.cell.greatest == 0 }.map(\.channel.name)
        for (channel, cell) in channels where !silent.contains(channel.name) {
            table.append([
                channel.name, TraceText.decimal(Int128(cell.least), channel.decimals),
                TraceText.decimal(cell.mean, channel.decimals),
                TraceText.decimal(Int128(cell.greatest), channel.decimals),
                TraceText.decimal(Int128(cell.last), channel.decimals), channel.unit.rawValue,
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

extension Cell {
    /// The mean with the decimals of the values, rounded to the nearest.
    var mean: Int128 {
        let half = sum < 0 ? -Int128(count) / 2 : Int128(count) / 2
        return (sum &+ half) / Int128(count)
    }
}

/// Charge, energy and the time that they cover, over the rows of all layouts.
struct TraceTotals {
    var charge: Double?
    var energy: Double?
    var coveredMilliseconds: UInt64

    init(of parts: [BlockSummary]) {
        let charges = parts.compactMap { $0.layout.ampereHours($0.totals) }
        let energies = parts.compactMap { $0.layout.wattHours($0.totals) }
        charge = charges.isEmpty ? nil : charges.reduce(0, +)
        energy = energies.isEmpty ? nil : energies.reduce(0, +)
        coveredMilliseconds = parts.reduce(0) { $0 &+ $1.totals.covered }
    }

    var coveredSeconds: Double { Double(coveredMilliseconds) / 1000 }

    /// Adds them to a table of facts; with how long the rows last of which they are.
    func append(to facts: inout TextTable, span: Int64?) {
        if let charge { facts.append(["charge", TraceText.quantity(charge, "Ah")]) }
        if let energy { facts.append(["energy", TraceText.quantity(energy, "Wh")]) }
        guard charge != nil else { return }
        let covered = TraceText.span(milliseconds: Int64(clamping: coveredMilliseconds))
        let whole = span.map { " of \(TraceText.span(milliseconds: $0))" } ?? ""
        facts.append(["covered", "\(covered)\(whole), without gaps"])
    }
}
