/// Datagrams of WSJT-X and its relatives, as the comment of NetworkMessage.hpp in the source of WSJT-X describes them.
package enum NetworkDatagram {
    /// The first number of each.
    package static let magic: UInt64 = 0xADBC_CBDA

    /// The part before the values of a message.
    package static func begun(_ type: UInt64, of program: String?, format: UInt64 = 3) -> DatagramWriter {
        var writer = DatagramWriter()
        writer.append(number: magic, byteCount: 4)
        writer.append(number: format, byteCount: 4)
        writer.append(number: type, byteCount: 4)
        writer.append(program)
        return writer
    }

    /// "QSO Logged", type 5.
    ///
    /// - Parameter laterCount: How many of the six values are there that later versions have added; JTDX has three.
    package static func contactLogged(
        _ contact: SampleContact, of program: String? = "WSJT-X", format: UInt64 = 3, laterCount: Int = 6,
        offset: Int32? = nil
    ) -> [UInt8] {
        var writer = begun(5, of: program, format: format)
        writer.append(contact.end, offset: offset)
        writer.append(contact.call)
        writer.append(contact.grid)
        writer.append(number: contact.hertz, byteCount: 8)
        for text in [contact.mode, contact.sent, contact.received, contact.power, contact.comment, contact.name] {
            writer.append(text)
        }
        writer.append(contact.start, offset: offset)
        let later = [
            contact.operatorCall, contact.station, contact.myGrid, contact.exchangeSent, contact.exchangeReceived,
            contact.propagation,
        ]
        for text in later.prefix(laterCount) { writer.append(text) }
        return writer.bytes
    }

    /// "Logged ADIF", type 12.
    package static func adifLogged(_ text: String, of program: String? = "WSJT-X", format: UInt64 = 3) -> [UInt8] {
        var writer = begun(12, of: program, format: format)
        writer.append(text)
        return writer.bytes
    }

    /// "Logged ADIF" of a contact, with the header that WSJT-X writes.
    package static func adifLogged(_ contact: SampleContact, of program: String = "WSJT-X") -> [UInt8] {
        adifLogged(
            "\n<adif_ver:5>3.1.0\n<programid:\(program.utf8.count)>\(program)\n<EOH>\n\(contact.adif)", of: program)
    }

    /// "Heartbeat", type 0.
    package static func heartbeat(of program: String = "WSJT-X") -> [UInt8] {
        var writer = begun(0, of: program)
        writer.append(number: 3, byteCount: 4)
        writer.append("2.7.0")
        writer.append("abcdef")
        return writer.bytes
    }

    /// "Decode", type 2.
    package static func decode(_ text: String, of program: String = "WSJT-X") -> [UInt8] {
        var writer = begun(2, of: program)
        writer.append(number: 1, byteCount: 1)
        writer.append(number: 43_215_000, byteCount: 4)
        writer.append(number: UInt64(UInt32(bitPattern: -12)), byteCount: 4)
        writer.append(number: 0.25.bitPattern, byteCount: 8)
        writer.append(number: 1234, byteCount: 4)
        writer.append("~")
        writer.append(text)
        writer.append(number: 0, byteCount: 2)
        return writer.bytes
    }
}
