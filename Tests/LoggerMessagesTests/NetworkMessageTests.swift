import LoggerDatagrams
import Testing

@testable import GroundwaveLoggerMessages

@Suite struct `Messages of WSJT-X and JTDX` {
    /// "QSO Logged", written by hand: W1AW in FT8 on 14.074500 MHz, from 2026-05-01 12:00:15 to 12:01:15 UTC. The Julian day
    /// of 2026-05-01 is 2461162 (0x258DEA), and 12:00:15 is 43215000 ms (0x02936898) after midnight.
    private static let written: [UInt8] =
        [0xAD, 0xBC, 0xCB, 0xDA, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 6] + Array("WSJT-X".utf8)
        + [0, 0, 0, 0, 0, 0x25, 0x8D, 0xEA, 0x02, 0x94, 0x52, 0xF8, 1]
        + [0, 0, 0, 4] + Array("W1AW".utf8) + [0, 0, 0, 4] + Array("FN31".utf8)
        + [0, 0, 0, 0, 0, 0xD6, 0xC2, 0x84] + [0, 0, 0, 3] + Array("FT8".utf8)
        + [0, 0, 0, 3] + Array("-08".utf8) + [0, 0, 0, 3] + Array("-11".utf8)
        + [0xFF, 0xFF, 0xFF, 0xFF] + [0, 0, 0, 0] + [0xFF, 0xFF, 0xFF, 0xFF]
        + [0, 0, 0, 0, 0, 0x25, 0x8D, 0xEA, 0x02, 0x93, 0x68, 0x98, 1]
        + [0, 0, 0, 6] + Array("N0CALL".utf8) + [0, 0, 0, 6] + Array("N0CALL".utf8) + [0xFF, 0xFF, 0xFF, 0xFF]

