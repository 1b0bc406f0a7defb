import Foundation
import Testing

/// Devices of a sealed log that meet in a folder, each command a process of its own.
@Suite struct `A sealed log by the program` {
    private let shack: Program
    private let place: URL
    private let secret: URL

    init() throws {
        shack = try Program()
        place = shack.folder.appending(path: "place")
        secret = shack.folder.appending(path: "secret.txt")
        try Data("seven rivers to the sea\n".utf8).write(to: secret)
    }

    private func store(_ name: String) -> String { shack.folder.appending(path: name).path }

    /// Everything that lies in the folder, names included.
    private func everything() throws -> Data {
        var all = Data()
        let files = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)?.allObjects ?? []
        for case let file as URL in files {
            all += Data(file.path.dropFirst(place.path.count).utf8)
            all += (try? Data(contentsOf: file)) ?? Data()
        }
        return all
    }

    @Test func `shows its words once, and lets a device in with the passphrase and an approval`() throws {
        let sealed = try shack.json("seal", "--passphrase-file", secret.path)
        #expect((sealed["recoveryPhrase"] as? [String])?.count == 12)
        let again = try shack.run("seal", "--passphrase-file", secret.path)
        #expect(again.status != 0 && again.errors.contains("sealed already"))
        try shack.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("sync")
        let locked = try shack.run("join", place.path, "--store", store("phone"), "--name", "phone")
        #expect(locked.status != 0 && locked.errors.contains("is sealed"), "\(locked.errors)")
        try shack.json(
            "join", place.path, "--store", store("phone"), "--name", "phone", "--passphrase-file", secret.path)
        let list = try shack.run("qso", "list", "--store", store("phone")).output
        #expect(list.contains("N0CALL"))
        let written = try shack.run("qso", "add", "N1CALL", "BAND=20m", "MODE=CW", "--store", store("phone"))
        #expect(written.status == 0 && written.errors.contains("does not count yet"), "\(written.errors)")
        try shack.json("sync", "--store", store("phone"))
        try shack.json("sync")
        #expect(try !shack.run("qso", "list").output.contains("N1CALL"))
        let waiting = try shack.run("replicas").output
        #expect(waiting.contains("waits for approval"), "\(waiting)")
        let refused = try shack.run("replicas", "approve", "phone")
        #expect(refused.status == 64 && refused.errors.contains("The words of phone are: "), "\(refused.errors)")
        #expect(try shack.json("replicas", "approve", "phone", "--yes")["changed"] as? Bool == true)
        #expect(try shack.run("qso", "list").output.contains("N1CALL"))
        try shack.json("sync")
        try shack.json("sync", "--store", store("phone"))
        let digests = try [[], ["--store", store("phone")]].map { try shack.run(["digest"] + $0).output }
        #expect(digests[0] == digests[1])
        for canary in ["N0CALL", "N1CALL", "phone", "shack", "seven rivers"] {
            #expect(try everything().range(of: Data(canary.utf8)) == nil, "\(canary) lies open")
        }
    }

    @Test func `lets a device in with a code that is shown once, and counts what an excluded one wrote`() throws {
        try shack.json("seal", "--passphrase-file", secret.path)
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        let shown = try shack.run("replicas", "invite", "--hours", "2")
        let letters = try #require(shown.output.firstMatch(of: /\n  ([0-9A-Z-]{24})\n/)).output.1
        #expect(shown.errors.contains("after the next sync"), "\(shown.errors)")
        #expect(try shack.run("replicas").output.contains("a code of this device for a new one, until "))
        try shack.json("sync")
        let code = shack.folder.appending(path: "code.txt")
        try Data("\(letters)\n".utf8).write(to: code)
        let phone = ["--store", store("phone")]
        let joined = try shack.run(["join", place.path, "--name", "phone", "--code-file", code.path] + phone)
        #expect(joined.status == 0 && !joined.errors.contains("waits"), "\(joined.errors)")
        #expect(joined.output.contains(/1 contact, [1-9][0-9]* events/), "\(joined.output)")
        try shack.json(["qso", "add", "N1CALL", "BAND=20m", "MODE=CW"] + phone)
        try shack.json(["sync"] + phone)
        let heard = try shack.run("sync")
        #expect(heard.errors.contains("phone") && heard.errors.contains("has joined with the code"), "\(heard.errors)")
        #expect(try shack.run("qso", "list").output.contains("N1CALL"))
        let late = try shack.run(["join", place.path, "--code-file", code.path, "--store", store("late")])
        #expect(late.status == 77 && late.errors.contains("does not open"), "\(late.errors)")
        #expect(try everything().range(of: Data(letters.utf8)) == nil)

        try shack.json("replicas", "revoke", "phone")
        try shack.json(["qso", "add", "N2CALL", "BAND=20m", "MODE=CW"] + phone)
        _ = try shack.run(["sync"] + phone)
        try shack.json("sync")
        #expect(try !shack.run("qso", "list").output.contains("N2CALL"))
        let admitted = try shack.json("replicas", "admit", "phone")["admitted"] as? Int
        #expect(try admitted ?? 0 > 0 && shack.run("qso", "list").output.contains("N2CALL"))
        let again = try shack.run("replicas", "admit", "phone")
        #expect(again.status == 0 && again.output.hasPrefix("No change"), "\(again.output)")
        #expect(
            try shack.run("replicas").output.contains("excluded") || shack.run("replicas").output.contains("revoked"))
    }

    @Test func `lets devices in with codes that are shown while another program synchronises`() throws {
        try shack.json("seal", "--passphrase-file", secret.path)
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("qso", "add", "N0CALL")
        let watching = try shack.start(["sync", "--watch"])
        defer { watching.process.terminate() }
        let keys = place.appending(path: "keys").path
        for number in 1...3 {
            let before = (try? FileManager.default.contentsOfDirectory(atPath: keys).count) ?? 1
            let letters = try #require(try shack.json("replicas", "invite")["code"] as? String)
            let code = shack.folder.appending(path: "code\(number).txt")
            try Data(letters.utf8).write(to: code)
            // The other program puts its key file there.
            let end = Date.now + 60
            while Date.now < end, try FileManager.default.contentsOfDirectory(atPath: keys).count <= before {
                usleep(100_000)
            }
            let phone = ["--store", store("phone\(number)")]
            let joined = try shack.run(
                ["join", place.path, "--name", "phone\(number)", "--code-file", code.path] + phone)
            #expect(joined.status == 0 && !joined.errors.contains("waits"), "\(joined.errors)")
            while Date.now < end, try shack.json("replicas")["codes"] as? [String] != [] { usleep(100_000) }
            let devices = try #require(try shack.json("replicas")["replicas"] as? [[String: Any]])
            let phones = devices.filter { ($0["device"] as? String)?.hasPrefix("phone") == true }
            #expect(phones.count == number && phones.allSatisfy { $0["membership"] as? String == "member" })
        }
        #expect(watching.process.isRunning)
    }

    @Test func `shows a code only to devices of a sealed log, and says where it works`() throws {
        let open = try shack.run("replicas", "invite")
        #expect(open.status == 64 && open.errors.contains("not sealed"), "\(open.errors)")
        try shack.json("seal", "--passphrase-file", secret.path)
        #expect(try shack.run("replicas", "invite").errors.contains("no sealed remote"))
        #expect(try shack.run("replicas", "invite", "--hours", "0").status == 64)
        let both = try shack.run("join", place.path, "--code-file", "-", "--phrase-file", "-", "--store", store("new"))
        #expect(both.status == 64 && both.errors.contains("Only one of"), "\(both.errors)")
    }

    @Test func `is had back on an empty machine with the words alone`() throws {
        let sealed = try shack.json("seal", "--passphrase-file", secret.path)
        let words = try #require(sealed["recoveryPhrase"] as? [String]).joined(separator: " ")
        for number in 0..<20 { try shack.json("qso", "add", "N\(number)CALL", "BAND=20m", "MODE=CW") }
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("sync")
        func contacts(_ store: [String]) throws -> String {
            // What is before says when the file was made.
            let file = try shack.run(["export", "-o", "-"] + store).output
            return String(file[try #require(file.range(of: "<EOH>")).upperBound...])
        }
        let exported = try contacts([])
        try FileManager.default.removeItem(at: shack.store)
        let wrong = try shack.run(
            ["join", place.path, "--store", store("new"), "--phrase-file", "-"], input: "abandon " + words)
        #expect(wrong.status == 64 && !wrong.errors.contains(words.prefix(12)), "\(wrong.errors)")
        let found = try shack.run(
            ["join", place.path, "--store", store("new"), "--name", "new", "--phrase-file", "-"], input: words)
        #expect(found.status == 0, "\(found.errors)")
        #expect(try contacts(["--store", store("new")]) == exported && exported.contains("N19CALL"))
        let replicas = try shack.json("replicas", "list", "--store", store("new"))
        let own = (replicas["replicas"] as? [[String: Any]])?.first { $0["isThisDevice"] as? Bool == true }
        #expect(own?["membership"] as? String == "member")
    }

    @Test func `leaves a remote open until it is sealed there, and other devices follow`() throws {
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        try shack.json("sync")
        try shack.json("join", place.path, "--store", store("laptop"), "--name", "laptop")
        try shack.json("sync")
        #expect(try everything().range(of: Data("groundwave-log".utf8)) != nil)
        try shack.json("seal", "--with", "laptop", "--passphrase-file", secret.path)
        try shack.json("sync")
        try shack.json("sync", "--store", store("laptop"))
        let claimed = try shack.run("replicas", "--store", store("laptop"))
        #expect(claimed.errors.contains("says that it has sealed the log"), "\(claimed.errors)")
        try shack.json("seal", "accept", "shack", "--yes", "--store", store("laptop"))
        #expect(try shack.json("remote", "show", "stick")["sealed"] as? Bool == false)
        let asked = try shack.run("remote", "seal", "stick")
        #expect(asked.status == 64 && asked.errors.contains("--yes"), "\(asked.errors)")
        #expect(try (shack.json("remote", "seal", "stick", "--yes")["deleted"] as? Int ?? 0) >= 3)
        try shack.json("qso", "add", "N1CALL", "BAND=20m", "MODE=CW", "--store", store("laptop"))
        try shack.json("sync", "--store", store("laptop"))
        try shack.json("sync")
        #expect(try shack.run("qso", "list").output.contains("N1CALL"))
        #expect(try everything().range(of: Data("groundwave-log".utf8)) == nil)
        #expect(try shack.json("remote", "show", "place", "--store", store("laptop"))["sealed"] as? Bool == true)
        // And back, on each device.
        try shack.json("remote", "unseal", "stick", "--yes")
        let refused = try shack.run("sync", "--store", store("laptop"))
        #expect(refused.status != 0 && refused.errors.contains("is open, and should be sealed"), "\(refused.errors)")
        #expect(try everything().range(of: Data("groundwave-sealed".utf8)) == nil)
    }

    @Test func `is accepted at a remote by a device that was away, and what lies open is said`() throws {
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("sync")
        let open = try shack.run("sync", "status")
        #expect(open.output.contains("Lying open") && open.output.contains("groundwave seal"), "\(open.output)")
        let laptop = ["--store", store("laptop")]
        try shack.json("join", place.path, "--store", store("laptop"), "--name", "laptop")
        try shack.json("sync")
        try shack.json("seal", "--with", "laptop", "--passphrase-file", secret.path)
        #expect(try shack.run("sync", "status").output.contains("groundwave remote seal NAME"))
        try shack.json("remote", "seal", "stick", "--yes")
        try shack.json("sync")
        #expect(try !shack.run("sync", "status").output.contains("Lying open"))
        let locked = try shack.run(["sync"] + laptop)
        #expect(locked.status != 0 && locked.errors.contains("groundwave seal accept --at place"), "\(locked.errors)")
        for arguments in [[], ["shack", "--at", "place"], ["shack", "--passphrase-file", secret.path]] {
            #expect(try shack.run(["seal", "accept"] + arguments + laptop).status == 64)
        }
        let wrong = try shack.run(["seal", "accept", "--at", "place", "--passphrase-file", "-"] + laptop, input: "six")
        #expect(wrong.status == 77 && !wrong.errors.contains("six"), "\(wrong.errors)")
        let accepted = try shack.run(["seal", "accept", "--at", "place", "--passphrase-file", secret.path] + laptop)
        #expect(accepted.status == 0, "\(accepted.errors)")
        try shack.json("qso", "add", "N1CALL", "--store", store("laptop"))
        try shack.json("sync", "--store", store("laptop"))
        try shack.json("sync")
        #expect(try shack.run("qso", "list").output.contains("N1CALL"))
    }

    @Test func `is sealed or open at a remote, and lost nowhere, whenever the change is killed`() throws {
        try shack.json("remote", "add", "stick", place.path)
        for number in 0..<40 { try shack.json("qso", "add", "N\(number)CALL") }
        try shack.json("sync")
        try shack.json("seal", "--passphrase-file", secret.path)
        var killed = 0
        for moment in 0..<12 {
            let verb = moment % 2 == 0 ? "seal" : "unseal"
            let change = try shack.start(["remote", verb, "stick", "--yes"])
            usleep(UInt32(15_000 + moment * 9_000))
            kill(change.process.processIdentifier, SIGKILL)
            change.process.waitUntilExit()
            if change.process.terminationReason == .uncaughtSignal { killed += 1 }
            let again = try shack.run("remote", verb, "stick", "--yes")
            #expect(again.status == 0, "\(again.errors)")
            let sync = try shack.run("sync")
            #expect(sync.status == 0, "\(sync.errors)")
            let all = try everything()
            #expect((all.range(of: Data("groundwave-sealed".utf8)) != nil) == (verb == "seal"))
            #expect((all.range(of: Data("groundwave-log".utf8)) != nil) == (verb == "unseal"))
            if moment % 6 > 3 {
                let joined = store("joined-\(moment)")
                let unlocking = verb == "seal" ? ["--passphrase-file", secret.path] : []
                let outcome = try shack.run(["join", place.path, "--store", joined] + unlocking)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(try shack.json("qso", "count", "--store", joined)["total"] as? Int == 40)
            }
        }
        #expect(killed > 0)
        print("killed in the middle of sealing or opening a remote: \(killed) of 12")
        #expect(try shack.run("verify").status == 0)
    }

    @Test func `is sealed at a remote although another program goes on synchronising there`() throws {
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("qso", "add", "N0CALL")
        try shack.json("sync")
        let watching = try shack.start(["sync", "--watch"])
        defer { watching.process.terminate() }
        try shack.json("seal", "--passphrase-file", secret.path)
        try shack.json("remote", "seal", "stick", "--yes")
        try shack.json("qso", "add", "N1CALL")
        let end = Date.now + 60
        while Date.now < end, try shack.json("sync", "status")["complete"] as? Bool != true { usleep(100_000) }
        // What the other one had begun is over.
        sleep(3)
        let all = try everything()
        for canary in ["N0CALL", "N1CALL", "groundwave-log"] {
            #expect(all.range(of: Data(canary.utf8)) == nil, "\(canary) lies open")
        }
        let joined = ["--store", store("joined")]
        _ = try shack.run(["join", place.path, "--passphrase-file", secret.path] + joined)
        #expect(try shack.run(["qso", "list"] + joined).output.contains("N1CALL"))
        #expect(watching.process.isRunning)
    }

    @Test func `seals its bundles, which open where the log does`() throws {
        try shack.json("seal", "--passphrase-file", secret.path)
        try shack.json("remote", "add", "stick", place.path)
        try shack.json("sync")
        try shack.json(
            "join", place.path, "--store", store("phone"), "--name", "phone", "--passphrase-file", secret.path)
        try shack.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        let bundle = store("events.gwb")
        try shack.json("bundle", "create", "-o", bundle)
        let bytes = try Data(contentsOf: URL(filePath: bundle))
        #expect(bytes.range(of: Data("shack".utf8)) == nil && bytes.prefix(4) == Data("GWXB".utf8))
        try shack.json("bundle", "apply", bundle, "--store", store("phone"))
        #expect(try shack.run("qso", "list", "--store", store("phone")).output.contains("N0CALL"))
        let stranger = try Program()
        let refused = try stranger.run("bundle", "apply", bundle)
        #expect(refused.status != 0 && refused.errors.contains("is sealed"), "\(refused.errors)")
        var changed = bytes
        changed[changed.count - 9] ^= 1
        try changed.write(to: URL(filePath: bundle))
        let damaged = try shack.run("bundle", "apply", bundle, "--store", store("phone"))
        #expect(damaged.status == 65, "\(damaged.errors)")
    }
}
