import Foundation
import Testing

@Suite(.serialized) struct `The program that waits for others` {
    /// A running `groundwave serve --json`, and where it waits.
    private struct Server {
        let process: Process
        let address: String
        private let output: URL

        init(_ program: Program, port: String = "0") throws {
            let running = try program.start(["serve", "--json", "--listen", "127.0.0.1:\(port)"])
            (process, output) = (running.process, running.paths[0])
            let end = Date.now + 60
            var address: String?
            while address == nil, Date.now < end, running.process.isRunning {
                usleep(20_000)
                address = try Self.lines(output).first { $0["event"] as? String == "listening" }?["address"] as? String
            }
            self.address = try #require(address, "it waits")
        }

        /// What it has said so far.
        func lines() throws -> [[String: Any]] { try Self.lines(output) }

        private static func lines(_ output: URL) throws -> [[String: Any]] {
            try String(contentsOf: output, encoding: .utf8).split(separator: "\n").compactMap { line in
                try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            }
        }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Asks it to end; returns its exit code.
        func end() -> Int32 {
            process.terminate()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// A second device, whose store has joined the log that lies with the server.
    private final class Portable {
        let folder: URL
        let program: Program

        init(_ program: Program, joins address: String) throws {
            self.program = program
            folder = program.folder.appending(path: "portable-\(UUID().uuidString)")
            let made = try run("join", "groundwave://\(address)", "--name", "portable")
            try #require(made.status == 0, "\(made.errors)")
        }

        func run(_ arguments: String..., input: String? = nil) throws -> Program.Outcome {
            try program.run(arguments + ["--store", folder.path], input: input)
        }

        var remote: String {
            get throws {
                let list = try run("remote", "list", "--json").json["remotes"] as? [[String: Any]]
                return try #require(list?.first?["name"] as? String)
            }
        }
    }

    private func contacts(_ range: Range<Int>) -> String {
        range.map { "<CALL:6>W\(10_000 + $0)<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>\n" }.joined()
    }

    @Test func `lets a new device into a sealed log with a code, and nobody else`() throws {
        let shack = try Program()
        let secret = shack.folder.appending(path: "secret.txt")
        try Data("seven rivers\n".utf8).write(to: secret)
        try shack.json("seal", "--passphrase-file", secret.path)
        try shack.json("qso", "add", "W1AW")
        let server = try Server(shack)
        let shown = try shack.run("replicas", "invite")
        #expect(shown.errors.contains("groundwave serve"), "\(shown.errors)")
        let letters = try #require(shown.output.firstMatch(of: /\n  ([0-9A-Z-]{24})\n/)).output.1
        let code = shack.folder.appending(path: "code.txt")
        try Data("\(letters)\n".utf8).write(to: code)
        func join(_ name: String, _ arguments: String...) throws -> Program.Outcome {
            try shack.run(
                [
                    "join", "groundwave://\(server.address)", "--name", name, "--store",
                    shack.folder.appending(path: name).path,
                ]
                    + arguments)
        }
        let wrong = try join("stranger", "--passphrase-file", secret.path)
        #expect(wrong.status == 64 && wrong.errors.contains("joins a sealed log with a code"), "\(wrong.errors)")
        let joined = try join("phone", "--code-file", code.path)
        #expect(joined.status == 0 && !joined.errors.contains("waits"), "\(joined.errors)")
        #expect(joined.output.contains(/1 contact, [1-9][0-9]* events/), "\(joined.output)")
        let end = Date.now + 60
        while Date.now < end, try !server.lines().contains(where: { $0["event"] as? String == "gone" }) {
            usleep(20_000)
        }
        let line = try #require(try server.lines().first { $0["event"] as? String == "joined" })
        #expect(line["member"] as? Bool == true && line["device"] as? String == "phone")
        let phone = ["--store", shack.folder.appending(path: "phone").path]
        #expect(try shack.run(["qso", "add", "N0CALL"] + phone).status == 0)
        let sync = try shack.run(["sync", "--json"] + phone)
        #expect(sync.status == 0 && sync.json["complete"] as? Bool == true, "\(sync.errors)")
        #expect(
            try shack.json("digest")["digest"] as? String == shack.run(["digest", "--json"] + phone).json["digest"]
                as? String)
        #expect(try shack.run("replicas", "--json").json["codes"] as? [String] == [])
        let late = try join("late", "--code-file", code.path)
        #expect(late.status == 77 && late.errors.contains("does not take the code"), "\(late.errors)")
        let stranger = try join("stranger")
        #expect(stranger.status == 69 && stranger.errors.contains("may be sealed"), "\(stranger.errors)")
        #expect(stranger.errors.contains("--code-file FILE"), "\(stranger.errors)")
        for name in ["late", "stranger"] {
            #expect(!FileManager.default.fileExists(atPath: shack.folder.appending(path: "\(name)/log.mdb").path))
        }
        #expect(try !String(describing: server.lines()).contains(letters) && server.end() == 0)
    }

