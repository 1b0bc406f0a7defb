import Everything
import Foundation
import GroundwaveTesting
import Testing

/// Two devices of one log that meet in a folder.
private struct Devices {
    let shack: Program
    let laptop: URL
    var place: String { shack.folder.appending(path: "place").path }

    init() throws {
        shack = try Program()
        laptop = shack.folder.appending(path: "laptop")
        try shack.json("remote", "add", "stick", place)
        try shack.json("sync")
        let joined = try shack.json("join", place, "--store", laptop.path, "--name", "laptop")
        #expect(joined["qsos"] as? Int == 0)
    }

    /// Each looks until both have seen that the other has all.
    func settle() throws {
        for _ in 0..<2 {
            try shack.json("sync")
            try shack.json("sync", "--store", laptop.path)
        }
    }
}

@Suite struct `groundwave sync` {
    @Test func `leaves out what only an application can open, and says so`() async throws {
        let devices = try Devices()
        var configuration = Configuration.full()
        configuration.stateFolder = devices.shack.state
        let store = try await Store.open(at: devices.shack.store, configuration).whole
        try await store.sync(with: MemoryTransport(), as: "cloud")
        try store.close()
        let list = try devices.shack.json("remote", "list")
        let urls = (list["remotes"] as? [[String: String]])?.compactMap { $0["url"] }
        #expect(urls == ["application://cloud", "file://\(devices.place)"])
        let all = try devices.shack.run("sync")
        #expect(all.status == 0 && all.output.hasPrefix("stick: ") && !all.output.contains("cloud: "))
        #expect(all.errors.contains("cloud is left out: only the application that has named it can open it."))
        let one = try devices.shack.run("sync", "cloud", "--json")
        #expect(one.status == 64 && one.error["code"] as? String == "usage")
        let added = try devices.shack.run("remote", "add", "other", "application://other", "--json")
        #expect(added.status == 64)
        let joined = try devices.shack.run(
            "join", "application://other", "--store", devices.shack.folder.appending(path: "new").path, "--json")
        #expect(joined.status == 64)
        #expect(try devices.shack.run("remote", "remove", "cloud").status == 0)
    }

