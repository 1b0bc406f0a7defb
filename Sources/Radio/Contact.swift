import ADIF
import Events
import Records

/// A contact as a plain value, to be shown and edited by a program.
///
/// Every other ADIF field is available as text in ``fields``. Saved values keep their original spelling.
public struct Contact: Hashable, Sendable {
    /// The id of the contact's record; `nil` before the contact is saved.
    public var id: RecordID?
    /// The other station's call.
    public var call: String
    /// The start time, in seconds since 1970, UTC.
    public var start: Int64
    /// The frequency.
    public var frequency: Frequency?
    /// The band; if `nil`, it is derived from the frequency when saved.
    public var band: Band?
    /// The mode.
    public var mode: Mode?
    /// The report that was sent.
    public var reportSent: String?
    /// The report that was received.
    public var reportReceived: String?
    /// The other station's grid square.
    public var grid: String?
    /// The other operator's name.
    public var name: String?
    /// A remark that the other station may read.
    public var comment: String?
    /// A remark for oneself.
    public var notes: String?
    /// The own station's call.
    public var station: String?
    /// The operator's call.
    public var operatorCall: String?
    /// The own grid square.
    public var myGrid: String?
    /// The own parks.
    public var myParks: [String]
    /// The other station's parks.
    public var parks: [String]
    /// All other fields, by their ADIF names.
    public var fields: [String: String]

    /// Creates a contact with `call` that starts at `start`.
    public init(
        _ call: String, start: Int64, frequency: Frequency? = nil, band: Band? = nil, mode: Mode? = nil
    ) {
        self.call = call
        self.start = start
        self.frequency = frequency
        self.band = band
        self.mode = mode
        myParks = []
        parks = []
        fields = [:]
    }

    /// Creates the contact that `record` shows.
    public init(_ record: Record) {
        let facts = ContactFacts(record)
        self.init(record.text(.call) ?? "", start: facts.startSeconds ?? 0)
        id = record.id
        frequency = record.text(.freq).flatMap { Frequency(megahertz: $0) }
        band = facts.band.flatMap { Band(named: $0) }
        mode = Mode(mode: record.text(.mode), submode: record.text(.submode))
        reportSent = record.text(.rstSent)
        reportReceived = record.text(.rstRcvd)
        grid = record.text(.gridsquare)
        name = record.text(.name)
        comment = record.text(.comment)
        notes = record.text(.notes)
        station = record.text(.stationCallsign)
        operatorCall = record.text(.operator)
        myGrid = record.text(.myGridsquare)
        myParks = ContactFields.elements(record.text(.myPOTARef))
        parks = ContactFields.elements(record.text(.potaRef))
        for (name, value) in record.adifFields where !ContactFields.typed.contains(name) {
            fields[name.name] = ValueText(decoding: value[...]).string
        }
    }

    /// The assignments that write the fields to a new record.
    public var assignments: [Assignment] {
        var assignments = [Assignment("CALL", text: call)]
        for field in ContactFields.all where field.name != .call {
            assignments += field.assignments(self)
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            assignments.append(Assignment(name.uppercased(), text: value))
        }
        return assignments
    }
}

/// The typed fields of a contact, and the ADIF fields that they stand for.
enum ContactFields {
    /// One typed field.
    struct Field: Sendable {
        let name: FieldName
        let others: [FieldName]
        let assignments: @Sendable (Contact) -> [Assignment]
    }