    @Test func `lets a device in with a code that is killed while it joins, any number of times`() throws {
        let shack = try Program()
        let (secret, code) = (shack.folder.appending(path: "secret.txt"), shack.folder.appending(path: "code.txt"))
        try Data("seven rivers\n".utf8).write(to: secret)
        try shack.json("seal", "--passphrase-file", secret.path)
        let adif = shack.folder.appending(path: "contacts.adi")
        try Data(contacts(0..<3_000).utf8).write(to: adif)
        try shack.json("import", adif.path)
        let server = try Server(shack)
        let shown = try #require(try shack.json("replicas", "invite")["code"] as? String)
        try Data(shown.utf8).write(to: code)
        let phone = ["--store", shack.folder.appending(path: "phone").path]
        let join = ["join", "groundwave://\(server.address)", "--name", "phone", "--code-file", code.path] + phone
        var killed = 0
        for milliseconds in [20, 60, 100, 150, 200, 300, 400] {
            let joining = try shack.start(join).process
            usleep(UInt32(milliseconds) * 1_000)
            kill(joining.processIdentifier, SIGKILL)
            joining.waitUntilExit()
            if joining.terminationReason == .uncaughtSignal { killed += 1 }
        }
        #expect(killed > 0)
        // The last one may have come to its end, and what is there then is no place to join another log.
        let joined = try shack.run(join)
        #expect(joined.status == 0 || joined.errors.contains("already"), "\(joined.errors)")
        let sync = try shack.run(["sync", "--json"] + phone)
        #expect(sync.status == 0 && sync.json["complete"] as? Bool == true, "\(sync.errors)")
        let devices = try #require(try shack.json("replicas")["replicas"] as? [[String: Any]])
        let members = devices.filter { $0["device"] as? String == "phone" && $0["membership"] as? String == "member" }
        #expect(members.count == 1, "\(devices)")
        #expect(try shack.json("replicas")["codes"] as? [String] == [])
        #expect(
            try shack.json("digest")["digest"] as? String == shack.run(["digest", "--json"] + phone).json["digest"]
                as? String)
        #expect(try shack.json("qso", "count")["total"] as? Int == 3_000 && server.end() == 0)
    }

