import GroundwaveADIF
import GroundwaveRecords

/// Contacts as people type them, a line each, in the manner of Fast Log Entry: what does not change is written once.
///
/// ```
/// mycall N0CALL/P
/// mypark US-0001
/// date 2026-05-01
/// 20m cw
/// 1205 w1aw 599 579 #US-0002
/// 7 k1aa @Jim <strong signal>
/// 40m
/// 12 n0aaa 5 7 ,012 .034
/// ```
///
/// | words | |
/// |---|---|
/// | `mycall`, `operator`, `mygrid`, `mypark`, `mysota`, `mywwff`, `myrig`, `power` and a value | fields of all contacts that follow |
/// | `date 2026-05-01`, `2026-05-01`, `day +`, `day ++` | the day of the contacts that follow; times that go back by more than half a day begin the next one |
/// | `20m`; `14.0325`; `cw` | band, frequency in MHz and mode, until others are given |
/// | `1205`, `05`, `7` | the time: of two digits the minutes, of one their last digit; without one, that of the contact before |
/// | `w1aw/p` | the call; without it a line only sets what follows |
/// | `599 579`, `5 7` | reports sent and received; of one digit the strength; 599 or 59 where none is given, and in other modes none |
/// | `,012`, `.034 .A .61 .NE` | what was sent and received in a contest: a number first, or other texts |
/// | `#US-0002`, `#FN31`, `#W1/HA-001`, `#USFF-0002`, `#EU-005` | the other station's park, grid square, summit, WWFF reference or island |
/// | `@Jim`, `<a comment>`, `[a QSL message]`, `NAME=Jim` | name, comment, QSL message, any field |
/// | `# …` | a remark, at the beginning of a line |
///
/// Source: the syntax of Fast Log Entry 3 (DF3CB), of which `#` marks a grid square; its bare references are not read.
public struct FastLog: Sendable {
    /// What a line was.
    public enum Line: Hashable, Sendable {
        /// A contact with these fields.
        case contact([Assignment])
        /// It set what follows, or is a remark or empty.
        case other
    }

    /// What the contacts that follow have, unless their lines say something else.
    private struct Context: Sendable {
        var fields: [FieldName: String] = [:]
        var day: Int?
        /// Seconds since midnight.
        var minutes: Int?
        var frequency: String?
        var band: String?
        var mode: Mode?
    }

    private var context = Context()
    /// Whether contacts are made while they are typed.
    private let isLive: Bool

    /// Creates a reader of the first line.
    ///
    /// - Parameter isLive: Whether contacts are made while they are typed: then a contact before the first date has no date,
    ///   and no time unless its line gives one, and is to be logged as made now.
    public init(isLive: Bool = false) { self.isLive = isLive }

    /// Sets what contacts have until a line says something else.
    package mutating func begin(frequency: String?, band: String?, mode: Mode?) {
        (context.frequency, context.band, context.mode) = (frequency, band, mode)
    }

    /// The band of the contacts that follow; `nil` if none is known.
    package var band: String? { context.band }

    /// The mode of the contacts that follow, by its usual name; `nil` if none is known.
    package var modeName: String? { ContactFacts.modeName(context.mode?.name, context.mode?.submode) }

    /// Reads the next line.
    ///
    /// - Throws: ``EntryProblem`` with the word that is not understood; then the line sets nothing.
    public mutating func read(_ line: String) throws(EntryProblem) -> Line {
        var next = context
        var entry = Entry()
        let words = try Self.words(of: line)
        if words.isEmpty || line.drop(while: \.isWhitespace).hasPrefix("# ") || words == ["#"] { return .other }
        if try Self.readSetting(words, &next) {
            context = next
            return .other
        }
        for word in words { try entry.read(word, &next) }
        context = next
        guard let call = entry.call else { return .other }
        context.minutes = next.minutes
        return .contact(try assignments(call, entry, next))
    }

