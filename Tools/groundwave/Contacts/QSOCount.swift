import ArgumentParser
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveWording

struct QSOCount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count contacts: in total, or by band, mode, park, operator, day, hour, or the value of any field.",
        discussion: """
            Several names, separated by commas, count each combination. Notes of an activation (mode WEATHER, SOLAR or \
            NOTE) and hidden contacts never count.

              groundwave qso count --since 2026-05 --by band
              groundwave qso count --by DXCC,band
              groundwave qso count --by DXCC --confirmed
              groundwave qso count --by grid,band --confirmed --csv
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters

    @Option(
        help: ArgumentHelp(
            "By band, mode, park, operator, day, hour, grid, zone, or fields: DXCC, or COUNTRY,MODE.",
            valueName: "names"))
    var by: String?

    @Flag(help: "Count those that are confirmed, too: by LoTW, eQSL and cards.")
    var confirmed = false

    @Flag(help: "Print the table as CSV.")
    var csv = false

    func run() async throws {
        let keys = try (by ?? "").split(separator: ",").map { name in try Self.key(name.filter { !$0.isWhitespace }) }
        if csv, options.json || keys.isEmpty {
            throw StoreError(.usage, "--csv prints a table of groups.", hint: "Add --by, and leave out --json.")
        }
        let store = try await options.open()
        let query = try filters.query(store)
        for key in keys { if case .field(let name) = key { try store.checkField(name) } }
        guard !keys.isEmpty || confirmed else {
            let total = try store.countContacts(query, by: []).total
            if options.json { return try Terminal.print(json: CountResult(total: total, groups: [])) }
            return try Terminal.print("\(total)")
        }
        let counts = try store.countContacts(query, groupedBy: keys, countsConfirmations: confirmed)
        if options.json { return try Terminal.print(json: CountResult(counts, areConfirmed: confirmed)) }
        if csv { return try Output.write(file: CountText.csv(counts, areConfirmed: confirmed)) }
        try Terminal.print(lines: confirmed ? CountText.confirmed(counts) : CountText.lines(counts))
    }

    private static func key(_ name: String) throws -> ContactGroups.Key {
        do { return try ContactGroups.Key(named: name) } catch {
            throw StoreError(.usage, error.message, hint: error.hint.map { Hint($0) })
        }
    }
}

/// Counts as scripts read them.
struct CountResult: Encodable {
    struct Group: Encodable {
        /// The values, separated by a blank.
        var key: String
        var keys: [String]?
        var count: Int
        var confirmed: Confirmed?
    }

    /// How many are confirmed.
    struct Confirmed: Encodable {
        var any: Int
        var lotw: Int
        var eqsl: Int
        var paper: Int

        init(_ counts: ContactGroups.Counts) {
            (any, lotw, eqsl, paper) = (counts.confirmed, counts.lotw, counts.eqsl, counts.paper)
        }
    }

    var total: Int
    var confirmed: Confirmed?
    var groups: [Group]

    init(total: Int, groups: [Group]) { (self.total, self.groups) = (total, groups) }

    init(_ counts: ContactGroups, areConfirmed: Bool) {
        total = counts.total.all
        confirmed = areConfirmed ? Confirmed(counts.total) : nil
        if counts.keys.isEmpty {
            groups = []
            return
        }
        groups = counts.groups.map { group in
            Group(
                key: group.values.joined(separator: " "), keys: counts.keys.count > 1 ? group.values : nil,
                count: group.counts.all, confirmed: areConfirmed ? Confirmed(group.counts) : nil)
        }
    }

    static func groups(_ counts: ContactCounts, by key: ContactCounts.Key) -> [Group] {
        counts.groups(by: key).map { Group(key: $0.key, count: $0.count) }
    }
}

/// Counts as people read them.
enum CountText {
    static func lines(_ counts: ContactCounts, by key: ContactCounts.Key) -> [TerminalText] {
        lines(counts.groups(by: key).map { ([$0.key], $0.count) }, names: [key.rawValue], total: counts.total)
    }

    static func lines(_ counts: ContactGroups) -> [TerminalText] {
        lines(
            counts.groups.map { ($0.values, $0.counts.all) }, names: counts.keys.map(\.name), total: counts.total.all)
    }

    /// A table of groups with what is confirmed of each, and how many groups are worked and confirmed.
    static func confirmed(_ counts: ContactGroups) -> [TerminalText] {
        let names = counts.keys.map(\.name)
        let numbers = ["CONTACTS", "CONFIRMED", "LOTW", "EQSL", "PAPER"]
        var table = TextTable(names.map { $0.uppercased() } + numbers, numbersFrom: names.count)
        func cells(_ counts: ContactGroups.Counts) -> [String] {
            [counts.all, counts.confirmed, counts.lotw, counts.eqsl, counts.paper].map { "\($0)" }
        }
        if names.isEmpty {
            table.append(cells(counts.total))
            return table.lines
        }
        // What a contact does not have is worked and confirmed by nobody.
        let groups = counts.groups.filter { !$0.values.contains("") }
        for group in groups { table.append(group.values.map { RecordText.short($0, 40) } + cells(group.counts)) }
        func number(_ part: (ContactGroups.Counts) -> Int) -> Int { groups.count { part($0.counts) > 0 } }
        let others = counts.groups.filter { $0.values.contains("") }.reduce(0) { $0 + $1.counts.all }
        let rest = others == 0 ? "" : " Contacts without \(names.joined(separator: " or ")): \(others)."
        return table.lines + [
            """
            Worked: \(groups.count). Confirmed: \(number { $0.confirmed }) (LoTW \(number { $0.lotw }), \
            eQSL \(number { $0.eqsl }), paper \(number { $0.paper })).\(rest)
            """
        ]
    }

    /// The groups as a table for spreadsheets (RFC 4180).
    static func csv(_ counts: ContactGroups, areConfirmed: Bool) -> [UInt8] {
        let numbers = ["contacts"] + (areConfirmed ? ["confirmed", "lotw", "eqsl", "paper"] : [])
        var bytes: [UInt8] = []
        CSV.append((counts.keys.map(\.name) + numbers).map { Array($0.utf8)[...] }, to: &bytes)
        for group in counts.groups {
            let found = group.counts
            let cells = [found.all] + (areConfirmed ? [found.confirmed, found.lotw, found.eqsl, found.paper] : [])
            CSV.append((group.values + cells.map { "\($0)" }).map { Array($0.utf8)[...] }, to: &bytes)
        }
        return bytes
    }

    private static func lines(
        _ groups: [(values: [String], count: Int)], names: [String], total: Int
    ) -> [TerminalText] {
        let width = (groups.map(\.count) + [total]).map { String($0).count }.max() ?? 1
        let cells = groups.map { group in
            zip(group.values, names).map { value, name in
                TerminalText(value.isEmpty ? "(no \(name))" : RecordText.short(value, 60))
            }
        }
        let widths = names.indices.map { column in cells.map { $0[column].width }.max() ?? 0 }
        func line(_ count: Int, _ text: TerminalText) -> TerminalText {
            .blanks(width - String(count).count) + "\(count)  " + text
        }
        var lines: [TerminalText] = []
        for (group, row) in zip(groups, cells) {
            var text = TerminalText()
            for (column, cell) in row.enumerated() {
                text += cell
                if column < row.count - 1 { text += .blanks(widths[column] - cell.width + 2) }
            }
            lines.append(line(group.count, text))
        }
        lines.append(line(total, "in total"))
        if groups.reduce(0, { $0 + $1.count }) > total {
            lines.append("A contact with several parks counts once for each park, but only once in the total.")
        }
        return lines
    }
}
