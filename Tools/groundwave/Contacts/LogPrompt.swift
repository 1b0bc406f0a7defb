import Foundation
import Groundwave
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// What stands between lines and contacts: what they carry on, and the contacts that they made.
struct LogPrompt {
    /// What came of a line.
    struct Answer {
        var lines: [TerminalText] = []
        var contact: (id: RecordID, event: String?, dupe: String?)?
    }

    private let store: Store
    private let choice: SessionChoice
    private let contest: String?
    /// What is sent in the contest besides report and number.
    private let sent: String?
    private let writing: WriteOptions
    private let countries: CountryFields?
    private var log = FastLog(isLive: true)
    /// The number to send next; `nil` if none are sent.
    private var serial: Int?
    /// The last event for which it holds.
    private var position: Position = 0
    /// The contacts of this prompt; `nil` for one that was taken back.
    private var logged: [RecordID?] = []
    /// The session that contacts belong to; `nil` if none, or if it is paused.
    private let session: RecordID?
    /// What is said before the first line.
    private(set) var introduction: [TerminalText] = []

    init(
        _ store: Store, _ choice: SessionChoice, contest: String?, sent: String?, sendsSerials: Bool,
        _ writing: WriteOptions
    ) throws {
        (self.store, self.choice, self.contest, self.writing) = (store, choice, contest?.uppercased(), writing)
        self.sent = sent?.uppercased()
        countries = Countries.forLogging(store)
        let session = try choice == .open ? store.openSession() : nil
        let active = session?.status == .active ? session : nil
        if case .session(let id) = choice { self.session = id } else { self.session = active?.id }
        func setting(_ key: String) throws -> String? { try store.setting(key)?.value }
        let frequency = active?.fields["FREQ"]
        let band = try active?.band ?? setting("defaultBand").flatMap { Band(named: $0)?.name }
        let mode = try (active?.mode ?? setting("defaultMode")).flatMap { Mode(mode: $0.uppercased()) }
        log.begin(frequency: frequency, band: band, mode: mode)
        let station = try active?.fields["CALL"] ?? setting("myCallsign")
        let words = [
            station.map { "as \($0)" }, frequency.map { "on \($0) MHz" } ?? band.map { "on \($0)" },
            mode.map { "in \($0)" },
        ]
        let known = words.compactMap { $0 }
        introduction.append(
            known.isEmpty
                ? "Band and mode are not known yet: a line such as 20m cw gives them."
                : "Logging \(known.joined(separator: " ")).")
        if station == nil {
            introduction.append(
                "Contacts have no STATION_CALLSIGN. To give them one: groundwave settings set myCallsign CALL")
        }
        if let active {
            let parks = active.parks.isEmpty ? "" : " from \(active.parks.joined(separator: ", "))"
            introduction.append("They belong to the session \(active.id.short)\(parks).")
        }
        if Terminal.canAsk { introduction.append("Type ? for help, Ctrl-D to end.") }
        if sendsSerials {
            serial = 1
            refresh()
        }
    }

    /// What stands around a line that is being typed: band, mode and the number to send before it, and what is known of the
    /// station below it.
    mutating func frame(of line: String) -> LineEditor.Frame {
        refresh()
        let words = [log.band, log.modeName, serial.map(Self.text)].compactMap { $0 }
        return LineEditor.Frame(sign: "\(words.joined(separator: " "))> ", remark: remark(on: line))
    }

    /// Takes a later number if another program has sent it meanwhile.
    private mutating func refresh() {
        guard let serial, let present = try? store.read({ $0.position }), present != position else { return }
        guard let next = try? nextSerial() else { return }
        (self.serial, position) = (max(serial, next), present)
    }

