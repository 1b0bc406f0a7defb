/// The synced preferences: 56 keys in 12 groups. Any other key stays on its device.
public enum SyncedSettings {
    /// A group of keys that belong together.
    public struct Group: Hashable, Sendable {
        /// The subject of the group.
        public let name: String
        /// The keys and the types of their values, in order.
        public let keys: [(name: String, type: SettingType)]

        init(_ name: String, _ keys: [(String, SettingType)]) {
            self.name = name
            self.keys = keys.map { (name: $0.0, type: $0.1) }
        }

        /// Two groups are equal if their names are.
        public static func == (left: Group, right: Group) -> Bool { left.name == right.name }

        /// Feeds the name into `hasher`.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The groups in order.
    public static let groups: [Group] = [
        Group("identity", [("myCallsign", .string), ("operatorName", .string), ("licenseClass", .string)]),
        Group(
            "logger defaults",
            [
                ("defaultMode", .string), ("defaultBand", .string), ("defaultPower", .int), ("defaultRST", .string),
                ("defaultGrid", .string), ("defaultRig", .string), ("defaultAntenna", .string),
                ("defaultKey", .string), ("defaultMic", .string), ("loggerShowsFrequency", .bool),
                ("loggerShowsNotes", .bool), ("loggerShowsState", .bool), ("loggerShowsGrid", .bool),
                ("loggerKeepsFocus", .bool), ("loggerWarnsOfDupes", .bool), ("loggerAutoMode", .bool),
            ]),
        Group(
            "parks",
            [
                ("potaUsername", .string), ("potaAutoSpot", .bool), ("potaSpotIntervalMinutes", .int),
                ("potaSpotComment", .string), ("potaQSYSpot", .bool), ("potaShowsHunters", .bool),
                ("potaTwoFerReminder", .bool), ("potaActivationGoal", .int), ("potaRegions", .stringArray),
                ("potaHidesWorked", .bool),
            ]),
        Group("appearance", [("theme", .string), ("usesMetric", .bool), ("timeFormat", .string)]),
        Group("tabs", [("tabOrder", .stringArray), ("hiddenTabs", .stringArray)]),
        Group(
            "equipment lists",
            [("rigs", .stringArray), ("antennas", .stringArray), ("keys", .stringArray), ("microphones", .stringArray)]),
        Group("equipment profiles", [("stationProfiles", .data)]),
        Group("notes sources", [("callsignNotesSources", .data)]),
        Group(
            "activity log",
            [
                ("activityLogName", .string), ("activityLogGrid", .string), ("activityLogLocation", .string),
                ("activityLogProfile", .string), ("activityLogIsActive", .bool), ("activityLogBands", .stringArray),
                ("activityLogModes", .stringArray), ("activityLogMaximumAgeMinutes", .int),
            ]),
        Group(
            "keyboard",
            [
                ("keyboardRow", .bool), ("keyboardSymbols", .stringArray), ("keyboardUppercase", .bool),
                ("keyboardHaptics", .bool),
            ]),
        Group("dashboard", [("dashboardCards", .stringArray), ("dashboardPeriodDays", .int)]),
        Group("other", [("syncEngine", .string), ("backupMirror", .bool)]),
    ]

    /// The type of each key.
    public static let types: [String: SettingType] = Dictionary(
        uniqueKeysWithValues: groups.flatMap(\.keys).map { ($0.name, $0.type) })
}
