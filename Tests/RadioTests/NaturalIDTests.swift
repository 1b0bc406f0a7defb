import GroundwaveEvents
import GroundwaveRadio
import Testing

@Suite struct `Natural identity` {
    @Test func `one park on one day is one activation, however it is written`() {
        let id = id("activation", ["PARK": "US-1234", "DATE": "20260501"])
        #expect(id != nil)
        #expect(id == self.id("activation", ["PARK": " us-1234 ", "DATE": "2026-05-01"]))
        #expect(id != self.id("activation", ["PARK": "US-1234", "DATE": "20260502"]))
        #expect(id != self.id("activation", ["PARK": "US-1235", "DATE": "20260501"]))
        #expect(self.id("activation", ["PARK": "US-1234"]) == nil)
    }

    @Test(arguments: [
        "http://SDR.example:8073/", "sdr.example:8073", " sdr.example:8073 ", "https://sdr.example:8073/?f=7",
    ])
    func `a receiver is its host and port`(host: String) {
        #expect(id("webSDRFavorite", ["HOST": host]) == id("webSDRFavorite", ["HOST": "sdr.example:8073"]))
    }

    @Test(arguments: [
        "https://example.org/notes.txt", "HTTPS://Example.ORG:443/notes.txt", "https://example.org/notes.txt#top",
        "example.org/notes.txt",
    ])
    func `a notes source is its address`(url: String) {
        #expect(id("notesSource", ["URL": url]) == id("notesSource", ["URL": "https://example.org/notes.txt"]))
    }

    @Test func `paths keep their case, and a source without an address is nobody else's`() {
        #expect(
            id("notesSource", ["URL": "https://example.org/A"]) != id("notesSource", ["URL": "https://example.org/a"]))
        #expect(id("notesSource", ["TITLE": "Mine"]) == nil)
        #expect(id("notesSource", ["URL": " "]) == nil)
    }

    @Test func `presence is a contact at a service, and a park where there is one`() {
        let plain = id("servicePresence", ["QSO": "ABC", "SERVICE": "QRZ"])
        #expect(plain == id("servicePresence", ["QSO": "abc", "SERVICE": "qrz", "PARK": ""]))
        #expect(plain != id("servicePresence", ["QSO": "ABC", "SERVICE": "QRZ", "PARK": "US-1234"]))
        #expect(id("servicePresence", ["QSO": "ABC"]) == nil)
    }

    @Test func `two kinds never share an id, and most have none`() {
        #expect(id("webSDRFavorite", ["HOST": "a"]) != id("notesSource", ["URL": "a"]))
        #expect(id("equipment", ["NAME": "Portable"]) == nil)
        #expect(id("qso", ["CALL": "W1AW"]) == nil)
    }

    private func id(_ kind: String, _ fields: [String: String]) -> RecordID? {
        Radio.naturalID(of: kind) { fields[$0] }
    }
}
