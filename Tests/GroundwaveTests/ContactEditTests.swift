import Everything
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

private let noon: Int64 = 1_777_636_800

@Suite struct `Editing a contact` {
    @Test(arguments: [
        // Before, the edit, after.
        ("FREQ=14.0325 MODE=CW", "FREQ=7.032", "BAND=40m FREQ=7.032 MODE=CW"),
        ("FREQ=14.0325 MODE=CW", "BAND=40m", "BAND=40m MODE=CW"),
        ("FREQ=14.0325 MODE=CW", "FREQ=", "BAND=20m MODE=CW"),
        ("FREQ=14.0325 MODE=CW", "FREQ=13.9", "FREQ=13.9 MODE=CW"),
        ("FREQ=14.0325 MODE=CW", "FREQ=14.033", "BAND=20m FREQ=14.033 MODE=CW"),
        ("BAND=20m MODE=USB", "MODE=CW", "BAND=20m MODE=CW"),
        ("BAND=20m MODE=USB", "MODE=SSB NAME=Bob", "BAND=20m MODE=SSB NAME=Bob SUBMODE=USB"),
        ("BAND=20m MODE=USB", "MODE=FT4", "BAND=20m MODE=MFSK SUBMODE=FT4"),
        ("BAND=20m MODE=USB", "SUBMODE=FT4", "BAND=20m MODE=MFSK SUBMODE=FT4"),
        ("BAND=20m MODE=USB", "SUBMODE=LSB", "BAND=20m MODE=SSB SUBMODE=LSB"),
        ("BAND=20m MODE=USB", "MODE=", "BAND=20m"),
        (
            "BAND=20m MODE=CW MY_POTA_REF=US-1 MY_SIG=POTA MY_SIG_INFO=US-1", "MY_POTA_REF=US-2345",
            "BAND=20m MODE=CW MY_POTA_REF=US-2345 MY_SIG=POTA MY_SIG_INFO=US-2345"
        ),
    ])
    func `what says one thing stays in step`(before: String, edit: String, after: String) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.log(words("CALL=W1AW " + before), now: noon) }.value.id
        let written = try await store.write { try $0.edit(id, words(edit)) }
        #expect(written.value.isChanged)
        let record = try #require(try store.read { try $0.record(QSOKind.name, id) })
        let fields = record.adifFields.map { ($0.name.name, String(decoding: $0.value, as: UTF8.self)) }
        let shown = fields.filter { !["CALL", "QSO_DATE", "TIME_ON"].contains($0.0) }.map { "\($0.0)=\($0.1)" }
        #expect(shown.sorted().joined(separator: " ") == after)
    }

    @Test func `what is so already writes no event`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.log(words("CALL=W1AW FREQ=14.0325 MODE=USB"), now: noon) }.value.id
        let written = try await store.write { try $0.edit(id, words("CALL=w1aw FREQ=14.0325 BAND=20M MODE=USB")) }
        #expect(!written.value.isChanged)
        #expect(written.batch == nil)
    }

    @Test func `a contact keeps its call, and a hidden one is not edited`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.log(words("CALL=W1AW BAND=20m"), now: noon) }.value.id
        await #expect(throws: StoreError.self) { try await store.write { try $0.edit(id, words("CALL=")) } }
        _ = try await store.write { try $0.remove(QSOKind.name, id) }
        await #expect(throws: StoreError.self) { try await store.write { try $0.edit(id, words("BAND=40m")) } }
    }

    @Test func `a field of a file that is called like a register of ours stays a field`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let text =
            "<EOH><CALL:4>W1AW<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<FREQUENCY:3>low<START:1>x<EOR>"
        _ = try await store.importText(text)
        let record = try #require(try store.read { try $0.all(.contacts).first })
        _ = try await store.write { try $0.edit(record.id, words("FREQUENCY=high START=y")) }
        let edited = try #require(try store.read { try $0.record(QSOKind.name, record.id) })
        #expect(edited.text("FREQUENCY") == "high")
        #expect(edited.text("START") == "y")
        #expect(edited.text(.band) == "20m")
        #expect(edited.text(.qsoDate) == "20260501")
    }

    @Test func `contacts from before 1970 are the oldest`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        for date in ["20260501", "19650101", "19700101", "19350704"] {
            _ = try await store.write {
                try $0.log(words("CALL=W1AW BAND=20m MODE=CW QSO_DATE=\(date) TIME_ON=1200"), now: noon)
            }
        }
        var dates: [String] = []
        try store.forEachContactByTime(.contacts) { dates.append($0.text(.qsoDate) ?? "") }
        #expect(dates == ["19350704", "19650101", "19700101", "20260501"])
        dates = []
        try store.forEachContactByTime(.contacts.worked("W1AW")) { dates.append($0.text(.qsoDate) ?? "") }
        #expect(dates == ["19350704", "19650101", "19700101", "20260501"])
        var query = ContactQuery.contacts
        query.since = -1_000_000_000
        query.until = 1
        #expect(try store.read { try $0.count(query) } == 1)
    }

    private func words(_ text: String) -> [Assignment] {
        text.split(separator: " ").map { word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Assignment(String(parts[0]), parts[1].isEmpty ? nil : Array(parts[1].utf8))
        }
    }
}
