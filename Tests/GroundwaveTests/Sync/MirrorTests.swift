import Everything
import Foundation
import GroundwaveTesting
import Testing

@Suite struct `A mirror` {
    @Test func `is written by itself when something has changed and it is an hour old`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let (store, folder) = (temporary.store, try TemporaryFolder())
        let file = folder.path("groundwave.adi")
        func mirrored() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
        _ = try await store.log("N0ONE")
        try store.setMirror(MirrorSetting(folder: folder.url))
        try store.runMaintenance()
        #expect(try mirrored().contains("N0ONE"))
        _ = try await store.log("N0TWO")
        clock.advance(by: .seconds(3_599))
        try store.runMaintenance()
        #expect(try !mirrored().contains("N0TWO"))
        clock.advance(by: .seconds(1))
        try store.runMaintenance()
        #expect(try mirrored().contains("N0TWO"))
        // What has not changed is not written again, however old it is.
        try FileManager.default.removeItem(atPath: file)
        clock.advance(by: .seconds(86_400))
        try store.runMaintenance()
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
