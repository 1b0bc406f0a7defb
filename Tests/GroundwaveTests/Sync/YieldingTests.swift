import Foundation
import GroundwaveTesting
import Records
import Testing

@testable import Groundwave

/// An application's own kind: of its name the store's version wins, of its colour the later one.
private enum Lamp: RecordKind {
    static let name = "lamp"
    static let schema = KindSchema(name: name, fields: [FieldSchema(1, "NAME", .yields), FieldSchema(2, "COLOUR")])
}

@Suite struct `Fields that yield` {
    private func fleet() async throws -> (SyncedFleet, RecordID) {
        let fleet = try await SyncedFleet(
            (0..<2).map { Configuration(author: "N\($0)CALL", deviceName: "device \($0)", kinds: [Lamp.self]) })
        let id = try await fleet[0].write { try $0.add("lamp", [Assignment("NAME", text: "desk")]) }.value
        try await fleet.settle()
        return (fleet, id)
    }

    private func set(_ store: Store, _ id: RecordID, _ field: String, _ value: String) async throws {
        try await store.write { batch in _ = try batch.set("lamp", id, [Assignment(field, text: value)]) }
    }

    private func value(_ store: Store, _ id: RecordID, _ field: String) throws -> String? {
        try store.read { try $0.record("lamp", id) }.flatMap { Lamp.schema.value(of: field, in: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `an unsent local write gives way to a concurrent one that arrives, by an event that says so`()
        async throws
    {
        let (fleet, id) = try await fleet()
        try await set(fleet[0], id, "NAME", "theirs")
        try await fleet.sync(0)
        // Later, and so by stamps alone it would win.
        try await set(fleet[1], id, "NAME", "ours")
        try await set(fleet[1], id, "COLOUR", "red")
        let summary = try await fleet.sync(1)
        #expect(summary.yieldedFields == 1)
        #expect(try value(fleet[1], id, "NAME") == "theirs")
        #expect(try value(fleet[1], id, "COLOUR") == "red")
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try value(fleet[index], id, "NAME") == "theirs")
            #expect(try fleet[index].conflicts().isEmpty)
            let notes = try fleet[index].history(HistoryQuery()).map(\.note.text)
            #expect(notes.contains("NAME as on device 0: the change here was not pushed yet"))
        }
        #expect(try fleet.digests().count == 1)
    }

    @Test func `a write that had been sent does not give way`() async throws {
        let (fleet, id) = try await fleet()
        try await set(fleet[1], id, "NAME", "ours")
        try await fleet.sync(1)
        try await set(fleet[0], id, "NAME", "theirs")
        let summary = try await fleet.sync(0)
        #expect(summary.yieldedFields == 1, "it is the other one that had not been sent")
        try await fleet.settle()
        #expect(try value(fleet[0], id, "NAME") == "ours")
        #expect(try fleet.digests().count == 1)
    }

    @Test func `other fields do not give way`() async throws {
        let (fleet, id) = try await fleet()
        try await set(fleet[0], id, "COLOUR", "red")
        try await fleet.sync(0)
        try await set(fleet[1], id, "COLOUR", "blue")
        #expect(try await fleet.sync(1).yieldedFields == 0)
        #expect(try fleet[1].conflicts().count == 1)
    }
}
