import EventLog
import Events
import Foundation
import Groundwave
import GroundwaveTesting
import Projections
import Radio
import Records
import Testing

/// A contact of 2026-05-01 with N0CALL on 20 m in CW, but for what `words` say.
private func contact(_ words: String...) -> [Assignment] {
    let own = fields("CALL=N0CALL", "QSO_DATE=20260501", "TIME_ON=1234", "BAND=20m", "MODE=CW")
    let said = words.map { word in
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return Assignment(String(parts[0]), text: String(parts[1]))
    }
    return own + said
}

extension Store {
    fileprivate func log(_ assignments: [Assignment]) async throws -> RecordID {
        try await write { try $0.add("qso", assignments) }.value
    }

    fileprivate func contact(_ id: RecordID) throws -> Record { try #require(try read { try $0.record("qso", id) }) }

    fileprivate func isVisible(_ id: RecordID) throws -> Bool { try contact(id).isVisible }

    fileprivate func undo() async throws {
        let step = try #require(try undoableSteps(1).first)
        _ = try await revert(step)
    }
}

@Suite struct `Merging two contacts` {
    @Test func `fills what is missing, keeps what is there, and tells the rest`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let keep = try await store.log(contact("NAME=Joe", "POTA_REF=US-0001", "X_OWN=1"))
        let drop = try await store.log(
            contact("NAME=Jim", "QTH=Here", "FREQ=14.030", "POTA_REF=us-0001,US-0002", "X_OTHER=2", "COMMENT="))
        let merged = try await store.merge([drop], into: keep).value
        let part = try #require(merged.dropped.first).part
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
        let temporary = try await TemporaryStore()
        let store = temporary.store
        func words(_ text: String) -> [Assignment] {
            contact()
                + text.split(separator: " ").map { word in
                    let parts = word.split(separator: "=", omittingEmptySubsequences: false)
                    return Assignment(String(parts[0]), text: String(parts[1]))
                }
        }
        let first = try await store.log(words(keep))
        let second = try await store.log(words(drop))
        _ = try await store.merge([second], into: first)
        let record = try store.contact(first)
        #expect([record.text("MODE"), record.text("SUBMODE")].compactMap(\.self).joined(separator: " ") == shown)
    }

