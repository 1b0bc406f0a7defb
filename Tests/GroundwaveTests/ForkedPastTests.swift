import Everything
import Foundation
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveTesting
import Testing

/// A fork renames the events behind it. What was made before goes on to mean the events that it meant.
@Suite struct `The past of a store whose history forks meanwhile` {
    /// A store and a copy of it that nothing tells apart, each with contacts of its own under the same names.
    private final class Pair {
        let temporary: TemporaryStore
        let twin: TemporaryStore
        let store: Store
        let folder: TemporaryFolder

        init(seed: UInt64 = 5) async throws {
            folder = try TemporaryFolder()
            let clock = VirtualClock()
            let configuration = Configuration.full(author: "N0CALL", surroundings: .virtual(clock, seed: seed))
            temporary = try await TemporaryStore(configuration)
            for number in 1...5 { try await Self.log("N\(number)BOTH", in: temporary.store) }
            try temporary.store.close()
            twin = try await temporary.twin(configuration)
            store = try await temporary.reopened(configuration)
            for number in 1...2 { try await Self.log("N\(number)HERE", in: store) }
            for number in 1...3 { try await Self.log("N\(number)THERE", in: twin.store) }
        }

        static func log(_ call: String, in store: Store) async throws {
            _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: call)]) }
        }

        /// The store takes in what its copy has written.
        func meet() async throws {
            let bundle = folder.path("twin.gwb")
            _ = try await twin.store.createBundle(to: bundle)
            let applied = try await store.applyBundle(bundle)
            #expect(!applied.apart.isEmpty, "the histories have parted")
            #expect(try calls(store).count == 10)
        }

        func calls(_ reading: some Reading) throws -> Set<String> {
            Set(try reading.read { try $0.all(.contacts).map { Contact($0).call } })
        }

        deinit { try? store.close() }
    }

    private static let before: Set = ["N1BOTH", "N2BOTH", "N3BOTH", "N4BOTH", "N5BOTH", "N1HERE", "N2HERE"]

    @Test(arguments: [false, true]) func `shows what it showed before`(wasRead: Bool) async throws {
        let pair = try await Pair()
        let past = try await pair.store.at(.position(pair.store.log.lastPosition()))
        let vector = past.vector
        if wasRead { #expect(try pair.calls(past) == Self.before) }
        try await pair.meet()
        #expect(try pair.calls(past) == Self.before)
        #expect(past.vector != vector && past.vector.eventCount == vector.eventCount, "some events have other names")
    }

    /// The hashes of events decide which of two branches keeps the names.
    @Test(arguments: UInt64(6)...13) func `shows what it showed before, whichever branch is renamed`(seed: UInt64)
        async throws
    {
        let pair = try await Pair(seed: seed)
        let past = try await pair.store.at(.position(pair.store.log.lastPosition()))
        try await pair.meet()
        #expect(try pair.calls(past) == Self.before)
    }

    @Test func `is that of a point that was resolved before`() async throws {
        let pair = try await Pair()
        let point = try pair.store.resolve(.position(pair.store.log.lastPosition()))
        try await pair.meet()
        #expect(try await pair.calls(pair.store.at(point)) == Self.before)
    }

    @Test func `leaves out what it left out before`() async throws {
        let pair = try await Pair()
        var filter = EventFilter()
        let replica = try #require(pair.store.replica)
        let last = try pair.store.log.vector()[replica]
        // The last event that both have, and the first of those that get other names.
        filter.without.insert(EventRange(replica, last - 2, through: last - 1))
        let past = try await pair.store.replaying(filter)
        let wanted = Self.before.subtracting(["N5BOTH", "N1HERE"])
        #expect(try pair.calls(past) == wanted)
        try await pair.meet()
        #expect(try pair.calls(past) == wanted)
    }

    @Test func `shows a record as it was`() async throws {
        let pair = try await Pair()
        let contacts = try pair.store.read { try $0.all(.contacts) }
        let id = try #require(contacts.first { Contact($0).call == "N2HERE" }).id
        let past = try await pair.store.at(.position(pair.store.log.lastPosition()))
        try await pair.meet()
        #expect(try past.record("qso", id).map { Contact($0).call } == "N2HERE")
    }
}
