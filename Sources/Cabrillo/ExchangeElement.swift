import GroundwaveADIF

/// A part of what stations exchange in a contest.
package enum ExchangeElement: Sendable, Hashable {
    /// Signal report.
    case report
    /// Serial number of the contact, from 1.
    case serial
    /// Letter for the class of the entry in ARRL Sweepstakes.
    case precedence
    /// Last two digits of the year of the first licence.
    case check
    /// ARRL or RAC section.
    case section
    /// Number of transmitters and class, as `2A` on ARRL Field Day.
    case entryClass
    /// CQ zone, 1 to 40.
    case cqZone
    /// ITU zone, 1 to 90, or the letters of a society.
    case ituZone
    /// State or province.
    case state
    /// State or province; from elsewhere the power in watts, KW for a thousand.
    case stateOrPower
    /// Operator's name.
    case name
    /// Grid square.
    case grid
    /// Island on the air.
    case island
    /// Anything else.
    case text

    /// What an operator calls it.
    package var words: String {
        switch self {
        case .report: "report"
        case .serial: "serial number"
        case .precedence: "precedence"
        case .check: "check"
        case .section: "section"
        case .entryClass: "class"
        case .cqZone: "CQ zone"
        case .ituZone: "ITU zone"
        case .state: "state"
        case .stateOrPower: "state or power"
        case .name: "name"
        case .grid: "grid square"
        case .island: "island"
        case .text: "exchange"
        }
    }

    /// The width of its column.
    var width: Int {
        switch self {
        case .report, .section, .entryClass, .stateOrPower: 3
        case .serial: 4
        case .precedence: 1
        case .check, .cqZone: 2
        case .ituZone, .state: 4
        case .name: 10
        case .grid, .island, .text: 6
        }
    }

    /// Returns the field that has it of what was sent or received, and whether that is a field of the contest. Fields of a
    /// contest outrank the text of the exchange (ADIF 3.1.6, `SRX_STRING`); those of a station are known from elsewhere, too,
    /// and what was received may have been something else.
    func field(_ direction: ExchangeDirection) -> (name: FieldName, isOfContest: Bool)? {
        switch (self, direction) {
        case (.report, _): (direction.report, true)
        case (.serial, _): (direction.serial, true)
        case (.precedence, .received): ("PRECEDENCE", true)
        case (.check, .received): ("CHECK", true)
        case (.section, .received): ("ARRL_SECT", true)
        case (.section, .sent): ("MY_ARRL_SECT", false)
        case (.entryClass, .received): ("CLASS", true)
        case (.cqZone, .received): ("CQZ", false)
        case (.cqZone, .sent): ("MY_CQ_ZONE", false)
        case (.ituZone, .received): ("ITUZ", false)
        case (.ituZone, .sent): ("MY_ITU_ZONE", false)
        case (.state, .received): ("STATE", false)
        case (.state, .sent): ("MY_STATE", false)
        case (.name, .received): ("NAME", false)
        case (.name, .sent): ("MY_NAME", false)
        case (.grid, .received): ("GRIDSQUARE", false)
        case (.grid, .sent): ("MY_GRIDSQUARE", false)
        case (.island, .received): ("IOTA", false)
        case (.island, .sent): ("MY_IOTA", false)
        case (.precedence, .sent), (.check, .sent), (.entryClass, .sent), (.stateOrPower, _), (.text, _): nil
        }
    }

    /// Returns the field and the value that `word` has in ADIF; `nil` if ADIF has none for it.
    func assignment(_ word: String, _ direction: ExchangeDirection) -> (name: FieldName, value: String)? {
        if self == .stateOrPower { return Self.stateOrPower(word, direction) }
        guard let name = field(direction)?.name else { return nil }
        switch self {
        case .cqZone: return Self.number(word, 1...40).map { (name, $0) }
        case .ituZone: return Self.number(word, 1...90).map { (name, $0) }
        case .serial: return word.utf8.count <= 9 && Self.isNumber(word) ? (name, word) : nil
        case .check: return word.utf8.count == 2 && Self.isNumber(word) ? (name, word) : nil
        // Stations outside of the United States and Canada send DX.
        case .state, .section: return word == "DX" ? nil : (name, word)
        default: return (name, word)
        }
    }

    private static func stateOrPower(
        _ word: String, _ direction: ExchangeDirection
    ) -> (name: FieldName, value: String)? {
        if ["K", "KW", "1KW"].contains(word) { return (direction == .received ? "RX_PWR" : "TX_PWR", "1000") }
        if isNumber(word) { return word.utf8.count <= 6 ? (direction == .received ? "RX_PWR" : "TX_PWR", word) : nil }
        let isState = word.utf8.count == 2 || word.utf8.count == 3
        return isState && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            ? (direction == .received ? "STATE" : "MY_STATE", word) : nil
    }

    /// Returns a number without zeros before it, if it is in `range`.
    private static func number(_ word: String, _ range: ClosedRange<Int>) -> String? {
        guard isNumber(word), let number = Int(word), range.contains(number) else { return nil }
        return "\(number)"
    }

    /// Whether `word` consists of digits.
    static func isNumber(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns a value of ADIF as a word of a Cabrillo line.
    func word(_ value: String) -> String {
        let word = value.uppercased().split { $0.isWhitespace }.joined(separator: "-")
        switch self {
        case .serial, .check, .cqZone:
            return String(repeating: "0", count: max(0, (self == .serial ? 4 : 2) - word.utf8.count)) + word
        case .grid: return String(word.prefix(4))
        default: return word
        }
    }

    /// Whether a word of a line and a value of ADIF say the same.
    func isSame(_ word: String, _ value: String) -> Bool {
        if let (left, right) = Int(word).flatMap({ left in Int(value).map { (left, $0) } }) { return left == right }
        return word == self.word(value)
    }
}

/// Whether a part of an exchange was sent or received.
package enum ExchangeDirection: Sendable {
    case sent, received

    /// The field of the report.
    var report: FieldName { self == .sent ? .rstSent : .rstRcvd }
    /// The field of the serial number.
    var serial: FieldName { self == .sent ? "STX" : "SRX" }
    /// The field that has the whole exchange but for the report.
    var text: FieldName { self == .sent ? "STX_STRING" : "SRX_STRING" }
    /// What an operator calls it.
    var words: String { self == .sent ? "sent" : "received" }
}
