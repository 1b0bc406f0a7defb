import Everything
import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Convergence proof after sync` {
    private static let contacts = 2_000

    /// Three devices that have logged, edited and removed contacts apart from one another, and then met.
    private func fleet() async throws -> SyncedFleet {
        let fleet = try await SyncedFleet(3)
        try await fleet[0].importText(generatedLog(Self.contacts), named: "generated.adi")
        try await fleet.settle()
        let ids = try fleet[0].read { try $0.all(.contacts).map(\.id) }
        for index in 0..<3 {
            try await fleet[index].write { batch in
                for (place, id) in ids.enumerated() where place % 20 == index {
                    _ = try batch.set("qso", id, [Assignment("COMMENT", text: "device \(index)")])
                    // What another device edits too is a conflict.
                    _ = try batch.set("qso", ids[place / 2], [Assignment("NAME", text: "name \(index)")])
                }
            }
            _ = try await fleet[index].log("N\(index)NEW", at: "110\(index)")
            try await fleet[index].write { try $0.remove("qso", ids[index * 10 + 5]) }
        }
        try await fleet.settle()
        return fleet
    }

    @Test func `equal stores take one exchange, and one planted event is named in few`() async throws {
        let fleet = try await fleet()
        for (here, there) in [(0, 1), (1, 2), (2, 0)] {
            let comparison = try fleet[here].compare(with: fleet[there])
            #expect(comparison.isSame && comparison.exchanges == 1 && comparison.bytes <= 1_000)
            #expect(comparison.replicas.count == 3 && comparison.events.isEmpty)
            #expect(try comparison.views == .same(fleet[there].digest().views))
        }
        // Only one device has it: an edit of a contact that came from another one.
        let contacts = try fleet[1].read { try $0.all(.contacts) }
        let id = contacts[Self.contacts / 3].id
        let call = try #require(try fleet[1].field("CALL", of: id))
        try await fleet[1].edit(id, ["COMMENT": "planted"])
        let comparison = try fleet[1].compare(with: fleet[2])
        #expect(comparison.exchanges <= 20 && comparison.bytes <= 20_000, "\(comparison)")
        #expect(comparison.events.count == 1 && comparison.events.first?.there == nil)
        #expect(comparison.events.first?.here?.record == id && comparison.events.first?.here?.label == call)
        #expect(comparison.replicas.count { !$0.isSame } == 1)
        let back = try fleet[2].compare(with: fleet[1])
        #expect(back.events.map(\.there) == comparison.events.map(\.here))
        // One look of each, and they are the same again.
        try await fleet.settle()
        #expect(try fleet[1].compare(with: fleet[2]).exchanges == 1)
        #expect(try fleet[1].compare(with: fleet[2]).isSame)
    }

    @Test func `an event that was altered in one store's file is named in few exchanges`() async throws {
        let fleet = try await fleet()
        let folder = try TemporaryFolder()
        // One of the oldest contacts, in a store that has it from another device.
        let copy = try await `Two stores`.copy(fleet[2], to: folder.url.appending(path: "copy")) { event in
            guard let place = event.values.firstRange(of: Array("N0C1234".utf8)) else { return event }
            var values = event.values
            values.replaceSubrange(place, with: Array("N0X1234".utf8))
            return try DetachedEvent(header: event.header, shape: event.shape, values: values, isWithheld: false)
        }
        let comparison = try fleet[0].compare(with: copy)
        #expect(comparison.exchanges <= 20 && comparison.bytes <= 20_000, "\(comparison)")
        #expect(comparison.events.map(\.here?.label) == ["N0C1234"])
        #expect(comparison.events.map(\.there?.label) == ["N0X1234"])
        #expect(comparison.replicas.flatMap(\.differing).map(\.count) == [1])
        #expect(comparison.replicas.flatMap(\.onlyHere).isEmpty && comparison.replicas.flatMap(\.onlyThere).isEmpty)
        try copy.close()
    }
}
