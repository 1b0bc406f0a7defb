import GroundwaveADIF
import GroundwaveRecords

/// How many contacts there are, and of which sort. Notes of an activation never count.
public struct ContactCounts: Hashable, Sendable {
    /// What contacts are counted by.
    public enum Key: String, CaseIterable, Sendable {
        /// The band.
        case band
        /// The mode as operators call it: SSB for either sideband, FT4 though it is a submode.
        case mode
        /// The own park; a contact from two parks counts for each.
        case park
        /// The operator, else the station.
        case `operator`
        /// The UTC day.
        case day
        /// The UTC hour of a day.
        case hour
    }

    /// One sort.
    public struct Group: Hashable, Sendable {
        /// What its contacts have in common; empty where they say nothing of it.
        public let key: String
        /// How many there are.
        public let count: Int
    }

    /// All contacts.
    public private(set) var total = 0
    private var counts: [Key: [String: Int]] = [:]
    private let keys: [Key]

    /// Counts by `keys`.
    public init(by keys: [Key]) { self.keys = keys }

    /// Counts one contact.
    public mutating func add(_ contact: ContactFacts) {
        if contact.isMetadata { return }
        total += 1
        for key in keys {
            for value in Self.values(of: key, in: contact) { counts[key, default: [:]][value, default: 0] += 1 }
        }
    }

    /// The sorts in the order in which people look for them: bands by wavelength, days and hours by time, others by count.
    public func groups(by key: Key) -> [Group] {
        let groups = (counts[key] ?? [:]).map { Group(key: $0.key, count: $0.value) }
        return switch key {
        case .band: groups.sorted { Self.place($0.key) < Self.place($1.key) }
        case .day, .hour: groups.sorted { $0.key < $1.key }
        case .mode, .park, .operator: groups.sorted { $0.count == $1.count ? $0.key < $1.key : $0.count > $1.count }
        }
    }

    private static func place(_ band: String) -> (Int, String) {
        (Band(named: band).map { Int($0.rawValue) } ?? 99, band)
    }

    private static func values(of key: Key, in contact: ContactFacts) -> [String] {
        switch key {
        case .band: return [contact.band ?? ""]
        case .mode: return [contact.modeName ?? ""]
        case .park: return contact.myParks.isEmpty ? [""] : Array(Set(contact.myParks))
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
    /// Mode and submode as ADIF's lists have them, whatever the file wrote where.
    public var emission: Mode? { Mode(mode: mode, submode: submode) }

    /// What operators call the mode: SSB for either sideband, else the submode where there is one.
    public var modeName: String? { Self.modeName(mode, submode) }

    /// What operators call the mode that two fields say.
    public static func modeName(_ mode: String?, _ submode: String?) -> String? {
        Mode(mode: mode, submode: submode).map { $0.name == "SSB" ? "SSB" : $0.description }
    }

    /// Seconds since 1970 of a date and a time as ADIF writes them; `nil` where the date is none.
    public static func seconds(date: String, time: String) -> Int64? {
        ContactTime.seconds(date: Array(date.utf8)[...], time: Array(time.utf8)[...])
    }

    /// Whether this is a contact in `mode`: as it is written, as ADIF's lists have it, or as operators call it.
    func isMode(_ wanted: String) -> Bool {
        if mode == wanted || submode == wanted { return true }
        guard let emission else { return false }
        return emission.name == wanted || emission.submode == wanted || modeName == Mode(mode: wanted)?.name
    }
}