    @Test func `brings another process to the same log, and says what it does`() throws {
        let shack = try Program()
        try shack.json("qso", "add", "W1AW")
        let server = try Server(shack)
        let portable = try Portable(shack, joins: server.address)
        #expect(try portable.run("qso", "count", "--json").json["total"] as? Int == 1)
        // What another process of the same store writes goes out too.
        try shack.json("qso", "add", "K1ABC")
        #expect(try portable.run("qso", "add", "N0CALL").status == 0)
        let sync = try portable.run("sync", "--json")
        #expect(sync.status == 0 && sync.json["complete"] as? Bool == true, "\(sync.errors)")
        #expect(
            try shack.json("digest")["digest"] as? String == portable.run("digest", "--json").json["digest"] as? String)
        let remote = try portable.remote
        let shown = try portable.run("remote", "show", remote, "--json").json
        #expect((shown["peer"] as? [String: Any])?["device"] as? String == "shack")
        let probe = try portable.run("remote", "probe", remote, "--json")
        #expect(probe.status == 0 && probe.json["same"] as? Bool == true)
        #expect((probe.json["milliseconds"] as? Double ?? 0) > 0)
        #expect(server.end() == 0)
        let events = try server.lines().compactMap { $0["event"] as? String }
        #expect(events.first == "listening" && events.contains("connected") && events.contains("synced"))
        let unreachable = try portable.run("sync", "--json")
        #expect(unreachable.status == 69 && unreachable.error["code"] as? String == "unreachable")
        #expect(try portable.run("remote", "probe", remote).status == 69)
    }

    @Test func `lets the devices of a sealed log in, and nobody else`() throws {
        let shack = try Program()
        let (place, phone) = (shack.folder.appending(path: "place").path, shack.folder.appending(path: "phone").path)
        let secret = shack.folder.appending(path: "secret.txt")
        try Data("seven rivers to the sea\n".utf8).write(to: secret)
        try shack.json("seal", "--passphrase-file", secret.path)
        try shack.json("qso", "add", "W1AW")
        try shack.json("remote", "add", "stick", place)
        try shack.json("sync")
        try shack.json("join", place, "--store", phone, "--name", "phone", "--passphrase-file", secret.path)
        try shack.json("remote", "remove", "place", "--store", phone)
        let server = try Server(shack)
        defer { server.kill() }
        let address = "groundwave://\(server.address)"
        try shack.json("remote", "add", "shack", address, "--store", phone)
        let waiting = try shack.run("sync", "--store", phone)
        #expect(waiting.status == 69 && waiting.errors.contains("belong to it"), "\(waiting.errors)")
        try shack.json("sync")
        try shack.json("replicas", "approve", "phone", "--yes")
        try shack.json("qso", "add", "N1CALL", "--store", phone)
        let sync = try shack.run("sync", "--store", phone, "--json")
        #expect(sync.status == 0 && sync.json["complete"] as? Bool == true, "\(sync.errors)")
        #expect(try shack.json("qso", "count")["total"] as? Int == 2)
        #expect(try shack.json("remote", "probe", "shack", "--store", phone)["same"] as? Bool == true)
        let stranger = try Program()
        let refused = try stranger.run("join", address, "--store", stranger.folder.appending(path: "joined").path)
        #expect(refused.status == 69, "\(refused.errors)")
        #if os(Linux)
        // No crash writes keys to the disk.
        let limits = try String(contentsOfFile: "/proc/\(server.process.processIdentifier)/limits", encoding: .utf8)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
        #endif
        try shack.json("replicas", "revoke", "phone")
        try shack.json("qso", "add", "K1ABC")
        #expect(try shack.run("sync", "--store", phone).status == 69)
        #expect(try shack.json("qso", "count", "--store", phone)["total"] as? Int == 2)
        #expect(try server.lines().contains { $0["event"] as? String == "connected" })
    }

    @Test func `killed in the middle again and again loses nothing`() throws {
        let shack = try Program()
        let first = try Server(shack)
        let port = try #require(first.address.split(separator: ":").last)
        let portable = try Portable(shack, joins: first.address)
        first.kill()
        #expect(try portable.run("import", "-", input: "<EOH>\n" + contacts(0..<3000)).status == 0)
        #expect(try shack.run("import", "-", input: "<EOH>\n" + contacts(5000..<6000)).status == 0)
        var killed = 0
        for moment in 0..<8 {
            let server = try Server(shack, port: String(port))
            let sync = try shack.start(["sync", "--store", portable.folder.path])
            usleep(UInt32(40_000 + moment * 150_000))
            server.kill()
            let outcome = try sync.outcome()
            #expect([0, 69].contains(outcome.status), "\(outcome.errors)")
            if outcome.status == 69 { killed += 1 }
            #expect(try shack.run("verify").status == 0)
        }
        print("killed in the middle of a conversation: \(killed) of 8")
        let server = try Server(shack, port: String(port))
        #expect(try portable.run("sync").status == 0)
        #expect(
            try shack.json("digest")["digest"] as? String == portable.run("digest", "--json").json["digest"] as? String)
        #expect(try shack.json("qso", "count")["total"] as? Int == 4000)
        #expect(server.end() == 0)
    }

    @Test func `talks over standard input and output, and says every word elsewhere`() throws {
        let shack = try Program()
        try shack.json("qso", "add", "W1AW")
        let server = try Server(shack)
        let portable = try Portable(shack, joins: server.address)
        #expect(server.end() == 0)
        try shack.json("qso", "add", "K1ABC")
        #expect(try portable.run("qso", "add", "N0CALL").status == 0)
        let (there, back) = (Pipe(), Pipe())
        let outputs = (Pipe(), Pipe())
        let sides = try [
            (shack.store, there.fileHandleForReading, back.fileHandleForWriting, outputs.0),
            (portable.folder, back.fileHandleForReading, there.fileHandleForWriting, outputs.1),
        ].map { store, input, output, errors in
            try shack.talk(["sync", "--stdio", "--json", "--store", store.path], input, output, errors)
        }
        for handle in [
            there.fileHandleForReading, there.fileHandleForWriting, back.fileHandleForReading,
            back.fileHandleForWriting, outputs.0.fileHandleForWriting, outputs.1.fileHandleForWriting,
        ] { try? handle.close() }
        for side in sides { side.waitUntilExit() }
        let words = String(decoding: outputs.1.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(sides.allSatisfy { $0.terminationStatus == 0 }, "\(words)")
        #expect(words.contains("\"received\":1") && words.contains("\"sent\":1"), "\(words)")
        #expect(
            try shack.json("digest")["digest"] as? String == portable.run("digest", "--json").json["digest"] as? String)
        // Nobody is there.
        #expect(try shack.run("sync", "--stdio").status == 64)
        #expect(try shack.run("sync", "--stdio", "--push").status == 64)
    }

    @Test func `refuses an address that is none, and one that is taken`() throws {
        let shack = try Program()
        #expect(try shack.run("serve", "--listen", "nonsense:x").status == 64)
        let server = try Server(shack)
        let taken = try shack.run("serve", "--listen", server.address)
        #expect(taken.status == 74 && taken.errors.contains("in use"), "\(taken.errors)")
        #expect(server.end() == 0)
        try shack.json("sync", "off")
        #expect(try shack.run("serve", "--listen", "127.0.0.1:0").status == 78)
    }
}
