import Foundation
import Testing

@Suite struct `groundwave qso` {
    @Test func `add logs a contact and says where it stands`() throws {
        let program = try Program()
        let added = try program.json("qso", "add", "w1aw", "freq=14.0325", "MODE=CW", "--note", "First")
        #expect((added["id"] as? String)?.count == 26)
        #expect(added["event"] is String)
        #expect(added["position"] is Int)
        let shown = try program.json("qso", "show", "W1AW")
        let fields = try #require(shown["fields"] as? [String: String])
        #expect(fields["CALL"] == "W1AW")
        #expect(fields["BAND"] == "20m")
        let provenance = try #require((shown["provenance"] as? [String: [String: String]])?["FREQ"])
        #expect(Set(provenance.keys) == ["event", "replica", "author", "stamp", "note"])
        #expect(provenance["author"] == "shack")
        #expect(provenance["note"] == "First")
    }

    @Test(arguments: [
        ["qso", "add", "W1AW", "FREQ=14.074", "BAND=40m"], ["qso", "add", "W1AW", "BAND=20"],
        ["qso", "add", "W1AW", "QSO_DATE=20260231"], ["qso", "add", "BAND=20m"], ["qso", "add", "W1AW", "20m"],
        ["qso", "add", "W1AW", "=x"], ["qso", "add"], ["qso", "edit", "W1AW"], ["qso", "edit", "BAND=20m"],
        ["qso", "edit", "W1AW", "--band", "20m", "NAME=x"], ["qso", "remove"], ["qso", "list", "--since", "soon"],
        ["qso", "list", "--band", "20"], ["qso", "list", "--limit", "-1"], ["qso", "count", "--by", "moon"],
    ])
    func `what makes no sense is refused with code 64 and an object that says why`(arguments: [String]) throws {
        let program = try Program()
        let refused = try program.run(arguments + ["--json"])
        #expect(refused.status == 64)
        #expect(refused.output.isEmpty)
        #expect(refused.error["code"] as? String == "usage")
        #expect((refused.error["message"] as? String)?.isEmpty == false)
        #expect(try program.json("qso", "list")["qsos"] as? [String] == [])
    }

    @Test func `what is unusual is logged, with a remark on standard error`() throws {
        let program = try Program()
        let added = try program.run("qso", "add", "W1AW", "FREQ=13.9", "MODE=CW")
        #expect(added.status == 0)
        #expect(added.errors == "13.9 MHz is outside all bands.\n")
    }

    @Test func `edit moves the band with the frequency, and says so when nothing changes`() throws {
        let program = try Program()
        try program.json("qso", "add", "W1AW", "FREQ=14.0325", "MODE=USB")
        let edited = try program.json("qso", "edit", "last", "FREQ=7.1", "--note", "Read back wrong")
        #expect(edited["event"] is String)
        let fields = try #require(try program.json("qso", "show", "last")["fields"] as? [String: String])
        #expect(fields["BAND"] == "40m")
        let again = try program.run("qso", "edit", "W1AW", "FREQ=7.1")
        #expect(again.status == 0)
        #expect(again.output.hasPrefix("No change: these values are already set: "))
        #expect(try program.json("qso", "edit", "W1AW", "FREQ=7.1")["event"] == nil)
    }

    @Test func `a call that several contacts have is not guessed at`() throws {
        let program = try Program()
        for _ in 0..<2 { try program.json("qso", "add", "W1AW", "BAND=20m", "MODE=CW") }
        let refused = try program.run("qso", "show", "W1AW")
        #expect(refused.status == 66)
        #expect(refused.errors.split(separator: "\n").count == 5, "\(refused.errors)")
        let json = try program.run("qso", "show", "W1AW", "--json")
        let candidates = try #require(json.error["candidates"] as? [String])
        #expect(candidates.count == 2)
        #expect(try program.run("qso", "show", String(candidates[0].prefix(12)), "--json").status == 0)
        #expect(try program.run("qso", "show", "N0CALL").status == 66)
    }