    @Test func `does not put a frequency beside a band that it is not in`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let keep = try await store.log(contact("BAND_RX=20m"))
        let drop = try await store.log(contact("FREQ_RX=7.030"))
        let part = try await store.merge([drop], into: keep).value.dropped[0].part
        #expect(try store.contact(keep).text("FREQ_RX") == nil)
        #expect(part.differences.map(\.field) == ["FREQ_RX"])
        #expect(part.differences[0].kept == nil)
    }

    @Test func `leaves a field that waits for a decision as it is`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let keep = try await store.log(contact("NAME=A"))
        let basis = try store.contact(keep)
        _ = try await store.write { try $0.set("qso", keep, fields("NAME=B"), basis: basis) }
        _ = try await store.write { try $0.set("qso", keep, [Assignment("NAME", nil)], basis: basis) }
        let drop = try await store.log(contact("NAME=C"))
        let part = try await store.merge([drop], into: keep).value.dropped[0].part
        #expect(part.taken.isEmpty && part.differences.map(\.field) == ["NAME"])
        #expect(try store.conflicts(in: store.contact(keep)).map(\.field) == ["NAME"])
    }

    @Test(arguments: UInt64(1)...30)
    func `shows or tells every value of both, and undo folds back to what was`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let choices = [
            "NAME": ["Joe", "Jim", ""], "QTH": ["Here"], "POTA_REF": ["US-0001", "us-0001,US-0002"],
            "FREQ": ["14.030", "14.035"], "SUBMODE": ["USB"], "GRIDSQUARE": ["FN31", "FN42"], "LAT": ["N041 00.000"],
            "X_OWN": ["1", "2"], "TIME_OFF": ["1240", "1241"], "QSO_DATE_OFF": ["20260501"],
        ]
        var ids: [RecordID] = []
        for _ in 0..<3 {
            var words = contact()
            for (name, values) in choices.sorted(by: { $0.key < $1.key }) where Bool.random(using: &generator) {
                words.append(Assignment(name, text: values.randomElement(using: &generator) ?? ""))
            }
            ids.append(try await store.log(words))
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
                let told = dropped.part.differences.first { $0.field == name }
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
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let first = try await store.log(contact())
        let hidden = try await store.log(contact())
        _ = try await store.write { try $0.remove("qso", hidden) }
        let note = try await store.log(contact("MODE=WEATHER"))
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

@Suite struct `Merging all duplicates` {
    @Test func `ends with one contact a group, and is one step back`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        for call in ["N0A", "N0B", "N0C"] {
            for name in ["", "Joe", ""] { _ = try await store.log(contact("CALL=\(call)", "NAME=\(name)")) }
        }
        let before = try store.digest().content
        let groups = try store.duplicateGroups()
        #expect(groups.map(\.drop.count) == [2, 2, 2])
        let merged = try await store.merge(groups)
        #expect(merged.batches.count == 1 && merged.contacts.count == 3 && merged.left.isEmpty)
        #expect(try store.duplicates().isEmpty)
        let shown = try store.read { try $0.all(.everything) }
        #expect(shown.map { $0.text("NAME") } == ["Joe", "Joe", "Joe"], "the one with more fields stays")
        let step = try #require(try store.undoableSteps(1).first)
        #expect(step.changeCount == 9)
        #expect(step.note.text == "Merge duplicates")
        try await store.undo()
        #expect(try store.digest().content == before)
    }

    @Test func `takes several batches where it must, and is still one step back`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        try await store.importText(generatedLog(2100), named: "a.adi", options("A"))
        let text = generatedLog(2100).replacing("<MODE:2>CW", with: "<MODE:2>CW<NAME:3>Joe")
        try await store.importText(text.minuteLater, named: "b.adi", options("B"))
        let before = try store.digest().content
        let groups = try store.duplicateGroups()
        #expect(groups.count == 2100)
        let merged = try await store.merge(groups)
        #expect(merged.batches.map(\.count) == [4095, 107])
        #expect(try store.read { try $0.count(.everything) } == 2100)
        let step = try #require(try store.undoableSteps(1).first)
        #expect(step.batches.count == 2 && step.changeCount == 4200)
        try await store.undo()
        #expect(try store.digest().content == before)
        #expect(try store.undoableSteps(1).first?.note.text == "Import b.adi")
    }

    @Test(arguments: [("A.adi", 0), ("/logs/b.adi", 1), ("b.adi", 1), ("shack", 0), ("more", 0)])
    func `keeps what the import of a file wrote`(name: String, kept: Int) async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        try await store.importText(record("1234", "NAME", "A"), named: "a.adi", options("Shack"))
        try await store.importText(record("1235", "NAME", "Ben", "QTH"), named: "/logs/b.adi", options("Field"))
        let rule: DuplicateRule = name == "more" ? .more : .file(name)
        _ = try await store.merge(try store.duplicateGroups(keeping: rule))
        #expect(try store.firstContact()?.text("NAME") == ["A", "Ben"][kept])
        #expect(try store.firstContact()?.text("QTH") == "Ben", "what only one says is taken over")
    }

    @Test func `a file that was never imported is refused, and so is a window that makes no sense`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        try await store.importText(record("1234", "NAME", "A"), named: "a.adi")
        let error = try #require(
            throws: StoreError.self, performing: { try store.duplicateGroups(keeping: .file("b.adi")) })
        #expect(error.code == .notFound)
        for window: Int64 in [-1, 86_401] {
            let error = try #require(throws: StoreError.self, performing: { try store.duplicates(within: window) })
            #expect(error.code == .usage)
        }
    }

    @Test func `leaves a group whose contact was hidden meanwhile`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let ids = [try await store.log(contact()), try await store.log(contact())]
        let groups = try store.duplicateGroups()
        _ = try await store.write { try $0.remove("qso", ids[1]) }
        let merged = try await store.merge(groups)
        #expect(merged.left == groups && merged.batches.isEmpty)
        #expect(try store.isVisible(ids[0]))
    }

    @Test(arguments: [false, true])
    func `a file that comes again brings nothing back and changes nothing`(isSameMinute: Bool) async throws {
        let temporary = try await TemporaryStore()
        let other = try await TemporaryStore()
        let store = temporary.store
        let texts = [record("1234", "NAME", "A", "QTH"), record(isSameMinute ? "123430" : "1235", "NAME", "Ben")]
        try await store.importText(texts[0], named: "a.adi", options("Shack"))
        // On another device: one key makes two contacts only where the two imports did not see one another.
        try await other.store.importText(texts[1], named: "b.adi", options("Field"))
        try exchange(store, other.store)
        #expect(try store.duplicates().count == 1)
        for name in ["a.adi", "b.adi"] {
            _ = try await store.merge(try store.duplicateGroups(keeping: .file(name)))
            let merged = try store.digest()
            for (text, source) in zip(texts, ["Shack", "Field"]) {
                let report = try await store.importText(text, named: "again.adi", options(source))
                #expect(report.unchanged == 1 && report.id == nil, "\(source)")
            }
            #expect(try store.digest() == merged)
            try await store.undo()
        }
    }

    @Test func `an id that a service gave goes with the merge, and its file still means the hidden contact`()
        async throws
    {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let file = record("1235", "APP_QRZLOG_LOGID", "77", "NAME")
        for name in ["A", "B"] {
            try await store.importText(record("1234", "NAME", name), named: "a.adi", options("Shack"))
            try await store.importText(file, named: "b.adi", options("Service"))
            _ = try await store.merge(try store.duplicateGroups(keeping: .file("a.adi")))
            #expect(try store.firstContact()?.text("APP_QRZLOG_LOGID") == "77")
            let merged = try store.digest()
            #expect(try await store.importText(file, named: "b.adi", options("Service")).hidden == 1)
            #expect(try store.digest() == merged)
            try await store.undo()
        }
    }

    private func options(_ source: String) -> ImportOptions {
        var options = ImportOptions()
        options.source = source
        return options
    }

    private func record(_ time: String, _ field: String, _ value: String, _ more: String = "COMMENT") -> String {
        adi([
            "CALL": "N0CALL", "QSO_DATE": "20260501", "TIME_ON": time, "BAND": "20m", "MODE": "CW", field: value,
            more: value,
        ])
    }
}

