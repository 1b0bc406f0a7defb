import ArgumentParser
import Groundwave
import GroundwaveRadio

struct QSOCount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count contacts: in total, or by band, mode, park, operator, day or hour.",
        discussion: """
            Notes of an activation (mode WEATHER, SOLAR or NOTE) and hidden contacts never count.

              groundwave qso count --since 2026-05-01 --by band
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters

    @Option(help: "By band, mode, park, operator, day or hour.")
    var by: ContactCounts.Key?

    func run() async throws {
        let store = try await options.open()
        let counts = try store.countContacts(try filters.query(store), by: by.map { [$0] } ?? [])
        if options.json { return try Terminal.print(json: CountResult(counts, by: by)) }
        if let by {
            try Terminal.print(lines: CountText.lines(counts, by: by))
        } else {
            try Terminal.print("\(counts.total)")
        }
    }
}

extension ContactCounts.Key: ExpressibleByArgument {}

/// Counts as scripts read them.
struct CountResult: Encodable {
    struct Group: Encodable {
        var key: String
        var count: Int
    }

    var total: Int
    var groups: [Group]

    init(_ counts: ContactCounts, by key: ContactCounts.Key?) {
        total = counts.total
        groups = key.map { Self.groups(counts, by: $0) } ?? []
    }

    static func groups(_ counts: ContactCounts, by key: ContactCounts.Key) -> [Group] {
        counts.groups(by: key).map { Group(key: $0.key, count: $0.count) }
    }
}

/// Counts as people read them.
enum CountText {
    static func lines(_ counts: ContactCounts, by key: ContactCounts.Key) -> [TerminalText] {
        let groups = counts.groups(by: key)
        let width = (groups.map(\.count) + [counts.total]).map { String($0).count }.max() ?? 1
        func line(_ count: Int, _ text: String) -> TerminalText {
            .blanks(width - String(count).count) + "\(count)  \(text)"
        }
        var lines = groups.map { line($0.count, $0.key.isEmpty ? "(no \(key.rawValue))" : $0.key) }
        lines.append(line(counts.total, "in total"))
        let sum = groups.reduce(0) { $0 + $1.count }
        if sum > counts.total {
            lines.append(
                "A contact with several parks counts once for each park, but only once in the total.")
        }
        return lines
    }
}
