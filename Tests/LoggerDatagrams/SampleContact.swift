/// A contact as the user of a logging program has it before them.
package struct SampleContact: Hashable, Sendable {
    package var call = "W1AW"
    package var grid = "FN31"
    package var hertz: UInt64 = 14_074_500
    package var band = "20m"
    /// The mode as the program calls it, and as ADIF does.
    package var mode = "FT8"
    package var adifMode = ["MODE": "FT8"]
    package var sent = "-08"
    package var received = "-11"
    package var power = "10"
    package var comment = ""
    package var name = ""
    package var start = Moment(2026, 5, 1, 12, 0, 15)
    package var end = Moment(2026, 5, 1, 12, 1, 15)
    package var operatorCall = "N0CALL"
    package var station = "N0CALL"
    package var myGrid = "EM12ab"
    package var exchangeSent = ""
    package var exchangeReceived = ""
    package var propagation = ""

    package init(_ call: String = "W1AW") { self.call = call }

    /// Its fields, as ADIF calls them, without those that are empty.
    package var fields: [String: String] {
        let all = [
            "CALL": call, "GRIDSQUARE": grid, "FREQ": megahertz(6), "BAND": band, "RST_SENT": sent,
            "RST_RCVD": received,
            "TX_PWR": power, "COMMENT": comment, "NAME": name, "QSO_DATE": start.date, "TIME_ON": start.time,
            "QSO_DATE_OFF": end.date, "TIME_OFF": end.time, "OPERATOR": operatorCall, "STATION_CALLSIGN": station,
            "MY_GRIDSQUARE": myGrid, "STX_STRING": exchangeSent, "SRX_STRING": exchangeReceived,
            "PROP_MODE": propagation,
        ]
        return all.merging(adifMode) { $1 }.filter { !$0.value.isEmpty }
    }

    /// Its fields as ADIF text, with the end of the record.
    package var adif: String {
        fields.sorted { $0.key < $1.key }.map { "<\($0.key):\($0.value.utf8.count)>\($0.value) " }.joined() + "<EOR>"
    }

    /// The frequency in megahertz with so many decimal places.
    package func megahertz(_ decimals: Int) -> String {
        let digits = String(String(1_000_000 + hertz % 1_000_000).dropFirst())
        return "\(hertz / 1_000_000).\(digits.prefix(decimals))"
    }
}
