import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take all that was ever said of a contact out of the log, for ever.",
        discussion: """
            For a person who asks to be forgotten. Undo does not bring it back, and nothing else does: not an older \
            value, not another device, not the same file again. That something was logged stays provable; what it was \
            does not. The files are written anew, so no page of them keeps the text, and every device of this log does \
            the same when it hears of it.

            What else names the call is listed, for you to decide: other contacts, notes, copies of this folder.

              groundwave erase --call N0CALL
              groundwave erase 7Q2XK4PD --note "On request"
            """)

    @Argument(help: ArgumentHelp("The contact: its id, call or last.", valueName: "id"))
    var name: String?

    @Option(help: ArgumentHelp("All contacts with this call, hidden ones too.", valueName: "call"))
    var call: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Flag(help: "Do not ask.")
    var yes = false
    @Flag(help: "Tell what would be erased, and erase nothing.")
    var dryRun = false

    struct Result: Encodable {
        struct Mention: Encodable {
            var kind: String
            var record: String
            var event: String
            var note: Bool
        }

        struct Later: Encodable {
            var kind: String
            var record: String
        }

        var events: Int
        var withheld: Int
        var contacts: [String]
        var mentions: [Mention]
        var later: [Later]
        var copies: [String]
        var archives: [String]
        var event: String?
    }

    func validate() throws {
        if (name == nil) == (call == nil) { throw ValidationError("Name a contact, or say --call and which one.") }
        if call?.isEmpty == true { throw ValidationError("A call has at least one letter.") }
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole(author: writing.author)
        let contacts = try chosen(store)
        let ids = contacts.map(\.id)
        let calls = call.map { [$0.uppercased()] } ?? Set(contacts.map { ContactFacts($0).call }).filter { !$0.isEmpty }
        let mentions = try calls.flatMap { try store.mentions(of: $0, except: Set(ids)) }
        if ids.isEmpty, mentions.isEmpty {
            throw StoreError(
                .notFound, "There is no contact with \(call ?? ""), and nothing else names it.",
                hint: "What was erased before is not found by its call any more.")
        }
        if !options.json { try show(contacts) }
        var erased = Erased()
        if !dryRun, !ids.isEmpty {
            if !yes {
                try Confirmation.ask(
                    "Erase this for ever?",
                    orElse: "This would erase \(NumberText.count(ids.count, "contact")) for ever.")
            }
            erased = try await store.erase(ids, note: writing.note ?? "", author: writing.author)
        }
        let later = try store.writtenSinceErased()
        let archives = try store.archives(covering: ids)
        let copies = Set(calls.flatMap { store.copiesOutOfReach(of: $0) }).sorted()
        try store.close()
        if options.json {
            return try Terminal.print(
                json: Result(
                    events: erased.eventCount, withheld: erased.withheldCount, contacts: ids.map { "\($0)" },
                    mentions: mentions.map {
                        .init(kind: $0.kind, record: "\($0.record)", event: "\($0.event)", note: $0.isInNote)
                    },
                    later: later.map { .init(kind: $0.kind, record: "\($0.record)") }, copies: copies,
                    archives: archives.map(\.fileHash),
                    event: erased.batches.first.map { "\($0.first)" }))
        }
        if !ids.isEmpty { try tell(erased) }
        try EraseOutput.print(mentions, later, copies, archives)
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

    private func tell(_ erased: Erased) throws {
        if dryRun { return try Terminal.print("Nothing was written.") }
        if erased.withheldCount == 0 { return try Terminal.print("It was erased before; nothing was left.") }
        try Terminal.print(
            "Erased: \(NumberText.count(erased.records.count, "contact")), "
                + "\(NumberText.count(erased.withheldCount, "event")).")
    }
}

/// What an erase leaves to be decided, in sentences.
enum EraseOutput {
    static func print(
        _ mentions: [Mention], _ later: [(kind: String, record: RecordID)], _ copies: [String],
        _ archives: [ArchiveMade]
    ) throws {
        if !mentions.isEmpty {
            try Terminal.print("Not erased, and names the call:")
            try list(
                mentions.map {
                    "\($0.kind) \($0.record.short)  event \($0.event.short)\($0.isInNote ? "  in the note" : "")"
                })
        }
        if !later.isEmpty {
            try Terminal.print(
                "Erased before, and written to since by who had not heard of it; may repeat what was erased:")
            try list(later.map { "\($0.kind) \($0.record.short)  groundwave erase \($0.record.short) takes it too" })
        }
        if !copies.isEmpty {
            try Terminal.print("In the folder of the store, and not touched; delete what you do not need:")
            try list(copies.map { "rm -r '\($0)'" })
        }
        if !archives.isEmpty {
            try Terminal.print("In archives that were made of this log; delete the files, and archive again:")
            try list(
                archives.map {
                    "made \(TimeText.milliseconds($0.stamp.milliseconds))  checksum \($0.fileHash.prefix(16))"
                })
        }
        Terminal.remark(
            "Out of reach: exported files and copies of this folder. Delete them, or make them anew. Your other devices "
                + "erase it when they get this change.")
    }

    private static func list(_ lines: [String]) throws {
        for line in lines.prefix(20) { try Terminal.print("  \(line)") }
        if lines.count > 20 { try Terminal.print("  and \(lines.count - 20) more; --json lists all.") }
    }
}
