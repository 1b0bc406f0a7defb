import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveTesting
import Testing

/// A process follows changes with a consumer, and is killed two hundred times while another one writes.
@Suite struct `A consumer that is killed` {
    @Test func `misses nothing, and repeats only what it had not acknowledged`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var numbers = SeededGenerator(seed: 21)
        func add(_ count: Int) async throws {
            for _ in 0..<count { _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) } }
        }
        /// What the processes said, in order: the events of changes, and the number of changes at each acknowledgement.
        var (changes, written) = ([String](), 0)
        var acknowledged = 0
        var kills = 0
        while kills < 200 {
            let child = try Child(
                Program.path("fault-writer"), [store.url.path, "consume"], state: temporary.stateFolder)
            let count = Int.random(in: 0...3, using: &numbers)
            try await add(count)
            written += count
            if kills == 0 { #expect(child.waitUntilSaid("kept")) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &numbers)))
            child.killNow()
            kills += 1
            let lines = child.wait().output.split(separator: "\n").map(String.init)
            var isFirst = true
            for line in lines {
                if line == "reset" { #expect(kills == 1, "only a new consumer is reset") }
                if line.hasPrefix("change ") {
                    let event = String(line.dropFirst(7))
                    if isFirst, let place = changes.firstIndex(of: event) {
                        // It may have been killed after an acknowledgement, before it could say so.
                        #expect(place >= acknowledged, "what was acknowledged does not come again")
                        changes.removeSubrange(place...)
                    }
                    isFirst = false
                    #expect(!changes.contains(event))
                    changes.append(event)
                }
                if line.hasPrefix("kept ") { acknowledged = changes.count }
            }
        }
        // The last one is let to the end.
        let consumer = try store.consumer("test", matching: .kind("qso"))
        var rest: [String] = []
        for try await step in consumer.steps(through: try store.currentToken()) {
            if case .changes(let set) = step { rest += set.changes.map { "\($0.event)" } }
        }
        if let first = rest.first, let place = changes.firstIndex(of: first) { changes.removeSubrange(place...) }
        changes += rest
        let all = try store.read { view in
            var events: [(Position, String)] = []
            try view.forEachRecord(of: "qso") { record in
                if let head = record.fields.first?.heads.first { events.append((head.position, "\(head.id.event)")) }
                return true
            }
            return events.sorted { $0.0 < $1.0 }.map(\.1)
        }
        // What was written before the first acknowledgement was there when the consumer was reset.
        #expect(all.count == written)
        #expect(changes == Array(all.suffix(changes.count)) && all.count - changes.count <= 3)
    }
}
