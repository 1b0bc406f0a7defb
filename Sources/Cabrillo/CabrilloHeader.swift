/// The header of a Cabrillo log: lines of a tag and a text, in order. Some tags stand on several lines.
///
/// Source: Cabrillo 3.0 specification (WWROF), "Header tags".
package struct CabrilloHeader: Sendable, Hashable {
    /// A line of the header.
    package struct Line: Sendable, Hashable {
        /// The tag in upper case, without its colon.
        package let tag: String
        /// What follows it, without blanks at the ends.
        package let text: String

        /// Creates a line. Control characters in `text`, such as the end of a line, become blanks.
        package init(_ tag: String, _ text: String) {
            self.tag = tag
            self.text = String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        }
    }

    /// The lines in order, without the ones that begin and end the log.
    package private(set) var lines: [Line] = []

    /// Creates a header without lines.
    package init() {}

    /// Reads the lines of ``text``; others are skipped.
    package init(text: String) {
        for line in text.split(separator: "\n") {
            if case .header(let line) = CabrilloLine(line) { lines.append(line) }
        }
    }

    /// The lines as text, each ended by a line feed.
    package var text: String { lines.map { "\($0.tag): \($0.text)\n" }.joined() }

    /// The text of the first line with this tag; `nil` if there is none.
    package subscript(tag: String) -> String? { lines.first { $0.tag == tag }?.text }

    /// Appends a line.
    package mutating func append(_ line: Line) { lines.append(line) }

    /// Puts `texts` in place of the lines with this tag, where the first of them is; at the end if there is none.
    package mutating func set(_ tag: String, _ texts: [String]) {
        let place = lines.firstIndex { $0.tag == tag } ?? lines.endIndex
        lines.removeAll { $0.tag == tag }
        lines.insert(contentsOf: texts.map { Line(tag, $0) }, at: min(place, lines.endIndex))
    }

    /// The tags that may stand on several lines.
    private static let repeated: Set<String> = ["ADDRESS", "OFFTIME", "OPERATORS", "SOAPBOX"]

    /// Whether a tag may stand on several lines.
    package static func isRepeated(_ tag: String) -> Bool { repeated.contains(tag) }

    /// The tags with the values that they may have; none for those that may have any.
    private static let values: [String: [String]] = [
        "CALLSIGN": [], "CLUB": [], "CLAIMED-SCORE": [], "CONTEST": [], "CREATED-BY": [], "EMAIL": [], "LOCATION": [],
        "GRID-LOCATOR": [], "NAME": [], "ADDRESS": [], "ADDRESS-CITY": [], "ADDRESS-STATE-PROVINCE": [],
        "ADDRESS-POSTALCODE": [], "ADDRESS-COUNTRY": [], "OPERATORS": [], "OFFTIME": [], "SOAPBOX": [],
        "CATEGORY": [], "CERTIFICATE": ["YES", "NO"],
        "CATEGORY-ASSISTED": ["ASSISTED", "NON-ASSISTED"],
        "CATEGORY-BAND": [
            "ALL", "160M", "80M", "40M", "20M", "15M", "10M", "6M", "4M", "2M", "222", "432", "902", "1.2G", "2.3G",
            "3.4G", "5.7G", "10G", "24G", "47G", "75G", "122G", "134G", "241G", "LIGHT", "VHF-3-BAND", "VHF-FM-ONLY",
        ],
        "CATEGORY-MODE": ["CW", "DIGI", "FM", "RTTY", "SSB", "MIXED"],
        "CATEGORY-OPERATOR": ["SINGLE-OP", "MULTI-OP", "CHECKLOG"],
        "CATEGORY-POWER": ["HIGH", "LOW", "QRP"],
        "CATEGORY-STATION": [
            "DISTRIBUTED", "FIXED", "MOBILE", "PORTABLE", "ROVER", "ROVER-LIMITED", "ROVER-UNLIMITED", "EXPEDITION",
            "HQ", "SCHOOL", "EXPLORER",
        ],
        "CATEGORY-TIME": ["6-HOURS", "8-HOURS", "12-HOURS", "24-HOURS"],
        "CATEGORY-TRANSMITTER": ["ONE", "TWO", "LIMITED", "UNLIMITED", "SWL"],
        "CATEGORY-OVERLAY": ["CLASSIC", "ROOKIE", "TB-WIRES", "YOUTH", "NOVICE-TECH", "YL", "OVER-50"],
    ]

    /// The tags of the specification, in alphabetical order.
    package static var tags: [String] { values.keys.sorted() }

    /// Whether the specification has this tag, or it is one of a program (`X-…`).
    package static func isTag(_ tag: String) -> Bool { values[tag] != nil || tag.hasPrefix("X-") }

    /// The values of the specification for a tag that has a list of them; empty for the others.
    package static func values(of tag: String) -> [String] { values[tag] ?? [] }
}
