import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import Testing

/// 2026-05-01 12:00:00 UTC.
private let noon: Int64 = 1_777_636_800

@Suite struct `Entering a contact` {
    @Test func `date and time are now, and the band follows from the frequency`() throws {
        let fields = try entered("CALL=w1aw", "FREQ=14.0325", "MODE=cw")
        #expect(
            fields == [
                "CALL": "W1AW", "FREQ": "14.0325", "MODE": "CW", "BAND": "20m", "QSO_DATE": "20260501",
                "TIME_ON": "120000",
            ])
    }

    @Test(
        arguments: [
            ("USB", "SSB", "USB"), ("ft4", "MFSK", "FT4"), ("PSK31", "PSK", "PSK31"), ("phone", "SSB", nil),
            ("FT8", "FT8", nil),
        ] as [(String, String, String?)])
    func `a submode in MODE becomes mode and submode`(typed: String, mode: String, submode: String?) throws {
        let fields = try entered("CALL=W1AW", "BAND=20m", "MODE=\(typed)")
        #expect(fields["MODE"] == mode)
        #expect(fields["SUBMODE"] == submode)
    }

    @Test(arguments: [
        "FREQ=14.074 BAND=40m", "FREQ=14074", "FREQ=14074000", "FREQ=14,074", "FREQ=-7.1", "FREQ=14.074MHz",
        "FREQ=13.9 BAND=20m", "BAND=20", "BAND=21m", "QSO_DATE=20260231", "QSO_DATE=19291231", "TIME_ON=2460",
        "TIME_ON=12", "MODE=CW SUBMODE=USB", "GRIDSQUARE=ZZ99", "CALL=W1AW CALL=N0CALL", "NMAE=Bob", "SESSION=x",
        "ADIF_VER=3", "TX_PWR=5W", "QSO_RANDOM=maybe", "LAT=52.1", "COMMENT=two\nlines", "NAME=\u{1B}[2J",
    ])
    func `what cannot be meant is refused with a sentence`(typed: String) throws {
        let words = typed.split(separator: " ").map(String.init)
        let problem = try #require(
            throws: EntryProblem.self,
            performing: { try entered(words.contains { $0.hasPrefix("CALL=") } ? words : ["CALL=W1AW"] + words) })
        #expect(problem.message.hasSuffix("."))
        #expect(!(problem.hint ?? "").contains("nil"))
    }

    @Test func `kilohertz are refused, and the megahertz that were meant are said`() throws {
        let problem = try #require(
            throws: EntryProblem.self, performing: { try entered(["CALL=W1AW", "FREQ=14074"]) })
        #expect(problem.hint == "Did you mean FREQ=14.074?")
    }

    @Test func `what is only unusual is kept, with a remark`() throws {
        var entry = try ContactEntry(
            assignments(["CALL=PIRATE", "FREQ=13.9", "MODE=NEWMODE", "MY_POTA_REF=LAKE", "VENDOR_FIELD=1"]))
        try entry.complete(now: noon, session: nil)
        #expect(entry.remarks.count == 5, "\(entry.remarks)")
        #expect(texts(entry)["VENDOR_FIELD"] == "1")
    }

    @Test func `just after midnight a late time is yesterday's`() throws {
        var entry = try ContactEntry(assignments(["CALL=W1AW", "BAND=20m", "MODE=CW", "TIME_ON=23:58"]))
        try entry.complete(now: noon - 12 * 3600 + 60, session: nil)
        #expect(texts(entry)["QSO_DATE"] == "20260430")
        #expect(texts(entry)["TIME_ON"] == "2358")
        #expect(entry.remarks.count == 1)
    }

    @Test func `dates and times may be written as people write them`() throws {
        let fields = try entered("CALL=W1AW", "BAND=20m", "MODE=CW", "QSO_DATE=2026-04-30", "TIME_ON=12:34Z")
        #expect(fields["QSO_DATE"] == "20260430")
        #expect(fields["TIME_ON"] == "1234")
    }

    private func entered(_ words: String...) throws -> [String: String] { try entered(words) }

    private func entered(_ words: [String]) throws -> [String: String] {
        var entry = try ContactEntry(assignments(words))
        try entry.complete(now: noon, session: nil)
        return texts(entry)
    }
}

@Suite struct `Spelling of words` {
    @Test(arguments: [("NMAE", "NAME"), ("FREQQ", "FREQ"), ("GRIDSQAURE", "GRIDSQUARE"), ("RST_SNT", "RST_SENT")])
    func `a letter too many, too few, wrong or exchanged is seen`(typed: String, meant: String) {
        #expect(Spelling.nearest(to: typed, among: ["CALL", "NAME", "FREQ", "GRIDSQUARE", "RST_SENT"]) == meant)
    }

    @Test func `another word is not taken for a mistake`() {
        #expect(Spelling.nearest(to: "VENDOR", among: ["NAME", "FREQ"]) == nil)
        #expect(Spelling.nearest(to: "", among: ["NAME"]) == nil)
    }
}

private func assignments(_ words: [String]) -> [Assignment] {
    words.map { word in
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        return Assignment(parts[0], text: parts[1])
    }
}

private func texts(_ entry: ContactEntry) -> [String: String] {
    Dictionary(
        entry.assignments.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) }, uniquingKeysWith: { $1 })
}
