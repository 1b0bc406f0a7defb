import GroundwaveADIF

/// The values of a contact of N1MM, as fields of ADIF: those that N1MM itself writes into an ADIF file, so that a later
/// import of such a file brings nothing new.
enum ContestFields {
    /// The field with the id of a contact.
    static let idField = "APP_N1MM_ID"

    /// - Parameter values: The values by the name of their element, in lower case.
    static func read(_ values: [String: [UInt8]]) throws(UnreadableMessage) -> ADIFFields {
        func value(_ name: String) -> [UInt8] { values[name] ?? [] }
        var fields = ADIFFields()
        fields.add("CALL", value("call"))
        guard !fields.isEmpty else { throw UnreadableMessage(reason: "it has no call") }
        guard let (date, time) = moment(value("timestamp")) else {
            throw UnreadableMessage(reason: "it has no timestamp such as 2026-05-01 12:34:56")
        }
        fields.add("QSO_DATE", date)
        fields.add("TIME_ON", time)
        let (sent, received) = (hertz(value("txfreq")), hertz(value("rxfreq")))
        fields.add(hertz: sent ?? 0, "FREQ", decimals: 5)
        if let received, received != sent { fields.add(hertz: received, "FREQ_RX", decimals: 5) }
        if fields.text(.band) == nil, let band = band(value("band")) { fields.add("BAND", Array(band.name.utf8)) }
        fields.add(mode: String(decoding: value("mode"), as: UTF8.self))
        addContest(value("contestname"), to: &fields)
        fields.add(value("contestname").starts(with: Array("IARU".utf8)) ? "ITUZ" : "CQZ", number(value("zone")))
        let section = String(decoding: value("section"), as: UTF8.self)
        fields.add(ADIFEnumeration.arrlSection.contains(section) ? "ARRL_SECT" : "APP_N1MM_SECTION", value("section"))
        for (element, field) in Self.fields { fields.add(field, value(element)) }
        for (element, field) in numbers { fields.add(field, number(value(element))) }
        return fields
    }

    /// Values that are written as they are.
    private static let fields = [
        ("mycall", "STATION_CALLSIGN"), ("operator", "OPERATOR"), ("snt", "RST_SENT"), ("rcv", "RST_RCVD"),
        ("gridsquare", "GRIDSQUARE"), ("sentexchange", "STX_STRING"), ("exchange1", "SRX_STRING"),
        ("comment", "COMMENT"), ("qth", "QTH"), ("name", "NAME"), ("power", "RX_PWR"),
        ("prec", "PRECEDENCE"), ("wpxprefix", "PFX"), ("continent", "CONT"), ("misctext", "APP_N1MM_MISCTEXT"),
        ("roverlocation", "APP_N1MM_ROVERLOCATION"), ("id", idField),
    ]

    /// Numbers, of which 0 says that there is none.
    private static let numbers = [("sntnr", "STX"), ("rcvnr", "SRX"), ("ck", "CHECK"), ("points", "APP_N1MM_POINTS")]

    private static func number(_ text: [UInt8]) -> [UInt8] {
        text.allSatisfy { $0 == UInt8(ascii: "0") } ? [] : text
    }

    /// Takes apart `2026-05-01 12:34:56`, which is UTC.
    private static func moment(_ text: [UInt8]) -> (date: [UInt8], time: [UInt8])? {
        let form = Array("0000-00-00 00:00:00".utf8)
        let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        guard text.count == form.count, zip(text, form).allSatisfy({ isDigit($1) ? isDigit($0) : $0 == $1 }) else {
            return nil
        }
        let digits = text.filter(isDigit)
        let (date, time) = (digits[..<8], digits[8...])
        guard ADIFDate(date) != nil, ADIFTime(time) != nil else { return nil }
        return (Array(date), Array(time))
    }

    /// Reads a frequency, which is in units of 10 Hz; `nil` for 0 and for what is no number.
    private static func hertz(_ text: [UInt8]) -> UInt64? {
        guard let tens = UInt64(String(decoding: text, as: UTF8.self)), tens > 0, tens <= .max / 10 else { return nil }
        return tens * 10
    }

    /// The band that begins with a number of megahertz, such as 3.5 or 14; some systems write it with a comma.
    private static func band(_ text: [UInt8]) -> Band? {
        let point = UInt8(ascii: ".")
        let number = text.map { $0 == UInt8(ascii: ",") ? point : $0 }
        guard let frequency = Frequency(megahertz: number[...]) else { return nil }
        return Band(containing: frequency)
            ?? Band.allCases.first { 0..<1_000_000 ~= $0.lowerLimit.hertz - frequency.hertz }
    }

    /// Appends the contest: as ADIF calls it, if N1MM has the same name without hyphens; else as N1MM calls it. `DX` is
    /// N1MM's name for no contest.
    private static func addContest(_ name: [UInt8], to fields: inout ADIFFields) {
        let text = String(decoding: name, as: UTF8.self).uppercased()
        if ["", "DX"].contains(text) { return }
        let known = ADIFEnumeration.contestID.values.first { $0.code.uppercased().filter { $0 != "-" } == text }
        fields.add(known == nil ? "APP_N1MM_CONTESTNAME" : "CONTEST_ID", known.map { Array($0.code.utf8) } ?? name)
    }
}