    /// Does what a line says.
    ///
    /// - Throws: ``StoreError`` with code `usage` or `notFound` if it is not understood, or the code for why nothing could be
    ///   written: in either case it did nothing.
    mutating func take(_ line: String) async throws -> Answer {
        if !Terminal.canAsk { refresh() }
        let words = line.split(separator: " ").map(String.init)
        switch words.first?.lowercased() {
        case "?", "help": return Answer(lines: Self.help)
        case "undo" where words.count == 1:
            guard let last = logged.lastIndex(where: { $0 != nil }) else {
                throw StoreError(.usage, "Nothing was logged here yet.")
            }
            return try await drop(last)
        case "drop" where words.count == 2: return try await drop(place(words[1]))
        case "fix" where words.count > 2: return try await fix(place(words[1]), Array(words.dropFirst(2)))
        default: break
        }
        let before = log
        do {
            switch try log.read(line) {
            case .other: return Answer()
            case .contact(let assignments): return try await add(assignments)
            }
        } catch let problem as EntryProblem {
            log = before
            throw StoreError(.usage, problem.message, hint: problem.hint.map { Hint($0) })
        } catch {
            log = before
            throw error
        }
    }

    /// What is known of the station in a line that is being typed: whether another contact would be a dupe, and when it was
    /// worked. `nil` if the line has no call yet.
    ///
    /// - Complexity: A look-up of the call and its contacts, under a millisecond.
    private func remark(on line: String) -> TerminalText? {
        var log = log
        guard case .contact(var assignments)? = try? log.read(line),
            let call = assignments.first(where: { $0.name == "CALL" }).map({ RecordText.text($0.value ?? []) })
        else { return nil }
        func has(_ name: String) -> Bool { assignments.contains { $0.name == name } }
        let now = TimeText.seconds(Clock.now)
        if !has("QSO_DATE") { assignments.append(Assignment("QSO_DATE", text: now.prefix(10).filter { $0 != "-" })) }
        if !has("TIME_ON") {
            assignments.append(Assignment("TIME_ON", text: now.dropFirst(11).prefix(5).filter { $0 != ":" }))
        }
        if let contest, !has("CONTEST_ID") { assignments.append(Assignment("CONTEST_ID", text: contest)) }
        let (asked, session) = (assignments, self.session)
        let found = try? store.read { view in
            var query = ContactQuery.contacts
            query.station = call
            query.limit = 1
            return (try view.firstDupe(of: asked, in: session), try view.all(query).last)
        }
        guard let (dupe, last) = found else { return nil }
        if let dupe { return Terminal.styled("DUPE of \(ContactText.line(dupe))", .red, on: STDERR_FILENO) }
        guard let last else { return "\(call) is new." }
        return "Worked before: \(Self.line(last))"
    }

    private mutating func add(_ assignments: [Assignment]) async throws -> Answer {
        var assignments = assignments
        func has(_ name: String) -> Bool { assignments.contains { $0.name == name } }
        if has("QSO_DATE"), !has("TIME_ON") {
            throw StoreError(.usage, "The contact has no time.", hint: "The first one of a date has it: 1205 w1aw.")
        }
        if let contest, !has("CONTEST_ID") { assignments.append(Assignment("CONTEST_ID", text: contest)) }
        if let sent, !has("STX_STRING") { assignments.append(Assignment("STX_STRING", text: sent)) }
        let isNumbered = serial != nil && !has("STX")
        if let serial, isNumbered { assignments.append(Assignment("STX", text: Self.text(serial))) }
        let (fields, choice, countries, now) = (assignments, choice, countries, Clock.now)
        let written = try await store.write(note: writing.note ?? "", author: writing.author) { batch in
            let contact = try batch.log(fields, in: choice, now: now)
            if let countries { _ = try batch.addCountry(of: contact, by: countries) }
            return contact
        }
        let contact = written.value
        if isNumbered { serial = serial.map { $0 + 1 } }
        // What only this prompt has written changes no number.
        if let batch = written.batch, batch.position == position + 1 { position += UInt64(batch.count) }
        logged.append(contact.id)
        let (record, dupe) = try store.read { view in
            (try view.record("qso", contact.id), try view.firstDupe(of: contact))
        }
        var lines = contact.remarks.map { TerminalText("  \($0)") }
        if let record { lines.append("\(logged.count)  \(Self.line(record))") }
        if let dupe { lines.append("  DUPE of \(ContactText.line(dupe))") }
        return Answer(
            lines: lines,
            contact: (contact.id, written.batch.map { "\($0.first)" }, dupe.map { "\($0.id)" }))
    }

