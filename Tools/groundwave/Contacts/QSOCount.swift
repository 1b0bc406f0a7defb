import ArgumentParser
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio

struct QSOCount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count contacts: in total, or by band, mode, park, operator, day, hour, or the value of any field.",
        discussion: """
            Several names, separated by commas, count each combination. Notes of an activation (mode WEATHER, SOLAR or \
            NOTE) and hidden contacts never count.

              groundwave qso count --since 2026-05 --by band
              groundwave qso count --by DXCC,band
              groundwave qso count --where 'LOTW_QSL_RCVD=Y' --by STATE
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters

    @Option(
        help: ArgumentHelp(
            "By band, mode, park, operator, day, hour, or fields: DXCC, or COUNTRY,MODE.", valueName: "names"))
    var by: String?

    func run() async throws {
        let keys = try (by ?? "").split(separator: ",").map { name in try Self.key(name.filter { !$0.isWhitespace }) }
        let store = try await options.open()
        let query = try filters.query(store)
        for key in keys { if case .field(let name) = key { try store.checkField(name) } }
        guard !keys.isEmpty else {
            let total = try store.countContacts(query, by: []).total
            if options.json { return try Terminal.print(json: CountResult(total: total, groups: [])) }
            return try Terminal.print("\(total)")
        }
        let counts = try store.countContacts(query, groupedBy: keys)
        if options.json { return try Terminal.print(json: CountResult(counts)) }
        try Terminal.print(lines: CountText.lines(counts))
    }

    private static func key(_ name: String) throws -> ContactGroups.Key {
        do { return try ContactGroups.Key(named: name) } catch {
            throw StoreError(.usage, error.message, hint: error.hint)
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
    }

    var total: Int
    var groups: [Group]

    init(total: Int, groups: [Group]) { (self.total, self.groups) = (total, groups) }

    init(_ counts: ContactGroups) {
        total = counts.total
        groups = counts.groups.map { group in
            Group(
                key: group.values.joined(separator: " "), keys: counts.keys.count > 1 ? group.values : nil,
                count: group.count)
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
        lines(counts.groups.map { ($0.values, $0.count) }, names: counts.keys.map(\.name), total: counts.total)
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
