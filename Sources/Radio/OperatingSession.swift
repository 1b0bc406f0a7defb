import ADIF
import Events
import Records

/// A stretch of operating, such as an activation or a contest: what a contact of it does not say, the session says.
public struct OperatingSession: Hashable, Sendable {
    /// How far a session has come.
    public enum Status: String, Sendable {
        /// Contacts belong to it.
        case active
        /// It goes on later; contacts do not belong to it meanwhile.
        case paused
        /// It is over.
        case ended
    }

    /// Its record.
    public let id: RecordID
    /// Its fields by their names, such as `PARK`.
    public let fields: [String: String]

    /// The session that `record` shows.
    public init(_ record: Record) {
        id = record.id
        fields = Dictionary(
            Radio.session.values(of: record).map { ($0.name, ValueText(decoding: $0.value[...]).string) },
            uniquingKeysWith: { first, _ in first })
    }

    /// How far it has come; a status that this version does not know reads as ended.
    public var status: Status { fields["STATUS"].flatMap { Status(rawValue: $0) } ?? .ended }

    /// Whether it has not ended.
    public var isOpen: Bool { status != .ended }

    /// Who operates: the operator, else the station's call.
    public var author: String? { fields["OPERATOR"] ?? fields["CALL"] }

    /// The own parks, in upper case.
    public var parks: [String] {
        (fields["PARK"] ?? "").uppercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }

    /// What it says of each of its contacts.
    public var contactFields: [(name: FieldName, value: String)] {
        var result = Self.mapping.compactMap { field, name in fields[field].map { (name: name, value: $0) } }
        if parks.count == 1, let park = parks.first {
            // What the upload of parks reads; it takes one park.
            result.append((.mySIG, "POTA"))
            result.append((.mySIGInfo, park))
        }
        return result
    }

    private static let mapping: [(field: String, name: FieldName)] = [
        ("CALL", .stationCallsign), ("OPERATOR", .operator), ("GRID", .myGridsquare), ("PARK", .myPOTARef),
        ("SUMMIT", "MY_SOTA_REF"), ("WWFF", "MY_WWFF_REF"), ("RIG", "MY_RIG"), ("ANTENNA", "MY_ANTENNA"),
        ("POWER", "TX_PWR"), ("FREQ", .freq), ("MODE", .mode), ("CONTEST", "CONTEST_ID"),
    ]

    /// Fields of a session as a person says them, brought into ADIF's form.
    ///
    /// - Returns: The assignments, and what was unusual.
    /// - Throws: ``EntryProblem`` where a value cannot be meant.
    public static func checked(
        _ assignments: [Assignment]
    ) throws(EntryProblem) -> (assignments: [Assignment], remarks: [String]) {
        var remarks: [String] = []
        var result: [Assignment] = []
        for assignment in assignments {
            try Radio.check(field: assignment.name, of: Radio.session)
            if managed.contains(assignment.name) {
                throw EntryProblem(
                    "\(assignment.name) cannot be set by hand.",
                    hint: "groundwave session start, pause, resume and end set it.")
            }
            guard let value = assignment.value, let name = mapping.first(where: { $0.field == assignment.name })?.name
            else {
                result.append(assignment)
                continue
            }
            var text = try FieldInput.normalised(String(decoding: value, as: UTF8.self), for: name, remarks: &remarks)
            if name == .freq {
                // Checked as a contact would be.
                remarks += try ContactEntry(frequency: text).remarks
            } else if name == .mode {
                text = text.uppercased()
            }
            result.append(Assignment(assignment.name, text: text))
        }
        return (result, remarks)
    }

    private static let managed: Set<String> = ["STATUS", "STARTED", "ENDED"]
}

extension ContactEntry {
    /// A frequency alone, checked.
    fileprivate init(frequency: String) throws(EntryProblem) {
        try self.init([
            Assignment("CALL", text: "N0CALL"), Assignment("FREQ", text: frequency), Assignment("MODE", text: "CW"),
        ])
        try complete(now: 0, session: nil)
    }
}
