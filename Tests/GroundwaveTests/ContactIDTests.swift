import Everything
import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTesting
import Testing

@Suite struct `The ids of imported contacts` {
    private static func imported(_ store: Store) async throws -> RecordID {
        try await store.importText(
            "x<EOH>" + adi(["CALL": "N0CALL", "QSO_DATE": "20260102", "TIME_ON": "1200", "BAND": "20m"]))
        return try #require(try store.read { try $0.all(.contacts).first?.id })
    }

    private static func idKey(_ store: Store) throws -> [UInt8] { try store.read { try $0.idKey(by: nil) } }

    @Test func `are the same on all devices of a log, and others in another log`() async throws {
        let folder = try TemporaryFolder()
        let remote = RemoteAddress.folder(folder.url.appending(path: "remote"))
        let one = try await TemporaryStore(.full())
        try await one.store.add(remote: "stick", at: remote)
        _ = try await one.store.sync(try one.store.remote("stick"))
        let two = try await TemporaryStore(joining: remote, .full(deviceName: "joined"))
        let other = try await TemporaryStore(.full())
        // Neither device has heard of the other one's import.
        let ids = [
            try await Self.imported(one.store), try await Self.imported(two.store),
            try await Self.imported(other.store),
        ]
        #expect(ids[0] == ids[1])
        #expect(ids[0] != ids[2], "without the key of the log nobody derives the id")
        let key = try Self.idKey(one.store)
        #expect(try key.count == 32 && key == Self.idKey(two.store) && key != Self.idKey(other.store))
        // The one that began the log drew the key; the one that joined had nothing of the log yet.
        let entries = try two.store.history(HistoryQuery()).filter { $0.kind == "replica" }
        #expect(Set(entries.map(\.note.text)) == ["A new log", "A new device"])
    }

    @Test func `of two keys in one log, all stores take the one that was written first`() async throws {
        let (one, two) = (try await TemporaryStore(.full()), try await TemporaryStore(.full()))
        let first = try Self.idKey(one.store)
        #expect(try Self.idKey(two.store) != first)
        try exchange(one.store, two.store)
        #expect(try Self.idKey(one.store) == first && Self.idKey(two.store) == first)
    }

    @Test func `have a key that no listing shows`() async throws {
        let temporary = try await TemporaryStore(.full())
        let entry = try #require(try temporary.store.history(HistoryQuery()).last)
        #expect(entry.changes.map(\.field) == ["KEY", "DEVICE"])
    }
}
