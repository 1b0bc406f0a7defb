import Foundation
import GroundwaveTesting
import Testing

/// A store with contacts that has left them at a place.
private struct Origin {
    let folder: TemporaryFolder
    var store: URL { folder.url.appending(path: "store") }

    init(contacts: Int, place: URL) throws {
        folder = try TemporaryFolder()
        let log = try GeneratedLog(count: contacts)
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.groundwave("import", log.path, "--store", store.path).ended(0))
        #expect(try Program.groundwave("remote", "add", "place", place.path, "--store", store.path).ended(0))
    }

    func sync() throws -> Program.Outcome { try Program.groundwave("sync", "--store", store.path) }
}

@Suite(.serialized, .enabled(if: SmallDisk.isAllowed, "Mounting a file system in memory takes root on Linux"))
struct `A full disk while synchronising` {
    @Test func `here stops a join with a sentence, and the next one goes on when there is room`() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "place")
        let origin = try Origin(contacts: 9000, place: place)
        #expect(try origin.sync().ended(0))
        let disk = try SmallDisk(megabytes: 3)
        let store = disk.url.appending(path: "store")
        let stopped = try Program.groundwave("join", place.path, "--store", store.path)
        #expect(stopped.ended(74), "\(stopped.status) \(stopped.errors)")
        #expect(stopped.errors.contains("disk is full"), "\(stopped.errors)")
        _ = try Inspection.log(of: store)
        try disk.resize(megabytes: 60)
        let refused = try Program.groundwave("qso", "list", "--store", store.path)
        #expect(refused.ended(78) && refused.errors.contains("joining it from"), "\(refused.errors)")
        let resumed = try Program.groundwave("join", place.path, "--store", store.path)
        #expect(resumed.ended(0), "\(resumed.errors)")
        #expect(Inspection.numbers(in: try Inspection.exported(store)) == Array(0..<9000))
        _ = try Inspection.log(of: store)
    }

    @Test func `at the place is told, and leaves nothing half there`() async throws {
        let disk = try SmallDisk(megabytes: 1)
        let place = disk.url.appending(path: "place")
        let origin = try Origin(contacts: 20_000, place: place)
        let stopped = try origin.sync()
        #expect(stopped.ended(74), "\(stopped.status) \(stopped.errors)")
        #expect(stopped.errors.contains("is full"), "\(stopped.errors)")
        #expect(Inspection.numbers(in: try Inspection.exported(origin.store)) == Array(0..<20_000))
        try disk.resize(megabytes: 60)
        #expect(try origin.sync().ended(0))
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("join", place.path, "--store", store.path).ended(0))
        #expect(Inspection.numbers(in: try Inspection.exported(store)) == Array(0..<20_000))
    }
}

@Suite(.serialized) struct `Killed while synchronising` {
    @Test func `a device goes on where it was, and nothing is there twice`() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "place")
        let origin = try Origin(contacts: 3000, place: place)
        for milliseconds in [5, 15, 30, 60, 100] {
            let child = try Child(Program.path("groundwave"), ["sync", "--store", origin.store.path])
            try await Task.sleep(for: .milliseconds(milliseconds))
            child.killNow()
            _ = child.wait()
        }
        #expect(try origin.sync().ended(0))
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("join", place.path, "--store", store.path).ended(0))
        for milliseconds in [5, 15, 30, 60, 100] {
            let child = try Child(Program.path("groundwave"), ["sync", "--store", store.path])
            try await Task.sleep(for: .milliseconds(milliseconds))
            child.killNow()
            _ = child.wait()
        }
        #expect(try Program.groundwave("sync", "--store", store.path).ended(0))
        #expect(Inspection.numbers(in: try Inspection.exported(store)) == Array(0..<3000))
        _ = try Inspection.log(of: store)
        let digests = try await Inspection.digests(of: store)
        #expect(digests.shown == digests.folded)
    }
}
