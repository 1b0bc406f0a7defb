import Foundation
import GroundwaveEventLog
import GroundwaveLogRepair
import GroundwaveTesting
import Testing

@Suite struct `Erasing beside other processes` {
    /// A store with 3000 generated contacts and one with N0GONE.
    private static func store(in folder: URL) throws -> URL {
        let store = folder.appending(path: "store")
        let log = try GeneratedLog(count: 3000)
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.groundwave("import", log.path, "--store", store.path).ended(0))
        #expect(try Program.groundwave("qso", "add", "N0GONE", "NAME=Bartholomew", "--store", store.path).ended(0))
        #expect(try !files(of: store).isEmpty)
        return store
    }

    /// The files of the store that hold what is to be erased.
    private static func files(of store: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.path).filter { name in
            let data = try Data(contentsOf: store.appending(path: name))
            return ["N0GONE", "Bartholomew"].contains { data.range(of: Data($0.utf8)) != nil }
        }
    }

    private static func erase(_ store: URL) throws -> Child {
        try Child(Program.path("groundwave"), ["erase", "--call", "N0GONE", "--yes", "--store", store.path])
    }

    @Test func `a writer that has the old file open loses nothing`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder.url)
        let writers = try (0..<2).map { try Child(Program.path("fault-writer"), [store.path, "300", "writer\($0)"]) }
        for writer in writers { #expect(writer.waitUntilSaid("saved 20\n")) }
        let erased = try Self.erase(store).wait()
        #expect(erased.ended(0), "\(erased.errors)")
        let during = writers.map { $0.output.contains("saved 300\n") }
        #expect(during.contains(false), "the file was replaced while they wrote")
        for writer in writers { #expect(writer.wait().output.contains("saved 300\n")) }
        #expect(try Self.files(of: store) == [])
        let exported = try Inspection.exported(store)
        for number in 1...300 {
            for writer in 0..<2 {
                let comment = Data(">writer\(writer) \(number)<".utf8)
                let other = Data(">writer\(writer) \(number)\n".utf8)
                #expect(exported.contains { $0.range(of: comment) != nil || $0.range(of: other) != nil })
            }
        }
        #expect(try LogVerifier.verify(path: store.appending(path: "log.mdb").path).damage == [])
        let digests = try await Inspection.digests(of: store)
        #expect(digests.shown == digests.folded)
    }

    @Test(arguments: trials)
    func `killed at any moment it is done by the next write, or was never begun`(moment: UInt64) async throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder.url)
        var generator = SeededGenerator(seed: moment)
        let child = try Self.erase(store)
        usleep(UInt32(Double.random(in: 0...1, using: &generator) * 400_000))
        child.killNow()
        _ = child.wait()
        #expect(try LogVerifier.verify(path: store.appending(path: "log.mdb").path).damage == [])
        let isBegun = try Program.groundwave("record", "list", "erasure", "--json", "--store", store.path)
        #expect(try Program.fault("1", in: store).output == "saved 1\n")
        if isBegun.output.contains("RECORDS") { #expect(try Self.files(of: store) == []) }
        #expect(try Self.erase(store).wait().ended(isBegun.output.contains("RECORDS") ? 66 : 0))
        #expect(try Self.files(of: store) == [])
        #expect(try Program.groundwave("verify", "--deep", "--store", store.path).ended(0))
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "Mounting a file system in memory takes root on Linux"))
    func `without room it says so, and the first write that finds some finishes it`() throws {
        let disk = try SmallDisk(megabytes: 32)
        let store = try Self.store(in: disk.url)
        disk.fill("ballast")
        let ballast = disk.url.appending(path: "ballast")
        // Enough for the event, not for a second log.
        try FileHandle(forWritingTo: ballast).truncate(
            atOffset: UInt64(Data(contentsOf: ballast).count) - UInt64(256 << 10))
        let refused = try Self.erase(store).wait()
        #expect(refused.ended(74), "\(refused.errors)")
        #expect(try !Self.files(of: store).isEmpty)
        #expect(try Program.groundwave("verify", "--store", store.path).ended(0))
        try FileManager.default.removeItem(at: ballast)
        #expect(try Program.fault("1", in: store).output == "saved 1\n")
        #expect(try Self.files(of: store) == [])
        #expect(try Program.groundwave("verify", "--deep", "--store", store.path).ended(0))
    }
}
