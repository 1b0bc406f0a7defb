import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

/// Whatever comes from a log, a file, a remote or an argument is shown without a character that a terminal would act on.
@Suite struct `Foreign text on a terminal` {
    /// Clears the screen, sets the title, rings, goes back in the line, begins a new one, and turns the direction round.
    private static let hostile = "\u{1B}[2J\u{1B}]0;owned\u{07}\rx\ny\u{9B}31m\u{7F}\u{202E}z"

    /// Characters of `text` that a terminal would act on, apart from line breaks.
    private static func acting(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }

    /// What the program says to `arguments` has nothing of that, in whichever way it ends.
    private static func check(
        _ program: Program, _ arguments: [String], mentions word: String? = nil, formats: [[String]] = [[]],
        _ location: SourceLocation
    ) throws {
        for format in formats {
            let outcome = try program.run(arguments + format)
            let name = arguments.joined(separator: " ").debugDescription
            #expect(
                acting(outcome.output).isEmpty, "\(name): \(outcome.output.debugDescription)", sourceLocation: location)
            #expect(
                acting(outcome.errors).isEmpty, "\(name): \(outcome.errors.debugDescription)", sourceLocation: location)
            if let word, format.isEmpty {
                #expect(
                    (outcome.output + outcome.errors).contains(word), "\(name): \(outcome)", sourceLocation: location)
            }
        }
    }

    /// Imports a contact with these fields.
    private static func log(_ fields: [(String, String)], _ program: Program, note: String) throws {
        let all =
            [("CALL", "W1AW"), ("QSO_DATE", "20260501"), ("TIME_ON", "1200"), ("BAND", "20m"), ("MODE", "CW")] + fields
        let text = all.map { "<\($0):\($1.utf8.count)>\($1)" }.joined() + "<EOR>"
        let taken = try program.run(["import", "-", "--note", note, "--author", note], input: "<EOH>\(text)")
        try #require(taken.status == 0, "\(taken)")
    }

    /// The id of the only record of a kind.
    private static func id(_ program: Program, _ kind: String) throws -> RecordID {
        let records = try #require(program.json("record", "list", kind)["records"] as? [[String: Any]])
        return try #require((records.first?["id"] as? String).flatMap { RecordID(text: $0) })
    }

    /// Writes what no verb takes, through the library.
    private static func set(
        _ kind: String, _ id: RecordID, _ fields: [String: String], _ program: Program
    ) async throws {
        let store = try await Store.open(at: program.store, Configuration.full(stateFolder: program.state)).whole
        try await store.write { batch in
            _ = try batch.set(kind, id, fields.map { Assignment($0.key, text: $0.value) })
        }
        try store.close()
    }

    /// Every verb that lists what was written.
    private static let lists: [[String]] = [
        ["info"], ["verify"], ["stats"], ["digest"], ["qso", "list"], ["qso", "show", "last"],
        ["qso", "count", "--by", "park"],
        ["qso", "worked", "W1AW"], ["session", "list"], ["session", "show", "last"], ["settings", "list"],
        ["record", "kinds"],
        ["record", "list", "notesSource"], ["history"], ["history", "last"], ["history", "--full"], ["blame", "last"],
        ["conflicts"],
        ["duplicates"], ["replicas"], ["forks"], ["missing"], ["remote", "list"], ["sync", "status"],
        ["meter", "list"],
        ["trace", "list"], ["snapshot", "list"], ["backup", "mirror"], ["undo", "--dry-run"], ["diff", "@1", "now"],
        ["recover", "status"],
    ]

    @Test func `a note, an author and a field's value come out as symbols in every verb that lists`() async throws {
        let program = try Program()
        let bad = Self.hostile
        try Self.log(["COMMENT", "NAME", "MY_POTA_REF", "QTH"].map { ($0, bad) }, program, note: bad)
        #expect(try program.run("session", "start", "--title", "Hill", "NOTES=\(bad)").status == 0)
        #expect(try program.run("settings", "set", "operator.name", bad).status == 0)
        #expect(try program.run("record", "add", "notesSource", "TITLE=x", "TEXT=\(bad)", "--note", bad).status == 0)
        #expect(try program.run("meter", "connect", "00:11:22:33:44:55", "--model", "um25c").status == 0)
        try await Self.set("meter", Self.id(program, "meter"), ["NAME": bad], program)
        for verb in Self.lists { try Self.check(program, verb, formats: [[], ["--json"]], #_sourceLocation) }
        try Self.check(program, ["meter", "list"], mentions: "␛[2J", #_sourceLocation)
        try Self.check(program, ["qso", "list"], mentions: "␛[2J", #_sourceLocation)
        try Self.check(program, ["history"], mentions: "␛[2J", #_sourceLocation)
        try Self.check(
            program, ["watch", "--since", "0", "--kind", "qso", "--count", "1"], mentions: "␛[2J", #_sourceLocation)
    }

    @Test func `an argument that makes no sense comes back as symbols`() throws {
        let program = try Program()
        let bad = Self.hostile
        for verb in [
            [bad], ["qso", bad], ["qso", "list", bad], ["qso", "list", "--\(bad)"], ["qso", "list", "--since", bad],
            ["qso", "show", bad], ["qso", "add", bad, bad], ["history", bad], ["diff", bad, bad],
            ["replay", "--views", bad],
            ["whatif", "--policy", bad], ["remote", "add", bad, bad], ["sync", bad], ["import", bad],
            ["export", "--split", bad],
            ["recover", bad], ["trace", "show", bad], ["head", "check", bad], ["qso", "list", "--store", bad],
        ] {
            try Self.check(program, verb, #_sourceLocation)
        }
    }

    @Test func `a file's name and what stands in it come out as symbols`() throws {
        let program = try Program()
        let path = program.folder.appending(path: "a\u{1B}[2Jb\u{07}.adi")
        try Data(
            "<EOH><CALL:4>W1AW<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR><CALL:6>\u{1B}[2J\u{07}1<EOR>"
                .utf8
        )
        .write(to: path)
        for _ in 0..<2 { try Self.check(program, ["import", path.path], mentions: "a␛[2Jb", #_sourceLocation) }
        try Self.check(program, ["history"], #_sourceLocation)
        try Self.check(
            program, ["backup", "mirror", program.folder.path + "/m\u{1B}[2J"], mentions: "␛[2J", #_sourceLocation)
        try Self.check(program, ["backup", "now"], #_sourceLocation)
    }

    /// The name of a device that wrote before names were looked at, or in another program: the field of its record.
    @Test func `another device's name comes out as symbols in sync, sync status and every list of devices`()
        async throws
    {
        let (first, second) = (try Program(), try Program())
        let folder = first.folder.appending(path: "remote")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let replica = try #require(first.json("info")["replica"] as? String)
        let id = try #require(ReplicaID(text: replica))
        try await Self.set("replica", RecordID(high: id.high, low: id.low), ["DEVICE": Self.hostile], first)
        #expect(try first.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW").status == 0)
        #expect(try first.run("remote", "add", "place", folder.path).status == 0)
        #expect(try first.run("sync").status == 0)
        try FileManager.default.removeItem(at: second.store)
        try Self.check(second, ["join", folder.path, "--name", "laptop"], #_sourceLocation)
        try Self.check(second, ["sync", "status"], mentions: "␛[2J", #_sourceLocation)
        try Self.check(second, ["replicas"], mentions: "␛[2J", #_sourceLocation)
        #expect(try first.run("qso", "add", "N0CALL", "BAND=20m", "MODE=CW").status == 0)
        #expect(try first.run("sync").status == 0)
        for verb in [
            ["sync"], ["remote", "show", "log"], ["remote", "list"], ["missing"], ["stats"], ["info"], ["history"],
        ] {
            try Self.check(second, verb, #_sourceLocation)
        }
        try Self.check(second, ["replicas", "rename", "nobody\u{1B}[2J", "x"], mentions: "␛[2J", #_sourceLocation)
    }

    @Test(arguments: UInt64(1)...3)
    func `no listing verb lets a control character through, whatever was written`(seed: UInt64) throws {
        let program = try Program()
        var numbers = SeededGenerator(seed: seed)
        func text() -> String {
            let odd: [ClosedRange<UInt32>] = [
                1...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x20...0x7E, 0x4E00...0x4E20,
                0x1F600...0x1F610,
            ]
            var result = "x"
            for _ in 0..<Int.random(in: 1...12, using: &numbers) {
                let range = odd[Int.random(in: odd.indices, using: &numbers)]
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &numbers)) {
                    result.unicodeScalars.append(scalar)
                }
            }
            return result
        }
        for _ in 0..<2 {
            try Self.log(["COMMENT", "NAME", "APP_X_Y", "GRIDSQUARE"].map { ($0, text()) }, program, note: text())
        }
        #expect(try program.run("session", "start", "NOTES=\(text())").status == 0)
        #expect(try program.run("settings", "set", "operator.name", text()).status == 0)
        for verb in Self.lists { try Self.check(program, verb, #_sourceLocation) }
        let colored = try program.run("history", "--color", "always").output
        let plain = colored.replacing(/\u{1B}\[[0-9]*m/, with: "")
        #expect(plain.count < colored.count && Self.acting(plain).isEmpty, "\(plain.debugDescription)")
    }

    @Test func `a name that is too long or has control characters names no device, at init, join and rename`() throws {
        let program = try Program()
        let folder = program.folder.appending(path: "remote")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(try program.run("remote", "add", "place", folder.path).status == 0)
        #expect(try program.run("sync").status == 0)
        let other = program.folder.appending(path: "other").path
        for name in [
            "\u{1B}[2J", String(repeating: "x", count: 65), String(repeating: "x", count: 5_000), "", "a\nb",
            "\u{202E}a",
        ] {
            #expect(try program.run("init", "--name", name, "--store", other).status == 64)
            #expect(try program.run("join", folder.path, "--name", name, "--store", other).status == 64)
            #expect(try program.run("replicas", "rename", "shack", name).status == 64)
            #expect(!FileManager.default.fileExists(atPath: other))
        }
        let longest = String(repeating: "é", count: 64)
        #expect(try program.run("join", folder.path, "--name", longest, "--store", other).status == 0)
        #expect(try program.run("replicas", "rename", "shack", "Shack 2").status == 0)
    }

    @Test func `columns stand one below the other, whatever widths their characters have`() throws {
        let program = try Program()
        for name in ["Hiram", "山田太郎", "Zoë"] {
            #expect(
                try program.run("qso", "add", "W1AW", "BAND=20m", "MODE=CW", "NAME=\(name)", "POTA_REF=US-0001").status
                    == 0)
        }
        let lines = try program.run("qso", "list").output.split(separator: "\n").dropFirst()
        func columns(_ text: Substring) -> Int { text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x4E00 ? 2 : 1) } }
        let places = try lines.map { columns($0[..<(try #require($0.firstRange(of: "US-0001"))).lowerBound]) }
        #expect(lines.count == 3 && Set(places).count == 1, "\(places)")
    }
}