    @Test func `many contacts are shown first, and changed in one batch with yes`() throws {
        let program = try Program()
        for call in ["W1AW", "N0CALL", "W1AW"] { try program.json("qso", "add", call, "BAND=20m", "MODE=CW") }
        let asked = try program.run("qso", "edit", "--call", "W1AW", "MY_RIG=KX2")
        #expect(asked.status == 64)
        #expect(asked.output.split(separator: "\n").count == 3)
        let dry = try program.run("qso", "edit", "--call", "W1AW", "MY_RIG=KX2", "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.output.hasSuffix("2 contacts would be changed.\n"))
        let done = try program.json("qso", "edit", "--call", "W1AW", "MY_RIG=KX2", "--yes")
        #expect(done["changed"] as? Int == 2)
        #expect(try program.json("qso", "edit", "--call", "W1AW", "MY_RIG=KX2", "--yes")["changed"] as? Int == 0)
        #expect(try program.json("qso", "remove", "--band", "20m", "--yes")["changed"] as? Int == 3)
        #expect((try program.json("qso", "list")["qsos"] as? [Any])?.count == 0)
        #expect((try program.json("qso", "list", "--hidden")["qsos"] as? [Any])?.count == 3)
        #expect(try program.json("qso", "restore", "--call", "W1AW", "--yes")["changed"] as? Int == 2)
    }

    @Test func `what was removed is hidden, and can be restored by its call`() throws {
        let program = try Program()
        let id = try #require(try program.json("qso", "add", "W1AW", "BAND=20m")["id"] as? String)
        #expect(try program.run("qso", "remove", "W1AW").output.hasPrefix("Hidden: \(id.prefix(8))  W1AW 20m"))
        #expect(try program.run("qso", "remove", id).output.hasPrefix("No change: already hidden: \(id.prefix(8))"))
        #expect(try program.json("qso", "show", "W1AW")["hidden"] as? Bool == true)
        #expect(try program.json("qso", "restore", "W1AW")["id"] as? String == id)
        #expect(try program.run("qso", "restore", "W1AW").status == 66)
    }

    @Test func `list filters, limits to the latest, and prints an object a line`() throws {
        let program = try Program()
        for (call, band, date) in [
            ("W1AW", "20m", "20260501"), ("N0CALL", "40m", "20260502"), ("W1AW", "40m", "20260503"),
        ] {
            try program.json(
                "qso", "add", call, "BAND=\(band)", "MODE=CW", "QSO_DATE=\(date)", "TIME_ON=1200", "MY_POTA_REF=US-1234"
            )
        }
        func count(_ arguments: String...) throws -> Int {
            let outcome = try program.run(["qso", "list", "--ndjson"] + arguments)
            return outcome.output.split(separator: "\n").count
        }
        #expect(try count() == 3)
        #expect(try count("--call", "w1aw") == 2)
        #expect(try count("--band", "40M") == 2)
        #expect(try count("--mode", "cw", "--band", "20m") == 1)
        #expect(try count("--since", "2026-05-02") == 2)
        #expect(try count("--until", "2026-05-02") == 2)
        #expect(try count("--since", "2026-05-02", "--until", "2026-05-02") == 1)
        #expect(try count("--park", "us-1234") == 3)
        #expect(try count("--recorded-since", "90m") == 3)
        #expect(try count("--recorded-since", "2099-01-01") == 0)
        let latest = try program.json("qso", "list", "--limit", "1")["qsos"] as? [[String: Any]]
        #expect((latest?.first?["fields"] as? [String: String])?["QSO_DATE"] == "20260503")
        let table = try program.run("qso", "list").output.split(separator: "\n")
        #expect(table.count == 4)
        #expect(table.last?.contains("2026-05-03 12:00:00Z") == true, "the newest is last")
    }

    @Test func `worked answers with its exit code`() throws {
        let program = try Program()
        let notYet = try program.run("qso", "worked", "W1AW", "--json")
        #expect(notYet.status == 1)
        #expect(notYet.json["dupe"] as? Bool == false)
        try program.json("qso", "add", "W1AW", "BAND=20m", "MODE=CW", "MY_POTA_REF=US-1234")
        let worked = try program.json("qso", "worked", "w1aw", "--band", "20m", "--mode", "CW")
        #expect(worked["dupe"] as? Bool == true)
        let contact = try #require((worked["worked"] as? [[String: Any]])?.first)
        #expect(Set(contact.keys) == ["id", "at", "band", "mode", "park"])
        #expect(try program.run("qso", "worked", "W1AW", "--band", "40m").status == 1)
    }

    @Test func `count groups, and notes of an activation never count`() throws {
        let program = try Program()
        for mode in ["CW", "USB", "LSB", "WEATHER"] {
            try program.json("qso", "add", "W1AW", "BAND=20m", "MODE=\(mode)")
        }
        let counts = try program.json("qso", "count", "--by", "mode")
        #expect(counts["total"] as? Int == 3)
        let groups = try #require(counts["groups"] as? [[String: Any]])
        #expect(groups.map { $0["key"] as? String } == ["SSB", "CW"])
        #expect(groups.map { $0["count"] as? Int } == [2, 1])
        #expect(try program.run("qso", "count").output == "3\n")
        #expect((try program.json("qso", "list")["qsos"] as? [Any])?.count == 3)
        #expect((try program.json("qso", "list", "--mode", "WEATHER")["qsos"] as? [Any])?.count == 1)
    }

    @Test func `what a log says never moves the cursor`() throws {
        let program = try Program()
        let log = "<EOH><CALL:4>W1AW<BAND:3>20m<QSO_DATE:8>20260501<TIME_ON:4>1200<NAME:9>\u{1B}[2Jab\u{9B}\u{07}<EOR>"
        #expect(try program.run("import", "-", input: log).status == 0)
        for arguments in [["qso", "list"], ["qso", "show", "W1AW"], ["qso", "show", "W1AW", "--json"]] {
            let output = try program.run(arguments).output
            let isRaw = output.unicodeScalars.contains {
                $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value)
            }
            #expect(!isRaw, "\(arguments)")
            #expect(output.contains("W1AW"))
        }
    }
}
