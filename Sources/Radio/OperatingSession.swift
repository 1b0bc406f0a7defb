import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRecords

/// A period of operating, such as an activation or a contest. Its fields supply defaults for its contacts.
public struct OperatingSession: Hashable, Sendable {
    /// The state of a session.
    public enum Status: String, Sendable {
        /// New contacts belong to the session.
        case active
        /// The session will be resumed; new contacts do not belong to it meanwhile.
        case paused
        /// The session has ended.
        case ended
    }

    /// The id of the session's record.
    public let id: RecordID
    /// The fields by their names, such as `PARK`.
    public let fields: [String: String]

    /// Creates the session that `record` shows.
    public init(_ record: Record) {
        id = record.id
        fields = Dictionary(
            Radio.session.values(of: record).map { ($0.name, ValueText(decoding: $0.value[...]).string) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The state; an unknown status counts as ended.
    public var status: Status { fields["STATUS"].flatMap { Status(rawValue: $0) } ?? .ended }

    /// Whether the session has not ended.
    public var isOpen: Bool { status != .ended }

    /// The operator, else the station's call.
    public var author: String? { fields["OPERATOR"] ?? fields["CALL"] }

    /// The own parks, in upper case.
    public var parks: [String] {
        (fields["PARK"] ?? "").uppercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }

    /// The band of its contacts, if it has a frequency.
    public var band: String? {
        fields["FREQ"].flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0) }?.name
    }

    /// The mode of its contacts, if it has one.
    public var mode: String? { fields["MODE"] }

    /// The fields and values that the session supplies to each of its contacts.
    public var contactFields: [(name: FieldName, value: String)] {
        var result = Self.mapping.compactMap { field, name in fields[field].map { (name: name, value: $0) } }
        if parks.count == 1, let park = parks.first {
            // The upload of parks reads these fields; they hold a single park.
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

    /// Normalises fields of a session that a user entered to ADIF's form.
    ///
    /// - Returns: The assignments, and remarks about unusual values.
    /// - Throws: ``EntryProblem`` for an unknown or managed field, or an invalid value.
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
                    hint: "Starting, pausing, resuming and ending a session set it.")
            }
            guard let value = assignment.value, let name = mapping.first(where: { $0.field == assignment.name })?.name
            else {
                result.append(assignment)
                continue
            }
            var text = try FieldInput.normalised(String(decoding: value, as: UTF8.self), for: name, remarks: &remarks)
            if name == .freq {
                // Checked like the frequency of a contact.
                remarks += try ContactEntry(frequency: text).remarks
            } else if name == .mode {
                text = text.uppercased()
            }
            result.append(Assignment(assignment.name, text: text))
        }
        return (result, remarks)
    }

    private static let managed: Set<String> = ["STATUS"]
}

extension ContactEntry {
    /// Creates an entry that checks only a frequency.
    fileprivate init(frequency: String) throws(EntryProblem) {
        try self.init([
            Assignment("CALL", text: "N0CALL"), Assignment("FREQ", text: frequency), Assignment("MODE", text: "CW"),
        ])
        try complete(now: 0, session: nil)
    }
}