extension String {
    /// The log with every contact one minute later, but within its day.
    fileprivate var minuteLater: String {
        replacing(/<TIME_ON:6>(\d\d)(\d\d)(\d\d)/) { match in
            let minutes = (Int(match.1) ?? 0) * 60 + (Int(match.2) ?? 0) + 1
            return "<TIME_ON:6>" + String(format: "%02d%02d", minutes / 60, minutes % 60) + match.3
        }
    }
}

/// Gives each of two stores the events that it lacks of the other, as a sync does.
private func exchange(_ first: Store, _ second: Store) throws {
    func log(_ store: Store) throws -> EventLog {
        try EventLog(opening: store.url.appending(path: "log.mdb").path)
    }
    // Not closed: the file is open once in a process, and the stores go on.
    let logs = [try log(first), try log(second)]
    let frames = try logs.map { log in
        var frames: [[UInt8]] = []
        try log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
        return frames
    }
    let arrival = Surroundings.system.now()
    _ = try logs[0].append(copying: frames[1], arrival: arrival)
    _ = try logs[1].append(copying: frames[0], arrival: arrival)
}

@Suite struct `Duplicates on two devices` {
    /// Two stores that both have the same two contacts, which are one.
    private func pair() async throws -> (TemporaryStore, TemporaryStore, RecordID, RecordID) {
        let first = try await TemporaryStore(Configuration(author: "N0ONE"))
        let second = try await TemporaryStore(Configuration(author: "N0TWO"))
        let x = try await first.store.log(contact("NAME=Joe"))
        let y = try await second.store.log(contact("QTH=Here"))
        try exchange(first.store, second.store)
        return (first, second, x, y)
    }

    private func expectSame(_ first: TemporaryStore, _ second: TemporaryStore) throws {
        #expect(try first.store.digest() == second.store.digest())
    }

