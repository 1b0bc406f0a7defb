/// What is known of a contest: what stations exchange in it, and when a second contact does not count.
///
/// Source: the exchange templates of the Cabrillo 3.0 specification (WWROF), and the sponsors' rules.
package struct Contest: Sendable, Hashable {
    /// The parts of the exchange, in the order in which they are sent.
    package let exchange: [ExchangeElement]
    /// Whether a station counts once, whatever the band and mode.
    package let isOnce: Bool

    private init(_ exchange: [ExchangeElement], isOnce: Bool = false) {
        (self.exchange, self.isOnce) = (exchange, isOnce)
    }

    /// Contests by the beginning of their names, in ADIF's and in Cabrillo's spelling. The longest one that fits is taken.
    private static let known: [(prefix: String, contest: Contest)] = {
        let serials: [ExchangeElement] = [.report, .serial]
        let templates: [([String], Contest)] = [
            (["ARRL-SS-"], Contest([.serial, .precedence, .check, .section], isOnce: true)),
            (["CQ-WW-RTTY"], Contest([.report, .cqZone, .state])),
            (["CQ-WW-CW", "CQ-WW-SSB"], Contest([.report, .cqZone])),
            (
                ["CQ-WPX-", "CQ-M", "DARC-WAEDC-", "SAC-", "OCEANIA-DX-", "AP-SPRINT", "RSGB-COMMONWEALTH"],
                Contest(serials)
            ),
            (["ARRL-DX-"], Contest([.report, .stateOrPower])),
            (["IARU-HF"], Contest([.report, .ituZone])),
            (["ARRL-10", "ARRL-RTTY", "ARRL-RR-"], Contest([.report, .text])),
            (["ARRL-10-GHZ", "ARRL-VHF-", "ARRL-UHF-AUG", "ARRL-222", "CQ-VHF"], Contest([.grid])),
            (["ARRL-160"], Contest([.report, .section])),
            (["CQ-160-"], Contest([.report, .text])),
            (["ARRL-FIELD-DAY", "ARRL-FD", "WFD", "WINTER-FIELD-DAY"], Contest([.entryClass, .section])),
            (["NAQP-"], Contest([.name, .state])),
            (["NA-SPRINT-", "NCJ-SPRINT"], Contest([.serial, .name, .state])),
            (["RSGB-IOTA"], Contest([.report, .serial, .island])),
        ]
        return templates.flatMap { prefixes, contest in prefixes.map { ($0, contest) } }
    }()

    /// Returns the contest with this name, as CONTEST_ID of ADIF or CONTEST of Cabrillo has it; `nil` if it is not known.
    package static func named(_ name: String) -> Contest? {
        let name = name.uppercased()
        return known.filter { name.hasPrefix($0.prefix) }.max { $0.prefix.utf8.count < $1.prefix.utf8.count }?.contest
    }
}
