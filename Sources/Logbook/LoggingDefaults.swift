import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSettings
import GroundwaveStore
import GroundwaveSyncing

/// The settings that fill in contacts, and the values that they may have.
enum LoggingDefaults {
    /// The settings with the fields that they fill in, unless the operator or the session says something else.
    static let fields: [(setting: String, field: FieldName)] = [
        ("myCallsign", .stationCallsign), ("defaultBand", .band), ("defaultMode", .mode),
        ("defaultPower", "TX_PWR"), ("defaultGrid", .myGridsquare), ("defaultRig", "MY_RIG"),
        ("defaultAntenna", "MY_ANTENNA"),
    ]

    /// Throws ``StoreError`` with code `usage` if the setting `key` has a list of values and `value` is not in it, or if it
    /// would be no valid value of the field that it fills in.
    static func check(_ key: String, _ value: String) throws {
        switch key {
        case LogbookSyncEngine.setting:
            try check(key, value, among: SyncEngine.allCases.map(\.rawValue))
        case "activityLogBands":
            for word in words(value) { _ = try BandName.checked(word) }
        case "activityLogModes":
            for word in words(value) { try check(mode: word) }
        case "defaultMode":
            try check(mode: value)
        case _ where fields.contains { $0.setting == key } && !value.isEmpty:
            guard let name = fields.first(where: { $0.setting == key })?.field else { return }
            // It is checked as the value of a contact.
            do { _ = try ContactEntry([Assignment(name.name, text: value)]) } catch {
                throw StoreError(
                    .usage, "\(key) cannot have that value. \(error.message)", hint: error.hint.map { Hint($0) })
            }
        default: break
        }
    }

    private static func words(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func check(_ key: String, _ value: String, among values: [String]) throws {
        guard !values.contains(value) else { return }
        throw StoreError(
            .usage, "\(key) cannot have that value.", hint: "Its value is \(values.joined(separator: " or ")).")
    }

    private static func check(mode: String) throws {
        if Mode(mode: mode.uppercased())?.isKnown == true { return }
        throw StoreError(.usage, "There is no mode “\(mode)”.", hint: "Modes are called CW, SSB, FT8, RTTY and so on.")
    }
}
