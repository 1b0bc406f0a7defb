import Groundwave
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveLoggerMessages
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// What `groundwave listen` does with the messages of logging programs, says about them, and counts.
struct Reception {
    private let store: Store
    private let choice: SessionChoice
    private let writing: WriteOptions
    private let isJSON: Bool
    private let countries: CountryFields?
    private var counts = ReceptionCounts()

    init(_ store: Store, _ choice: SessionChoice, _ writing: WriteOptions, isJSON: Bool) {
        (self.store, self.choice, self.writing, self.isJSON) = (store, choice, writing, isJSON)
        countries = Countries.forLogging(store)
    }

    /// Says where messages are received.
    func began(at ports: [Int]) throws {
        let places = ports.map { "127.0.0.1:\($0)" }.joined(separator: " and ")
        try say(["Listening on \(places). Ctrl-C ends."], ReceptionLine(event: "listening", ports: ports))
    }

    /// Does what a message says.
    ///
    /// - Throws: Only if standard output cannot be written. A contact that cannot be written is reported, and counted.
    mutating func take(_ message: LoggerMessage) async throws {
        switch message {
        case .contact(let contact): try await log(contact)
        case .deletion(let deletion): try await hide(deletion)
        case .other: break
        case .unknown: counts.foreign += 1
        case .unreadable(let program, let reason):
            counts.unread += 1
            Terminal.report(
                StoreError(
                    .damaged, "A contact that \(program) has reported cannot be read: \(reason).",
                    hint: Self.fileHint))
        }
    }

    /// Says what came of all messages.
    ///
    /// - Throws: ``Answer/inPart`` if a contact was not logged.
    func end(lostCount: Int) throws {
        var counts = counts
        counts.unread += lostCount
        let parts = [
            (counts.changed, "changed"), (counts.known, "known already"), (counts.hidden, "hidden here"),
            (counts.erased, "erased here"), (counts.deleted, "deleted"), (counts.refused, "not logged"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        try say(
            ["\(NumberText.count(counts.new, "new contact"))\(words)."], ReceptionLine(event: "done", counts: counts))
        if lostCount > 0 {
            Terminal.report(
                StoreError(
                    .busy, "\(NumberText.count(lostCount, "message")) came faster than contacts could be written.",
                    hint: Self.fileHint))
        }
        if counts.foreign > 0 {
            Terminal.remark("Not understood, and of no known program: \(NumberText.count(counts.foreign, "datagram")).")
        }
        if counts.refused + counts.unread > 0 { throw Answer.inPart }
    }

    private mutating func log(_ contact: LoggerContact) async throws {
        let written: Written<ReceivedContact>
        do {
            written = try await store.receive(
                contact.fields, from: contact.program, restores: contact.isReplacement, in: choice,
                countries: countries,
                note: writing.note, author: writing.author)
        } catch let error as StoreError {
            return refuse(Self.name(of: contact), from: contact.program, error)
        }
        let received = written.value
        counts.count(received.outcome)
        let (record, dupe) = read(received)
        let contradicted = received.contradicted
        try say(
            Self.lines(received, record.map(ContactText.line) ?? Self.name(of: contact), dupe, from: contact.program),
            ReceptionLine(
                event: "contact", program: contact.program, outcome: received.outcome.rawValue,
                id: "\(received.contact.id)", call: contact.fields.text(.call),
                written: written.batch.map { "\($0.first)" }, dupe: dupe.map { "\($0.id)" },
                contradicted: contradicted.isEmpty ? nil : contradicted))
    }

    /// Reads a contact as it is now, and what it repeats if it is new. What cannot be read is reported: it is logged.
    private func read(_ received: ReceivedContact) -> (contact: Record?, dupe: Record?) {
        do {
            return try store.read { view in
                let isNew = received.outcome == .new
                let dupe = isNew ? try view.firstDupe(of: received.contact) : nil
                return (try view.record("qso", received.contact.id), dupe)
            }
        } catch {
            if let error = error as? StoreError { Terminal.report(error) }
            return (nil, nil)
        }
    }

    private mutating func hide(_ deletion: LoggerDeletion) async throws {
        let (name, program) = ("\(deletion.call) \(deletion.time)Z", deletion.program)
        let written: Written<(contact: RecordID, wasShown: Bool)?>
        do {
            written = try await store.hide(
                deletion.id, in: deletion.idField, by: program, note: writing.note, author: writing.author)
        } catch let error as StoreError {
            let hint: Hint = "To hide the contact: groundwave qso remove \(deletion.call)"
            return refuse("The deletion of \(name)", from: program, error, hint: hint)
        }
        guard let (id, wasShown) = written.value else {
            return try say(
                ["\(program) has deleted \(name), which is not here."],
                ReceptionLine(event: "deletion", program: program, outcome: "notFound", call: deletion.call))
        }
        if wasShown { counts.deleted += 1 }
        try say(
            wasShown ? ["Hidden, since \(program) has deleted it: \(id.short)  \(name)"] : [],
            ReceptionLine(
                event: "deletion", program: program, outcome: wasShown ? "deleted" : "hidden", id: "\(id)",
                call: deletion.call, written: written.batch.map { "\($0.first)" }))
    }

    private mutating func refuse(
        _ name: String, from program: String, _ error: StoreError, hint: Hint = Self.fileHint
    ) {
        counts.refused += 1
        Terminal.report(
            StoreError(
                error.code, "\(name) from \(program) was not written: \(error.message)", hint: hint, cause: error))
    }

    private static let fileHint: Hint = "To add what is missing, import the log file of the program later."

    /// Prints a line of JSON, or else lines for people.
    private func say(_ lines: [TerminalText], _ line: ReceptionLine) throws {
        if isJSON { try Terminal.print(json: line) } else { try Terminal.print(lines: lines) }
    }

    /// Call and time of a contact that is not stored.
    private static func name(of contact: LoggerContact) -> String {
        func text(_ name: String) -> String { contact.fields.text(FieldName(name)) ?? "" }
        let start = ContactFacts.seconds(date: text("QSO_DATE"), time: text("TIME_ON"))
        return ContactText.line(
            nil, call: text("CALL"), frequency: text("FREQ"), band: text("BAND"), mode: text("MODE"), start: start)
    }

    private static func lines(
        _ received: ReceivedContact, _ line: String, _ dupe: Record?, from program: String
    ) -> [TerminalText] {
        var lines = received.contact.remarks.map { TerminalText("  \($0)") }
        switch received.outcome {
        case .new: lines.append("\(line)  \(program)")
        case .changed: lines.append("Changed: \(line)  \(program)")
        case .hidden: lines.append("Hidden here, and stays so: \(line)  \(program)")
        case .erased: lines.append("Erased here, and stays so: a contact from \(program)")
        case .known: break
        }
        if let dupe { lines.append("  DUPE of \(ContactText.line(dupe))") }
        if !received.contradicted.isEmpty {
            let fields = received.contradicted.joined(separator: ", ")
            lines.append("  \(program) says something else of \(fields); what is here stays.")
        }
        return lines
    }
}
