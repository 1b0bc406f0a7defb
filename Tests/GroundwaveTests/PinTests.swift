import Everything
import Foundation
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `A list that is kept on a screen` {
    private static let rounds = 100
    private static let editsPerRound = 1000

    @Test func `shows the same for an hour while a hundred thousand events arrive, and holds no page back`()
        async throws
    {
        let growth = try await Self.growth(isPinned: true)
        let unpinned = try await Self.growth(isPinned: false)
        #expect(unpinned > 1 << 20, "the files grow")
        #expect(Double(growth) < 1.2 * Double(unpinned), "\(growth) against \(unpinned) bytes")
    }

    /// By how many bytes log and views grow in an hour of edits and removals; the pinned list is looked at each minute.
    private static func growth(isPinned: Bool) async throws -> Int {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        try await store.importText(generatedLog(2000))
        let ids = try store.read { try $0.all(.everything).map(\.id) }
        let list = isPinned ? try await store.at(.position(store.log.lastPosition())) : nil
        let shown = try list.map { try Self.rows(of: $0) }
        let first = try list?.record("qso", ids[0])
        let size = try Self.size(of: store)
        for round in 0..<rounds {
            try await store.write { batch in
                for edit in 0..<Self.editsPerRound {
                    let id = ids[(round * 37 + edit) % (ids.count - 1) + 1]
                    try batch.set("qso", id, [Assignment("NAME", text: "\(round) \(edit)")])
                }
            }
            clock.advance(by: .seconds(36))
            if round == rounds / 2 { try await store.write { _ = try $0.remove("qso", ids[0]) } }
            if round % 5 == 0, let list {
                #expect(try Self.rows(of: list) == shown)
                #expect(try list.record("qso", ids[0]) == first)
            }
        }
        #expect(try store.log.lastPosition() > 100_000)
        if let list {
            #expect(try Self.rows(of: list) == shown && list.record("qso", ids[0]) == first)
            #expect(first?.isVisible == true)
            #expect(try store.read { try Self.rows(of: $0) } != shown, "the present differs")
        }
        #expect(try store.record("qso", ids[0])?.isVisible == false)
        return try Self.size(of: store) - size
    }

    private static func rows(of reading: some Reading) throws -> [[UInt8]] { try reading.read { try rows(of: $0) } }

    /// Two screens of a list, as its order has them.
    private static func rows(of view: borrowing ViewReader) throws -> [[UInt8]] {
        var query = ContactQuery.everything
        query.limit = 50
        return try view.all(query).flatMap { record in
            ["CALL", "NAME"].map { Array((record.text($0) ?? "").utf8) + record.id.bytes }
        }
    }

    private static func size(of store: Store) throws -> Int {
        try ["log.mdb", "views.mdb"].reduce(0) { total, name in
            try total + (store.url.appending(path: name).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
    }
}
