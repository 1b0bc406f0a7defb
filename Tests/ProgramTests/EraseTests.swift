import Foundation
import Testing

@Suite struct `Erasing` {
    /// A store with two contacts with N0GONE, one of them hidden, and one whose comment names the call.
    private func program() throws -> (Program, String) {
        let program = try Program()
        let added = try program.json("qso", "add", "N0GONE", "BAND=20m", "MODE=CW", "NAME=Bartholomew")
        let other = try program.json("qso", "add", "N0GONE", "BAND=40m", "MODE=CW")
        try program.json("qso", "remove", try #require(other["id"] as? String))
        try program.json("qso", "add", "N0CALL", "BAND=40m", "MODE=CW", "COMMENT=via n0gone/p")
        return (program, try #require(added["id"] as? String))
    }

    @Test func `needs --yes where nobody can be asked, and then tells what it did`() throws {
        let (program, id) = try program()
        let refused = try program.run("erase", "--call", "n0gone", "--json")
        #expect(refused.status == 64 && refused.error["hint"] as? String == "Add --yes to do it.")
        let dry = try program.json("erase", "--call", "n0gone", "--dry-run")
        #expect(dry["events"] as? Int == 0 && dry["withheld"] as? Int == 0)
        #expect((dry["contacts"] as? [String])?.count == 2)
        #expect(try program.json("qso", "show", id)["hidden"] as? Bool == false)
        let erased = try program.json("erase", "--call", "n0gone", "--yes")
        #expect((erased["withheld"] as? Int ?? 0) >= 2)
        #expect(erased["events"] as? Int == 3, "of each contact, and the record of the erase")
        #expect((erased["contacts"] as? [String])?.count == 2)
        let mentions = try #require(erased["mentions"] as? [[String: Any]])
        #expect(mentions.count == 1 && mentions[0]["kind"] as? String == "qso" && mentions[0]["note"] as? Bool == false)
        #expect((erased["copies"] as? [Any])?.isEmpty == true)
        #expect(try program.json("verify", "--deep")["ok"] as? Bool == true)
    }

    @Test func `shows as erased from then on, and is in no list or export`() throws {
        let (program, id) = try program()
        let text = try program.run("erase", id, "--yes", "--note", "On request")
        #expect(
            text.status == 0 && text.output.contains("Erased: 1 contact") && text.output.contains("mention the call"))
        let shown = try program.json("qso", "show", id)
        #expect(shown["hidden"] as? Bool == true && (shown["fields"] as? [String: String])?.isEmpty == true)
        #expect(shown["erased"] as? Bool == true)
        #expect(try program.run("qso", "show", id).output.contains("erased"))
        #expect(try program.run("history", id).output.contains("erased"))
        #expect(try program.run("blame", id).output.contains("erased"))
        let blame = try program.json("blame", id, "--field", "NAME")["fields"] as? [String: Any]
        #expect(blame?.isEmpty == true)
        #expect(try program.run("history", "--kind", "erasure").output.contains("erases 1 record"))
        #expect(try program.json("qso", "list")["qsos"].map { ($0 as? [Any])?.count } == 1)
        #expect(try !program.run("export").output.contains("Bartholomew"))
        #expect(try program.json("qso", "list", "--hidden")["qsos"].map { ($0 as? [Any])?.count } == 1)
        let undone = try program.run("undo", "--dry-run")
        #expect(undone.status == 0 && !undone.output.contains("On request"))
        let again = try program.run("erase", id, "--yes")
        #expect(again.status == 0 && again.output.contains("nothing was left"))
    }

    @Test func `says which contacts lose what they took over from it`() throws {
        let (program, id) = try program()
        let other = try #require(try program.json("qso", "add", "W1AW", "FREQ=14.074")["id"] as? String)
        #expect(try program.run("duplicates", "merge", other, id).status == 0)
        #expect(try program.run("qso", "show", other).output.contains("Bartholomew"))
        #expect(try program.json("erase", id, "--dry-run")["repeating"] as? [String] == [other])
        let text = try program.run("erase", id, "--yes").output
        #expect(
            text.contains("These contacts took over values from it in a merge, and lose them:") && text.contains("W1AW")
        )
        let shown = try program.run("qso", "show", other).output
        #expect(shown.contains("14.074") && !shown.contains("Bartholomew"), "\(shown)")
        #expect(shown.contains("  erased\n") && !shown.contains("absent"), "\(shown)")
    }

