/// Datagrams of N1MM Logger+, as its page "External UDP Messages" shows them.
package enum ContestDatagram {
    /// A contact as XML.
    ///
    /// - Parameters:
    ///   - root: `contactinfo` or `contactreplace`.
    ///   - changes: Values in place of those that are usual, by the name of their element.
    package static func contact(
        _ contact: SampleContact, id: String, root: String = "contactinfo", _ changes: [String: String] = [:]
    ) -> [UInt8] {
        let elements = [
            ("app", "N1MM"), ("contestname", "CQWWCW"), ("contestnr", "73"), ("timestamp", contact.start.text),
            ("mycall", contact.station), ("band", "14"), ("rxfreq", "\(contact.hertz / 10)"),
            ("txfreq", "\(contact.hertz / 10)"), ("operator", contact.operatorCall), ("mode", contact.mode),
            ("call", contact.call), ("countryprefix", "K"), ("wpxprefix", "W1"), ("stationprefix", contact.station),
            ("continent", "NA"), ("snt", contact.sent), ("sntnr", "5"), ("rcv", contact.received), ("rcvnr", "0"),
            ("gridsquare", contact.grid), ("exchange1", contact.exchangeReceived), ("section", ""),
            ("comment", contact.comment), ("qth", ""), ("name", contact.name), ("power", ""), ("misctext", ""),
            ("zone", "5"), ("prec", ""), ("ck", "0"), ("ismultiplier1", "1"), ("ismultiplier2", "0"),
            ("ismultiplier3", "0"), ("points", "3"), ("radionr", "1"), ("run1run2", "1"), ("RoverLocation", ""),
            ("RadioInterfaced", "1"), ("NetworkedCompNr", "0"), ("IsOriginal", "True"), ("NetBiosName", ""),
            ("IsRunQSO", "0"), ("StationName", "CONTEST-PC"), ("ID", id), ("IsClaimedQso", "1"),
            ("oldtimestamp", contact.start.text), ("oldcall", contact.call),
        ]
        let lines = elements.map { "\t<\($0.0)>\(escaped(changes[$0.0] ?? $0.1))</\($0.0)>\r\n" }
        return document("<\(root)>\r\n\(lines.joined())\t<SentExchange />\r\n</\(root)>")
    }

    /// The deletion of a contact as XML.
    package static func deletion(_ contact: SampleContact, id: String) -> [UInt8] {
        document(
            """
            <contactdelete><app>N1MM</app><timestamp>\(contact.start.text)</timestamp><mycall>\(contact.station)</mycall>\
            <band>14</band><call>\(contact.call)</call><contestnr>73</contestnr>\
            <StationName>CONTEST-PC</StationName><ID>\(id)</ID></contactdelete>
            """)
    }

    private static func document(_ content: String) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n\(content)".utf8)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}