    @Test func `a contact is read value by value`() throws {
        let contact = try #require(LoggerMessage.contact(in: Self.written))
        #expect(contact.program == "WSJT-X" && !contact.isReplacement)
        #expect(
            contact.values == [
                "CALL": "W1AW", "GRIDSQUARE": "FN31", "MODE": "FT8", "RST_SENT": "-08", "RST_RCVD": "-11",
                "QSO_DATE": "20260501", "TIME_ON": "120015", "QSO_DATE_OFF": "20260501", "TIME_OFF": "120115",
                "FREQ": "14.074500", "BAND": "20m", "OPERATOR": "N0CALL", "STATION_CALLSIGN": "N0CALL",
            ])
    }

    @Test(arguments: 0...6)
    func `the values that later versions have added may be missing`(count: Int) throws {
        var sample = SampleContact()
        (sample.exchangeSent, sample.exchangeReceived, sample.propagation) = ("1A EMA", "3F NLI", "TR")
        let datagram = NetworkDatagram.contactLogged(sample, of: "JTDX", laterCount: count)
        let contact = try #require(LoggerMessage.contact(in: datagram))
        let later = ["OPERATOR", "STATION_CALLSIGN", "MY_GRIDSQUARE", "STX_STRING", "SRX_STRING", "PROP_MODE"]
        #expect(contact.program == "JTDX")
        #expect(contact.values == sample.fields.filter { !later.dropFirst(count).contains($0.key) })
        // And others may follow.
        #expect(LoggerMessage.contact(in: datagram + [0, 0, 0, 1, 65])?.values["CALL"] == "W1AW")
    }

    @Test func `a mode that is a submode for ADIF is both`() throws {
        var sample = SampleContact()
        (sample.mode, sample.adifMode) = ("FT4", ["MODE": "MFSK", "SUBMODE": "FT4"])
        #expect(LoggerMessage.contact(in: NetworkDatagram.contactLogged(sample))?.values == sample.fields)
    }

    @Test func `an offset from UTC is taken off, and any other time is refused`() throws {
        var sample = SampleContact()
        sample.start = Moment(2026, 1, 1, 0, 30, 0)
        let east = try #require(LoggerMessage.contact(in: NetworkDatagram.contactLogged(sample, offset: 3600)))
        #expect(east.values["QSO_DATE"] == "20251231" && east.values["TIME_ON"] == "233000")
        let west = try #require(LoggerMessage.contact(in: NetworkDatagram.contactLogged(sample, offset: -3600)))
        #expect(west.values["QSO_DATE"] == "20260101" && west.values["TIME_ON"] == "013000")
        #expect(
            LoggerMessage.reason(NetworkDatagram.contactLogged(sample, offset: 90_000))
                == "it has a time that does not exist")
        func reason(_ moment: Moment?, kind: UInt8) -> String? {
            var writer = NetworkDatagram.begun(5, of: "WSJT-X")
            writer.append(moment, kind: kind)
            for text in ["W1AW", ""] { writer.append(text) }
            writer.append(number: 14_074_000, byteCount: 8)
            for text in ["FT8", "", "", "", "", ""] { writer.append(text) }
            writer.append(moment, kind: kind)
            return LoggerMessage.reason(writer.bytes)
        }
        #expect(reason(sample.start, kind: 0) == "its times are not UTC")
        #expect(reason(sample.start, kind: 3) == "its times are not UTC")
        #expect(reason(nil, kind: 1) == "it has no start time")
        #expect(reason(Moment(20_000, 1, 1, 0, 0, 0), kind: 1) == "it has a time that does not exist")
        #expect(reason(Moment(2026, 5, 1, 24, 0, 0), kind: 1) == "it has a time that does not exist")
    }

    @Test func `a contact without a call is refused, and a frequency of nothing is left out`() throws {
        #expect(LoggerMessage.reason(NetworkDatagram.contactLogged(SampleContact(""))) == "it has no call")
        #expect(LoggerMessage.reason(NetworkDatagram.adifLogged("<BAND:3>20m<EOR>")) == "it has no call")
        #expect(LoggerMessage.reason(NetworkDatagram.adifLogged("<EOH>")) == "it has no contact")
        for hertz in [0, UInt64.max] {
            var sample = SampleContact()
            sample.hertz = hertz
            let values = LoggerMessage.contact(in: NetworkDatagram.contactLogged(sample))?.values
            #expect(values?["CALL"] == "W1AW" && values?["FREQ"] == nil && values?["BAND"] == nil)
        }
    }

    @Test func `a logged ADIF text is the contact that it has`() throws {
        let sample = SampleContact()
        let contact = try #require(LoggerMessage.contact(in: NetworkDatagram.adifLogged(sample, of: "JTDX")))
        #expect(contact.program == "JTDX" && contact.values == sample.fields)
        let cut = NetworkDatagram.adifLogged("<CALL:4>W1AW <BAND:3>20m")
        #expect(LoggerMessage.reason(cut)?.hasPrefix("its ADIF text is damaged") == true)
    }

    @Test func `the program is the id without the name that the user gave to one of several`() throws {
        func program(_ id: String?) -> String? {
            LoggerMessage.contact(in: NetworkDatagram.contactLogged(SampleContact(), of: id))?.program
        }
        #expect(program("WSJT-X - FT-991") == "WSJT-X" && program("JTDX") == "JTDX")
        #expect(program("GridTracker") == "GridTracker")
        #expect(program(nil) == "WSJT-X" && program(" - x") == "WSJT-X")
        #expect(program(String(repeating: "x", count: 1000))?.count == 64)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 4_000_000_000])
    func `messages of other types are about something else`(type: UInt64) {
        #expect(LoggerMessage.messages(in: NetworkDatagram.begun(type, of: "WSJT-X").bytes) == [.other])
        #expect(LoggerMessage.messages(in: NetworkDatagram.heartbeat()) == [.other])
        #expect(LoggerMessage.messages(in: NetworkDatagram.decode("CQ W1AW FN31")) == [.other])
    }

    @Test func `formats but 2 and 3 are refused`() {
        let sample = SampleContact()
        for format in [UInt64(2), 3] {
            #expect(LoggerMessage.contact(in: NetworkDatagram.contactLogged(sample, format: format)) != nil)
        }
        for format in [UInt64(0), 1, 4, 4_294_967_295] {
            let reason = LoggerMessage.reason(NetworkDatagram.contactLogged(sample, format: format))
            #expect(reason == "it has the format \(format), and not 2 or 3")
        }
    }
}
