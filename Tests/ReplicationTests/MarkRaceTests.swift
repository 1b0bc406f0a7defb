import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSeededNumbers
import Synchronization
import Testing

@Suite struct `A log mark that was cut short` {
    /// Two stores of one log and one of another look at the place at the same time.
    @Test(arguments: UInt64(0)..<60)
    func `is written again by stores of one log, whoever else does it at once`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let stores = try [
            TestStore(seed: seed * 10 + 1), TestStore(seed: seed * 10 + 2),
            TestStore(seed: seed * 10 + 3, log: LogID(high: 1, low: 3)),
        ]
        for store in stores { try store.write(2) }
        let memory = MemoryTransport()
        // The ids of both logs begin with the same 15 bytes.
        let whole = Array("GWL1".utf8) + LogID(high: 1, low: 2).bytes
        let mark = try #require(ObjectName("groundwave-log"))
        _ = try memory.putIfAbsent(mark, Array(whole.prefix(Int.random(in: 0...19, using: &numbers))))
        let pauses = Mutex(SeededGenerator(seed: seed))
        let place = HookedPlace(place: memory) { (_, _) throws(TransportError) in
            for _ in 0..<pauses.withLock({ Int.random(in: 0...12, using: &$0) }) { await Task.yield() }
        }
        await withTaskGroup { group in
            for store in stores {
                let (log, identity) = (store.log, store.identity)
                group.addTask {
                    var pass = SyncPass(log, as: identity, at: place, cache: RemoteCache(), now: { .test(1) })
                    try? await pass.run()
                }
            }
        }
        var winners: [LogID] = []
        for store in stores {
            var pass = SyncPass(store.log, as: store.identity, at: memory, cache: RemoteCache(), now: { .test(2) })
            do {
                try await pass.run()
                winners.append(store.log.id)
            } catch { #expect((error as? RemoteError).map { if case .otherLog = $0 { true } else { false } } == true) }
        }
        let winner = try #require(winners.first)
        #expect(winners.allSatisfy { $0 == winner } && winners.count == (winner == stores[0].log.id ? 2 : 1))
        #expect(try memory.get(mark, range: nil, limit: 64) == Array("GWL1".utf8) + winner.bytes)
        let folder = try #require(ObjectPrefix(folder: "stores"))
        let folders = try memory.folders(prefix: folder, limit: 10)
        let expected = stores.filter { $0.log.id == winner }.map { "\($0.identity.replica)" }
        #expect(folders == expected.sorted(), "no other store has pushed anything")
    }
}
