import Everything
import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `True per-field merge with evidence` {
    private static let yearMilliseconds: Int64 = 365 * 86_400_000
    private static let start: Int64 = 1_767_225_600_000

    /// Two devices that both have one contact; the second one's clock is this much ahead of the first one's.
    private func fleet(aheadMilliseconds: Int64) async throws -> (SyncedFleet, RecordID) {
        let clocks = [
            VirtualClock(milliseconds: Self.start), VirtualClock(milliseconds: Self.start + aheadMilliseconds),
        ]
        let fleet = try await SyncedFleet(
            clocks.enumerated().map { place, clock in
                Configuration.full(
                    author: "N\(place)CALL", deviceName: "device \(place)",
                    surroundings: .virtual(clock, seed: UInt64(place)))
            })
        let id = try await fleet[0].log("W1AW", ["FREQ": "14.074"])
        try await fleet.settle()
        for clock in clocks { clock.advance(by: .seconds(60)) }
        return (fleet, id)
    }

    private func conflicts(_ store: Store) throws -> [Conflict] {
        try store.conflicts().flatMap { try store.conflicts(in: $0) }
    }

    @Test(arguments: [yearMilliseconds, 3_600_000, -yearMilliseconds])
    func `edits of different fields both survive, whoever's clock is later`(ahead: Int64) async throws {
        let (fleet, id) = try await fleet(aheadMilliseconds: ahead)
        try await fleet[0].edit(id, ["FREQ": "14.075"])
        try await fleet[1].edit(id, ["COMMENT": "QRP"])
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try fleet[index].field("FREQ", of: id) == "14.075")
            #expect(try fleet[index].field("COMMENT", of: id) == "QRP")
            #expect(try conflicts(fleet[index]).isEmpty)
        }
        #expect(try fleet.digests().count == 1)
    }

    @Test(arguments: [0, 1])
    func `two frequencies are one conflict with both authors, and choosing one is an event that settles it for all`(
        choice: Int
    ) async throws {
        let (fleet, id) = try await fleet(aheadMilliseconds: Self.yearMilliseconds)
        try await fleet[0].edit(id, ["FREQ": "14.075"])
        try await fleet[1].edit(id, ["FREQ": "14.076"])
        try await fleet.settle()
        for index in 0..<2 {
            let conflicts = try conflicts(fleet[index])
            #expect(conflicts.count == 1)
            let conflict = try #require(conflicts.first)
            #expect(conflict.kind == "qso" && conflict.record == id && conflict.field == "FREQ+BAND")
            #expect(conflict.candidates.map(\.note.author) == ["N0CALL", "N1CALL"])
            #expect(conflict.candidates.map(\.isShown) == [false, true])
            #expect(
                conflict.candidates.map { $0.stamp.milliseconds } == [
                    Self.start + 60_000, Self.start + Self.yearMilliseconds + 60_000,
                ])
            #expect(try fleet[index].field("FREQ", of: id) == "14.076")
        }
        #expect(try fleet.digests().count == 1)
        let before = try fleet[0].digest().events
        let conflict = try #require(try conflicts(fleet[0]).first)
        _ = try await fleet[0].choose(conflict.candidates[choice], in: conflict)
        #expect(try fleet[0].digest().events == before + 1)
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try conflicts(fleet[index]).isEmpty)
            #expect(try fleet[index].field("FREQ", of: id) == ["14.075", "14.076"][choice])
        }
        #expect(try fleet.digests().count == 1)
    }

    @Test func `an edit of what one has seen follows it, though its clock is ten years behind`() async throws {
        let (fleet, id) = try await fleet(aheadMilliseconds: -10 * Self.yearMilliseconds)
        try await fleet[0].edit(id, ["FREQ": "14.075"])
        try await fleet.settle()
        try await fleet[1].edit(id, ["FREQ": "14.076"])
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try fleet[index].field("FREQ", of: id) == "14.076")
            #expect(try conflicts(fleet[index]).isEmpty)
        }
        #expect(try fleet.digests().count == 1)
    }
}
