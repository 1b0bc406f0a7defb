import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

private enum Inspection: RecordKind {
    static let schema = KindSchema(
        name: "inspection", fields: [FieldSchema(1, "ITEM")], indexes: [IndexSchema(1, "item")],
        indexEntries: { values, entries in if let item = values.value(1) { entries.add(item, to: 1) } })
}

private enum Bands: Projection {
    static let name = "bands"
    static let kinds = ["qso"]
    static func project(
        _ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows
    ) {
        if record.isVisible { rows.add(sums: [1], to: [.text(record.text("BAND") ?? "")]) }
    }
}

/// An application with kinds and projections of its own beside the program, which has other ones.
@Suite struct `An application and the program` {
    @Test func `use one store, one writing a thousand batches, the other reading, and neither rebuilds the views`()
        async throws
    {
        let program = try Program()
        let lines = "20m cw\n" + (0..<1000).map { "n\($0 % 10)c\($0)a\n".replacing("n0c", with: "n1c") }.joined()
        let configuration = Configuration(
            kinds: [Inspection.self], projections: [Bands.self], components: [.logbook], stateFolder: program.state)
        let store = try await Store.open(at: program.store, configuration).whole
        let before = store.views.rebuildsSoFar.count
        let running = try program.start(["qso", "log"], input: lines, environment: ["GROUNDWAVE_LOG": "views=debug"])
        var seen: Int64 = 0
        var number = 0
        while running.process.isRunning {
            let count = try store.read { try $0.sums(of: Bands.self, ["20m"]).first ?? 0 }
            #expect(count >= seen, "what was there stays")
            seen = count
            number += 1
            _ = try await store.write { [number] in
                try $0.add("inspection", [Assignment("ITEM", text: "item \(number)")])
            }
        }
        let outcome = try running.outcome()
        #expect(outcome.status == 0, "\(outcome.errors.suffix(300))")
        #expect(!outcome.errors.contains("rebuilt"), "\(outcome.errors.prefix(600))")
        #expect(store.views.rebuildsSoFar.count == before)
        #expect(try store.read { try $0.sums(of: Bands.self, ["20m"]) } == [1000])
        let found = try store.read { view in
            var found = 0
            try view.forEachEntry(of: "inspection", index: 1) { _, _ in
                found += 1
                return true
            }
            return found
        }
        #expect(found == number && number > 0)
        try store.close()
        let information = try program.json("info")
        let derived = (information["derived"] as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
        #expect(derived.contains("the indexes of inspection") && derived.contains("the projection bands"))
        #expect(try program.run("verify", "--deep").status == 0)
    }
}
