import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// A contact of 2026-05-01 with N0CALL on 20 m in CW, but for what `words` say.
func oneContact(_ words: String...) -> [Assignment] {
    let own = fields("CALL=N0CALL", "QSO_DATE=20260501", "TIME_ON=1234", "BAND=20m", "MODE=CW")
    let said = words.map { word in
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return Assignment(String(parts[0]), text: String(parts[1]))
    }
    return own + said
}

extension Store {
    /// Logs a contact as it is said.
    func logged(_ assignments: [Assignment]) async throws -> RecordID {
        try await write { try $0.add("qso", assignments) }.value
    }

    /// The contact, hidden or not.
    func contact(_ id: RecordID) throws -> Record { try #require(try read { try $0.record("qso", id) }) }

    /// Whether the contact shows.
    func isVisible(_ id: RecordID) throws -> Bool { try contact(id).isVisible }

    /// Takes the latest step back.
    func undo() async throws {
        let step = try #require(try undoableSteps(1).first)
        _ = try await revert(step)
    }
}

@Suite struct `Merging two contacts` {
    @Test func `fills what is missing, keeps what is there, and tells the rest`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let keep = try await store.logged(oneContact("NAME=Joe", "POTA_REF=US-0001", "X_OWN=1"))
        let drop = try await store.logged(
            oneContact("NAME=Jim", "QTH=Here", "FREQ=14.030", "POTA_REF=us-0001,US-0002", "X_OTHER=2", "COMMENT="))
        let merged = try await store.merge([drop], into: keep).value
        let part = try #require(merged.dropped.first)
        #expect(Set(part.taken) == ["QTH", "FREQ", "POTA_REF", "X_OTHER"])
        #expect(part.differences.map(\.field) == ["NAME"])
        #expect(part.differences.first?.kept == Array("Joe".utf8))
        #expect(part.differences.first?.dropped == Array("Jim".utf8))
        let record = try store.contact(keep)
        #expect(record.text("NAME") == "Joe" && record.text("QTH") == "Here" && record.text("X_OTHER") == "2")
        #expect(record.text("FREQ") == "14.030" && record.text("BAND") == "20m")
        #expect(record.text("POTA_REF") == "US-0001,US-0002")
        #expect(try !store.isVisible(drop))
        #expect(try store.contact(drop).text("NAME") == "Jim", "nothing is lost")
        #expect(try store.duplicates().isEmpty)
    }

    private static let registers: [(String, String, String)] = [
        ("MODE=SSB", "MODE=SSB SUBMODE=USB", "SSB USB"), ("MODE=FT4", "MODE=MFSK SUBMODE=FT4", "FT4"),
        ("MODE=MFSK SUBMODE=FT4", "MODE=FT4", "MFSK FT4"), ("MODE=SSB SUBMODE=LSB", "MODE=SSB SUBMODE=USB", "SSB LSB"),
        ("MODE=", "MODE=SSB SUBMODE=USB", "SSB USB"),
    ]