    private static func line(_ record: Record) -> String {
        let names: [FieldName] = [
            .rstSent, .rstRcvd, "STX", "SRX", "STX_STRING", "SRX_STRING", .potaRef, .gridsquare, .name,
        ]
        let values = names.compactMap { record.text($0) }.filter { !$0.isEmpty }
        return ([ContactText.line(record)] + values).joined(separator: "  ")
    }

    /// The place among the contacts of this prompt of the one with a number that was shown.
    private func place(_ word: String) throws -> Int {
        guard let number = Int(word), logged.indices.contains(number - 1), logged[number - 1] != nil else {
            throw StoreError(
                .notFound, "There is no contact \(word) here.", hint: "The numbers are before the contacts.")
        }
        return number - 1
    }

    private mutating func drop(_ place: Int) async throws -> Answer {
        guard let id = logged[place], let record = try store.record("qso", id) else { return Answer() }
        let written = try await store.write(note: "Taken back", author: writing.author) { try $0.remove("qso", id) }
        logged[place] = nil
        // Another program may have hidden or erased it meanwhile.
        return Answer(lines: ["\(written.value ? "Hidden" : "Already hidden"): \(ContactText.line(record))"])
    }

    private func fix(_ place: Int, _ words: [String]) async throws -> Answer {
        guard let id = logged[place] else { return Answer() }
        let arguments = try FieldArguments(words)
        if let name = arguments.names.first {
            throw StoreError(.usage, "“\(name)” is not FIELD=VALUE.", hint: "fix \(place + 1) CALL=W1AW")
        }
        let (assignments, countries) = (arguments.assignments, countries)
        let written = try await store.write(note: writing.note ?? "", author: writing.author) { batch in
            let edited = try batch.edit(id, assignments)
            if let countries { try batch.replaceCountry(of: id, assignments, by: countries) }
            return edited
        }
        let record = try store.record("qso", id)
        return Answer(
            lines: written.value.remarks.map { TerminalText("  \($0)") }
                + (record.map { ["\(place + 1)  \(Self.line($0))"] } ?? []))
    }

    /// The number after the highest that was sent in the contest; without one, in the session.
    private func nextSerial() throws -> Int {
        var query = ContactQuery.contacts
        if let contest { query.conditions = [FieldCondition("CONTEST_ID", .equal, contest)] }
        if contest == nil, case .open = choice { query.session = try store.openSession()?.id }
        var highest = 0
        try store.read { view in
            try view.forEachContact(query) { record in
                highest = max(highest, record.text("STX").flatMap { Int($0) } ?? 0)
                return true
            }
        }
        return highest + 1
    }

    private static func text(_ serial: Int) -> String { String(format: "%03d", serial) }

    private static let help: [TerminalText] = [
        "20m cw             band and mode of what follows; 14.0325: a frequency in MHz",
        "w1aw               a contact made now; 1205 w1aw: at that time, then 07 or 7",
        "w1aw 599 579       with the reports sent and received; 5 7: their strength",
        "w1aw #US-0001      their park, grid square, summit, WWFF reference or island",
        "w1aw ,012 .034     sent and received in a contest; .0034 .A .61 .NE: all of it",
        "w1aw @Jim <text>   name and comment; NAME=Jim: any field",
        "date 2026-05-01    the day of what follows; without one, contacts are made now",
        "fix 3 CALL=W1AW/P  corrects contact 3; drop 3 and undo take contacts back",
    ]
}
