import Foundation
import Groundwave
import GroundwaveTesting
import Testing

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: Program.path.path)))
struct `The program` {
    @Test func `watches what another process imports: nothing is missed, nothing comes twice`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.url.path
        let folder = try TemporaryFolder()
        let out = folder.url.appending(path: "watch.ndjson")
        let log = folder.url.appending(path: "generated.adi")
        try Data().write(to: out)
        var text = "generated\n<PROGRAMID:4>Test<EOH>\n"
        for number in 0..<10_000 {
            let call = "N0C\(number)"
            text += "<CALL:\(call.utf8.count)>\(call)<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>\n"
        }
        try Data(text.utf8).write(to: log)
        let token = try temporary.store.currentToken()
        try temporary.store.close()
        let watching = try Program.start(
            ["watch", "--store", store, "--since", "\(token)", "--kind", "qso", "--count", "10001", "--json"],
            output: FileHandle(forWritingTo: out), errors: .standardError)
        let imported = try Program.run("import", "--store", store, log.path)
        #expect(imported.status == 0)
        #expect(try Program.run("qso", "add", "--store", store, "W1AW", "BAND=20m", "MODE=CW").status == 0)
        watching.waitUntilExit()
        #expect(watching.terminationStatus == 0)
        let lines = try String(contentsOf: out, encoding: .utf8).split(separator: "\n")
        let objects = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.count == 10_001)
        #expect(Set(objects.compactMap { $0["id"] as? String }).count == 10_001)
        #expect(Set(objects.compactMap { $0["event"] as? String }).count == 10_001)
        // Going on from a token in the middle gives what came behind it, and no more.
        let middle = try #require(objects[5000]["token"] as? String)
        let rest = objects.drop { $0["token"] as? String != middle }.drop { $0["token"] as? String == middle }
        let again = try Program.run(
            "watch", "--store", store, "--since", middle, "--kind", "qso", "--count", "\(rest.count)", "--json")
        #expect(again.output.split(separator: "\n").count == rest.count)
        #expect(
            again.output.split(separator: "\n").first.map(String.init) == lines[lines.count - rest.count].description)
    }

    @Test func `says 66 for a token of another history, and 64 for what is no token`() async throws {
        let temporary = try await TemporaryStore()
        try temporary.store.close()
        let expired = try Program.run("watch", "--store", temporary.url.path, "--since", "1@1", "--json")
        #expect(expired.status == 66)
        #expect(expired.errors.contains("\"code\":\"expired\""))
        #expect(try Program.run("watch", "--store", temporary.url.path, "--since", "x").status == 64)
    }

    @Test func `says 65 for a damaged log, and what is wrong, and survives it`() async throws {
        let temporary = try await TemporaryStore()
        try temporary.store.close()
        let log = temporary.url.appending(path: "log.mdb")
        var bytes = try Data(contentsOf: log)
        for place in bytes.indices.dropFirst(8192) { bytes[place] = UInt8(truncatingIfNeeded: place &* 31) }
        try bytes.write(to: log)
        let verified = try Program.run("verify", "--store", temporary.url.path, "--json", "--deep")
        #expect(verified.status == 65)
        #expect(verified.output.contains("\"ok\":false"))
        #expect(try Program.run("verify", "--store", temporary.url.path + "x").status == 66)
    }

    @Test func `undoes only when it is told to, and writes nothing before`() async throws {
        let temporary = try await TemporaryStore()
        try temporary.store.close()
        let store = temporary.url.path
        #expect(try Program.run("qso", "add", "--store", store, "W1AW", "BAND=20m", "MODE=CW").status == 0)
        let before = try Data(contentsOf: temporary.url.appending(path: "log.mdb"))
        let refused = try Program.run("undo", "--store", store)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--yes"))
        #expect(try Program.run("undo", "--store", store, "--dry-run").status == 0)
        #expect(try Data(contentsOf: temporary.url.appending(path: "log.mdb")) == before)
        #expect(try Program.run("undo", "--store", store, "--yes").status == 0)
        #expect(try Program.run("qso", "count", "--store", store, "--json").output.contains("\"total\":0"))
    }

    @Test func `leaves no half a file behind where an export fails`() async throws {
        let temporary = try await TemporaryStore()
        try temporary.store.close()
        let folder = try TemporaryFolder()
        let nowhere = folder.url.appending(path: "nowhere/x.adi").path
        #expect(try Program.run("export", "--store", temporary.url.path, "-o", nowhere).status == 74)
        #expect(try Program.run("export", "--store", temporary.url.path, "-o", folder.url.path).status == 73)
        #expect(try Program.run("export", "--store", temporary.url.path, "--json").status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