    @Test(arguments: registers)
    func `completes what says one thing only where it says the same`(
        keep: String, drop: String, shown: String
    ) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        func words(_ text: String) -> [Assignment] {
            oneContact()
                + text.split(separator: " ").map { word in
                    let parts = word.split(separator: "=", omittingEmptySubsequences: false)
                    return Assignment(String(parts[0]), text: String(parts[1]))
                }
        }
        let first = try await store.logged(words(keep))
        let second = try await store.logged(words(drop))
        _ = try await store.merge([second], into: first)
        let record = try store.contact(first)
        #expect([record.text("MODE"), record.text("SUBMODE")].compactMap(\.self).joined(separator: " ") == shown)
    }

    @Test func `does not put a frequency beside a band that it is not in`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let keep = try await store.logged(oneContact("BAND_RX=20m"))
        let drop = try await store.logged(oneContact("FREQ_RX=7.030"))
        let part = try await store.merge([drop], into: keep).value.dropped[0]
        #expect(try store.contact(keep).text("FREQ_RX") == nil)
        #expect(part.differences.map(\.field) == ["FREQ_RX"])
        #expect(part.differences[0].kept == nil)
    }

    @Test func `tells of each what is not shown in the end, when a later one completes what an earlier one could not`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let keep = try await store.logged(oneContact("TIME_OFF=1240"))
        let earlier = try await store.logged(oneContact("QSO_DATE_OFF=20260501", "TIME_OFF=1241"))
        let later = try await store.logged(oneContact("QSO_DATE_OFF=20260501"))
        let dropped = try await store.merge([earlier, later], into: keep).value.dropped
        #expect(try store.contact(keep).text("QSO_DATE_OFF") == "20260501")
        #expect(dropped.map(\.taken) == [[], ["QSO_DATE_OFF"]])
        #expect(dropped.map { $0.differences.map(\.field) } == [["TIME_OFF"], []])
    }

    @Test func `leaves a field that waits for a decision as it is`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let keep = try await store.logged(oneContact("NAME=A"))
        let basis = try store.contact(keep)
        _ = try await store.write { try $0.set("qso", keep, fields("NAME=B"), basis: basis) }
        _ = try await store.write { try $0.set("qso", keep, [Assignment("NAME", nil)], basis: basis) }
        let drop = try await store.logged(oneContact("NAME=C"))
        let part = try await store.merge([drop], into: keep).value.dropped[0]
        #expect(part.taken.isEmpty && part.differences.map(\.field) == ["NAME"])
        #expect(try store.conflicts(in: store.contact(keep)).map(\.field) == ["NAME"])
    }

    @Test(arguments: UInt64(1)...30)
    func `shows or tells every value of both, and undo folds back to what was`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let choices = [
            "NAME": ["Joe", "Jim", ""], "QTH": ["Here"], "POTA_REF": ["US-0001", "us-0001,US-0002"],
            "FREQ": ["14.030", "14.035"], "SUBMODE": ["USB"], "GRIDSQUARE": ["FN31", "FN42"], "LAT": ["N041 00.000"],
            "X_OWN": ["1", "2"], "TIME_OFF": ["1240", "1241"], "QSO_DATE_OFF": ["20260501"],
        ]
        var ids: [RecordID] = []
        for _ in 0..<3 {
            var words = oneContact()
            for (name, values) in choices.sorted(by: { $0.key < $1.key }) where Bool.random(using: &generator) {
                words.append(Assignment(name, text: values.randomElement(using: &generator) ?? ""))
            }
            ids.append(try await store.logged(words))
        }
        let before = try store.digest().content
        let records = try ids.map { try store.contact($0) }
        let drop = Array(ids[1...])
        let merged = try await store.merge(drop, into: ids[0]).value
        let kept = try store.contact(ids[0]).values
        for (name, value) in records[0].values where name != "POTA_REF" && !value.isEmpty {
            #expect(kept[name] == value, "what stays says what it said: \(name)")
        }
        for (dropped, record) in zip(merged.dropped, records[1...]) {
            for (name, value) in record.values where name != "POTA_REF" && !value.isEmpty {
                let told = dropped.differences.first { $0.field == name }
                #expect(kept[name] == value ? told == nil : told?.dropped == value, "\(name)")
                if let told { #expect(told.kept == kept[name]) }
            }
        }
        let parks = Set(records.flatMap { ContactFacts.parks($0.text("POTA_REF")) })
        #expect(Set(ContactFacts.parks(kept["POTA_REF"].map { String(decoding: $0, as: UTF8.self) })) == parks)
        try await store.undo()
        #expect(try store.digest().content == before)
        #expect(try store.replay().isSame, "the views are those that the log says")
    }

    @Test func `is refused for one contact alone, a hidden one and a note of an activation`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.logged(oneContact())
        let hidden = try await store.logged(oneContact())
        _ = try await store.write { try $0.remove("qso", hidden) }
        let note = try await store.logged(oneContact("MODE=WEATHER"))
        let events = try store.read { $0.position }
        for (other, code) in [(first, StoreError.Code.usage), (hidden, .usage), (note, .usage)] {
            let error = try await #require(
                throws: StoreError.self, performing: { try await store.merge([other], into: first) })
            #expect(error.code == code)
            await #expect(throws: StoreError.self) { try await store.merge([first], into: other) }
            await #expect(throws: StoreError.self) { try await store.dismissDuplicate(first, other) }
        }
        let nobody = RecordID(high: 1, low: 2)
        let error = try await #require(
            throws: StoreError.self, performing: { try await store.merge([nobody], into: first) })
        #expect(error.code == .notFound)
        #expect(try store.read { $0.position } == events, "nothing was written")
    }
}

extension Record {
    fileprivate var values: [String: [UInt8]] {
        Dictionary(adifFields.map { ($0.name.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

@Suite struct `Dismissing a pair` {
    @Test func `it is not listed again, also after an edit, until that is undone`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let (x, y) = (try await store.logged(oneContact()), try await store.logged(oneContact()))
        #expect(try store.duplicates().count == 1)
        _ = try await store.dismissDuplicate(y, x, note: "Two")
        #expect(try store.duplicates().isEmpty)
        #expect(try await store.dismissDuplicate(x, y).batch == nil, "it is so already")
        _ = try await store.write { try $0.set("qso", x, fields("NAME=Joe")) }
        #expect(try store.duplicates().isEmpty)
        #expect(try store.duplicateGroups().isEmpty)
        try await store.undo()
        #expect(try store.duplicates().isEmpty)
        try await store.undo()
        #expect(try store.duplicates().count == 1)
        _ = try await store.dismissDuplicate(x, y)
        #expect(try store.duplicates().isEmpty)
    }

    @Test func `a third contact still pairs with both, and merging all leaves the three alone`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let x = try await store.logged(oneContact())
        let y = try await store.logged(oneContact())
        _ = try await store.logged(oneContact("NAME=Joe"))
        _ = try await store.dismissDuplicate(x, y)
        #expect(try store.duplicates().count == 2)
        #expect(try store.duplicateGroups().isEmpty)
    }

    @Test func `hidden contacts never pair`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        _ = try await store.logged(oneContact())
        let other = try await store.logged(oneContact())
        _ = try await store.write { try $0.remove("qso", other) }
        #expect(try store.duplicates().isEmpty)
        _ = try await store.write { try $0.restore("qso", other) }
        #expect(try store.duplicates().count == 1)
    }
}