    /// Returns the words of a line; a text in `<>`, `[]` or quotes is one of them.
    private static func words(of line: String) throws(EntryProblem) -> [String] {
        let closing: [Character: Character] = ["<": ">", "[": "]", "\"": "\""]
        var words: [String] = []
        var rest = line[...]
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if let close = closing[first] {
                guard let end = rest.dropFirst().firstIndex(of: close) else {
                    throw EntryProblem("“\(rest)” has no \(close) at its end.")
                }
                words.append(String(rest[...end]))
                rest = rest[rest.index(after: end)...]
            } else {
                let word = rest.prefix { !$0.isWhitespace && $0 != "<" && $0 != "[" }
                words.append(String(word))
                rest = rest.dropFirst(word.count)
            }
        }
        return words
    }

    private static let settings: [String: FieldName] = [
        "mycall": .stationCallsign, "operator": .operator, "mygrid": .myGridsquare, "mypark": .myPOTARef,
        "mypota": .myPOTARef, "mysota": "MY_SOTA_REF", "mywwff": "MY_WWFF_REF", "myrig": "MY_RIG", "power": "TX_PWR",
    ]

    /// Reads a line that begins with the name of a setting or of a day; `false` if it does not.
    private static func readSetting(_ words: [String], _ context: inout Context) throws(EntryProblem) -> Bool {
        let first = words[0].lowercased()
        if let field = settings[first] {
            guard words.count > 1 else {
                context.fields[field] = nil
                return true
            }
            var remarks: [String] = []
            let text = words.dropFirst().joined(separator: field == .myPOTARef ? "," : " ")
            context.fields[field] = try FieldInput.normalised(text, for: field, remarks: &remarks)
            return true
        }
        if first == "date", words.count == 2 {
            guard let day = day(words[1]) else { throw notUnderstood(words[1], "Dates are like 2026-05-01.") }
            (context.day, context.minutes) = (day, nil)
            return true
        }
        if first == "day", words.count == 2, let present = context.day, words[1].allSatisfy({ $0 == "+" }) {
            (context.day, context.minutes) = (present + words[1].count, nil)
            return true
        }
        return false
    }

    private static func day(_ word: String) -> Int? {
        guard word.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}/) != nil else { return nil }
        return ADIFDate(Array(word.utf8.filter { $0 != UInt8(ascii: "-") })[...]).map { Int($0.daysSince1970) }
    }

    private static func notUnderstood(_ word: String, _ hint: String? = nil) -> EntryProblem {
        EntryProblem("“\(word)” is not understood.", hint: hint ?? "A line is like 1205 w1aw 599 579.")
    }

    /// What a line says of one contact.
    private struct Entry {
        var call: String?
        var hasTime = false
        var reports: [String] = []
        var fields: [Assignment] = []

        mutating func read(_ word: String, _ context: inout Context) throws(EntryProblem) {
            if let text = FastLog.inner(word, "<", ">") { return fields.append(Assignment("COMMENT", text: text)) }
            if let text = FastLog.inner(word, "[", "]") { return fields.append(Assignment("QSLMSG", text: text)) }
            if word.hasPrefix("@"), word.count > 1 {
                return fields.append(Assignment("NAME", text: String(word.dropFirst())))
            }
            if word.hasPrefix("#") { return fields.append(try FastLog.reference(word)) }
            if let equals = word.firstIndex(of: "="), equals != word.startIndex {
                var remarks: [String] = []
                let name = try FieldNameInput.name(String(word[..<equals]), in: nil, remarks: &remarks)
                return fields.append(Assignment(name.name, text: String(word[word.index(after: equals)...])))
            }
            if call == nil { return try readBeforeCall(word, &context) }
            if word.hasPrefix(","), word.count > 1 { return append(exchange: word.dropFirst(), "STX") }
            if word.hasPrefix("."), word.count > 1 { return append(exchange: word.dropFirst(), "SRX") }
            guard reports.count < 2, word.wholeMatch(of: /[+-]?[0-9]{1,3}/) != nil else {
                throw FastLog.notUnderstood(word)
            }
            reports.append(word)
        }

        /// A number that comes first is written as one, and anything else as a text.
        private mutating func append(exchange: Substring, _ field: String) {
            let (word, text) = (String(exchange).uppercased(), field + "_STRING")
            if let place = fields.firstIndex(where: { $0.name == text }) {
                fields[place] = Assignment(text, (fields[place].value ?? []) + Array(" \(word)".utf8))
            } else if exchange.allSatisfy({ $0.isASCII && $0.isNumber }), !fields.contains(where: { $0.name == field })
            {
                fields.append(Assignment(field, text: word))
            } else {
                fields.append(Assignment(text, text: word))
            }
        }

        private mutating func readBeforeCall(_ word: String, _ context: inout Context) throws(EntryProblem) {
            if let band = Band(named: word) {
                (context.band, context.frequency) = (band.name, nil)
            } else if word.contains("."), let frequency = Frequency(megahertz: word) {
                (context.frequency, context.band) = (word, Band(containing: frequency)?.name)
            } else if let day = FastLog.day(word), word.contains("-") {
                (context.day, context.minutes) = (day, nil)
            } else if word.allSatisfy({ $0.isASCII && $0.isNumber }) {
                try FastLog.readTime(word, &context)
                hasTime = true
            } else if let mode = Mode(mode: word.uppercased()), mode.isKnown, Self.isModeWord(word) {
                context.mode = mode
            } else {
                var remarks: [String] = []
                let text = try FieldInput.call(word, .call, &remarks)
                guard remarks.isEmpty else { throw FastLog.notUnderstood(word) }
                call = text
            }
        }

        /// Whether a word is the name of a mode and cannot be a call, as Q65 is the one and K1A the other.
        private static func isModeWord(_ word: String) -> Bool {
            word.wholeMatch(of: /[A-Za-z]+|[A-Za-z]+[0-9]+/) != nil
        }
    }

    private static func inner(_ word: String, _ open: Character, _ close: Character) -> String? {
        word.first == open && word.last == close && word.count > 1 ? String(word.dropFirst().dropLast()) : nil
    }

    private static func readTime(_ digits: String, _ context: inout Context) throws(EntryProblem) {
        guard let number = Int(digits) else { throw notUnderstood(digits) }
        var minutes: Int
        switch digits.count {
        case 4: minutes = number / 100 * 60 + number % 100
        case 1, 2:
            guard let last = context.minutes else {
                throw notUnderstood(digits, "The first time has four digits: 1205.")
            }
            minutes = digits.count == 2 ? last / 60 * 60 + number : last / 10 * 10 + number
        default: throw notUnderstood(digits, "A time has four digits, or those that change: 1205, then 07.")
        }
        let isClock = digits.count == 4 ? number / 100 < 24 && number % 100 < 60 : digits.count == 1 || number < 60
        guard isClock else { throw EntryProblem("\(digits) is not a time.", hint: "Write it in UTC: 1205.") }
        if let last = context.minutes, minutes < last - 12 * 60, let day = context.day { context.day = day + 1 }
        minutes = min(minutes, 24 * 60 - 1)
        context.minutes = minutes
    }

    /// Reads what stands behind `#`: which kind of reference it is follows from its form.
    private static func reference(_ word: String) throws(EntryProblem) -> Assignment {
        let text = word.dropFirst().uppercased()
        let forms: [(Regex<Substring>, String)] = [
            (/[A-R]{2}[0-9]{2}(?:[A-X]{2}(?:[0-9]{2})?)?/, "GRIDSQUARE"), (/[A-Z0-9]+FF-[0-9]{4}/, "WWFF_REF"),
            (/[A-Z0-9]+\/[A-Z]{2}-[0-9]{3}/, "SOTA_REF"), (/(?:AF|AN|AS|EU|NA|OC|SA)-[0-9]{3}/, "IOTA"),
            (/[A-Z0-9]{1,4}-[0-9]{4,5}(?:@[A-Z0-9-]+)?/, "POTA_REF"),
        ]
        guard let field = forms.first(where: { text.wholeMatch(of: $0.0) != nil })?.1 else {
            throw notUnderstood(word, "References are like #US-0001, #FN31, #W1/HA-001, #USFF-0001 and #EU-005.")
        }
        return Assignment(field, text: text)
    }

    private func assignments(
        _ call: String, _ entry: Entry, _ context: Context
    ) throws(EntryProblem) -> [Assignment] {
        var result = [Assignment("CALL", text: call)]
        if let day = context.day {
            result.append(Assignment("QSO_DATE", text: ADIFDateTime(unixSeconds: Int64(day) * 86_400).date.text))
        }
        if let minutes = context.minutes, context.day != nil || isLive && entry.hasTime {
            let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
            result.append(Assignment("TIME_ON", text: Self.twoDigits(hour) + Self.twoDigits(minute)))
        }
        if let frequency = context.frequency { result.append(Assignment("FREQ", text: frequency)) }
        if let band = context.band { result.append(Assignment("BAND", text: band)) }
        if let mode = context.mode {
            result.append(Assignment("MODE", text: mode.name))
            if let submode = mode.submode { result.append(Assignment("SUBMODE", text: submode)) }
        }
        let reports = [0, 1].map { Self.report(entry.reports.count > $0 ? entry.reports[$0] : "", context.mode) }
        for (field, text) in zip(["RST_SENT", "RST_RCVD"], reports) where !text.isEmpty {
            result.append(Assignment(field, text: text))
        }
        for (field, text) in context.fields.sorted(by: { $0.key.name < $1.key.name }) {
            result.append(Assignment(field.name, text: text))
        }
        for assignment in entry.fields {
            if assignment.name == "POTA_REF", let place = result.firstIndex(where: { $0.name == "POTA_REF" }) {
                let both = (result[place].value ?? []) + [UInt8(ascii: ",")] + (assignment.value ?? [])
                result[place] = Assignment("POTA_REF", both)
            } else if result.contains(where: { $0.name == assignment.name }) {
                throw EntryProblem("\(assignment.name) is given twice.")
            } else {
                result.append(assignment)
            }
        }
        return result
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Returns a report in full: of one digit, which is the strength, and of none in a mode that has a usual one.
    private static func report(_ text: String, _ mode: Mode?) -> String {
        let usual: String? =
            switch mode?.name {
            case "CW", "RTTY", "PSK": "599"
            case "SSB", "FM", "AM", "DIGITALVOICE": "59"
            default: nil
            }
        guard text.count < 2, let usual else { return text }
        if text.isEmpty { return usual }
        return "5" + text + usual.dropFirst(2)
    }
}
