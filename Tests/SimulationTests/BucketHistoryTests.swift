import Foundation
import GroundwaveReplication
import ObjectServers
import Testing

@testable import histories

@Suite(.enabled(if: SeaweedFS.isExpected, Comment(rawValue: SeaweedFS.absence)))
struct `Random histories over an object store` {
    /// `GROUNDWAVE_BUCKET_SEEDS` names others, as FIRST...LAST.
    private static var seeds: ClosedRange<UInt64> {
        get throws {
            guard let text = ProcessInfo.processInfo.environment["GROUNDWAVE_BUCKET_SEEDS"] else { return 1...8 }
            return try #require(SeedRange.seeds(text), "GROUNDWAVE_BUCKET_SEEDS is not FIRST...LAST: \(text)")
        }
    }

    @Test func `keep every promise, whatever goes wrong`() async throws {
        let server = try await SeaweedFS.shared()
        var seeds = Array(try Self.seeds)[...]
        let failures = await withTaskGroup(of: String?.self) { group in
            func next() {
                guard let seed = seeds.popFirst() else { return }
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
        #expect(failures == [])
    }
}
