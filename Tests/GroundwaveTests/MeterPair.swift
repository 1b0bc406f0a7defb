import Everything
import Foundation
import GroundwaveTesting
import Testing

/// Two devices with clocks of their own that leave what is new in one folder.
struct MeterPair {
    let folder: TemporaryFolder
    let (one, other): (TemporaryStore, TemporaryStore)
    let clocks: [VirtualClock]

    init() async throws {
        folder = try TemporaryFolder()
        let place = RemoteAddress.folder(folder.url.appending(path: "place"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "place"), withIntermediateDirectories: true)
        // The second clock is wrong by three minutes.
        clocks = [VirtualClock(), VirtualClock(milliseconds: 1_767_225_600_000 - 180_000)]
        one = try await TemporaryStore(
            Configuration.full(deviceName: "phone", surroundings: .virtual(clocks[0], seed: 1)))
        try await one.store.add(remote: "place", at: place)
        try await one.store.sync(one.store.remote("place"))
        other = try await TemporaryStore(
            joining: place, Configuration.full(deviceName: "laptop", surroundings: .virtual(clocks[1], seed: 2)))
    }

    var stores: [Store] { [one.store, other.store] }

    /// Both leave and take what is new.
    func meet() async throws {
        for store in [one.store, other.store, one.store] {
            let remote = try #require(try store.remotes().first)
            try await store.sync(remote)
        }
    }

    /// Changes something, lets both meet, and returns what is seen then: all of it in much less than the two to eight
    /// seconds that the documents allow.
    @discardableResult
    func soon<Seen>(
        sourceLocation: SourceLocation = #_sourceLocation, after change: () async throws -> Void,
        see look: () async throws -> Seen
    ) async throws -> Seen {
        let start = ContinuousClock.now
        try await change()
        try await meet()
        let seen = try await look()
        let took = ContinuousClock.now - start
        #expect(took < .seconds(2), "it took \(took)", sourceLocation: sourceLocation)
        return seen
    }

    /// Time passes on both.
    func pass(_ duration: Duration) { for clock in clocks { clock.advance(by: duration) } }

    /// A device that begins anew, with the clock of the first.
    func joined(_ name: String = "phone anew") async throws -> TemporaryStore {
        let clock = VirtualClock(milliseconds: clocks[0].now.wallMilliseconds)
        return try await TemporaryStore(
            joining: .folder(folder.url.appending(path: "place")),
            Configuration.full(deviceName: name, surroundings: .virtual(clock, seed: 3)))
    }
}
