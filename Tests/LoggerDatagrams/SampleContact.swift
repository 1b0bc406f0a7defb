/// A contact as the user of a logging program has it before them.
public struct SampleContact: Hashable, Sendable {
    public var call = "W1AW"
    public var grid = "FN31"
    public var hertz: UInt64 = 14_074_500
    public var band = "20m"
    /// The mode as the program calls it, and as ADIF does.
    public var mode = "FT8"
    public var adifMode = ["MODE": "FT8"]
    public var sent = "-08"
    public var received = "-11"
    public var power = "10"
    public var comment = ""
    public var name = ""
    public var start = Moment(2026, 5, 1, 12, 0, 15)
    public var end = Moment(2026, 5, 1, 12, 1, 15)
    public var operatorCall = "N0CALL"
    public var station = "N0CALL"
    public var myGrid = "EM12ab"
    public var exchangeSent = ""
    public var exchangeReceived = ""
    public var propagation = ""

    public init(_ call: String = "W1AW") { self.call = call }

    /// Its fields, as ADIF calls them, without those that are empty.
    public var fields: [String: String] {
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
    public var adif: String {
        fields.sorted { $0.key < $1.key }.map { "<\($0.key):\($0.value.utf8.count)>\($0.value) " }.joined() + "<EOR>"
    }

    /// The frequency in megahertz with so many decimal places.
    public func megahertz(_ decimals: Int) -> String {
        let digits = String(String(1_000_000 + hertz % 1_000_000).dropFirst())
        return "\(hertz / 1_000_000).\(digits.prefix(decimals))"
    }
}
