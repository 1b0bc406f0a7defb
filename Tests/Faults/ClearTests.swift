import Foundation
import GroundwaveTesting
import Testing

/// A store with contacts that lie nowhere else, and what it exports.
private final class OnlyCopy: Sendable {
    static let shared = Result { try OnlyCopy() }
    let folder: TemporaryFolder
    let export: [Data]
    /// How long an undisturbed clear takes.
    let seconds: Double

    private init() throws {
        folder = try TemporaryFolder()
        let log = try GeneratedLog(count: 2000)
        let store = folder.url.appending(path: "store")
        for arguments in [["init", "--name", "shack"], ["import", log.path]] {
            let outcome = try Child(Program.path("groundwave"), arguments + ["--store", store.path]).wait()
            try #require(outcome.ended(0), "\(outcome.errors)")
        }
        export = try Inspection.exported(store)
        let copy = folder.url.appending(path: "copy")
        try FileManager.default.copyItem(at: store, to: copy)
        let start = ContinuousClock.now
        let cleared = try Program.groundwave("clear", "--confirm", "CLEAR", "--store", copy.path)
        try #require(cleared.ended(0), "\(cleared.errors)")
        seconds = (ContinuousClock.now - start) / .seconds(1)
    }
}

@Suite struct `A clear of the only copy that is killed` {
    @Test(arguments: trials)
    func `leaves the store whole, or empty with a bundle that brings everything back`(moment: UInt64) async throws {
        let original = try OnlyCopy.shared.get()
        let folder = try TemporaryFolder()
        let (store, state) = (folder.url.appending(path: "store"), folder.url.appending(path: "state"))
        try FileManager.default.copyItem(at: original.folder.url.appending(path: "store"), to: store)
        func run(_ arguments: [String]) throws -> Program.Outcome {
            try Child(Program.path("groundwave"), arguments + ["--store", store.path], state: state).wait()
        }
        func export() throws -> [Data] {
            let outcome = try run(["export"])
            #expect(outcome.ended(0), "\(outcome.errors)")
            return Inspection.records(in: outcome.data)
        }
        func bundles() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".gwb") }
        }
        var generator = SeededGenerator(seed: moment)
        let child = try Child(
            Program.path("groundwave"), ["clear", "--confirm", "CLEAR", "--store", store.path], state: state)
        usleep(UInt32(.random(in: 0..<original.seconds, using: &generator) * 1_000_000))
        child.killNow()
        _ = child.wait()
        _ = try Inspection.log(of: store)
        if try export() == original.export {
            // It goes on with the next one.
            let cleared = try run(["clear", "--confirm", "CLEAR"])
            #expect(cleared.ended(0), "\(cleared.errors)")
        }
        #expect(try export().isEmpty)
        let saved = try bundles()
        #expect(!saved.isEmpty)
        for bundle in saved { #expect(try run(["bundle", "apply", folder.path(bundle)]).ended(0)) }
        #expect(try export() == original.export)
        // Who writes next is still called what the device was called.
        #expect(try run(["qso", "add", "W1AW", "BAND=20m", "MODE=CW"]).ended(0))
        let told = try run(["replicas", "--json"])
        let object = try JSONSerialization.jsonObject(with: told.data) as? [String: Any]
        let replicas = try #require(object?["replicas"] as? [[String: Any]])
        let own = replicas.first { $0["isThisDevice"] as? Bool == true }
        #expect(own?["device"] as? String == "shack", "\(told.output)")
        let remains = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
            $0.contains(".part-")
        }
        #expect(remains.isEmpty)
    }
}

@Suite(.enabled(if: SmallDisk.isAllowed, "Mounting a file system in memory takes root on Linux"))
struct `A clear whose bundle cannot be written` {
    @Test func `deletes nothing, and says why`() async throws {
        let original = try OnlyCopy.shared.get()
        let disk = try SmallDisk(megabytes: 1)
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        try FileManager.default.copyItem(at: original.folder.url.appending(path: "store"), to: store)
        disk.fill("full")
        func clear() throws -> Program.Outcome {
            try Program.groundwave(
                "clear", "--confirm", "CLEAR", "--output", disk.url.appending(path: "x.gwb").path, "--store", store.path
            )
        }
        let full = try clear()
        #expect(full.ended(74) && full.errors.contains("disk is full"), "\(full.status) \(full.errors)")
        #expect(full.errors.contains("Nothing was deleted"), "\(full.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["full"])
        try #require(try disk.setReadOnly(true))
        let refused = try clear()
        #expect(
            refused.ended(77) && refused.errors.contains("cannot be created"), "\(refused.status) \(refused.errors)")
        #expect(try Inspection.exported(store) == original.export)
    }
}
