import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveWording

/// A comparison of two stores, as tables or as JSON.
struct ComparisonOutput: Encodable {
    struct Range: Encodable {
        var first: UInt64
        var last: UInt64

        init(_ range: EventRange) { (first, last) = (range.first, range.last) }
    }

    struct Replica: Encodable {
        var replica: String
        var device: String
        var eventsHere: UInt64
        var eventsThere: UInt64
        var onlyHere: [Range]
        var onlyThere: [Range]
        var differing: [Range]
        var undecided: [Range]

        init(_ replica: StoreComparison.Replica) {
            self.replica = "\(replica.id)"
            device = replica.device
            (eventsHere, eventsThere) = (replica.eventsHere, replica.eventsThere)
            (onlyHere, onlyThere) = (replica.onlyHere.map(Range.init), replica.onlyThere.map(Range.init))
            (differing, undecided) = (replica.differing.map(Range.init), replica.undecided.map(Range.init))
        }
    }

    struct Event: Encodable {
        struct Side: Encodable {
            var leaf: String
            var kind: String?
            var record: String?
            var call: String?
        }

        var event: String
        var here: Side?
        var there: Side?

        init(_ event: StoreComparison.Event) {
            func side(_ side: StoreComparison.Event.Side) -> Side {
                Side(leaf: "\(side.leaf)", kind: side.kind, record: side.record.map { "\($0)" }, call: side.label)
            }
            self.event = "\(event.id)"
            (here, there) = (event.here.map(side), event.there.map(side))
        }
    }

    struct Views: Encodable {
        var same: Bool
        var digest: String?
        var hereIsRight: Bool?
        var thereIsRight: Bool?
    }

    var same: Bool
    var replicas: [Replica]
    var events: [Event]
    var views: Views?
    var namesAlike: Bool
    var exchanges: Int
    var bytes: Int

    private let comparison: StoreComparison

    private enum CodingKeys: CodingKey { case same, replicas, events, views, namesAlike, exchanges, bytes }

    init(_ comparison: StoreComparison) {
        self.comparison = comparison
        same = comparison.isSame
        replicas = comparison.replicas.map(Replica.init)
        events = comparison.events.map(Event.init)
        namesAlike = comparison.namesAlike
        switch comparison.views {
        case .same(let digest): views = Views(same: true, digest: "\(digest)")
        case .different(let here, let there): views = Views(same: false, hereIsRight: here, thereIsRight: there)
        case .notCompared: views = nil
        }
        exchanges = comparison.exchanges
        bytes = comparison.bytes
    }

    /// Prints what differs and, where nothing does, what was compared.
    func print() throws {
        let differing = comparison.replicas.filter { !$0.isSame }
        if !differing.isEmpty {
            try printReplicas(differing)
            try printEvents()
        }
        if comparison.replicas.contains(where: { !$0.differing.isEmpty }) {
            try Terminal.print(
                "Some event numbers have two contents: both stores wrote with the same key, or an event was altered.")
        }
        if !namesAlike {
            try Terminal.print(
                "One store does not know of a fork, so the same events have two names: synchronise the stores first."
            )
        }
        try printViews()
        let total = comparison.replicas.reduce(0) { $0 + $1.eventsHere }
        let exchanged = "\(NumberText.count(exchanges, "exchange")), \(NumberText.bytes(bytes))."
        try Terminal.print(
            same
                ? Terminal.styled("The same:", .green) + " \(NumberText.count(total, "event")); \(exchanged)"
                : Terminal.styled("Not the same:", .red) + " \(summary); \(exchanged)")
    }

    private func printReplicas(_ replicas: [StoreComparison.Replica]) throws {
        var table = TextTable(
            ["DEVICE", "REPLICA", "HERE", "THERE", "ONLY HERE", "ONLY THERE", "DIFFERENT"], numbersFrom: 2, to: 3)
        for replica in replicas {
            let undecided = replica.undecided.isEmpty ? [] : ["possibly more in " + Self.text(replica.undecided)]
            table.append([
                replica.device, replica.id.short, "\(replica.eventsHere)", "\(replica.eventsThere)",
                Self.text(replica.onlyHere), Self.text(replica.onlyThere),
                ([Self.text(replica.differing)] + undecided).filter { !$0.isEmpty }.joined(separator: ", "),
            ])
        }
        try table.print()
    }

    private func printEvents() throws {
        if comparison.events.isEmpty { return }
        try Terminal.print("")
        var table = TextTable(["EVENT", "RECORD HERE", "RECORD THERE"])
        for event in comparison.events {
            table.append([event.id.short, Self.text(event.here), Self.text(event.there)])
        }
        try table.print()
        let counts = comparison.replicas.flatMap { [$0.differing, $0.onlyHere, $0.onlyThere].joined() }.map(\.count)
        let total = counts.reduce(0, +)
        if total > UInt64(comparison.events.count) {
            Terminal.remark("Showing the first \(comparison.events.count) of \(total); --limit \(total) shows all.")
        }
        try Terminal.print("")
    }

    private func printViews() throws {
        if same, comparison.views == .notCompared {
            try Terminal.print("The views were not compared: one of the stores is being written to.")
        }
        guard case .different(let hereIsRight, let thereIsRight) = comparison.views else { return }
        try Terminal.print("The events are the same, but the views are not.")
        if !hereIsRight {
            try Terminal.print("The views here do not match the log. To rebuild them: groundwave replay")
        }
        if !thereIsRight {
            try Terminal.print(
                "The views there do not match the log. To rebuild them: groundwave replay, in that store.")
        }
        if hereIsRight, thereIsRight {
            try Terminal.print(
                "Both match their logs: some values are withheld in one of the stores.")
        }
    }

    /// `1 event with two contents, 2 events only here`.
    private var summary: String {
        func count(_ ranges: (StoreComparison.Replica) -> [EventRange]) -> UInt64 {
            comparison.replicas.flatMap(ranges).reduce(0) { $0 + $1.count }
        }
        let parts = [
            (count(\.differing), "with two contents"), (count(\.onlyHere), "only here"),
            (count(\.onlyThere), "only there"),
        ].filter { $0.0 > 0 }.map { "\(NumberText.count($0.0, "event")) \($0.1)" }
        let undecided = count(\.undecided)
        let more = undecided > 0 ? ["possibly more among \(NumberText.count(undecided, "event"))"] : []
        return parts.isEmpty && more.isEmpty ? "the views differ" : (parts + more).joined(separator: ", ")
    }

    /// `3, 7–9`, and how many more there are.
    private static func text(_ ranges: [EventRange]) -> String {
        let shown = ranges.prefix(4).map { $0.count == 1 ? "\($0.first)" : "\($0.first)–\($0.last)" }
        let more = ranges.count > shown.count ? ["… \(ranges.count - shown.count) more"] : []
        return (shown + more).joined(separator: ", ")
    }

    private static func text(_ side: StoreComparison.Event.Side?) -> String {
        guard let side else { return "–" }
        guard let kind = side.kind, let record = side.record else { return "unknown to this version" }
        guard kind == QSOKind.name else { return "\(kind) \(record.short)" }
        return side.label.map { "\($0) \(record.short)" } ?? record.short
    }
}
