import GroundwaveADIF
import GroundwaveRecords

/// The kind of a contact.
///
/// A plain field has the number from the ADIF table, an unknown field its name. Fields that describe one thing form a
/// register, so that concurrent edits can never result in 14.074 MHz on 40 m.
public enum QSOKind: RecordKind {
    /// The name of the kind.
    public static let name = "qso"

    /// The numbers of fields outside ADIF: registers and internal fields. They are stored on disk, and never reused.
    enum Number {
        static let start: UInt32 = 1001
        static let end: UInt32 = 1002
        static let frequency: UInt32 = 1003
        static let frequencyReceived: UInt32 = 1004
        static let emission: UInt32 = 1005
        static let position: UInt32 = 1006
        static let myPosition: UInt32 = 1007
        /// The names of the fields in the order of the source: see ``FieldOrder``.
        static let order: UInt32 = 1101
        /// The key and occurrence under which an import created the contact: see ``ContactKey``.
        static let importKey: UInt32 = 1102
        /// The id of the contact's session: 16 bytes.
        static let session: UInt32 = 1103
    }

    // The names are in lower case, so that they cannot collide with a field of a file named FREQUENCY.
    static let registers: [FieldSchema] = [
        FieldSchema(Number.start, "start", .sources, members: ["QSO_DATE", "TIME_ON"]),
        FieldSchema(Number.end, "end", .sources, members: ["QSO_DATE_OFF", "TIME_OFF"]),
        FieldSchema(Number.frequency, "frequency", .sources, members: ["FREQ", "BAND"]),
        FieldSchema(Number.frequencyReceived, "frequency received", .sources, members: ["FREQ_RX", "BAND_RX"]),
        FieldSchema(Number.emission, "emission", .sources, members: ["MODE", "SUBMODE"]),
        FieldSchema(Number.position, "position", .sources, members: ["GRIDSQUARE", "GRIDSQUARE_EXT", "LAT", "LON"]),
        FieldSchema(
            Number.myPosition, "my position", .sources,
            members: ["MY_GRIDSQUARE", "MY_GRIDSQUARE_EXT", "MY_LAT", "MY_LON"]),
    ]

    /// The collections: lists of parks, whose elements are compared in upper case and without white space.
    static let collections: Set<String> = ["POTA_REF", "MY_POTA_REF"]
    static let collectionNames = collections.map { FieldName($0) }

    /// The bookkeeping that no listing shows.
    private static let internals = [
        FieldSchema(Number.order, "field order", .sources, isInternal: true),
        FieldSchema(Number.importKey, "import key", .sources, isInternal: true),
        FieldSchema(Number.session, sessionField, .sources, isInternal: true),
    ]
    private static let internalNumbers = internals.map(\.number)

    /// Whether the field is bookkeeping that no listing shows.
    static func isInternal(_ field: FieldOrdinal) -> Bool { internalNumbers.contains(field) }

    /// The schema of the kind.
    public static let schema: KindSchema = {
        let members = Set(registers.flatMap(\.members))
        let plain = FieldName.allKnown.filter { !members.contains($0.name) }.map { field in
            FieldSchema(
                UInt32(field.number), field.name, collections.contains(field.name) ? .union : .sources, list: .commas,
                identity: { $0.uppercased().filter { !$0.isWhitespace } })
        }
        return KindSchema(
            name: name, version: 6, fields: plain + registers + internals, namedPolicy: .sources,
            covers: { Fineness.covers($1, $2, of: FieldName($0)) }, indexes: ContactIndex.all,
            indexEntries: ContactIndex.addEntries)
    }()

    /// The name under which a contact's session is assigned: 16 bytes. In lower case, so that no field of a file has
    /// it.
    public static let sessionField = "session"

    /// The modes of records that are notes of an activation instead of contacts, as Ham2K PoLo writes them.
    public static let metadataModes: Set<String> = ["WEATHER", "SOLAR", "NOTE"]
}
