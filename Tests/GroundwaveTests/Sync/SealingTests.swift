import Everything
import GroundwaveTesting
import Testing

@testable import GroundwaveEventLog

@Suite struct `The tree of events that came from elsewhere` {
    @Test func `is kept in the file, so that no later sync hashes them all again`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet[0].importText(generatedLog(700))
        let replica = try #require(fleet[0].replica)
        try await fleet.settle()
        try fleet[1].close()
        // Another process has what lies in the file, and nothing else.
        let again = try await fleet.stores[1].reopened(.full())
        defer { try? again.close() }
        let count = try again.log.vector()[replica]
        #expect(count > 700)
        #expect(try again.log.storedEdge(of: replica).count == count - count % 256)
        #expect(try again.log.root(of: replica, through: count) == fleet[0].log.root(of: replica, through: count))
    }
}
