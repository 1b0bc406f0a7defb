import LoggerDatagrams
import Testing

@testable import GroundwaveLoggerMessages

@Suite struct `ADIF text in a datagram` {
    @Test func `is a contact, alone or behind ADD, as GridTracker sends it`() throws {
        let sample = SampleContact()
        for text in [sample.adif, "ADD \(sample.adif)", "\r\n\(sample.adif)\r\n"] {
            let contact = try #require(LoggerMessage.contact(in: Array(text.utf8)))
            #expect(contact.program == "adif" && contact.values == sample.fields)
        }
    }

    @Test func `has the program that its header names`() throws {
        let text = "Log<PROGRAMID:5>HAMRS<EOH>\(SampleContact().adif)"
        #expect(LoggerMessage.contact(in: Array(text.utf8))?.program == "HAMRS")
    }

    @Test func `may have several contacts, and one that is cut off is told`() throws {
        let text = "\(SampleContact("W1AW").adif)\(SampleContact("K1AA").adif)<CALL:4>K1A"
        let messages = LoggerMessage.messages(in: Array(text.utf8))
        let calls = messages.compactMap { message -> String? in
            guard case .contact(let contact) = message else { return nil }
            return contact.values["CALL"]
        }
        #expect(calls == ["W1AW", "K1AA"] && messages.count == 3)
        guard case .unreadable("adif", let reason) = messages[2] else { return #expect(Bool(false), "\(messages[2])") }
        #expect(reason.hasPrefix("its ADIF text is damaged"))
    }

    @Test func `anything else is unknown`() {
        let long = Array(SampleContact().adif.utf8) + [UInt8](repeating: 0x20, count: 65_535)
        let texts = ["", "junk", "<EOR>", "<CALL:4>W1AW", "<BAND:3>20m<EOR>", "{\"CALL\":\"W1AW\"}", "<?xml", "<"]
        for datagram in texts.map({ Array($0.utf8) }) + [long, [0] + Array(SampleContact().adif.utf8)] {
            #expect(LoggerMessage.messages(in: datagram).allSatisfy { !$0.changesLog }, "\(datagram.prefix(40))")
        }
    }
}
