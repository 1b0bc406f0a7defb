import LoggerDatagrams
import Testing

@testable import GroundwaveLoggerMessages

@Suite struct `Messages of N1MM` {
    private static let id = "f9ffac4fcd3e479ca86e137df1338531"

    private static var sample: SampleContact {
        var sample = SampleContact()
        (sample.mode, sample.sent, sample.received) = ("CW", "599", "579")
        return sample
    }

    private func values(_ changes: [String: String] = [:]) -> [String: String]? {
        LoggerMessage.contact(in: ContestDatagram.contact(Self.sample, id: Self.id, changes))?.values
    }

    @Test func `a contact is read with the fields that N1MM writes into its own files`() throws {
        let contact = try #require(LoggerMessage.contact(in: ContestDatagram.contact(Self.sample, id: Self.id)))
        #expect(contact.program == "N1MM" && !contact.isReplacement)
        #expect(
            contact.values == [
                "CALL": "W1AW", "QSO_DATE": "20260501", "TIME_ON": "120015", "FREQ": "14.07450", "BAND": "20m",
                "MODE": "CW", "CONTEST_ID": "CQ-WW-CW", "CQZ": "5", "STATION_CALLSIGN": "N0CALL", "OPERATOR": "N0CALL",
                "RST_SENT": "599", "RST_RCVD": "579", "GRIDSQUARE": "FN31", "PFX": "W1", "CONT": "NA",
                "APP_N1MM_ID": Self.id, "STX": "5", "APP_N1MM_POINTS": "3",
            ])
    }

    @Test func `a change and a deletion have the id of the contact`() throws {
        let replace = ContestDatagram.contact(Self.sample, id: Self.id, root: "contactreplace", ["call": "K1AA"])
        let contact = try #require(LoggerMessage.contact(in: replace))
        #expect(contact.isReplacement && contact.values["APP_N1MM_ID"] == Self.id && contact.values["CALL"] == "K1AA")
        let deletion = LoggerDeletion(
            program: "N1MM", idField: "APP_N1MM_ID", id: Array(Self.id.utf8), call: "W1AW", time: "2026-05-01 12:00:15")
        #expect(
            LoggerMessage.messages(in: ContestDatagram.deletion(Self.sample, id: Self.id)) == [.deletion(deletion)])
        #expect(LoggerMessage.reason(ContestDatagram.deletion(Self.sample, id: "")) == "it has no ID")
    }

    @Test func `frequencies are in units of 10 Hz, and without one the band counts`() throws {
        let split = try #require(values(["txfreq": "352519", "rxfreq": "352600", "band": "3.5"]))
        #expect(split["FREQ"] == "3.52519" && split["FREQ_RX"] == "3.52600" && split["BAND"] == "80m")
        for none in ["0", "", "x", "-1", "99999999999999999999"] {
            let without = try #require(values(["txfreq": none, "rxfreq": none, "band": "3,5"]))
            #expect(without["FREQ"] == nil && without["FREQ_RX"] == nil && without["BAND"] == "80m")
        }
        let bands = [
            ("1.8", "160m"), ("3.5", "80m"), ("5", "60m"), ("7", "40m"), ("10", "30m"), ("14", "20m"), ("18", "17m"),
            ("21", "15m"), ("24", "12m"), ("28", "10m"), ("50", "6m"), ("70", "4m"), ("144", "2m"), ("222", "1.25m"),
            ("420", "70cm"), ("902", "33cm"), ("1240", "23cm"), ("2300", "13cm"), ("5650", "6cm"), ("10000", "3cm"),
        ]
        for (number, band) in bands { #expect(values(["txfreq": "0", "band": number])?["BAND"] == band, "\(number)") }
        for number in ["", "9", "x", "99999999999999"] {
            #expect(values(["txfreq": "0", "band": number])?["BAND"] == nil, "\(number)")
        }
    }

    @Test func `contest, zone, section and sideband are called as in ADIF`() throws {
        #expect(values(["contestname": "ARRLDXCW"])?["CONTEST_ID"] == "ARRL-DX-CW")
        let unknown = try #require(values(["contestname": "Club Night"]))
        #expect(unknown["CONTEST_ID"] == nil && unknown["APP_N1MM_CONTESTNAME"] == "Club Night")
        let none = try #require(values(["contestname": "DX", "zone": "0"]))
        #expect(none["CONTEST_ID"] == nil && none["APP_N1MM_CONTESTNAME"] == nil && none["CQZ"] == nil)
        #expect(values(["contestname": "IARU", "zone": "8"])?["ITUZ"] == "8")
        #expect(values(["section": "EMA"])?["ARRL_SECT"] == "EMA")
        #expect(values(["section": "JR1"])?["APP_N1MM_SECTION"] == "JR1")
        let phone = try #require(values(["mode": "USB"]))
        #expect(phone["MODE"] == "SSB" && phone["SUBMODE"] == "USB")
    }

    @Test func `references are characters, and blanks at the ends are no part of a value`() throws {
        #expect(values(["name": "Ann & Jim <2>"])?["NAME"] == "Ann & Jim <2>")
        func name(_ text: String) -> String? {
            let xml =
                "<contactinfo><call>W1AW</call><timestamp>2026-05-01 12:00:15</timestamp><name>\(text)</name></contactinfo>"
            return LoggerMessage.contact(in: Array(xml.utf8))?.values["NAME"]
        }
        #expect(name(" \t&quot;A&apos;&#66;&#x43; \r\n") == "\"A'BC")
        #expect(name("&none; &#x110000; &;&#; & a") == "&none; &#x110000; &;&#; & a")
    }

    /// Some programs that send the same write an end tag in another case than its start tag.
    @Test func `the case of tags does not matter, nor do attributes`() throws {
        let xml = """
            \u{FEFF} <ContactInfo version="1"><Call>W1AW</CALL ><TIMESTAMP>2026-05-01 12:00:15</timestamp>\
            <name x="1"/><IsClaimedQso>1</IsClaimedQSO></contactinfo>
            """
        #expect(
            LoggerMessage.contact(in: Array(xml.utf8))?.values
                == ["CALL": "W1AW", "QSO_DATE": "20260501", "TIME_ON": "120015"])
    }

    @Test func `other messages of N1MM are about something else`() {
        for root in ["RadioInfo", "AppInfo", "dynamicresults", "spot", "lookupinfo", "Score"] {
            let xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?><\(root)><app>N1MM</app><a><b>1</b></a></\(root)>"
            #expect(LoggerMessage.messages(in: Array(xml.utf8)) == [.other])
        }
    }

    @Test func `a contact without call or time, and one whose XML is not flat, is refused`() {
        func reason(_ content: String) -> String? {
            LoggerMessage.reason(Array("<contactinfo>\(content)</contactinfo>".utf8))
        }
        let time = "<timestamp>2026-05-01 12:00:15</timestamp>"
        #expect(reason(time) == "it has no call")
        for moment in ["", "2026-05-01", "2026-13-01 12:00:15", "2026-05-01 24:00:15", "2026-05-01T12:00:15"] {
            let found = reason("<call>W1AW</call><timestamp>\(moment)</timestamp>")
            #expect(found == "it has no timestamp such as 2026-05-01 12:34:56", "\(moment)")
        }
        let damaged = "its XML is damaged or cut off"
        for part in ["<a><b>1</b></a>", "<!-- -->", "<call>K1AA</name>", "</a>", "text", "<>", "<!DOCTYPE a>", "<a>"] {
            #expect(reason("<call>W1AW</call>\(time)\(part)") == damaged, "\(part)")
        }
    }
}
