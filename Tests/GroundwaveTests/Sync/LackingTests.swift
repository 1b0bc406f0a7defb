import Everything
import Foundation
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveTesting
import Testing

@Suite struct `Values that never came` {
    @Test func `are told, asked for, and put in when somebody has them`() async throws {
        let fleet = try await SyncedFleet(2)
        let id = try await fleet[0].log("N0CALL")
        for minute in 10..<20 { _ = try await fleet[0].log("N0TWO", at: "12\(minute)") }
        try await fleet.settle()
        // The first device moves its values to an archive, and leaves its events at a new place.
        let first = fleet[0]
        let point = Point.position(try first.log.lastPosition())
        _ = try await first.archive(before: point, to: fleet.folder.path("a.gwa"))
        let other = RemoteAddress.folder(fleet.folder.url.appending(path: "other"))
        try await first.add(remote: "other", at: other)
        try await first.sync(try first.remote("other"))
        let newcomer = try await TemporaryStore(joining: other, .full())
        let lacking = try newcomer.store.log.missingValues()
        #expect(lacking.count > 0)
        #expect(try newcomer.store.field("CALL", of: id) == nil)
        #expect(try !newcomer.store.syncStatus().isComplete, "never complete over what is not there")
        // The second device still has them.
        try await fleet[1].add(remote: "other", at: other)
        for _ in 0..<3 {
            try await newcomer.store.sync(try newcomer.store.remotes()[0])
            try await fleet[1].sync(try fleet[1].remote("other"))
            try await first.sync(try first.remote("other"))
        }
        try await newcomer.store.sync(try newcomer.store.remotes()[0])
        #expect(try newcomer.store.log.missingValues().isEmpty)
        #expect(try newcomer.store.field("CALL", of: id) == "N0CALL")
        #expect(try newcomer.store.digest().content == fleet[1].digest().content)
        #expect(try newcomer.store.syncStatus().isComplete)
        try newcomer.store.close()
        #expect(try await Store.verify(at: newcomer.url, isDeep: true, components: .all).isOK)
    }
}
