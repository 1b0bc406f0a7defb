import GroundwaveADIF

/// A contact as a line of a Cabrillo log: frequency, mode, date, time, then call and exchange of either station, and in some
/// contests the number of the transmitter.
///
/// A contest that is not known has as many words sent as received, and a report first where both begin with one. The
/// exchange without the report is kept as it is in STX_STRING and SRX_STRING, its parts in fields of their own besides where
/// ADIF has them. Source: Cabrillo 3.0 specification (WWROF), "QSO data".
package enum CabrilloContact {
    /// How a log writes the frequency, where that differs from what is written here.
    package static let kilohertz: FieldName = "APP_GROUNDWAVE_KHZ"
    /// The number of the transmitter, 0 or 1.
    package static let transmitter: FieldName = "APP_GROUNDWAVE_TRANSMITTER"
    /// `Y` for a contact that is not to be counted.
    package static let ignored: FieldName = "APP_GROUNDWAVE_X_QSO"

    /// Returns the fields of a contact; `nil` if the words are not those of one.
    ///
    /// - Parameters:
    ///   - words: The words behind `QSO:`, in upper case.
    ///   - contest: The name of the contest; empty if the log does not say it.
    ///   - isIgnored: Whether the contact is not to be counted.
    package static func fields(of words: [String], in contest: String, isIgnored: Bool) -> ADIFFields? {
        guard words.count >= 8, words.count <= 40, let frequency = CabrilloFrequency.read(words[0]),
            let mode = CabrilloMode.mode(words[1]), let date = date(words[2]), let time = time(words[3]),
            let parts = Parts(Array(words[4...]), contest, mode: words[1])
        else { return nil }
        var fields = ADIFFields()
        fields.append(.call, parts.call)
        fields.append(.qsoDate, date)
        fields.append(.timeOn, time)
        if let band = frequency.band { fields.append(.band, band) }
        if let megahertz = frequency.megahertz { fields.append(.freq, megahertz) }
        fields.append(.mode, mode)
        fields.append(.stationCallsign, parts.station)
        if !contest.isEmpty { fields.append("CONTEST_ID", contest) }
        append(parts.sent, parts.elements, .sent, to: &fields)
        append(parts.received, parts.elements, .received, to: &fields)
        if words[0] != CabrilloFrequency.word(megahertz: frequency.megahertz, band: frequency.band) {
            fields.append(kilohertz, words[0])
        }
        if let number = parts.transmitter { fields.append(transmitter, number) }
        if isIgnored { fields.append(ignored, "Y") }
        return fields
    }

    private static func append(
        _ words: [String], _ elements: [ExchangeElement], _ direction: ExchangeDirection, to fields: inout ADIFFields
    ) {
        for (element, word) in zip(elements, words) {
            guard let (name, value) = element.assignment(word, direction), fields[name] == nil else { continue }
            fields.append(name, value)
        }
        let text = zip(elements, words).filter { $0.0 != .report }.map(\.1)
        if !text.isEmpty { fields.append(direction.text, text.joined(separator: " ")) }
    }

    /// The two stations of a line, and what they exchanged.
    private struct Parts {
        let station: String
        let sent: [String]
        let call: String
        let received: [String]
        let transmitter: String?
        let elements: [ExchangeElement]

        init?(_ words: [String], _ contest: String, mode: String) {
            let template = Contest.named(contest)?.exchange
            var words = words
            let hasTransmitter = words.count % 2 == 1
            if hasTransmitter {
                guard words.last == "0" || words.last == "1" else { return nil }
                transmitter = words.removeLast()
            } else {
                transmitter = nil
            }
            let count = words.count / 2 - 1
            guard count > 0 else { return nil }
            station = words[0]
            sent = Array(words[1...count])
            call = words[count + 1]
            received = Array(words[(count + 2)...])
            guard CabrilloContact.isCall(station), CabrilloContact.isCall(call) else { return nil }
            if let template, template.count == count {
                elements = template
            } else {
                let first: ExchangeElement =
                    CabrilloContact.isReport(sent[0], mode) && CabrilloContact.isReport(received[0], mode)
                    ? .report : .text
                elements = [first] + Array(repeating: .text, count: count - 1)
            }
        }
    }

    private static func isReport(_ word: String, _ mode: String) -> Bool {
        let count = mode == "PH" || mode == "FM" ? 2 : 3
        return word.utf8.count == count && word.utf8.first == UInt8(ascii: "5")
            && word.utf8.dropFirst().allSatisfy { (0x31...0x39).contains($0) || $0 == UInt8(ascii: "N") }
    }

    /// Whether a word can be a call: letters, digits and slashes, at least one letter and one digit.
    private static func isCall(_ word: String) -> Bool {
        let bytes = word.utf8
        let letters = bytes.count { (0x41...0x5A).contains($0) }
        let digits = bytes.count { (0x30...0x39).contains($0) }
        let slashes = bytes.count { $0 == UInt8(ascii: "/") }
        return letters > 0 && digits > 0 && letters + digits >= 3 && letters + digits + slashes == bytes.count
            && bytes.count <= 20
    }

    private static func date(_ word: String) -> String? {
        let bytes = Array(word.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        let digits = bytes.filter { $0 != UInt8(ascii: "-") }
        return ADIFDate(digits[...]) == nil ? nil : String(decoding: digits, as: UTF8.self)
    }

    private static func time(_ word: String) -> String? {
        let bytes = Array(word.utf8)
        return bytes.count == 4 && ADIFTime(bytes[...]) != nil ? word : nil
    }
}
