import GroundwaveADIF

/// Writes contacts as lines of a Cabrillo log: see ``CabrilloContact``.
///
/// What was exchanged is taken from the fields of the contest, from STX_STRING and SRX_STRING, and where these lack it from
/// fields of the stations. What is nowhere is written as `-`.
package struct CabrilloContactLine: Sendable {
    private let elements: [ExchangeElement]?
    private let station: String?
    private let sent: [String]

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - contest: The name of the contest.
    ///   - station: The own call of contacts that do not say it.
    ///   - sent: What was sent, without report and serial number, by contacts that do not say it.
    package init(contest: String, station: String?, sent: String?) {
        elements = Contest.named(contest)?.exchange
        self.station = station
        self.sent = sent.map(Self.words) ?? []
    }

    /// Returns the line of a contact, and what it lacks in the words of an operator.
    ///
    /// - Parameter value: Returns the text of a field; `nil` or empty if the contact does not have it.
    package func line(_ value: (FieldName) -> String?) -> (line: String, missing: [String]) {
        func text(_ name: FieldName) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
        var missing: [String] = []
        func word(_ word: String?, _ what: String) -> String {
            let printable = word.map(Self.printable) ?? ""
            if printable.isEmpty { missing.append(what) }
            return printable.isEmpty ? "-" : printable
        }
        let frequency = CabrilloFrequency.word(megahertz: text(.freq), band: text(.band))
        let mode = CabrilloMode.word(mode: text(.mode), submode: text(.submode))
        var columns = [
            text("APP_GROUNDWAVE_X_QSO") == "Y" ? "X-QSO:" : "QSO:",
            Self.padded(word(Self.kept(text, frequency), "frequency or band"), 5, isRight: true), word(mode, "mode"),
            word(Self.date(text(.qsoDate)), "date"), word(Self.time(text(.timeOn)), "time"),
        ]
        for direction in [ExchangeDirection.sent, .received] {
            let call = direction == .sent ? text(.stationCallsign) ?? station : text(.call)
            columns.append(Self.padded(word(call?.uppercased(), direction == .sent ? "your call" : "call"), 13))
            let report = text(direction.report) ?? (mode == "PH" || mode == "FM" ? "59" : "599")
            for (element, found) in exchange(direction, report: report, text) {
                let what = "\(element.words) \(direction.words)"
                columns.append(Self.padded(word(found, what), element.width))
            }
        }
        if let number = text(CabrilloContact.transmitter) { columns.append(Self.printable(number)) }
        var line = columns.joined(separator: " ")
        while line.last == " " { line.removeLast() }
        return (line, missing)
    }

    /// The parts of what was exchanged, `nil` for those that are nowhere.
    private func exchange(
        _ direction: ExchangeDirection, report: String, _ text: (FieldName) -> String?
    ) -> [(ExchangeElement, String?)] {
        let words = text(direction.text).map(Self.words) ?? []
        let number = text(direction.serial)
        guard let elements else { return unknownExchange(direction, words, number, text) }
        let own = elements.filter { $0 != .report }
        var rest: [String?] = words
        // A program may keep the serial number in its own field only.
        if words.count + 1 == own.count, let place = own.firstIndex(of: .serial) { rest.insert(nil, at: place) }
        if rest.count != own.count {
            // What the contest does not have is written as it is, rather than lost.
            if !words.isEmpty { return prefix(elements, report) + words.map { (.text, $0) } }
            rest = Array(repeating: nil, count: own.count)
        }
        var ownSent = direction == .sent ? sent[...] : []
        let found = zip(own, rest).map { element, word -> (ExchangeElement, String?) in
            let given = element == .serial ? nil : ownSent.popFirst()
            let field = element.field(direction)
            let value = field.flatMap { text($0.name) }
            if let value, field?.isOfContest == true, word.map({ !element.isSame($0, value) }) ?? true {
                return (element, element.word(value))
            }
            if let word { return (element, word) }
            return (element, value.map(element.word) ?? given ?? (own.count == 1 ? number : nil))
        }
        return prefix(elements, report) + found
    }

    private func prefix(_ elements: [ExchangeElement], _ report: String) -> [(ExchangeElement, String?)] {
        elements.first == .report ? [(.report, report)] : []
    }

    private func unknownExchange(
        _ direction: ExchangeDirection, _ words: [String], _ number: String?, _ text: (FieldName) -> String?
    ) -> [(ExchangeElement, String?)] {
        var found: [(ExchangeElement, String?)] = []
        if let report = text(direction.report) { found.append((.report, report)) }
        if let number, !words.contains(where: { ExchangeElement.serial.isSame($0, number) }) {
            found.append((.serial, ExchangeElement.serial.word(number)))
        }
        found += words.map { (.text, $0) }
        if direction == .sent, words.isEmpty { found += sent.map { (.text, $0) } }
        return found.isEmpty ? [(.text, nil)] : found
    }

    private static func words(_ text: String) -> [String] {
        text.uppercased().split { $0 == " " || $0 == "\t" || $0 == "," || $0.isNewline }.map(String.init)
    }

    /// The frequency as the log wrote it that the contact came from, unless the contact has another one now.
    private static func kept(_ text: (FieldName) -> String?, _ frequency: String?) -> String? {
        guard let kept = text(CabrilloContact.kilohertz), let read = CabrilloFrequency.read(kept),
            CabrilloFrequency.word(megahertz: read.megahertz, band: read.band) == frequency
        else { return frequency }
        return kept
    }

    /// Returns a word that is one in a line of ASCII: a value of a contact may hold blanks, and the ends of lines.
    private static func printable(_ word: String) -> String {
        String(
            decoding: word.unicodeScalars.filter { !$0.properties.isWhitespace }.map { scalar in
                (0x21...0x7E).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?")
            }, as: UTF8.self)
    }

    private static func date(_ value: String?) -> String? {
        guard let text = value.flatMap({ ADIFDate(Array($0.utf8)[...]) })?.text else { return nil }
        return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
    }

    private static func time(_ value: String?) -> String? {
        value.flatMap { ADIFTime(Array($0.utf8)[...]) }.map { String($0.text.prefix(4)) }
    }

    private static func padded(_ word: String, _ width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - word.utf8.count))
        return isRight ? blanks + word : word + blanks
    }
}