    /// Whichever of the two comes first, and if one of them is killed.
    @Test(arguments: 0..<8) func `takes what another program merges at the same moment`(round: Int) throws {
        let (program, id) = try program()
        let other = try #require(try program.json("qso", "add", "W1AW", "FREQ=14.074")["id"] as? String)
        let merging = try program.start(["duplicates", "merge", other, id])
        usleep(UInt32(round % 4) * 10_000)
        let erasing = try program.start(["erase", id, "--yes"])
        let isKilled = round >= 4
        if isKilled {
            usleep(UInt32(round) * 10_000)
            kill(erasing.process.processIdentifier, SIGKILL)
        }
        erasing.process.waitUntilExit()
        _ = try merging.outcome()
        // What was killed before it had written anything is asked for again; the next write finishes the rest.
        #expect(try program.run("erase", id, "--yes").status == 0)
        #expect(try program.run("qso", "add", "N0AAA", "BAND=20m").status == 0)
        let files = try #require(FileManager.default.enumerator(at: program.store, includingPropertiesForKeys: nil))
        for case let file as URL in files where !file.hasDirectoryPath {
            #expect(try Data(contentsOf: file).range(of: Data("Bartholomew".utf8)) == nil, "\(file.lastPathComponent)")
        }
        #expect(try program.run("qso", "show", other).output.contains("14.074"))
        #expect(try program.json("verify", "--deep")["ok"] as? Bool == true)
    }

    @Test func `of what is not there ends with 66, of nothing at all with 64`() throws {
        let (program, _) = try program()
        #expect(try program.run("erase", "--call", "N0BODY", "--yes", "--json").error["code"] as? String == "notFound")
        #expect(try program.run("erase", "N0BODY", "--yes").status == 66)
        #expect(try program.run("erase").status == 64)
        #expect(try program.run("erase", "N0GONE", "--call", "N0GONE").status == 64)
        let named = try program.run("erase", "--call", "N0GONE", "--yes", "--note", "N0GONE asked", "--json")
        #expect(named.status == 64 && named.error["code"] as? String == "usage")
    }

    /// One program imports a file that changes every contact, while another one erases one of them.
    @Test(arguments: 0..<6)
    func `beside an import that changes the contact leaves nothing of it`(delay: UInt32) throws {
        let program = try Program()
        func write(_ name: String) throws -> String {
            let file = program.folder.appending(path: "log.adi")
            var text = "generated\n<PROGRAMID:4>Test<EOH>\n"
            for number in 0..<3_000 {
                let isGone = number == 1_500
                let call = isGone ? "N0GONE" : "N0C\(number)"
                let name = isGone ? name : String(name.reversed())
                text += "<CALL:\(call.utf8.count)>\(call)<QSO_DATE:8>20260501<TIME_ON:6>1200\(10 + number % 50)"
                text += "<BAND:3>20m<MODE:2>CW<NAME:\(name.utf8.count)>\(name)<EOR>\n"
            }
            try Data(text.utf8).write(to: file)
            return file.path
        }
        #expect(try program.run("import", write("Bartholomew")).status == 0)
        let importing = try program.start(["import", try write("Methuselahs"), "--json"])
        usleep(delay * 50_000)
        #expect(try program.run("erase", "--call", "N0GONE", "--yes").status == 0)
        let imported = try importing.outcome()
        #expect(imported.status == 0, "\(imported.errors)")
        try program.json("qso", "add", "N0CALL", "BAND=40m", "MODE=CW")
        for name in ["log.mdb", "views.mdb"] {
            let bytes = try Data(contentsOf: program.store.appending(path: name))
            for text in ["N0GONE", "Bartholomew", "Methuselahs"] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
            }
        }
        #expect(try program.run("export").output.components(separatedBy: "<EOR>").count - 1 == 3_000)
        #expect(try program.json("verify", "--deep")["ok"] as? Bool == true)
    }
}