    @Test func `takes and leaves, and says when both have the same`() throws {
        let devices = try Devices()
        try devices.shack.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        let first = try devices.shack.json("sync")
        #expect(first["sent"] as? Int == 1 && first["received"] as? Int == 1, "the laptop had introduced itself")
        #expect(first["complete"] as? Bool == false)
        let second = try devices.shack.json("sync", "--store", devices.laptop.path)
        #expect(second["received"] as? Int == 1)
        try devices.settle()
        let status = try devices.shack.json("sync", "status")
        #expect(status["complete"] as? Bool == true)
        let text = try devices.shack.run("sync", "status").output
        #expect(text.contains("Complete: both devices have the same events."))
        #expect(text.contains("laptop"))
        #expect(try devices.shack.run("sync", "status", "--exit-code").status == 0)
        try devices.shack.json("qso", "add", "N0TWO", "BAND=20m", "MODE=CW")
        let behind = try devices.shack.run("sync", "status", "--exit-code")
        #expect(behind.status == 1)
        #expect(
            behind.output.contains("Not complete: 1 event were not pushed yet; laptop is missing 1 event.") == false)
        #expect(behind.output.contains("Not complete: 1 event was not pushed yet; laptop is missing 1 event."))
    }

    @Test func `says who still waits for samples that are to be synchronised`() throws {
        let devices = try Devices()
        let rows = (10..<60).map { "2026-05-01T12:00:\($0).000Z,0,0,5.0\($0)\n" }.joined()
        let file = devices.shack.folder.appending(path: "made-up.csv")
        try Data("time,missing,repeats,voltage_V\n\(rows)".utf8).write(to: file)
        try devices.shack.json("trace", "import", file.path, "--meter", "02:00:00:00:00:01", "--model", "um25c")
        try devices.settle()
        try devices.shack.json("trace", "set", "last", "--samples", "synced")
        try devices.shack.json("sync")
        let asked = try devices.shack.run("sync", "--store", devices.laptop.path)
        #expect(asked.status == 3 && asked.output.contains("the values of 1 event are missing here"), "\(asked.output)")
        #expect(try devices.shack.json("sync")["complete"] as? Bool == false)
        let waiting = try devices.shack.run("sync", "status", "--exit-code")
        #expect(waiting.status == 1)
        #expect(waiting.output.contains("Not complete: laptop waits for the values of 1 event."))
        let remote = try #require((try devices.shack.json("sync", "status")["remotes"] as? [[String: Any]])?.first)
        let laptop = try #require((remote["devices"] as? [[String: Any]])?.first)
        #expect((laptop["wants"] as? [Any])?.count == 1 && (laptop["lacks"] as? [Any])?.isEmpty == true)
        try devices.settle()
        #expect(try devices.shack.run("sync", "status", "--exit-code").status == 0)
    }

    @Test func `without a remote says how to add one`() throws {
        let program = try Program()
        let outcome = try program.run("sync")
        #expect(outcome.status == 66 && outcome.errors.contains("groundwave remote add"))
        #expect(try program.run("sync", "status").output.contains("No remotes yet."))
        #expect(try program.run("sync", "nowhere").status == 66)
    }

    @Test func `a place that is not there is 69, and one of another log is 73`() throws {
        let program = try Program()
        #expect(try program.run("remote", "add", "stick", "/nowhere/at/all").status == 69)
        try program.json("remote", "add", "stick", program.folder.appending(path: "place").path)
        try program.json("sync")
        try FileManager.default.removeItem(at: program.folder.appending(path: "place"))
        let gone = try program.run("sync", "--json")
        #expect(gone.status == 69 && gone.error["code"] as? String == "unreachable")
        #expect(try program.run("sync", "status").output.contains("The last attempt failed"))
        #expect(try program.run("info").output.contains("; the last attempt failed"))
        let told = try #require(try program.json("info")["sync"] as? [String: Any])
        let remote = try #require((told["remotes"] as? [[String: Any]])?.first)
        #expect(told["off"] as? Bool == false && remote["name"] as? String == "stick")
        #expect(remote["lastSuccess"] != nil && remote["failure"] != nil)
        let other = try Program()
        try other.json("remote", "add", "mine", program.folder.appending(path: "other").path)
        try other.json("sync")
        #expect(try program.run("remote", "add", "theirs", program.folder.appending(path: "other").path).status == 73)
        #expect(try program.run("remote", "add", "bad", "s3:/nonsense://x").status == 64)
    }

    @Test func `off and on`() throws {
        let devices = try Devices()
        #expect(try devices.shack.json("sync", "off")["changed"] as? Bool == true)
        let refused = try devices.shack.run("sync", "--json")
        #expect(refused.status == 78 && refused.error["code"] as? String == "syncOff")
        #expect(try devices.shack.run("info").output.contains("off on this device"))
        #expect(try devices.shack.run("sync", "on").output.contains("Synchronising is on."))
        #expect(try devices.shack.run("sync").status == 0)
    }

    @Test func `one event held back in a bundle is named as missing until it comes`() throws {
        let devices = try Devices()
        let program = devices.shack
        try devices.settle()
        let replica = try #require(try program.json("info")["replica"] as? String)
        var bundles: [String] = []
        var events = try #require((try program.json("digest")["vector"] as? [String: Int])?[replica])
        for call in ["N0ONE", "N0TWO", "N0SIX"] {
            try program.json("qso", "add", call, "BAND=20m", "MODE=CW")
            let path = program.folder.appending(path: "\(call).gwb").path
            let made = try program.json(
                "bundle", "create", "--missing-from", "\(replica)=\(events)", "-o", path, "--force")
            #expect(made["events"] as? Int ?? 0 >= 1)
            bundles.append(path)
            events += 1
        }
        // The first one is lost on the way; the others come in the wrong order, and twice.
        let late = try program.run(
            "bundle", "apply", bundles[2], bundles[1], bundles[2], "--store", devices.laptop.path)
        #expect(late.status == 3)
        let missing = try program.json("missing", "--store", devices.laptop.path)
        let range = try #require((missing["ranges"] as? [[String: Any]])?.first)
        #expect(range["first"] as? Int == events - 2 && range["last"] as? Int == events - 2)
        #expect(try program.run("missing", "--exit-code", "--store", devices.laptop.path).status == 1)
        #expect(try program.run("sync", "status", "--exit-code", "--store", devices.laptop.path).status == 1)
        let whole = try program.run("bundle", "apply", bundles[0], "--store", devices.laptop.path)
        #expect(whole.status == 0)
        #expect(try program.run("missing", "--exit-code", "--store", devices.laptop.path).status == 0)
        #expect(
            try program.json("digest", "--store", devices.laptop.path)["content"] as? String
                == program.json("digest")["content"] as? String)
    }

    @Test func `what is no bundle is refused, and nothing is changed`() throws {
        let devices = try Devices()
        let program = devices.shack
        let path = program.folder.appending(path: "x.gwb")
        try Data("no bundle at all".utf8).write(to: path)
        #expect(try program.run("bundle", "apply", path.path).status == 65)
        #expect(try program.run("bundle", "apply", path.path + ".none").status == 66)
        let other = try Program()
        try other.json("bundle", "create", "-o", path.path, "--force")
        let refused = try program.run("bundle", "apply", path.path)
        #expect(refused.status == 66 && refused.errors.contains("another log"))
    }

    @Test func `clear wants the word, and brings everything back`() throws {
        let devices = try Devices()
        let program = devices.shack
        try program.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        #expect(try program.run("clear").status == 64)
        #expect(try program.run("clear", "--confirm", "clear").status == 64)
        #expect(try program.json("clear", "--dry-run")["unsent"] as? Int == 0)
        #expect(try program.json("qso", "count")["total"] as? Int == 1)
        let cleared = try program.json("clear", "--confirm", "CLEAR")
        #expect(cleared["restoring"] as? Bool == true && cleared["qsosNow"] as? Int == 1)
        try devices.settle()
        #expect(try program.run("sync", "status", "--exit-code", "--store", devices.laptop.path).status == 0)
        let replicas = try program.run("replicas").output
        #expect(replicas.contains("this device; continues"))
        #expect(replicas.contains("continues as"))
    }

    @Test func `replicas rename calls a device otherwise, on all devices`() throws {
        let devices = try Devices()
        try devices.settle()
        let program = devices.shack
        let renamed = try program.json("replicas", "rename", "laptop", " Summit phone ")
        #expect(renamed["device"] as? String == "Summit phone" && renamed["changed"] as? Bool == true)
        #expect(try program.json("replicas", "rename", "summit phone", "Summit phone")["changed"] as? Bool == false)
        try devices.settle()
        let told = try program.json("replicas", "list", "--store", devices.laptop.path)
        let this = (told["replicas"] as? [[String: Any]])?.first { $0["isThisDevice"] as? Bool == true }
        #expect(this?["device"] as? String == "Summit phone")
        #expect(try program.run("replicas", "rename", "laptop", "x").status == 66, "it is not called that any more")
        for name in ["", "  ", "a\nb", String(repeating: "é", count: 65)] {
            #expect(try program.run("replicas", "rename", "Summit phone", name).status == 64)
        }
        #expect(try program.run("history", "--store", devices.laptop.path).output.contains("Summit phone"))
    }

    @Test func `replicas retire stops waiting for a device, on all devices`() throws {
        let devices = try Devices()
        try devices.settle()
        let program = devices.shack
        try program.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        try program.json("sync")
        let waiting = try program.run("sync", "status", "--exit-code")
        #expect(waiting.status == 1 && waiting.output.contains("laptop is missing 1 event"))
        #expect(try program.run("replicas", "retire", "shack").status == 66, "it is this one")
        let own = try #require(try program.json("info")["replica"] as? String)
        #expect(try program.run("replicas", "retire", own).status == 66)
        #expect(try program.run("replicas", "retire", "nobody").status == 66)
        let retired = try program.json("replicas", "retire", "laptop")
        #expect(retired["device"] as? String == "laptop" && retired["changed"] as? Bool == true)
        #expect(try program.json("replicas", "retire", "Laptop")["changed"] as? Bool == false)
        try program.json("sync")
        let status = try program.run("sync", "status", "--exit-code")
        #expect(status.status == 0 && status.output.contains("Retired, and not counted: laptop."), "\(status.output)")
        #expect(try program.run("replicas").output.contains("  retired"))
        // It lost its store, and joins again: it stands there once.
        let again = program.folder.appending(path: "again").path
        let joined = try program.run(
            "join", devices.place, "--store", again, "--name", "laptop", "--replaces", "laptop")
        #expect(joined.status == 0, "\(joined.errors)")
        try program.json("sync")
        try program.json("sync", "--store", again)
        try program.json("sync")
        let listed = try program.json("replicas")
        #expect(listed["complete"] as? Bool == true)
        let writing = (listed["replicas"] as? [[String: Any]])?.filter { ($0["successors"] as? [Any])?.isEmpty == true }
        #expect(writing?.compactMap { $0["device"] as? String }.sorted() == ["laptop", "shack"])
        // The old one was not lost after all: it says so with its next sync.
        _ = try program.run("sync", "--store", devices.laptop.path)
        _ = try program.run("sync", "--store", devices.laptop.path)
        try program.json("sync")
        #expect(try program.run("sync", "status").output.contains("was retired, and is back"))
    }

    @Test func `remote show says what lies there, and remove deletes it only when asked to`() throws {
        let devices = try Devices()
        let shown = try devices.shack.json("remote", "show", "stick")
        #expect((shown["stores"] as? [[String: Any]])?.count == 2)
        try Data("x".utf8).write(to: URL(filePath: devices.place).appending(path: "notes of mine.txt"))
        #expect(try devices.shack.run("remote", "show", "stick").errors.contains("notes of mine.txt"))
        try devices.shack.json("remote", "remove", "stick")
        #expect(FileManager.default.fileExists(atPath: devices.place + "/groundwave-log"))
        let laptop = devices.laptop.path
        let name = try #require(
            (try devices.shack.json("remote", "list", "--store", laptop)["remotes"] as? [[String: Any]])?.first?["name"]
                as? String)
        #expect(try devices.shack.run("remote", "remove", name, "--delete-data", "--store", laptop).status == 64)
        try devices.shack.json("remote", "remove", name, "--delete-data", "--yes", "--store", laptop)
        #expect(!FileManager.default.fileExists(atPath: devices.place + "/groundwave-log"))
    }

    @Test func `backup keeps a mirror that can be read back`() throws {
        let program = try Program()
        try program.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        try program.json("settings", "set", "myCallsign", "N0CALL")
        let folder = program.folder.appending(path: "mirror")
        #expect(try program.run("backup", "mirror", folder.path).status == 66)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try program.json("backup", "mirror", folder.path)
        let written = try program.json("backup", "now")
        #expect(written["qsos"] as? Int == 1)
        let other = try Program()
        try other.json("import", try #require(written["adif"] as? String))
        try other.json("settings", "import", try #require(written["settings"] as? String))
        #expect(try other.json("qso", "count")["total"] as? Int == 1)
        #expect(try other.json("settings", "get", "myCallsign")["value"] as? String == "N0CALL")
        #expect(try program.json("backup", "mirror")["mirror"] as? String == folder.path)
        try program.json("backup", "mirror", "off")
        #expect(try program.run("backup", "now").status == 64)
    }

    @Test func `backup copies the photos that sessions name, and no other files`() throws {
        let program = try Program()
        let (folder, photos) = (
            program.folder.appending(path: "mirror"), program.folder.appending(path: "pictures")
        )
        for url in [folder, photos] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        func put(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: photos.appending(path: name))
        }
        try put("hello", "summit.jpg")
        try put("other", "hut.jpg")
        try put("secret", "diary.txt")
        try Data("outside".utf8).write(to: program.folder.appending(path: "outside.jpg"))
        try FileManager.default.createSymbolicLink(
            at: photos.appending(path: "link.jpg"),
            withDestinationURL: program.folder.appending(path: "outside.jpg"))
        // The SHA-256 of "hello": the first is that file, the second is not.
        let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        try program.json("session", "start", "--call", "N0CALL")
        let names = "summit.jpg \(hash),hut.jpg \(hash),link.jpg,../outside.jpg,gone.jpg"
        try program.json("session", "edit", "PHOTOS=\(names)")
        try program.json("backup", "mirror", folder.path, "--photos", photos.path)
        #expect(try program.json("backup", "mirror")["photos"] as? String == photos.path)
        let written = try program.json("backup", "now")
        #expect(written["photos"] as? Int == 1)
        #expect(written["missingPhotos"] as? [String] == ["gone.jpg", "hut.jpg", "link.jpg"])
        let there = folder.appending(path: "photos")
        #expect(try FileManager.default.contentsOfDirectory(atPath: there.path) == ["summit.jpg"])
        // What lies there already counts only if it is the file that was hashed.
        try Data("HELLO".utf8).write(to: folder.appending(path: "photos/summit.jpg"))
        #expect(try program.json("backup", "now")["photos"] as? Int == 1)
        #expect(try Data(contentsOf: folder.appending(path: "photos/summit.jpg")) == Data("hello".utf8))
        // What changes is copied again; what is deleted where it is kept stays in the mirror.
        try program.json("session", "edit", "PHOTOS=summit.jpg,hut.jpg")
        #expect(try program.json("backup", "now")["photos"] as? Int == 2)
        try FileManager.default.removeItem(at: photos.appending(path: "hut.jpg"))
        try put("hello again", "summit.jpg")
        #expect(try program.json("backup", "now")["photos"] as? Int == 2)
        #expect(try String(contentsOf: there.appending(path: "summit.jpg"), encoding: .utf8) == "hello again")
        let text = try program.run("backup", "now").output
        #expect(text.contains("2 photos of sessions are in the mirror."))
        #expect(try program.run("backup", "mirror", "off", "--photos", photos.path).status == 64)
        #expect(try program.run("backup", "mirror", folder.path, "--photos", photos.path + "/no").status == 66)
    }
}

