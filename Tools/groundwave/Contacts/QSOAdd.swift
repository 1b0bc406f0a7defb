import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct QSOAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Log a contact.",
        discussion: """
            Fields have their ADIF names, in upper or lower case; frequencies are in MHz, times in UTC. Date and time \
            default to now, the band follows from FREQ, and the open session fills in the rest (see groundwave \
            session), then your settings: myCallsign, defaultBand, defaultMode, defaultPower, defaultGrid, defaultRig \
            and defaultAntenna. --dry-run shows all of it before it is logged.

              groundwave qso add W1AW FREQ=14.0325 MODE=CW RST_SENT=599 RST_RCVD=579
              groundwave qso add N0CALL BAND=40m MODE=SSB QSO_DATE=2026-05-01 TIME_ON=12:34
            """)

    @Argument(help: ArgumentHelp("The other station's call.", valueName: "call"))
    var call: String

    @Argument(help: ArgumentHelp("Other fields of the contact.", valueName: "field=value"))
    var fields: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Option(
        help: ArgumentHelp(
            "The session it belongs to: an id, last, or none; default: the open session.", valueName: "id"))
    var session: String?

    @Flag(help: "Show what would be logged, and log nothing.")
    var dryRun = false

    struct Result: Encodable {
        var id: String?
        var event: String?
        var position: UInt64?
        var fields: [String: String]
        var session: String?
        var remarks: [String]
    }

    func run() async throws {
        let arguments = try FieldArguments(fields)
        if call.contains("=") {
            throw StoreError(.usage, "The call comes first.", hint: "groundwave qso add W1AW \(call)")
        }
        if let name = arguments.names.first {
            throw StoreError(.usage, "“\(name)” is not FIELD=VALUE.", hint: "Name the field, as in RST_SENT=599.")
        }
        let store = try await options.open(author: writing.author)
        let choice = try SessionName.choice(session, store)
        let assignments = [Assignment("CALL", text: call)] + arguments.assignments
        let (now, countries) = (Clock.now, Countries.forLogging(store))
        let log: @Sendable (inout WriteBatch) throws -> Logged = { batch in
            let contact = try batch.log(assignments, in: choice, now: now)
            return Logged(
                contact: contact, country: try countries.map { try batch.addCountry(of: contact, by: $0) } ?? [])
        }
        if dryRun {
            let logged = try await store.preview(log)
            return try report(logged, nil, dupe: try dupe(of: logged.contact, store))
        }
        let written = try await store.write(note: writing.note ?? "", author: writing.author, log)
        try report(written.value, written.batch, dupe: try dupe(of: written.value.contact, store))
    }

    /// A contact, and what the country file says of it.
    private struct Logged: Sendable {
        let contact: LoggedContact
        let country: [(field: String, value: String)]
    }

    /// The contact that the new one repeats.
    private func dupe(of contact: LoggedContact, _ store: any Reading) throws -> Record? {
        try store.read { try $0.firstDupe(of: contact) }
    }

    private func report(_ logged: Logged, _ batch: Batch?, dupe: Record?) throws {
        let contact = logged.contact
        var remarks = contact.remarks
        if let dupe {
            let at = ContactFacts(dupe).startSeconds.map(TimeText.seconds) ?? ""
            remarks.append("The contact is a dupe of \(dupe.id.short), made at \(at).")
        }
        let fields = Dictionary(
            contact.assignments.map { ($0.name, RecordText.text($0.value ?? [])) }
                + logged.country.map { ($0.field, $0.value) },
            uniquingKeysWith: { $1 })
        if !contact.filledIn.isEmpty {
            let values = contact.filledIn.map { "\($0.name)=\(RecordText.text($0.value ?? []))" }
            remarks.append("From your settings: \(values.joined(separator: " ")).")
        }
        if !logged.country.isEmpty {
            let values = logged.country.map { "\($0.field)=\($0.value)" }
            remarks.append("From your country file: \(values.joined(separator: " ")).")
        }
        if options.json {
            return try Terminal.print(
                json: Result(
                    id: batch == nil ? nil : "\(contact.id)", event: batch.map { "\($0.first)" },
                    position: batch?.position, fields: fields, session: contact.session.map { "\($0)" },
                    remarks: remarks))
        }
        for remark in remarks { Terminal.remark("\(remark)") }
        let text = ContactText.line(
            dryRun ? nil : contact.id, call: fields["CALL"] ?? "", frequency: fields["FREQ"], band: fields["BAND"],
            mode: fields["SUBMODE"] ?? fields["MODE"],
            start: ContactFacts.seconds(date: fields["QSO_DATE"] ?? "", time: fields["TIME_ON"] ?? ""))
        try Terminal.print("\(dryRun ? "Would be logged: " : "")\(text)")
    }
}