    static let all: [Field] = [
        text(.call) { $0.call },
        Field(name: .qsoDate, others: [.timeOn]) { contact in
            let (date, time) = ContactTime.text(seconds: contact.start)
            return [Assignment("QSO_DATE", text: date), Assignment("TIME_ON", text: time)]
        },
        Field(name: .freq, others: [.band]) { contact in
            let band = contact.band ?? contact.frequency.flatMap { Band(containing: $0) }
            return (contact.frequency.map { [Assignment("FREQ", text: $0.megahertzText)] } ?? [])
                + (band.map { [Assignment("BAND", text: $0.name)] } ?? [])
        },
        Field(name: .mode, others: [.submode]) { contact in
            guard let mode = contact.mode else { return [] }
            return [Assignment("MODE", text: mode.name)]
                + (mode.submode.map { [Assignment("SUBMODE", text: $0)] } ?? [])
        },
        text(.rstSent) { $0.reportSent }, text(.rstRcvd) { $0.reportReceived }, text(.gridsquare) { $0.grid },
        text(.name) { $0.name }, text(.comment) { $0.comment }, text(.notes) { $0.notes },
        text(.stationCallsign) { $0.station }, text(.operator) { $0.operatorCall },
        text(.myGridsquare) { $0.myGrid },
        text(.myPOTARef) { $0.myParks.isEmpty ? nil : $0.myParks.joined(separator: ",") },
        text(.potaRef) { $0.parks.isEmpty ? nil : $0.parks.joined(separator: ",") },
    ]

    static let typed: Set<FieldName> = Set(all.flatMap { [$0.name] + $0.others })

    private static func text(_ name: FieldName, _ value: @escaping @Sendable (Contact) -> String?) -> Field {
        Field(name: name, others: []) { contact in
            value(contact).map { [Assignment(name.name, text: $0)] } ?? []
        }
    }

    static func elements(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }
}

extension Contact {
    /// Returns the assignments that set one typed field of a saved contact; none if `field` is not a typed field.
    ///
    /// A new frequency also sets the band, and a new mode the submode, since these fields describe one thing.
    public static func assignments<Value: Sendable>(
        setting field: WritableKeyPath<Contact, Value> & Sendable, to value: Value
    ) -> [Assignment] {
        var before = Contact("", start: 0)
        let unset = before.fieldTexts
        before[keyPath: field] = value
        var assignments = before.fieldTexts.filter { unset[$0.key] != $0.value }.map {
            Assignment($0.key, text: $0.value)
        }
        if field == \Contact.frequency, before.frequency != nil, before.fieldTexts["BAND"] == nil {
            assignments.append(Assignment("BAND", nil))
        }
        if field == \Contact.mode, before.mode != nil, before.fieldTexts["SUBMODE"] == nil {
            assignments.append(Assignment("SUBMODE", nil))
        }
        if assignments.isEmpty, let name = clearedFields[field] {
            assignments = name.map { Assignment($0.name, nil) }
        }
        return assignments.sorted { $0.name < $1.name }
    }

    private var fieldTexts: [String: String] {
        Dictionary(
            assignments.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the ADIF name under which the history of a typed field is stored; `nil` for other paths.
    public static func adifName<Value>(of field: KeyPath<Contact, Value>) -> String? {
        clearedFields[field as PartialKeyPath<Contact>]?.first?.name
    }

    /// Returns the ADIF names of all parts of a typed field; none for other paths.
    public static func adifNames(of field: PartialKeyPath<Contact>) -> [String] {
        (clearedFields[field] ?? []).map(\.name)
    }

    private static var clearedFields: [PartialKeyPath<Contact>: [FieldName]] {
        [
            \Contact.call: [.call], \Contact.start: [.qsoDate, .timeOn], \Contact.frequency: [.freq, .band],
            \Contact.band: [.band], \Contact.mode: [.mode, .submode], \Contact.reportSent: [.rstSent],
            \Contact.reportReceived: [.rstRcvd], \Contact.grid: [.gridsquare], \Contact.name: [.name],
            \Contact.comment: [.comment], \Contact.notes: [.notes], \Contact.station: [.stationCallsign],
            \Contact.operatorCall: [.operator], \Contact.myGrid: [.myGridsquare], \Contact.myParks: [.myPOTARef],
            \Contact.parks: [.potaRef],
        ]
    }
}
