import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erase a contact, or a trace, and everything that was ever recorded about it, permanently.",
        discussion: """
            For a person who asks to be forgotten. An erase is permanent: groundwave undo does not bring the contact \
            back, and neither does an older value, another device that had not heard of the erase, or importing a file, \
            whatever program wrote it, unless you say import --again. What another contact took over from it by a merge \
            is erased there. Only a device that has not heard of the erase yet can still make another contact of it: by \
            hand, from a file that gives another minute or another station call, or from one that gives the station call \
            where this contact had none. Erase that contact, too. The log can still prove that something was logged, but not what it was. The \
            files are rewritten, so that no page of them keeps the text, and every device of this log does the same when \
            it receives the erase.

            Everything else that mentions the call is listed, for you to decide: other contacts, notes, copies of this \
            folder.

              groundwave erase --call N0CALL
              groundwave erase 7Q2XK4PD --note "On request"
              groundwave erase --trace last
              groundwave erase --trace bench --from 2026-05-01T12:00 --to 2026-05-01T12:05

            Of a trace, the rows, the markers and the captured bytes of the meter are erased. Their summaries stay in the log, where \
            no command shows them: times, numbers of rows, least and greatest values, charge, energy. With --from and --to, \
            only the rows of that time are erased; the rest of the trace stays. Captured bytes are stored some minutes \
            at a time, and go with any of these rows.
            """)

    @Argument(help: ArgumentHelp("The contact: its id, call or last.", valueName: "id"))
    var name: String?

    @Option(help: ArgumentHelp("All contacts with this call, including hidden ones.", valueName: "call"))
    var call: String?

    @Option(help: ArgumentHelp("The trace: its id, its name or last.", valueName: "id"))
    var trace: String?

    @OptionGroup var range: TraceRange
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Show what would be erased, and erase nothing.")
    var dryRun = false

    struct Result: Encodable {
        struct Mention: Encodable {
            var kind: String
            var record: String
            var event: String
            var note: Bool
        }

        var events: Int
        var withheld: Int
        var contacts: [String]
        var repeating: [String]
        var mentions: [Mention]
        var copies: [String]
        var archives: [String]
        var remotes: [String]
        var event: String?
    }

    func validate() throws {
        guard [name, call, trace].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Specify either a contact, --call CALL, or --trace ID.")
        }
        if range.isGiven, trace == nil { throw ValidationError("--from and --to are for a trace: --trace ID.") }
        if call?.isEmpty == true { throw ValidationError("--call cannot be empty.") }
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole(author: writing.author)
        if let trace { return try await erase(trace: trace, in: store) }
        let contacts = try chosen(store)
        let ids = contacts.map(\.id)
        let calls = call.map { [$0.uppercased()] } ?? Set(contacts.map { ContactFacts($0).call }).filter { !$0.isEmpty }
        let mentions = try calls.flatMap { try store.mentions(of: $0, except: Set(ids)) }
        if ids.isEmpty, mentions.isEmpty {
            throw StoreError(
                .notFound, "There is no contact with \(call ?? ""), and nothing else mentions it.",
                hint: "A contact that was already erased can no longer be found by its call.")
        }
        let repeating = try store.recordsRepeating(ids, kind: QSOKind.name)
        if !options.json {
            try show(contacts)
            try show(repeating, in: store)
        }
        var erased = Erased()
        if !dryRun, !ids.isEmpty {
            if !yes {
                try Confirmation.ask(
                    "Erase this permanently?",
                    orElse: "This would erase \(NumberText.count(ids.count, "contact")) permanently.")
            }
            erased = try await store.erase(ids, note: writing.note ?? "", author: writing.author)
        }
        let archives = try store.archives(covering: ids)
        let remotes = try store.remotes().map(\.name)
        let copies = Set(calls.flatMap { store.copiesOutOfReach(of: $0) }).sorted()
        try store.close()
        if options.json {
            return try Terminal.print(
                json: Result(
                    events: erased.eventCount, withheld: erased.withheldCount, contacts: ids.map { "\($0)" },
                    repeating: repeating.map { "\($0)" },
                    mentions: mentions.map {
                        .init(kind: $0.kind, record: "\($0.record)", event: "\($0.event)", note: $0.isInNote)
                    },
                    copies: copies, archives: archives.map(\.fileHash), remotes: remotes,
                    event: erased.batches.first.map { "\($0.first)" }))
        }
        if !ids.isEmpty { try printReport(erased) }
        try EraseOutput.print(mentions, copies, archives, remotes)
    }

    private func chosen(_ store: Store) throws -> [Record] {
        if let name {
            let id = try store.resolve(name, kind: QSOKind.name)
            return try store.read { try $0.record(QSOKind.name, id) }.map { [$0] } ?? []
        }
        var query = ContactQuery.contacts.worked(call ?? "")
        query.includesMetadata = true
        let shown = query
        query.isHidden = true
        let hidden = query
        return try store.read { try $0.all(shown) + $0.all(hidden) }
    }

    private func show(_ contacts: [Record]) throws {
        if contacts.isEmpty { return try Terminal.print("There is no contact with \(call ?? "").") }
        var table = ContactTable()
        contacts.forEach { table.append($0) }
        try Terminal.print(lines: table.lines)
    }

    private func show(_ repeating: [RecordID], in store: Store) throws {
        let records = try repeating.compactMap { try store.record(QSOKind.name, $0) }.filter { !$0.isErased }
        if records.isEmpty { return }
        var table = ContactTable()
        records.forEach { table.append($0) }
        try Terminal.print("These contacts took over values from it in a merge, and lose them:")
        try Terminal.print(lines: table.lines)
    }

    private func printReport(_ erased: Erased) throws {
        if dryRun { return try Terminal.print("Nothing was written.") }
        if erased.withheldCount == 0 { return try Terminal.print("It was already erased; nothing was left to erase.") }
        try Terminal.print(
            "Erased: \(NumberText.count(erased.records.count, "contact")), "
                + "\(NumberText.count(erased.withheldCount, "event")).")
    }
}

