import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct QSOWorked: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worked", abstract: "Check whether a station was worked; exit with status 1 if not.",
        discussion: """
            Also shows whether another contact now would be a dupe. In a session, it is a dupe if the session has an \
            earlier contact with the station; if the session has parks, that contact must be from the same parks and \
            UTC day. Without a session, the earlier contact must be from the same UTC day. W1AW is also found as \
            W1AW/P or DL/W1AW, but only a contact with the same call, on the same band and in the same mode makes a \
            dupe. If neither the options nor the session give band and mode, the answer lists where another contact \
            would be one.

              groundwave qso worked W1AW --band 20m --mode CW
            """)

    @Argument(help: ArgumentHelp("The station's call.", valueName: "call"))
    var call: String

    @OptionGroup var options: ReadOptions

    @Option(help: ArgumentHelp("Only on this band.", valueName: "band"))
    var band: String?

    @Option(help: ArgumentHelp("Only in this mode or submode.", valueName: "mode"))
    var mode: String?

    @Option(help: ArgumentHelp("Only in this session: its id, last, or open.", valueName: "id"))
    var session: String?

    struct Result: Encodable {
        struct Contact: Encodable {
            var id: String
            var at: String?
            var band: String?
            var mode: String?
            var park: String?
        }

        /// A band and mode on which another contact now would be a dupe.
        struct Dupe: Encodable {
            var band: String
            var mode: String
        }

        var worked: [Contact]
        var dupe: Bool
        var dupes: [Dupe]
    }

    func run() async throws {
        let store = try await options.open()
        var query = ContactQuery.contacts
        query.station = call
        query.band = try band.map { try BandName.checked($0) }
        query.mode = mode
        query.session = try session.map { try SessionName.resolve($0, store) }
        let wanted = query
        let records = try store.read { try $0.all(wanted) }
        let dupe = try dupeCheck(store, query.session)
        let dupes = Self.dupes(records.filter { dupe.isDupe($0) })
        // A contact on any other band or in any other mode is none.
        let isDupe = dupe.band != nil && dupe.mode != nil && !dupes.isEmpty
        if options.json {
            try Terminal.print(json: Result(worked: records.map(Self.contact), dupe: isDupe, dupes: dupes))
        } else if records.isEmpty {
            try Terminal.print("\(call.uppercased()) has not been worked yet.")
        } else {
            var table = ContactTable()
            records.forEach { table.append($0) }
            try Terminal.print(lines: table.lines)
            if isDupe {
                try Terminal.print("Another contact now would be a dupe.")
            } else if !dupes.isEmpty {
                let places = dupes.map { "\($0.band) \($0.mode)" }.joined(separator: ", ")
                try Terminal.print("Another contact now would be a dupe on \(places).")
            }
        }
        if records.isEmpty { throw Answer.no }
    }

    /// The bands and modes of `records`, each pair once, in order of the records.
    private static func dupes(_ records: [Record]) -> [Result.Dupe] {
        var seen: Set<[String]> = []
        return records.compactMap { record in
            let facts = ContactFacts(record)
            let pair = [facts.band ?? "an unknown band", facts.modeName ?? "an unknown mode"]
            return seen.insert(pair).inserted ? Result.Dupe(band: pair[0], mode: pair[1]) : nil
        }
    }

    private static func contact(_ record: Record) -> Result.Contact {
        let facts = ContactFacts(record)
        return Result.Contact(
            id: "\(record.id)", at: facts.startSeconds.map(UTCText.seconds), band: facts.band,
            mode: facts.emission?.description, park: facts.myParks.isEmpty ? nil : facts.myParks.joined(separator: ","))
    }

    private func dupeCheck(_ store: any Reading, _ chosen: RecordID?) throws -> DupeCheck {
        let open = try store.openSession()
        var current = open?.status == .active ? open : nil
        if let chosen, chosen != current?.id {
            current = try store.read { try $0.record(Radio.session.name, chosen) }.map { OperatingSession($0) }
        }
        return DupeCheck(
            call: call, band: try band.map { try BandName.checked($0) } ?? current?.band, mode: mode ?? current?.mode,
            session: current?.id, parks: current?.parks ?? [], now: Clock.now)
    }
}
