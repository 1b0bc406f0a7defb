import Foundation
import GroundwaveTesting
import Testing

/// A remote with a few thousand events that one device has left there.
private final class FilledRemote: Sendable {
    static let count = 3000
    static let shared = Result { try FilledRemote() }
    let folder: TemporaryFolder
    var place: URL { folder.url.appending(path: "place") }
    let export: [Data]
    /// How long an undisturbed join takes.
    let seconds: Double

    private init() throws {
        folder = try TemporaryFolder()
        let log = try GeneratedLog(count: Self.count)
        let store = folder.url.appending(path: "store")
        let place = folder.url.appending(path: "place")
        for arguments in [["init"], ["import", log.path], ["remote", "add", "place", place.path], ["sync"]] {
            let outcome = try Child(Program.path("groundwave"), arguments + ["--store", store.path]).wait()
            try #require(outcome.ended(0), "\(outcome.errors)")
        }
        export = try Inspection.exported(store)
        let start = ContinuousClock.now
        try #require(
            Program.groundwave("join", place.path, "--store", folder.path("first")).ended(0))
        seconds = (ContinuousClock.now - start) / .seconds(1)
    }

    /// How many stores have left something there.
    func storeCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: place.appending(path: "stores").path).count
    }
}

@Suite struct `A join that does not come to its end` {
    @Test(arguments: trials)
    func `killed at any moment goes on with the next one, as one replica, with everything`(moment: UInt64) async throws
    {
        let remote = try FilledRemote.shared.get()
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "place")
        try FileManager.default.copyItem(at: remote.place, to: place)
        let (store, state) = (folder.url.appending(path: "store"), folder.url.appending(path: "state"))
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Child(Program.path("groundwave"), arguments + ["--store", store.path], state: state).wait()
        }
        let before = try remote.storeCount()
        var generator = SeededGenerator(seed: moment)
        // Killed twice, so that going on is broken off as well.
        for _ in 0..<2 {
            let joining = try Child(
                Program.path("groundwave"), ["join", place.path, "--name", "laptop", "--store", store.path],
                state: state)
            usleep(UInt32(.random(in: 0..<remote.seconds, using: &generator) * 1_000_000))
            joining.killNow()
            _ = joining.wait()
            // What has not come to its end is no list without an entry; before anything was made there is no store.
            let listed = try run("qso", "list", "--json")
            if listed.ended(0) {
                #expect(!FileManager.default.fileExists(atPath: store.appending(path: "joining").path))
            } else {
                let isSaid = listed.ended(78) && listed.errors.contains("groundwave join")
                #expect(isSaid || listed.ended(66), "\(listed.errors)")
            }
        }
        let resumed = try run("join", place.path, "--name", "laptop")
        #expect(resumed.ended(0) || resumed.ended(73), "\(resumed.errors)")
        let records = try Child(Program.path("groundwave"), ["export", "--store", store.path], state: state).wait()
        #expect(Inspection.records(in: records.data) == remote.export)
        #expect(try run("remote", "list", "--json").output.contains(place.path))
        #expect(try run("sync").ended(0))
        let told = try run("replicas", "--json")
        let object = try JSONSerialization.jsonObject(with: told.data) as? [String: Any]
        let replicas = try #require(object?["replicas"] as? [[String: Any]])
        #expect(replicas.count <= before + 1, "\(told.output)")
        #expect(replicas.contains { $0["device"] as? String == "laptop" && $0["isThisDevice"] as? Bool == true })
        _ = try Inspection.log(of: store)
    }

    @Test func `since the remote went away says how to go on, refuses another address, and goes on when it is back`()
        async throws
    {
        let remote = try FilledRemote.shared.get()
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "place")
        try FileManager.default.copyItem(at: remote.place, to: place)
        let store = folder.url.appending(path: "store")
        // The mark says that a log lies there, and what it names cannot be listed.
        let stores = place.appending(path: "stores")
        let away = folder.url.appending(path: "away")
        try FileManager.default.moveItem(at: stores, to: away)
        try FileManager.default.createSymbolicLink(at: stores, withDestinationURL: away)
        let stopped = try Program.groundwave("join", place.path, "--store", store.path)
        #expect(!stopped.ended(0) && stopped.errors.contains("groundwave join"), "\(stopped.status) \(stopped.errors)")
        for verb in [["qso", "list"], ["stats"], ["qso", "add", "N0CALL"], ["init"]] {
            let told = try Child(Program.path("groundwave"), verb + ["--store", store.path]).wait()
            #expect(told.ended(78), "\(verb): \(told.status) \(told.output)")
            #expect(told.errors.contains("joining it from"), "\(verb): \(told.errors)")
        }
        // It goes on with the join, as far as it can.
        let synced = try Program.groundwave("sync", "--store", store.path)
        #expect(!synced.ended(0) && synced.errors.contains("groundwave join"), "\(synced.status) \(synced.errors)")
        let information = try Program.groundwave("info", "--store", store.path)
        #expect((information.output + information.errors).contains("joining it from"), "\(information.output)")
        let other = try Program.groundwave("join", remote.place.path, "--store", store.path)
        #expect(other.ended(73) && other.errors.contains(place.path), "\(other.status) \(other.errors)")
        try FileManager.default.removeItem(at: stores)
        try FileManager.default.moveItem(at: away, to: stores)
        let resumed = try Program.groundwave("join", place.path, "--store", store.path)
        #expect(resumed.ended(0), "\(resumed.errors)")
        #expect(try Inspection.exported(store) == remote.export)
        #expect(try Program.groundwave("join", place.path, "--store", store.path).ended(73), "it is a store now")
    }
}
