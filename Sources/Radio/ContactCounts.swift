import GroundwaveADIF
import GroundwaveRecords

/// The number of contacts, in total and by group. Notes of an activation are not counted.
public struct ContactCounts: Hashable, Sendable {
    /// The property by which contacts are grouped.
    public enum Key: String, CaseIterable, Sendable {
        /// The band.
        case band
        /// The mode by its usual name: SSB for either sideband, FT4 although it is a submode.
        case mode
        /// The own park; a contact from two parks counts for both.
        case park
        /// The operator, else the station.
        case `operator`
        /// The UTC day.
        case day
        /// The UTC hour of a day.
        case hour

        /// Whether entries of the index of times say it: see ``IndexedContact``.
        var isInIndex: Bool {
            switch self {
            case .band, .mode, .day, .hour: true
            case .park, .operator: false
            }
        }
    }

    /// A group of contacts with a count.
    public struct Group: Hashable, Sendable {
        /// The common value of the contacts; empty if they have none.
        public let key: String
        /// The number of contacts.
        public let count: Int
    }

    /// The number of all contacts.
    public private(set) var total = 0
    private var counts: [Key: [String: Int]] = [:]
    private let keys: [Key]

    /// Creates counts grouped by `keys`.
    public init(by keys: [Key]) { self.keys = keys }

    /// Counts `count` contacts that have these facts in common: at least those that the keys ask for.
    package mutating func add(_ contact: ContactFacts, _ count: Int) {
        total += count
        for key in keys {
            for value in Self.values(of: key, in: contact) { counts[key, default: [:]][value, default: 0] += count }
        }
    }

    /// Returns the groups in their usual order: bands by wavelength, days and hours by time, others by descending
    /// count.
    public func groups(by key: Key) -> [Group] {
        let groups = (counts[key] ?? [:]).map { Group(key: $0.key, count: $0.value) }
        return switch key {
        case .band: groups.sorted { Self.sortKey($0.key) < Self.sortKey($1.key) }
        case .day, .hour: groups.sorted { $0.key < $1.key }
        case .mode, .park, .operator: groups.sorted { $0.count == $1.count ? $0.key < $1.key : $0.count > $1.count }
        }
    }

    private static func sortKey(_ band: String) -> (Int, String) {
        (Band(named: band).map { Int($0.rawValue) } ?? 99, band)
    }

    /// Counts `count` contacts that have `value` for `key`.
    mutating func add(_ value: String, _ count: Int, of key: Key) {
        total += count
        counts[key, default: [:]][value, default: 0] += count
    }

    static func values(of key: Key, in contact: ContactFacts) -> [String] {
        switch key {
        case .band: return [contact.band ?? ""]
        case .mode: return [contact.modeName ?? ""]
        case .park: return contact.myParks.isEmpty ? [""] : contact.myParks
        case .operator: return [contact.operatorCall ?? ""]
        case .day, .hour:
            guard let seconds = contact.startSeconds else { return [""] }
            let text = ContactTime.text(seconds: seconds)
            let day = "\(text.date.prefix(4))-\(text.date.dropFirst(4).prefix(2))-\(text.date.suffix(2))"
            return [key == .day ? day : "\(day)T\(text.time.prefix(2))"]
        }
    }
}

extension ContactFacts {
    /// The mode and submode normalised to ADIF's lists, whichever field of the file contained them.
    public var emission: Mode? { Mode(mode: mode, submode: submode) }

    /// The usual name of the mode: SSB for either sideband, else the submode if there is one.
    public var modeName: String? { Self.modeName(mode, submode) }

    /// Returns the usual name of the mode given by two fields.
    public static func modeName(_ mode: String?, _ submode: String?) -> String? {
        Mode(mode: mode, submode: submode).map { $0.name == "SSB" ? "SSB" : $0.description }
    }

    /// Returns the seconds since 1970 of a date and a time in ADIF's form; `nil` if the date is invalid. An invalid
    /// time counts as 00:00.
    public static func seconds(date: String, time: String) -> Int64? {
        ContactTime.seconds(date: Array(date.utf8)[...], time: Array(time.utf8)[...])
    }

    /// Whether this is a contact in `mode`: as written, as in ADIF's lists, or by its usual name.
    func isMode(_ wanted: String) -> Bool {
        if mode == wanted || submode == wanted { return true }
        guard let emission else { return false }
        return emission.name == wanted || emission.submode == wanted || modeName == Mode(mode: wanted)?.name
    }
}
