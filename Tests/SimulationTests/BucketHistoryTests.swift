import Foundation
import GroundwaveReplication
import ObjectServers
import Testing

@testable import histories

/// `GROUNDWAVE_BUCKET_SEEDS` names others, as FIRST...LAST.
@Suite struct `Random histories over an object store` {
    @Test(.enabled(if: ObjectStoreServer.seaweedFS.isExpected, Comment(rawValue: ObjectStoreServer.seaweedFS.absence)))
    func `keep every promise over SeaweedFS`() async throws {
        #expect(try await failures(over: ObjectStoreServer.seaweedFS, of: 1...8) == [])
    }

    @Test(.enabled(if: ObjectStoreServer.ceph.isExpected, Comment(rawValue: ObjectStoreServer.ceph.absence)))
    func `keep every promise over Ceph`() async throws {
        #expect(try await failures(over: ObjectStoreServer.ceph, of: 1...2) == [])
    }

    private func failures(
        over program: ObjectStoreServer.Program, of usual: ClosedRange<UInt64>
    ) async throws -> [String] {
        var seeds = usual
        if let text = ProcessInfo.processInfo.environment["GROUNDWAVE_BUCKET_SEEDS"] {
            seeds = try #require(SeedRange.seeds(text), "GROUNDWAVE_BUCKET_SEEDS is not FIRST...LAST: \(text)")
        }
        let server = try await program.shared()
        var rest = Array(seeds)[...]
        return await withTaskGroup(of: String?.self) { group in
            func next() {
                guard let seed = rest.popFirst() else { return }
                group.addTask {
                    do {
                        _ = try await History<MemoryLog>.run(seed: seed, signing: .standIn) { try server.transport() }
                        return nil
                    } catch { return "\(error)" }
                }
            }
            for _ in 0..<4 { next() }
            var failures: [String] = []
            while let ended = await group.next() {
                if let ended { failures.append(ended) }
                next()
            }
            return failures
        }
    }
}