@Suite struct `Events that were lost with a damaged page` {
    @Test func `come back by a bundle, which says so, and another program that watches is told of them`() throws {
        let program = try Program()
        var text = "generated\n<PROGRAMID:4>Test<EOH>\n"
        for number in 100..<300 {
            text += "<CALL:6>N0C\(number)<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>\n"
        }
        let file = program.folder.appending(path: "generated.adi")
        try Data(text.utf8).write(to: file)
        #expect(try program.run("import", file.path).status == 0)
        let bundle = program.folder.appending(path: "all.gwb").path
        try program.json("bundle", "create", "-o", bundle)
        try Self.zeroPages(with: "N0C200", of: program.store.appending(path: "log.mdb"))
        try? FileManager.default.removeItem(at: program.state.appending(path: "open"))
        _ = try program.run("qso", "count")
        #expect(try program.json("recover", "status")["state"] as? String == "waiting")
        #expect(try program.run("recover", "restore").status == 0)
        let left = try #require(program.json("qso", "count")["total"] as? Int)
        let lost = 200 - left
        #expect(lost > 0)

        let watching = try program.start(["watch", "--since", "0", "--kind", "qso", "--count", "200", "--json"])
        while try Data(contentsOf: watching.paths[0]).count(where: { $0 == UInt8(ascii: "\n") }) < left {
            try #require(watching.process.isRunning)
            Thread.sleep(forTimeInterval: 0.05)
        }
        let applied = try program.run("bundle", "apply", bundle)
        #expect(applied.output.contains("\(lost) new events, \(lost) of them previously lost here"))
        let watched = try watching.outcome()
        let objects = try watched.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(Set(objects.compactMap { $0["id"] as? String }).count == 200, "each once")
        #expect(Set(objects.suffix(lost).compactMap { $0["token"] as? String }).count == 1, "positions stay")
        #expect(try program.json("qso", "count")["total"] as? Int == 200)
        let again = try program.json("bundle", "apply", bundle)
        #expect(again["events"] as? Int == 0 && again["returned"] as? Int == 0)
    }

    /// Zeroes every page of a file that holds `text`.
    private static func zeroPages(with text: String, of file: URL) throws {
        var bytes = try Data(contentsOf: file)
        var start = bytes.startIndex
        while let found = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
            let page = found.lowerBound / 4096 * 4096
            bytes.replaceSubrange(page..<page + 4096, with: Data(count: 4096))
            start = page + 4096
        }
        try bytes.write(to: file)
    }
}