    @Test func `merged in the same direction, one is hidden on both`() async throws {
        let (first, second, x, y) = try await pair()
        for store in [first.store, second.store] { _ = try await store.merge([y], into: x) }
        try exchange(first.store, second.store)
        try expectSame(first, second)
        for store in [first.store, second.store] {
            #expect(try store.isVisible(x) && !store.isVisible(y))
            #expect(try store.contact(x).text("QTH") == "Here")
            #expect(try store.conflicts().isEmpty)
            #expect(try store.duplicates().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `merged in opposite directions, both show again as a conflict, and none is lost`(isFilled: Bool) async throws {
        let (first, second, x, y) = try await pair()
        if !isFilled {
            // Now neither lacks anything, so a merge has nothing to write on the one that stays but that it stays.
            for id in [x, y] {
                _ = try await first.store.write { try $0.set("qso", id, fields("NAME=Joe", "QTH=Here")) }
            }
            try exchange(first.store, second.store)
        }
        _ = try await first.store.merge([y], into: x)
        _ = try await second.store.merge([x], into: y)
        try exchange(first.store, second.store)
        try expectSame(first, second)
        for store in [first.store, second.store] {
            #expect(try store.isVisible(x) && store.isVisible(y))
            let waiting = try store.conflicts().flatMap { try store.conflicts(in: $0) }
            #expect(waiting.map(\.field) == [Conflict.wholeRecord, Conflict.wholeRecord])
            #expect(try store.duplicates().count == 1, "the pair is listed again")
        }
        let before = try first.store.digest().content
        _ = try await first.store.merge([y], into: x)
        #expect(try first.store.isVisible(x) && !first.store.isVisible(y))
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try second.store.isVisible(x) && !second.store.isVisible(y))
        try await first.store.undo()
        #expect(try first.store.digest().content == before)
    }

    @Test func `the one that stays survives a delete that did not see the merge`() async throws {
        let (first, second, x, y) = try await pair()
        _ = try await first.store.merge([y], into: x)
        _ = try await second.store.write { try $0.remove("qso", x) }
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try second.store.isVisible(x) && !second.store.isVisible(y))
    }

    @Test func `merged round in a circle of three, none is lost`() async throws {
        let temporaries = try await [TemporaryStore(), TemporaryStore(), TemporaryStore()]
        let stores = temporaries.map(\.store)
        var ids: [RecordID] = []
        for store in stores { ids.append(try await store.log(contact())) }
        func exchangeAll() throws {
            for _ in 0..<2 { for (a, b) in [(0, 1), (1, 2), (2, 0)] { try exchange(stores[a], stores[b]) } }
        }
        try exchangeAll()
        for place in 0..<3 { _ = try await stores[place].merge([ids[(place + 1) % 3]], into: ids[place]) }
        try exchangeAll()
        let digests = try stores.map { try $0.digest() }
        #expect(digests.allSatisfy { $0 == digests[0] })
        for id in ids { #expect(try stores[0].isVisible(id)) }
    }

    @Test func `all merged on both at once end with one contact a group`() async throws {
        let (first, second, x, y) = try await pair()
        _ = try await first.store.log(contact("COMMENT=third"))
        try exchange(first.store, second.store)
        let groups = try first.store.duplicateGroups()
        #expect(try second.store.duplicateGroups() == groups, "equal states give equal groups")
        for store in [first.store, second.store] { _ = try await store.merge(try store.duplicateGroups()) }
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try first.store.read { try $0.count(.everything) } == 1)
        #expect(try first.store.conflicts().isEmpty)
        let shown = try #require(try first.store.firstContact())
        #expect([x, y].contains(shown.id) || shown.text("COMMENT") == "third")
        #expect(shown.text("NAME") == "Joe" && shown.text("QTH") == "Here" && shown.text("COMMENT") == "third")
    }

    @Test func `a dismissal of both devices is one record, and counts on both`() async throws {
        let (first, second, x, y) = try await pair()
        let one = try await first.store.dismissDuplicate(x, y)
        let other = try await second.store.dismissDuplicate(y, x)
        #expect(one.value == other.value)
        try exchange(first.store, second.store)
        try expectSame(first, second)
        #expect(try first.store.duplicates().isEmpty)
        #expect(try first.store.conflicts().isEmpty)
    }
}

@Suite struct `Dismissing a pair` {
    @Test func `it is not listed again, also after an edit, until that is undone`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let (x, y) = (try await store.log(contact()), try await store.log(contact()))
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
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let x = try await store.log(contact())
        let y = try await store.log(contact())
        _ = try await store.log(contact("NAME=Joe"))
        _ = try await store.dismissDuplicate(x, y)
        #expect(try store.duplicates().count == 2)
        #expect(try store.duplicateGroups().isEmpty)
    }

    @Test func `hidden contacts never pair`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        _ = try await store.log(contact())
        let other = try await store.log(contact())
        _ = try await store.write { try $0.remove("qso", other) }
        #expect(try store.duplicates().isEmpty)
        _ = try await store.write { try $0.restore("qso", other) }
        #expect(try store.duplicates().count == 1)
    }
}
