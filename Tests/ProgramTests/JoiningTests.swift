import Foundation
import Testing

/// A log with a snapshot at a place, and a second device that has fetched the snapshot and could not go on.
private final class StoppedJoin: Sendable {
    let shack: Program
    /// Where the second device has its store.
    var laptop: URL { shack.folder.appending(path: "laptop") }
    private var place: URL { shack.folder.appending(path: "place") }

    init() throws {
        shack = try Program()
        for number in 0..<3 {
            try shack.json(
                "qso", "add", "K\(number)AA", "QSO_DATE=20260501", "TIME_ON=120\(number)", "BAND=20m", "MODE=CW")
        }
        try shack.json("settings", "set", "syncEngine", "journal")
        try shack.json("remote", "add", "place", place.path)
        let synced = try shack.run("sync")
        try #require(synced.status == 0 && synced.errors.contains("Left a snapshot"), "\(synced.errors)")
        // The newest contact is in no snapshot.
        try shack.json("qso", "add", "W1AW", "QSO_DATE=20260501", "TIME_ON=1300", "BAND=20m", "MODE=CW")
        try shack.json("sync")
        try takeHistoryAway()
        let joined = try run("join", place.path, "--name", "laptop")
        try #require(joined.status != 0 && joined.errors.contains("Readable from now on"), "\(joined.errors)")
    }

    /// Runs the program on the store of the second device.
    func run(_ arguments: String...) throws -> Program.Outcome {
        try shack.run(arguments + ["--store", laptop.path])
    }

    private var stores: URL { place.appending(path: "stores") }
    private var away: URL { shack.folder.appending(path: "away") }

    private func takeHistoryAway() throws {
        try FileManager.default.moveItem(at: stores, to: away)
        try FileManager.default.createSymbolicLink(at: stores, withDestinationURL: away)
    }

    func bringHistoryBack() throws {
        try FileManager.default.removeItem(at: stores)
        try FileManager.default.moveItem(at: away, to: stores)
    }
}

