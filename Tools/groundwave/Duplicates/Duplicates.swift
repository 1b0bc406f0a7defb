import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

struct Duplicates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates", abstract: "Contacts that were logged twice: list, merge, dismiss.",
        discussion: """
            Two contacts are possible duplicates if call, band and mode are the same, the logging stations are not \
            known to differ, and they are at most two minutes apart. USB, LSB and SSB count as one mode, and so do FT4 \
            and MFSK. Nothing is merged automatically.
            """,
        subcommands: [DuplicatesList.self, DuplicatesMerge.self, DuplicatesDismiss.self],
        defaultSubcommand: DuplicatesList.self)
}

/// How far apart two contacts may be.
struct WindowOption: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum number of seconds between the two start times.", valueName: "seconds"))
    var window = DuplicatePair.defaultWindow
}

/// Two contacts that may be one, as they are printed.
struct PairText {
    let pair: DuplicatePair
    let first: Record
    let second: Record
    let differences: [ContactComparison.Difference]

    /// `nil` where one of the two is gone meanwhile.
    init?(_ pair: DuplicatePair, _ store: any Reading) throws {
        let records = try store.read { view in
            try [pair.first.id, pair.second.id].compactMap { try view.record(QSOKind.name, $0) }
        }
        guard records.count == 2 else { return nil }
        self.pair = pair
        first = records[0]
        second = records[1]
        differences = ContactComparison(first, second).differences
    }

    /// The words beside each of the two contacts: what the one says otherwise, and what only one of them says.
    var words: (first: String, second: String) {
        // When and how long they lie apart is said in seconds.
        let shown = differences.filter { $0.field != "QSO_DATE" && $0.field != "TIME_ON" }
        func list(_ title: String, _ isIncluded: (ContactComparison.Difference) -> Bool) -> [String] {
            let names = shown.filter(isIncluded).map(\.field)
            return names.isEmpty ? [] : ["\(title) \(names.joined(separator: ", "))"]
        }
        let isExact = pair.first.start.count == 1 && pair.second.start.count == 1
        let apart = pair.seconds == 0 ? "same time" : "\(isExact ? "" : "at least ")\(pair.seconds) s later"
        let other = list("different") { $0.first != nil && $0.second != nil }
        return (
            list("only here:") { $0.second == nil }.joined(),
            ([apart] + other + list("only here:") { $0.first == nil }).joined(separator: "; ")
        )
    }
}
