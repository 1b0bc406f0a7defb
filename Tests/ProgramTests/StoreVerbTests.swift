import Foundation
import Testing

@Suite struct `The verbs of the whole store` {
    @Test func `watch what another process imports: nothing is missed, nothing comes twice`() throws {
        let program = try Program()
        let watching = try program.start(["watch", "--since", "0", "--kind", "qso", "--count", "10001", "--json"])
        #expect(try program.run("import", generatedLog(10_000, in: program)).status == 0)
        #expect(try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0)
        let watched = try watching.outcome()
        #expect(watched.status == 0)
        let lines = watched.output.split(separator: "\n")
        let objects = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.count == 10_001)
        #expect(Set(objects.compactMap { $0["id"] as? String }).count == 10_001)
        #expect(Set(objects.compactMap { $0["event"] as? String }).count == 10_001)
        // Going on from a token in the middle gives what came behind it, and no more.
        let middle = try #require(objects[5000]["token"] as? String)
        let rest = objects.drop { $0["token"] as? String != middle }.drop { $0["token"] as? String == middle }
        let again = try program.run("watch", "--since", middle, "--kind", "qso", "--count", "\(rest.count)", "--json")
        #expect(again.output.split(separator: "\n") == Array(lines.suffix(rest.count)))
    }

    @Test func `watch through an erase by another process, and end with 66 at a clear, with nothing skipped`() throws {
        let program = try Program()
        let watching = try program.start(["watch", "--since", "0", "--kind", "qso", "--count", "5", "--json"])
        for call in ["N1CALL", "N2CALL"] { try program.add(call) }
        #expect(try program.run("erase", "--call", "N1CALL", "--yes").status == 0)
        for call in ["N3CALL", "N4CALL"] { try program.add(call) }
        let watched = try watching.outcome()
        #expect(watched.status == 0, "\(watched)")
        #expect(watched.output.contains("N3CALL") && watched.output.contains("N4CALL"))

        let interrupted = try program.start(["watch", "--since", "0", "--kind", "qso", "--count", "100", "--json"])
        // What is read when it is cleared has to be something.
        try program.add("N5CALL")
        Thread.sleep(forTimeInterval: 2)
        #expect(try program.run("clear", "--confirm", "CLEAR").status == 0)
        for number in 0..<20 { try program.add("N6C\(number)") }
        let ended = try interrupted.outcome()
        #expect(ended.status == 66, "\(ended)")
        #expect(!ended.output.contains("N6C"), "what came after the clear is not told in part")
    }

    /// The path of a log of made-up contacts.
    private func generatedLog(_ count: Int, in program: Program) throws -> String {
        var text = "generated\n<PROGRAMID:4>Test<EOH>\n"
        for number in 0..<count {
            let call = "N0C\(number)"
            text += "<CALL:\(call.utf8.count)>\(call)<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>\n"
        }
        let path = program.folder.appending(path: "generated.adi")
        try Data(text.utf8).write(to: path)
        return path.path
    }

    @Test func `refuse a token of another history with 66, and what is no token with 64`() throws {
        let program = try Program()
        let expired = try program.run("watch", "--since", "1.1@1", "--json")
        #expect(expired.status == 66)
        #expect(expired.error["code"] as? String == "expired")
        #expect(try program.run("watch", "--since", "x").status == 64)
    }

    @Test func `say 65 for a damaged log, and what is wrong, and survive it`() throws {
        let program = try Program()
        let log = program.store.appending(path: "log.mdb")
        var bytes = try Data(contentsOf: log)
        for place in bytes.indices.dropFirst(8192) { bytes[place] = UInt8(truncatingIfNeeded: place &* 31) }
        try bytes.write(to: log)
        let verified = try program.run("verify", "--json", "--deep")
        #expect(verified.status == 65)
        #expect(verified.json["ok"] as? Bool == false)
        #expect(try program.run("verify", "--store", "/nowhere/at/all").status == 66)
    }

    @Test func `say that the log is missing, and what is restored instead, where there is nothing to salvage`() throws {
        let program = try Program()
        try program.add("N1CALL")
        #expect(try program.run("snapshot", "create").status == 0)
        try FileManager.default.removeItem(at: program.store.appending(path: "log.mdb"))
        #expect(try !program.run("recover", "status").output.contains("EmergencyBackup"))
        try program.add("N2CALL")

        let waiting = try program.run("recover", "status").output
        #expect(waiting.contains("There is nothing to salvage: the log is missing."))
        #expect(waiting.contains("starts over; the records in the snapshot appear as they were then"))
        #expect(!waiting.contains("what was salvaged") && !waiting.contains("damaged file"), "\(waiting)")
        let decided = try program.run("recover", "restore", "--from", "snapshot").output
        #expect(decided.contains("Decided: start over, with the newest snapshot."), "\(decided)")
        #expect(try !program.run("recover", "status").output.contains("damaged file"))
        #expect(try program.json("qso", "count")["total"] as? Int == 2)
    }

    @Test func `name an event of which a byte was changed, and count it as lost`() throws {
        let program = try Program()
        for _ in 0..<3 { #expect(try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0) }
        let log = program.store.appending(path: "log.mdb")
        let intact = try Data(contentsOf: log)
        #expect(try program.json("verify")["missing"] as? [String] == [])
        // Pages that are free have stale copies of events, in which a change means nothing.
        var seen = 0
        var from = intact.startIndex
        while let frame = intact.range(of: Data("GWE1".utf8), in: from..<intact.endIndex) {
            from = frame.upperBound
            var bytes = intact
            bytes[frame.lowerBound + 70] ^= 0x01
            try bytes.write(to: log)
            let verified = try program.run("verify", "--json")
            guard verified.status == 65 else {
                #expect(verified.status == 0)
                continue
            }
            seen += 1
            let missing = try #require((verified.json["missing"] as? [[String: Any]])?.first)
            let damage = try #require((verified.json["damage"] as? [[String: Any]])?.first)
            let (replica, number) = (
                try #require(missing["replica"] as? String), try #require(missing["first"] as? Int)
            )
            #expect(missing["last"] as? Int == number)
            #expect(damage["replica"] as? String == replica && damage["first"] as? Int == number)
            let text = try program.run("verify").output
            let sentence = "the bytes of the event are damaged: their checksum is wrong"
            #expect(text.contains("Log, replica \(replica.prefix(8)), event \(number): \(sentence)"), "\(text)")
            #expect(text.contains(", 1 lost."), "\(text)")
        }
        #expect(seen >= 3)
    }

    @Test func `say 65 for a damaged snapshot, name it, and that no event is lost with it`() throws {
        let program = try Program()
        #expect(try program.run("import", generatedLog(30, in: program)).status == 0)
        for _ in 0..<2 {
            #expect(try program.run("snapshot", "create").status == 0)
            #expect(try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0)
        }
        #expect(try program.json("verify", "--deep")["ok"] as? Bool == true)
        let folder = program.store.appending(path: "snapshots")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        try #require(names.count == 2)
        let path = folder.appending(path: names[1])
        let intact = try Data(contentsOf: path)
        for place in [0, 5, intact.count / 3, intact.count / 2, intact.count - 1] {
            var bytes = intact
            bytes[place] ^= 0x10
            try bytes.write(to: path)
            let verified = try program.run("verify", "--json", "--deep")
            #expect(verified.status == 65)
            #expect(verified.json["ok"] as? Bool == false)
            #expect(verified.json["digest"] != nil, "the log is whole and was folded")
            let damage = try #require(verified.json["damage"] as? [[String: Any]])
            #expect(damage.map { $0["what"] as? String } == ["snapshot"])
            #expect((damage.first?["detail"] as? String)?.contains(names[1]) == true)
            #expect(damage.first?["first"] == nil && damage.first?["replica"] == nil)
            let text = try program.run("verify")
            #expect(text.status == 65)
            #expect(text.output.contains("Snapshot: the snapshot \(names[1]) is "), "\(text.output)")
            #expect(text.output.contains("no event is lost: delete the snapshot"), "\(text.output)")
        }
        try FileManager.default.removeItem(at: path)
        #expect(try program.run("verify").status == 0)
    }

    @Test func `undo only when told to, and write nothing before`() throws {
        let program = try Program()
        #expect(try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0)
        let log = program.store.appending(path: "log.mdb")
        let before = try Data(contentsOf: log)
        let refused = try program.run("undo")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--yes"))
        #expect(try program.run("undo", "--dry-run").status == 0)
        #expect(try Data(contentsOf: log) == before)
        #expect(try program.run("undo", "--yes").status == 0)
        #expect(try program.json("qso", "count")["total"] as? Int == 0)
        let told = try program.run("history", "--kind", "revert").output
        #expect(told.contains("reverts 1 event") && !told.contains("EVENTS"), "\(told)")
    }

    @Test func `tell who changed what, when and why, for one contact and for all`() throws {
        let program = try Program()
        #expect(try program.run("import", generatedLog(3, in: program)).status == 0)
        #expect(
            try program.run("qso", "edit", "N0C1", "BAND=40m", "--note", "Wrong band", "--author", "N0OP").status == 0)
        let events = try #require(program.json("history", "N0C1")["events"] as? [[String: Any]])
        #expect(events.count == 2)
        #expect(events[0]["note"] as? String == "Wrong band" && events[0]["author"] as? String == "N0OP")
        let change = try #require((events[0]["changes"] as? [[String: Any]])?.first)
        #expect(change["before"] as? String == "20m" && change["after"] as? String == "40m")
        #expect(events[1]["imported"] as? Bool == true)
        let text = try program.run("history")
        #expect(text.status == 0)
        let rows = text.output.split(separator: "\n")
        #expect(rows.count == 4, "heading, edit, import, introduction: \(text.output)")
        #expect(rows[1].contains("BAND: 20m → 40m") && rows[1].contains("N0OP") && rows[1].contains("Wrong band"))
        #expect(try program.run("history", "--full").output.split(separator: "\n").count > 6)
        let why = try #require(program.json("blame", "N0C1")["fields"] as? [String: [String: Any]])
        #expect(why["BAND"]?["value"] as? String == "40m" && why["BAND"]?["why"] as? String == "causal")
        #expect(why["CALL"]?["why"] as? String == "only")
        #expect(try program.run("history", "N0NOBODY").status == 66)
    }

    @Test func `count what is in a store, and give the same digest after a replay`() throws {
        let program = try Program()
        #expect(try program.run("import", generatedLog(20, in: program)).status == 0)
        let digest = try program.json("digest", "--words")
        #expect((digest["words"] as? String)?.split(separator: " ").count == 16)
        let replayed = try program.json("replay")
        #expect(replayed["same"] as? Bool == true && replayed["digest"] as? String == digest["digest"] as? String)
        let fresh = program.folder.appending(path: "fresh").path
        #expect(try program.json("replay", "--to", fresh)["digest"] as? String == digest["digest"] as? String)
        #expect(try program.json("digest", "--store", fresh)["digest"] as? String == digest["digest"] as? String)
        #expect(try program.run("replay", "--to", fresh).status == 73)
        #expect(try program.json("info")["qsos"] as? Int == 20)
        #expect(try program.run("info").output.contains("20"))
        #expect(try program.run("stats").output.contains("qso"))
        #expect(try program.run("digest").output.contains(digest["digest"] as? String ?? "?"))
        let verified = try program.json("verify", "--deep")
        #expect(verified["ok"] as? Bool == true && verified["digest"] as? String == digest["digest"] as? String)
    }

    @Test func `leave no half a file behind where an export fails`() throws {
        let program = try Program()
        let folder = program.folder.appending(path: "out")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(try program.run("export", "-o", folder.path + "/nowhere/x.adi").status == 66)
        #expect(try program.run("export", "-o", folder.path).status == 73)
        #expect(try program.run("export", "--json").status == 64)
        #expect(try program.run("export", "--format", "sqlite").status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}

extension Program {
    fileprivate func add(_ call: String) throws {
        #expect(try run("qso", "add", call, "BAND=20m", "MODE=CW").status == 0)
    }
}
