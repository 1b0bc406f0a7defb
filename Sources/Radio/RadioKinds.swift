import GroundwaveRecords

/// The record kinds of a logbook.
public enum Radio {
    /// All kinds of this domain.
    public static let allKinds: [KindSchema] = [
        QSOKind.schema, session, activation, spot, servicePresence, equipment, notesSource, webSDRFavorite, friend,
        challenge, dismissal,
    ]

    /// Returns fields in order, numbered from 1. Those in `union` are collections, whose elements are compared in
    /// upper case and without white space.
    private static func fields(_ names: String, union: Set<String> = []) -> [FieldSchema] {
        names.split(separator: " ").enumerated().map { index, name in
            FieldSchema(
                UInt32(index + 1), String(name), union.contains(String(name)) ? .union : .latest, list: .commas,
                identity: { $0.uppercased().filter { !$0.isWhitespace } })
        }
    }

    /// A period of operating: its fields supply defaults for its contacts.
    public static let session = KindSchema(
        name: "session", version: 2,
        fields: fields(
            """
            CALL OPERATOR STATUS STARTED ENDED PARK SUMMIT WWFF GRID RIG ANTENNA KEY MIC POWER FREQ MODE CONTEST \
            CONTEST_CLASS TITLE NOTES PROGRAMS ATTENDEES EQUIPMENT PHOTOS WEATHER SOLAR
            """, union: ["PARK", "PROGRAMS", "ATTENDEES", "EQUIPMENT", "PHOTOS"]),
        indexes: [IndexSchema(1, "started"), IndexSchema(openSessions, "open")],
        indexEntries: { values, entries in
            let started = values.value(4) ?? []
            let isOpen = values.isVisible && values.value(3).map { !$0.elementsEqual("ended".utf8) } ?? false
            entries.add(started, to: 1)
            if isOpen { entries.add(started, to: openSessions) }
        })

    /// The index of sessions that have not ended, by their start.
    public static let openSessions: UInt8 = 2

    /// The data of one park on one UTC day. Its id is derived from both: see ``naturalID(of:_:)``.
    public static let activation = KindSchema(
        name: "activation", fields: fields("PARK DATE TITLE WATTS WEATHER SOLAR AVERAGE_WPM NOTES"))

    /// A spot of a session; it is written once.
    public static let spot = KindSchema(
        name: "spot",
        fields: fields(
            "SESSION CALL FREQ_KHZ MODE TIME SOURCE SNR WPM SPOTTER SPOTTER_GRID PARK PARK_NAME COMMENTS REGION"))

    /// The state of a contact at an online service: one record for each contact and service, and park if the service
    /// counts by park.
    public static let servicePresence = KindSchema(
        name: "servicePresence",
        fields: fields("QSO SERVICE PRESENT NEEDS_UPLOAD UPLOAD_REJECTED SUBMITTED CONFIRMED_AT PARK"))

    /// A station: equipment that is set up together.
    public static let equipment = KindSchema(
        name: "equipment",
        fields: fields("NAME POWER RIG ANTENNA KEY MIC GRID USE_LOCATION DEFAULT ITEMS NOTES", union: ["ITEMS"]))

    /// A source of callsign notes. A source without a URL contains its text.
    public static let notesSource = KindSchema(name: "notesSource", fields: fields("TITLE URL ENABLED TEXT"))

    /// A receiver on the network, identified by host and port.
    public static let webSDRFavorite = KindSchema(
        name: "webSDRFavorite", fields: fields("HOST NAME LOCATION ANTENNA ADDED NOTES"))

    /// A friend on the air. Each device fetches the server's data about them itself.
    public static let friend = KindSchema(
        name: "friend", fields: fields("CALL USER STATUS REQUESTED_AT ACCEPTED_AT OUTGOING NAME NOTES"))

    /// An enrolment in a challenge. Progress is always computed, never stored.
    public static let challenge = KindSchema(
        name: "challenge", fields: fields("NAME SOURCE_URL VERSION AUTHOR TYPE CONFIGURATION JOINED_AT STATUS NOTES"))

    /// A user's decision that two possible duplicates are different contacts: the pair is not listed again. The
    /// contacts are stored by their ids, the lesser id first.
    public static let dismissal = KindSchema(name: "dismissal", fields: fields("A B"))
}
