/// An enumeration of the standard (ADIF 3.1.6, "Enumerations"), apart from ``Band`` and ``Mode``.
///
/// Readers never refuse a value that is not in its list, since later versions add values. ``contains(_:)`` refers to
/// version 3.1.6 only.
public enum ADIFEnumeration: String, Sendable, Hashable, CaseIterable {
    /// `Ant_Path`: the antenna's path.
    case antPath
    /// `ARRL_Section`: sections of the ARRL and RAC.
    case arrlSection
    /// `Award`: awards of old files, all import-only.
    case award
    /// `Award_Sponsor`: prefixes of sponsored awards.
    case awardSponsor
    /// `Contest_ID`: contests.
    case contestID
    /// `Continent`: continents.
    case continent
    /// `Credit`: credits towards awards.
    case credit
    /// `EQSL_AG`: eQSL's "authenticity guaranteed".
    case eqslAG
    /// `Morse_Key_Type`: kinds of Morse key.
    case morseKeyType
    /// `Propagation_Mode`: ways of propagation.
    case propagationMode
    /// `QSL_Medium`: media of a confirmation.
    case qslMedium
    /// `QSL_Rcvd`: states of a confirmation received.
    case qslReceived
    /// `QSL_Sent`: states of a confirmation sent.
    case qslSent
    /// `QSL_Via`: routes of a QSL card, such as direct or bureau.
    case qslVia
    /// `QSO_Complete`: whether a contact was complete.
    case qsoComplete
    /// `QSO_Download_Status`: states of a download.
    case qsoDownloadStatus
    /// `QSO_Upload_Status`: states of an upload.
    case qsoUploadStatus
    /// `Region`: WAE and CQ regions.
    case region

    /// A value of an enumeration.
    public struct Value: Sendable, Hashable {
        /// The value as ADIF spells it.
        public let code: String
        /// Whether programs may read the value but must no longer write it.
        public let isImportOnly: Bool
    }

    /// All values in the order of the standard.
    public var values: [Value] { EnumerationTables.shared.values[self] ?? [] }

    /// Whether `code` is one of the values, import-only ones included. Case is ignored.
    public func contains(_ code: String) -> Bool {
        EnumerationTables.shared.codes[self]?.contains(code.uppercased()) ?? false
    }
}

/// A country or other entity of the DXCC list (ADIF 3.1.6, "DXCC Entity Code Enumeration").
public struct DXCCEntity: Sendable, Hashable {
    /// The code of the entity; 0 stands for "none".
    public let code: Int
    /// The entity's English name, upper case for most.
    public let name: String
    /// Whether the entity was deleted from the list; contacts from before that still count.
    public let isDeleted: Bool
    /// The codes of its primary subdivisions, such as states and provinces.
    public let primarySubdivisions: [String]

    /// All entities, deleted ones included, in the order of their codes.
    public static var all: [DXCCEntity] { EnumerationTables.shared.entities }

    /// Finds an entity by its code; nil if there is none.
    public init?(code: Int) {
        guard let entity = EnumerationTables.shared.entityIndex[code].map({ Self.all[$0] }) else { return nil }
        self = entity
    }

    init(code: Int, name: String, isDeleted: Bool, primarySubdivisions: [String]) {
        self.code = code
        self.name = name
        self.isDeleted = isDeleted
        self.primarySubdivisions = primarySubdivisions
    }
}

/// The enumerations, parsed once from the generated text.
private struct EnumerationTables: Sendable {
    static let shared = EnumerationTables()

    let values: [ADIFEnumeration: [ADIFEnumeration.Value]]
    let codes: [ADIFEnumeration: Set<String>]
    let entities: [DXCCEntity]
    let entityIndex: [Int: Int]

    private init() {
        var values: [ADIFEnumeration: [ADIFEnumeration.Value]] = [:]
        var current: ADIFEnumeration?
        for line in EnumerationSource.values.split(separator: "\n") {
            let text = String(line.dropFirst(2))
            if line.hasPrefix("=") {
                current = ADIFEnumeration(rawValue: text)
            } else if let current {
                values[current, default: []].append(.init(code: text, isImportOnly: line.hasPrefix("I")))
            }
        }
        self.values = values
        codes = values.mapValues { Set($0.map { $0.code.uppercased() }) }

        var subdivisions: [Int: [String]] = [:]
        for line in EnumerationSource.primarySubdivisions.split(separator: "\n") {
            let columns = line.split(separator: " ")
            guard let code = Int(columns[0]) else { continue }
            subdivisions[code, default: []].append(contentsOf: columns.dropFirst().map(String.init))
        }
        entities = EnumerationSource.entities.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ", maxSplits: 2)
            guard columns.count == 3, let code = Int(columns[1]) else { return nil }
            return DXCCEntity(
                code: code, name: String(columns[2]), isDeleted: columns[0] == "D",
                primarySubdivisions: subdivisions[code] ?? [])
        }.sorted { $0.code < $1.code }
        entityIndex = Dictionary(entities.enumerated().map { ($1.code, $0) }) { first, _ in first }
    }
}
