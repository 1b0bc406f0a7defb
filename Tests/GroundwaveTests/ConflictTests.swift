import Everything
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Deciding a conflict` {
    @Test(arguments: [0, 1])
    func `the chosen value is shown, and nothing waits any more`(choice: Int) async throws {
        let (temporary, id) = try await contested()
        let store = temporary.store
        let record = try #require(try store.read { try $0.record(QSOKind.name, id) })
        let conflicts = try store.conflicts(in: record)
        #expect(conflicts.map(\.field) == ["FREQ+BAND"])
        let conflict = try #require(conflicts.first)
        #expect(conflict.candidates.count == 2)
        #expect(conflict.candidates.map(\.isShown) == [false, true])
        #expect(conflict.candidates.map(\.note.author) == ["N0CALL", "K0XYZ"])
        _ = try await store.choose(conflict.candidates[choice], in: conflict)
        let decided = try #require(try store.read { try $0.record(QSOKind.name, id) })
        #expect(decided.text(.freq) == ["14.035", "7.035"][choice])
        #expect(decided.text(.band) == ["20m", "40m"][choice])
        #expect(try store.conflicts().isEmpty)
        #expect(try store.blame(QSOKind.name, id).first { $0.field == "FREQ" }?.reason == .chosen)
    }

    @Test func `a decision over a state that is gone is refused, and nothing is written`() async throws {
        let (temporary, id) = try await contested()
        let store = temporary.store
        let record = try #require(try store.read { try $0.record(QSOKind.name, id) })
        let conflict = try #require(try store.conflicts(in: record).first)
        _ = try await store.write { try $0.set("qso", id, fields("FREQ=21.03", "BAND=15m")) }
        let error = try await #require(
            throws: StoreError.self, performing: { try await store.choose(conflict.candidates[0], in: conflict) })
        #expect(error.code == .conflict)
    }

    @Test(arguments: [true, false])
    func `hidden here and edited there is a decision over the whole record`(keeps: Bool) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", fields("CALL=W1AW", "NAME=A")) }.value
        let basis = try #require(try store.read { try $0.record("qso", id) })
        _ = try await store.write { try $0.remove("qso", id) }
        _ = try await store.write { try $0.set("qso", id, fields("NAME=B"), basis: basis) }
        let record = try #require(try store.read { try $0.record("qso", id) })
        let conflict = try #require(try store.conflicts(in: record).first { $0.field == Conflict.wholeRecord })
        #expect(conflict.candidates.map { String(decoding: $0.value ?? [], as: UTF8.self) } == ["hidden", "shown"])
        let chosen = try #require(conflict.candidates.first { $0.isShown == keeps })
        _ = try await store.choose(chosen, in: conflict)
        #expect(try store.conflicts().isEmpty)
        #expect(try store.read { try $0.record("qso", id)?.isVisible } == keeps)
    }

    /// A contact whose frequency was corrected twice by people who did not see each other's correction.
    private func contested() async throws -> (TemporaryStore, RecordID) {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", fields("CALL=W1AW", "FREQ=14.030", "BAND=20m")) }.value
        let basis = try #require(try store.read { try $0.record("qso", id) })
        _ = try await store.write(author: "N0CALL") { try $0.set("qso", id, fields("FREQ=14.035", "BAND=20m")) }
        _ = try await store.write(author: "K0XYZ") {
            try $0.set("qso", id, fields("FREQ=7.035", "BAND=40m"), basis: basis)
        }
        return (temporary, id)
    }
}