@Suite struct `A store that is being joined, at the terminal` {
    @Test func `shows the records of the snapshot, and says what it shows`() throws {
        let stopped = try StoppedJoin()
        let listed = try stopped.run("qso", "list")
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.output.contains("K0AA") && listed.output.contains("K2AA") && !listed.output.contains("W1AW"))
        #expect(
            listed.errors.contains("History is still being fetched: ")
                && listed.errors.contains("Shown is the snapshot"))
        for verb in [
            ["qso", "find", "K1AA"], ["qso", "worked", "K1AA"], ["session", "list"], ["settings", "list"],
            ["meter", "list"], ["trace", "list"], ["record", "list", "notesSource"], ["export"],
            ["duplicates", "list"],
        ] {
            let told = try stopped.shack.run(verb + ["--store", stopped.laptop.path])
            #expect([0, 1].contains(told.status), "\(verb): \(told.status) \(told.errors)")
            #expect(told.errors.contains("still being fetched"), "\(verb): \(told.errors)")
        }
        let shown = try stopped.run("qso", "show", "K1AA")
        #expect(shown.status == 0 && shown.output.contains("K1AA"), "\(shown.output) \(shown.errors)")
    }

    @Test func `says it in every JSON object`() throws {
        let stopped = try StoppedJoin()
        for verb in [["qso", "list"], ["qso", "count"], ["settings", "get", "syncEngine"], ["trace", "list"]] {
            let told = try stopped.shack.run(verb + ["--json", "--store", stopped.laptop.path])
            let joining = try #require(told.json["joining"] as? [String: Any], "\(verb): \(told.output) \(told.errors)")
            #expect((joining["from"] as? String)?.hasSuffix("/place") == true)
            #expect((joining["snapshot"] as? String)?.hasSuffix("Z") == true)
            let (events, total) = (joining["events"] as? Int, joining["of"] as? Int)
            #expect(try #require(events) < (try #require(total)))
        }
        #expect(try stopped.shack.run(["qso", "list", "--json"]).json["joining"] == nil)
    }

    @Test func `refuses what needs the history, and what writes`() throws {
        let stopped = try StoppedJoin()
        for verb in [
            ["history"], ["stats"], ["trace", "show"], ["blame", "K1AA"], ["digest"], ["conflicts"],
            ["qso", "list", "--at", "2026-01-01"],
            ["qso", "add", "N0CALL"], ["undo"], ["sync", "status"], ["replicas"], ["snapshot", "list"],
        ] {
            let told = try stopped.shack.run(verb + ["--store", stopped.laptop.path])
            #expect(told.status == 78, "\(verb): \(told.status) \(told.output) \(told.errors)")
            #expect(told.errors.contains("groundwave join"), "\(verb): \(told.errors)")
        }
        let information = try stopped.run("info")
        #expect((information.output + information.errors).contains("incomplete"))
    }

    @Test(arguments: ["join", "sync"])
    func `goes on with the next join or sync, and is a store like any other then`(verb: String) throws {
        let stopped = try StoppedJoin()
        try stopped.bringHistoryBack()
        let resumed =
            verb == "sync"
            ? try stopped.run("sync") : try stopped.run("join", stopped.shack.folder.appending(path: "place").path)
        #expect(resumed.status == 0, "\(resumed.errors)")
        let counted = try stopped.run("qso", "count", "--json")
        #expect(counted.json["total"] as? Int == 4 && counted.json["joining"] == nil && counted.errors.isEmpty)
        #expect(try stopped.run("history", "--json").status == 0)
        let status = try stopped.run("sync", "status", "--json")
        #expect(status.json["missing"] as? [[String: Any]] != nil, "\(status.output)")
        let names = try FileManager.default.contentsOfDirectory(atPath: stopped.laptop.path)
        #expect(!names.contains { $0.hasPrefix("join") }, "\(names)")
    }

    @Test func `names a snapshot that cannot be used, and joins nevertheless`() throws {
        let stopped = try StoppedJoin()
        try stopped.bringHistoryBack()
        let heads = stopped.shack.folder.appending(path: "place/snapshots/heads")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: heads.path).first)
        try Data([1, 2, 3]).write(to: heads.appending(path: name))
        let other = stopped.shack.folder.appending(path: "other")
        let joined = try stopped.shack.run(
            ["join", stopped.shack.folder.appending(path: "place").path, "--store", other.path])
        #expect(joined.status == 0 && joined.output.contains("4 contacts"), "\(joined.output) \(joined.errors)")
        #expect(joined.errors.contains("cannot be used: its head is malformed."), "\(joined.errors)")
        #expect(!joined.errors.contains("Readable from now on"))
    }
}

@Suite struct `Snapshots for new devices, at the terminal` {
    @Test func `are counted by remote show, and deleted with the data of the remote`() throws {
        let shack = try Program()
        let place = shack.folder.appending(path: "place")
        try shack.json("settings", "set", "syncEngine", "journal")
        try shack.json("remote", "add", "place", place.path)
        let synced = try shack.json("sync")
        #expect((synced["snapshot"] as? String)?.count == 26)
        let shown = try shack.json("remote", "show", "place")
        let snapshots = try #require(shown["snapshots"] as? [String: Int])
        #expect(snapshots["count"] == 1 && snapshots["bytes"] ?? 0 > 100)
        #expect(try shack.run("remote", "show", "place").output.contains("For new devices: 1 snapshot"))
        let removed = try shack.json("remote", "remove", "place", "--delete-data", "--yes")
        // Log mark, catalog, segment, head, part.
        #expect(removed["deleted"] as? Int == 5)
        let files = FileManager.default.subpaths(atPath: place.path) ?? []
        #expect(!files.contains { $0.hasSuffix(".part") || $0.hasSuffix(".head") }, "\(files)")
    }

    @Test func `are not left by the engine records, nor without changes`() throws {
        let shack = try Program()
        let place = shack.folder.appending(path: "place")
        try shack.json("remote", "add", "place", place.path)
        try shack.json("sync")
        #expect(!FileManager.default.fileExists(atPath: place.appending(path: "snapshots").path))
        try shack.json("settings", "set", "syncEngine", "journal")
        #expect(try shack.json("sync")["snapshot"] != nil)
        #expect(try shack.json("sync")["snapshot"] == nil)
    }
}
