import Everything
import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveProjections

@Suite struct `What if` {
    private func differences(_ first: some Reading, _ second: some Reading, of store: Store) throws
        -> [RecordDifference]
    {
        var result: [RecordDifference] = []
        try store.forEachDifference(from: first, to: second) { difference in
            result.append(difference)
            return true
        }
        return result
    }

    @Test(arguments: UInt64(1)...12)
    func `any events had not been is what a fresh store shows without them`(seed: UInt64) async throws {
        var fleet = try await Fleet(3, seed: seed)
        defer { fleet.close() }
        for _ in 0..<80 { try await fleet.step() }
        try fleet.meet()
        let store = fleet.stores[0]
        for round in 0..<6 {
            var filter = EventFilter()
            let entries = try store.log.vector().entries
            let entry = try #require(entries.randomElement(using: &fleet.numbers))
            let first = SequenceNumber.random(in: 1...entry.sequence, using: &fleet.numbers)
            let last =
                round == 0 ? entry.sequence : SequenceNumber.random(in: first...entry.sequence, using: &fleet.numbers)
            filter.without.insert(EventRange(entry.replica, round == 0 ? 1 : first, through: last))
            let other = try await store.replaying(filter)
            // A replay from the first event, where the other one folds what was touched over the present views.
            let folder = try TemporaryFolder()
            let replayed = try Views.build(
                at: folder.path("views.mdb"), of: store.log, kinds: store.kinds, through: .max, filter
            ).environment
            defer { replayed.close() }
            let digest = try replayed.read { try ViewReader.lend($0, kinds: store.kinds) { try $0.digest().hash } }
            #expect(try other.digest().views == digest)
            // What is told as different is what shows differently.
            let told = Set(try differences(store, other, of: store).filter { $0.kind == "qso" }.map(\.record))
            #expect(try told == differing(store, other))
        }
    }

    /// The contacts that show differently, by comparing all.
    private func differing(_ first: some Reading, _ second: some Reading) throws -> Set<RecordID> {
        func all(_ store: some Reading) throws -> [RecordID: [String: [String]]] {
            var result: [RecordID: [String: [String]]] = [:]
            try store.forEachContactInOrder(.everything) { record in
                result[record.id] = Dictionary(
                    uniqueKeysWithValues: QSOKind.schema.values(of: record).map {
                        (
                            $0.name,
                            String(decoding: $0.value, as: UTF8.self).split(separator: ",").map(String.init).sorted()
                        )
                    })
            }
            return result
        }
        let (one, two) = (try all(first), try all(second))
        return Set(one.keys).union(two.keys).filter { one[$0] != two[$0] }
    }

    @Test(arguments: UInt64(1)...12)
    func `two points are compared, each difference is told and none else`(seed: UInt64) async throws {
        var fleet = try await Fleet(2, seed: seed)
        defer { fleet.close() }
        for _ in 0..<70 { try await fleet.step() }
        let store = fleet.stores[0]
        let last = try store.log.lastPosition()
        for _ in 0..<8 {
            let (a, b) = try await (
                store.at(.position(.random(in: 0...last, using: &fleet.numbers))),
                store.at(.position(.random(in: 0...last, using: &fleet.numbers)))
            )
            let told = Set(try differences(a, b, of: store).filter { $0.kind == "qso" }.map(\.record))
            #expect(try told == differing(a, b))
            #expect(try differences(a, a, of: store).isEmpty)
        }
    }

    @Test func `a clock was wrong, the write that came later in truth is shown, and can be kept`() async throws {
        let fleet = try await Fleet(2, seed: 5, skew: .zero)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let id = try await one.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.value
        try fleet.meet()
        // The clock of the second one is an hour behind; it writes last.
        fleet.clocks[0].advance(by: .seconds(60))
        _ = try await one.write { try $0.set("qso", id, [Assignment("NAME", text: "Ann")]) }
        fleet.clocks[1].setWall(milliseconds: fleet.clocks[1].now.wallMilliseconds - 3_600_000)
        _ = try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Bob")]) }
        try fleet.meet()
        #expect(try one.record("qso", id)?.text("NAME") == "Ann")
        var filter = EventFilter()
        filter.clockShifts[try #require(two.replica)] = 7_200_000
        let other = try await one.replaying(filter)
        #expect(try other.record("qso", id)?.text("NAME") == "Bob")
        #expect(try other.read { try $0.record("qso", id)?.text("NAME") } == "Bob")
        _ = try await one.keep(filter)
        #expect(try one.record("qso", id)?.text("NAME") == "Bob")
        #expect(try one.record("qso", id)?.hasConflict == false)
    }

    @Test func `another policy chose, the value that came first is shown`() async throws {
        let fleet = try await Fleet(2, seed: 6, skew: .zero)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let id = try await one.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.value
        try fleet.meet()
        _ = try await one.write { try $0.set("qso", id, [Assignment("NAME", text: "Ann")]) }
        fleet.clocks[1].advance(by: .seconds(60))
        _ = try await two.write { try $0.set("qso", id, [Assignment("NAME", text: "Bob")]) }
        try fleet.meet()
        #expect(try one.record("qso", id)?.text("NAME") == "Bob")
        let kinds = try #require(one.kinds.reading("qso", "NAME", by: .established))
        let other = try await one.replaying(EventFilter(), kinds: kinds)
        #expect(try other.record("qso", id)?.text("NAME") == "Ann")
        #expect(one.kinds.reading("qso", "NOSUCH", by: .established) == nil)
        #expect(one.kinds.reading("qso", "POTA_REF", by: .established) == nil, "a list has no one value")
        _ = try await one.keep(EventFilter(), kinds: kinds, policyKinds: ["qso"])
        #expect(try one.record("qso", id)?.text("NAME") == "Ann")
    }
}
