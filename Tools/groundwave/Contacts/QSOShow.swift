import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveGeography
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct QSOShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show all fields of a contact, and who wrote each of them and when.",
        discussion: """
              groundwave qso show W1AW
              groundwave qso show last --json
            """)

    @Argument(help: ArgumentHelp("The contact: its id, call or last.", valueName: "id"))
    var name: String

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        var id: String
        var fields: [String: String]
        var withheld: [String]?
        var hidden: Bool
        var erased: Bool
        var session: String?
        var distance: Int?
        var bearing: Int?
        var provenance: [String: Provenance]
    }

    func run() async throws {
        let store = try await options.open()
        let id = try store.resolve(name, kind: QSOKind.name)
        guard let record = try store.read({ try $0.record(QSOKind.name, id) }) else { return }
        let provenance = try Provenance.all(of: record, store)
        let withheld = record.withheldContactFields
        let way = StationPlace.way(record)
        if options.json {
            return try Terminal.print(
                json: Result(
                    id: "\(id)", fields: record.contactFields, withheld: withheld.isEmpty ? nil : withheld,
                    hidden: !record.isVisible, erased: record.isErased,
                    session: record.session.map { "\($0)" }, distance: way?.roundedKilometres,
                    bearing: way?.roundedBearing, provenance: provenance))
        }
        if record.isErased {
            try Terminal.print("\(id)  erased")
            return Terminal.remark("\(ShownValue.ofErased(id))")
        }
        try Terminal.print("\(id)\(record.isVisible ? "" : "  hidden")")
        if let session = record.session { try Terminal.print("session \(session.short)") }
        if let way { try Terminal.print("distance \(way.text)") }
        let reasons = try store.withholdings(in: record)
        let fields =
            record.adifFields.map { ($0.name.name, RecordText.text($0.value)) }
            + withheld.map { ($0, ShownValue.text(nil, reasons[$0])) }
        try Terminal.print(lines: FieldTable.lines(fields, provenance))
        if record.hasConflict {
            Terminal.remark("It has conflicts: groundwave conflicts show \(id.short)")
        }
    }
}

extension GreatCircle {
    fileprivate var roundedKilometres: Int { Int(kilometres.rounded()) }

    /// 0 to 359.
    fileprivate var roundedBearing: Int? { bearing.map { Int($0.rounded()) % 360 } }

    /// `6231 km, bearing 48°, long path 228°`; without directions if there are none.
    fileprivate var text: TerminalText {
        guard let bearing = roundedBearing else { return "\(roundedKilometres) km" }
        return "\(roundedKilometres) km, bearing \(bearing)°, long path \((bearing + 180) % 360)°"
    }
}

/// Who wrote what a field shows.
struct Provenance: Encodable {
    var event: String
    var replica: String
    var author: String
    var stamp: String
    var countsAs: String?
    var note: String

    init(_ write: Blame.Write) {
        event = "\(write.event)"
        replica = "\(write.event.replica)"
        author = write.note.author
        stamp = UTCText.milliseconds(write.stamp.milliseconds)
        countsAs = ClockText.counted(write.counted, insteadOf: write.stamp)
        note = write.note.text
    }

    /// Of each field of `record` that has a value the write that is shown; of a list the latest addition.
    static func all(of record: Record, _ store: any Reading) throws -> [String: Provenance] {
        var result: [String: Provenance] = [:]
        for blame in try store.blame(record.kind, record.id) where blame.winner.value != nil {
            result[blame.field] = Provenance(blame.winner)
        }
        return result
    }
}

/// The fields of one record, each with who wrote it.
enum FieldTable {
    static func lines(_ fields: [(String, String)], _ provenance: [String: Provenance]) -> [TerminalText] {
        var table = TextTable(["FIELD", "VALUE", "WHO", "UTC", "NOTE"])
        for (name, value) in fields {
            let origin = provenance[name]
            func time(_ stamp: String) -> String { String(stamp.prefix(19)).replacing("T", with: " ") + "Z" }
            let wrong = origin.flatMap { $0.countsAs == nil ? nil : "clock was wrong: \(time($0.stamp))" }
            let note = [wrong, origin.map(\.note)].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; ")
            table.append([
                name, RecordText.short(value, 60), origin?.author ?? "",
                origin.map { time($0.countsAs ?? $0.stamp) } ?? "", RecordText.short(note, 40),
            ])
        }
        return table.lines
    }
}