/// What an erase leaves to be decided, in sentences.
enum EraseOutput {
    static func print(
        _ mentions: [Mention], _ copies: [String], _ archives: [ArchiveMade], _ remotes: [String]
    ) throws {
        if !mentions.isEmpty {
            try Terminal.print("Not erased, but these mention the call:")
            try list(
                mentions.map {
                    "\($0.kind) \($0.record.short)  event \($0.event.short)\($0.isInNote ? "  in the note" : "")"
                })
        }
        if !copies.isEmpty {
            try Terminal.print("Copies in the folder of the store, left untouched; delete what you do not need:")
            try list(copies.map { "rm -r '\($0)'" })
        }
        try list(archives: archives)
        try list(remotes: remotes)
        Terminal.remark(
            "Not erased: exported files, bundles and copies of this folder. Delete them, or make them again. Your other "
                + "devices erase the contact when they receive this change.")
    }

    static func list(remotes: [String]) throws {
        if remotes.isEmpty { return }
        try Terminal.print(
            """
            At remotes, each device takes the values out of what it has pushed when it next synchronises, and out of what \
            a retired device has pushed:
            """)
        try list(remotes.map { "groundwave sync \($0)" })
    }

    static func list(archives: [ArchiveMade]) throws {
        if !archives.isEmpty {
            try Terminal.print("Also in these archives of this log; delete the files and archive again:")
            try list(
                archives.map {
                    "made \(TimeText.milliseconds($0.stamp.milliseconds))  checksum \($0.fileHash.prefix(16))"
                })
        }
    }

    private static func list(_ lines: [String]) throws {
        for line in lines.prefix(20) { try Terminal.print("  \(line)") }
        if lines.count > 20 { try Terminal.print("  … and \(lines.count - 20) more: --json lists them all.") }
    }
}
