import Foundation
import GroundwaveTesting
import Testing

/// The code of the article TimeTravel, compiled and run.
@Suite struct `The article about time travel` {
    @Test func `reads a past, compares it with now, and brings a value back`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(
            Configuration(
                author: "N0CALL", kinds: [Inspection.self], projections: [Results.self],
                surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        let id = try await store.write {
            try $0.add(Inspection(device: "Ladder", result: .passed))
        }.value
        let monday = Date(timeIntervalSince1970: Double(clock.now.wallMilliseconds) / 1000)
        clock.advance(by: .seconds(86_400))
        let token = try store.currentToken()
        try await store.write { try $0.edit(Inspection.self, id) { $0.result = .failed } }

        let past = try await store.at(.time(monday))
        let before = try await store.at(.position(token.position))
        let passed = try past.read { try $0.sums(of: Results.self, ["Ladder", "passed"]).first ?? 0 }
        #expect(passed == 1)
        #expect(try before.record("inspection", id) == past.record("inspection", id))
        #expect(try store.read { try $0.sums(of: Results.self, ["Ladder", "passed"]).first ?? 0 } == 0)

        try store.forEachDifference(from: past, to: store) { difference in
            for field in difference.fields {
                let (old, new) = (field.before ?? [], field.after ?? [])
                print(field.name, String(decoding: old, as: UTF8.self), "→", String(decoding: new, as: UTF8.self))
            }
            return true
        }
        let difference = try store.difference(of: id, kind: "inspection", from: past, to: store)
        #expect(difference?.fields.map(\.before) == [Array("passed".utf8)])
        #expect(difference?.fields.map(\.after) == [Array("failed".utf8)])

        let result = try past.find(Inspection.self, id)?.result ?? .passed
        try await store.write(note: "As it was on Monday") {
            try $0.edit(Inspection.self, id) { $0.result = result }
        }
        #expect(try store.difference(of: id, kind: "inspection", from: past, to: store) == nil)
    }
}
