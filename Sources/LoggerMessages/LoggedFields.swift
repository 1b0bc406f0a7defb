import GroundwaveADIF

/// The values of the message "QSO Logged" of WSJT-X and JTDX, as fields of ADIF.
///
/// WSJT-X has added values at the end again and again, and JTDX has fewer: those behind the start time may be missing.
enum LoggedFields {
    static func read(_ reader: inout QtReader) throws(UnreadableMessage) -> ADIFFields {
        let end = try reader.time()
        let (call, grid) = (try reader.text(), try reader.text())
        let hertz = try reader.uint64()
        let mode = try reader.text()
        let (sent, received) = (try reader.text(), try reader.text())
        let (power, comment, name) = (try reader.text(), try reader.text(), try reader.text())
        guard let start = try reader.time() else { throw UnreadableMessage(reason: "it has no start time") }
        var later: [ArraySlice<UInt8>] = []
        while later.count < laterFields.count, !reader.isAtEnd { later.append(try reader.text()) }

        var fields = ADIFFields()
        fields.add("CALL", call)
        guard !fields.isEmpty else { throw UnreadableMessage(reason: "it has no call") }
        fields.add("GRIDSQUARE", grid)
        fields.add(mode: String(decoding: mode, as: UTF8.self))
        fields.add("RST_SENT", sent)
        fields.add("RST_RCVD", received)
        fields.add(time: start, "QSO_DATE", "TIME_ON")
        if let end { fields.add(time: end, "QSO_DATE_OFF", "TIME_OFF") }
        fields.add(hertz: hertz, "FREQ", decimals: 6)
        fields.add("TX_PWR", power)
        fields.add("COMMENT", comment)
        fields.add("NAME", name)
        for (field, value) in zip(laterFields, later) { fields.add(field, value) }
        return fields
    }

    /// The fields of the values behind the start time, in their order.
    private static let laterFields = [
        "OPERATOR", "STATION_CALLSIGN", "MY_GRIDSQUARE", "STX_STRING", "SRX_STRING", "PROP_MODE",
    ]
}
