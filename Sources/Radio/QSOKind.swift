import GroundwaveADIF
import GroundwaveRecords

/// The kind of a contact.
///
/// A plain field has the number that the ADIF table gives it, an unknown one its name. Fields that say one thing are
/// one register, so that a concurrent edit can never leave 14.074 MHz on 40 m.
public enum QSOKind: RecordKind {
    /// The kind's name.
    public static let name = "qso"

    /// The numbers of the fields that are not ADIF's own: registers and bookkeeping. On disk; never given anew.
    enum Number {
        static let start: UInt32 = 1001
        static let end: UInt32 = 1002
        static let frequency: UInt32 = 1003
        static let frequencyReceived: UInt32 = 1004
        static let emission: UInt32 = 1005
        static let position: UInt32 = 1006
        static let myPosition: UInt32 = 1007
        /// The names of the fields in the order in which the source had them: see ``FieldOrder``.
        static let order: UInt32 = 1101
        /// The normalised key under which an import knew the contact, and which occurrence: see ``ContactKey``.
        static let importKey: UInt32 = 1102
        /// The session the contact belongs to: 16 bytes.
        static let session: UInt32 = 1103
    }

    // Lower case, so that a field of a file that happens to be called FREQUENCY is a field of its own.
    static let registers: [FieldSchema] = [
        FieldSchema(Number.start, "start", members: ["QSO_DATE", "TIME_ON"]),
        FieldSchema(Number.end, "end", members: ["QSO_DATE_OFF", "TIME_OFF"]),
        FieldSchema(Number.frequency, "frequency", members: ["FREQ", "BAND"]),
        FieldSchema(Number.frequencyReceived, "frequency received", members: ["FREQ_RX", "BAND_RX"]),
        FieldSchema(Number.emission, "emission", members: ["MODE", "SUBMODE"]),
        FieldSchema(Number.position, "position", members: ["GRIDSQUARE", "GRIDSQUARE_EXT", "LAT", "LON"]),
        FieldSchema(
            Number.myPosition, "my position", members: ["MY_GRIDSQUARE", "MY_GRIDSQUARE_EXT", "MY_LAT", "MY_LON"]),
    ]

    /// The collections: an element of a list of parks is the same in upper case and without white space around it.
    static let collections: Set<String> = ["POTA_REF", "MY_POTA_REF"]

    /// The kind.
    public static let schema: KindSchema = {
        let members = Set(registers.flatMap(\.members))
        let plain = FieldName.allKnown.filter { !members.contains($0.name) }.map { field in
            FieldSchema(
                UInt32(field.number), field.name, collections.contains(field.name) ? .union : .latest,
                identity: { $0.uppercased().filter { !$0.isWhitespace } })
        }
        let internals = [
            FieldSchema(Number.order, "field order", isInternal: true),
            FieldSchema(Number.importKey, "import key", isInternal: true),
            FieldSchema(Number.session, sessionField, isInternal: true),
        ]
        return KindSchema(
            name: name, version: 2, fields: plain + registers + internals, indexEntries: ContactIndex.entries)
    }()

    /// The name under which a contact's session is assigned: 16 bytes. In lower case, so that no field of a file is it.
    public static let sessionField = "session"

    /// Modes of records that are notes of an activation, not contacts (Ham2K PoLo writes them).
    public static let metadataModes: Set<String> = ["WEATHER", "SOLAR", "NOTE"]
}
