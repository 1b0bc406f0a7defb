import Everything
import Foundation
import Groundwave
import Testing

@Suite struct `A batch with correlation and causation` {
    @Test func `is shown with them by history and watch, as text and as JSON, until it is erased`() async throws {
        let program = try Program()
        var configuration = Configuration.full()
        configuration.stateFolder = program.state
        let store = try await Store.open(at: program.store, configuration).whole
        let id = try await store.write(note: "Weekly check", correlation: "job 12", causation: "message 7") { batch in
            try batch.add("qso", [Assignment("CALL", text: "W1AW")])
        }.value
        try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Hiram")]) }
        try store.close()

        let events = try #require(try program.json("history", "\(id)")["events"] as? [[String: Any]])
        #expect(events.map { $0["correlation"] as? String } == [nil, "job 12"])
        #expect(events.map { $0["causation"] as? String } == [nil, "message 7"])
        let text = try program.run("history", "\(id)").output
        #expect(text.contains("Weekly check (part of job 12) (because of message 7)"), "\(text)")
        let watched = try program.run("watch", "--since", "0", "--kind", "qso", "--count", "1")
        #expect(
            watched.output.hasSuffix("(Weekly check) (part of job 12) (because of message 7)\n"), "\(watched.output)")
        let line = try program.json("watch", "--since", "0", "--kind", "qso", "--count", "1")
        #expect(line["correlation"] as? String == "job 12" && line["causation"] as? String == "message 7")
        #expect(try program.run("erase", "\(id)", "--yes").status == 0)
        let bytes = try Data(contentsOf: program.store.appending(path: "log.mdb"))
        #expect(bytes.range(of: Data("job 12".utf8)) == nil && bytes.range(of: Data("message 7".utf8)) == nil)
    }
}
