import Foundation
import GroundwaveEventLog
import GroundwaveLogRepair
import GroundwaveTesting
import Testing

@Suite struct `Archiving beside other processes` {
    @Test(arguments: trials)
    func `killed at any moment nothing is lost: every value is in the log, or in a whole file`(moment: UInt64) throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        let file = folder.path("old.gwa")
        let generated = try GeneratedLog(count: 3000)
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.groundwave("import", generated.path, "--store", store.path).ended(0))
        let content = try Self.content(store)
        let history = try Program.groundwave("history", "--ndjson", "--store", store.path).output
        var generator = SeededGenerator(seed: moment)
        let child = try Child(
            Program.path("groundwave"), ["archive", "--before", "now", "-o", file, "--yes", "--store", store.path])
        usleep(UInt32(Double.random(in: 0...1, using: &generator) * 500_000))
        child.killNow()
        _ = child.wait()
        #expect(try LogVerifier.verify(path: store.appending(path: "log.mdb").path).damage == [])
        #expect(try Program.groundwave("verify", "--deep", "--store", store.path).ended(0))
        #expect(try Self.content(store) == content)
        let isArchived = try Program.groundwave("info", "--json", "--store", store.path).output.contains("\"archived\"")
        if isArchived {
            #expect(try Program.groundwave("archive", "--restore", file, "--store", store.path).ended(0))
        } else {
            // It can be asked for once more, under another name where a file is there already.
            let again = try Program.groundwave(
                "archive", "--before", "now", "-o", file + "2", "--yes", "--store", store.path)
            #expect(again.ended(0), "\(again.errors)")
            #expect(try Program.groundwave("archive", "--restore", file + "2", "--store", store.path).ended(0))
        }
        let after = try Program.groundwave("history", "--ndjson", "--store", store.path).output
        #expect(after.hasSuffix(history), "every event tells what it told before")
        #expect(try Self.content(store) == content)
    }

    private static func content(_ store: URL) throws -> String {
        let outcome = try Program.groundwave("digest", "--json", "--store", store.path)
        return String(outcome.output.split(separator: ",").first { $0.contains("\"content\"") } ?? "")
    }
}
