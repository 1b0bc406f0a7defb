import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// What imports must do, as a model: contacts are the n-th with their call, and of a field it is known what a person wrote
/// last, and what each source says beside that.
private struct ImportModel {
    struct Slot: Hashable {
        var call: String
        var place: Int
    }

    struct Contact {
        /// What a person wrote; a clear is `nil` within.
        var hand: [String: String?] = [:]
        /// The value of each source that nobody has replaced since, and the number of the import that brought its first one.
        var heads: [String: [String: (value: String, since: Int)]] = [:]
        var said: [String: [String: String]] = [:]
        var isHidden = false

        /// A frequency says all that one with fewer digits says, any value all that an empty one says.
        private func covers(_ field: String, _ value: String, _ other: String) -> Bool {
            other.isEmpty || value == other || field == "FREQ" && value.hasPrefix(other)
        }

        func shown(_ field: String) -> String? {
            if let hand = hand[field], field != "FREQ" || hand != nil { return hand }
            let heads = (heads[field] ?? [:]).values.filter { $0.value != "-" }
            let said = heads.filter { !$0.value.isEmpty }
            if said.isEmpty { return heads.first?.value }
            let best = said.filter { one in
                !said.contains { covers(field, $0.value, one.value) && !covers(field, one.value, $0.value) }
            }
            let placed = best.map { one in
                (place: said.filter { covers(field, one.value, $0.value) }.map(\.since).min() ?? 0, head: one)
            }
            return placed.min { ($0.place, $0.head.since) < ($1.place, $1.head.since) }?.head.value
        }

        mutating func write(_ field: String, _ text: String?) {
            hand[field] = .some(text)
            heads[field] = nil
        }

        /// What a source says of a field; returns whether something else is shown then.
        mutating func take(_ field: String, _ value: String, from source: String, _ number: Int) -> Bool {
            if said[source]?[field] == value { return false }
            said[source, default: [:]][field] = value
            let before = shown(field)
            let own = heads[field]?[source]
            // The band stands where the frequency does: without a frequency there is nothing new.
            if value.isEmpty || value == "-" { return false }
            if let old = own?.value ?? before, old != "-", covers(field, old, value) { return false }
            // What was not said before has no place yet.
            let since = own.flatMap { $0.value.isEmpty || $0.value == "-" ? nil : $0.since }
            heads[field, default: [:]][source] = (value, since ?? number)
            return shown(field) != before
        }
    }

    struct Counts: Equatable {
        var imported = 0
        var updated = 0
        var unchanged = 0
        var absent = 0
    }

    var contacts: [Slot: Contact] = [:]
    private var number = 0

    /// A record of a file: its fields but for those of the key. A frequency that is not there stands as `-`, since band
    /// and frequency say one thing.
    typealias FileRecord = (call: String, fields: [String: String])

    mutating func take(_ file: [FileRecord], from source: String) -> Counts {
        var counts = Counts()
        var places: [String: Int] = [:]
        var met: Set<Slot> = []
        number += 1
        for record in file {
            let slot = Slot(call: record.call, place: places[record.call, default: 0])
            places[record.call, default: 0] += 1
            met.insert(slot)
            guard var contact = contacts[slot] else {
                let heads = record.fields.mapValues { [source: (value: $0, since: number)] }
                contacts[slot] = Contact(heads: heads, said: [source: record.fields])
                counts.imported += 1
                continue
            }
            if contact.isHidden {
                counts.unchanged += 1
                continue
            }
            var isUpdated = false
            for (field, value) in record.fields where contact.take(field, value, from: source, number) {
                isUpdated = true
            }
            contacts[slot] = contact
            if isUpdated { counts.updated += 1 } else { counts.unchanged += 1 }
        }
        counts.absent = contacts.count { !met.contains($0.key) && $0.value.said[source] != nil }
        return counts
    }
}

@Suite struct `Importing generated logs again` {
    private static let fields = ["NAME", "COMMENT", "NOTES", "FREQ"]

    private static func text(_ file: [ImportModel.FileRecord], from source: String) -> String {
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        return "x\n" + field("PROGRAMID", source) + "<EOH>\n"
            + file.map { record in
                field("CALL", record.call) + field("QSO_DATE", "20260501") + field("TIME_ON", "1200")
                    + field("BAND", "20m") + field("MODE", "CW")
                    + record.fields.filter { $0.value != "-" }.sorted { $0.key < $1.key }
                    .map { field($0.key, $0.value) }.joined() + "<EOR>\n"
            }.joined()
    }

    /// The contacts of the store, each the n-th with its call.
    private static func contacts(_ store: Store) throws -> [ImportModel.Slot: Record] {
        var places: [String: Int] = [:]
        var all: [ImportModel.Slot: Record] = [:]
        var records: [Record] = []
        var hidden = ContactQuery.everything
        hidden.isHidden = true
        for query in [ContactQuery.everything, hidden] {
            try store.forEachContactInOrder(query) { records.append($0) }
        }
        for record in records.sorted(by: { $0.firstPosition < $1.firstPosition }) {
            let call = record.text("CALL") ?? ""
            all[.init(call: call, place: places[call, default: 0])] = record
            places[call, default: 0] += 1
        }
        return all
    }

    private static func expectSame(_ store: Store, _ model: ImportModel, _ comment: String) throws {
        let contacts = try contacts(store)
        #expect(Set(contacts.keys) == Set(model.contacts.keys), "\(comment)")
        for (slot, expected) in model.contacts {
            guard let record = contacts[slot] else { continue }
            #expect(record.isVisible != expected.isHidden, "\(comment), \(slot)")
            for field in fields {
                #expect(record.text(FieldName(field)) == expected.shown(field), "\(comment), \(slot)")
            }
            #expect(record.text("BAND") == "20m", "\(comment), \(slot)")
        }
    }

    @Test(arguments: UInt64(1)...25)
    func `writes only what the file changed, whatever else happened in between`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var model = ImportModel()
        func value(_ field: String, _ generator: inout SeededGenerator) -> String {
            let number = Int.random(in: 0..<5, using: &generator)
            // With all its digits, or without the last one; a text, or an empty one.
            let isLess = Int.random(in: 0..<3, using: &generator) == 0
            if field == "FREQ" { return "14.0\(number + 1)" + (isLess ? "" : "5") }
            return isLess ? "" : "\(field.lowercased())\(number)"
        }
        var log: [ImportModel.FileRecord] = []
        for step in 0..<14 {
            // The log in its own program goes on: records come, change, go, and stand in another order.
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let call = "N0C\(Int.random(in: 0..<4, using: &generator))"
                var record: ImportModel.FileRecord = (call, ["FREQ": "-"])
                for field in Self.fields where Bool.random(using: &generator) {
                    record.fields[field] = value(field, &generator)
                }
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1: log.append(record)
                case 2, 3:
                    guard let place = log.indices.randomElement(using: &generator),
                        let field = Self.fields.randomElement(using: &generator)
                    else { continue }
                    log[place].fields[field] = value(field, &generator)
                case 4: if let place = log.indices.randomElement(using: &generator) { log.remove(at: place) }
                default: log.shuffle(using: &generator)
                }
            }
            // People correct what is here.
            let here = try Self.contacts(store)
            for slot in model.contacts.keys.sorted(by: { ($0.call, $0.place) < ($1.call, $1.place) })
            where Int.random(in: 0..<5, using: &generator) == 0 {
                let field = Self.fields.randomElement(using: &generator) ?? "NAME"
                let id = try #require(here[slot]?.id)
                let text: String? = Int.random(in: 0..<4, using: &generator) == 0 ? nil : value(field, &generator)
                if model.contacts[slot]?.isHidden == true || Int.random(in: 0..<6, using: &generator) == 0 {
                    model.contacts[slot]?.isHidden.toggle()
                    let isHidden = model.contacts[slot]?.isHidden == true
                    _ = try await store.write { try isHidden ? $0.remove("qso", id) : $0.restore("qso", id) }
                } else if model.contacts[slot]?.shown(field) != text {
                    model.contacts[slot]?.write(field, text)
                    _ = try await store.write { batch in
                        try batch.set("qso", id, [Assignment(field, text.map { Array($0.utf8) })])
                    }
                }
            }
            // Another program exports fewer fields, in another order.
            let isOther = Int.random(in: 0..<3, using: &generator) == 0
            var file = log
            if isOther {
                for place in file.indices {
                    file[place].fields["NOTES"] = nil
                    if place % 2 == 0 { file[place].fields["FREQ"] = "-" }
                }
                file.shuffle(using: &generator)
            }
            if file.isEmpty { continue }
            let source = isOther ? "Other" : "Own"
            let text = Self.text(file, from: source)
            let report = try await store.importText(text)
            let counts = ImportModel.Counts(
                imported: report.imported, updated: report.updated, unchanged: report.unchanged, absent: report.absent)
            #expect(counts == model.take(file, from: source), "step \(step)")
            try Self.expectSame(store, model, "step \(step)")
            let again = try await store.importText(text)
            #expect(again.unchanged == file.count && again.id == nil, "the same file a second time, step \(step)")
        }
    }

    @Test func `a correction that the file makes too, and that is then taken back here, stays taken back`() async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        func take(_ name: String) async throws {
            try await store.importText(Self.text([("N0A", ["NAME": name])], from: "P"))
        }
        func correct(_ name: String) async throws {
            let id = try #require(try store.firstContact()).id
            _ = try await store.write { try $0.set("qso", id, [Assignment("NAME", text: name)]) }
        }
        try await take("Joe")
        try await correct("Jim")
        try await take("Jim")
        try await correct("Ben")
        try await take("Jim")
        #expect(try store.firstContact()?.text("NAME") == "Ben", "the file says what it said last time")
        try await take("Joe")
        #expect(try store.firstContact()?.text("NAME") == "Ben", "nor does another value of the file replace it")
    }

    @Test func `what a person logged is completed by a file, not overwritten`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        _ = try await store.write { batch in
            try batch.add(
                "qso",
                [
                    ("CALL", "N0A"), ("QSO_DATE", "20260501"), ("TIME_ON", "1200"), ("BAND", "20m"), ("MODE", "CW"),
                    ("NAME", "Jim"),
                ]
                .map { Assignment($0.0, text: $0.1) })
        }
        let report = try await store.importText(
            Self.text([("N0A", ["NAME": "James", "COMMENT": "via file", "FREQ": "14.025"])], from: "P"))
        #expect(report.updated == 1 && report.imported == 0)
        let contact = try #require(try store.firstContact())
        #expect(contact.text("NAME") == "Jim")
        #expect(contact.text("COMMENT") == "via file")
        #expect(contact.text("FREQ") == "14.025" && contact.text("BAND") == "20m")
        let later = try await store.importText(Self.text([("N0A", ["NAME": "Jimmy"])], from: "P"))
        #expect(later.unchanged == 1)
        #expect(try store.firstContact()?.text("NAME") == "Jim", "also when the file has changed since")
    }

    @Test func `what a person set or cleared yields to no file, also when the file changes`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(Self.text([("N0A", ["NAME": "Joe", "NOTES": "first"])], from: "P"))
        let id = try #require(try store.firstContact()).id
        _ = try await store.write {
            try $0.set("qso", id, [Assignment("NAME", text: "Joseph"), Assignment("NOTES", nil)])
        }
        for (name, notes, source) in [("Joey", "second", "P"), ("Jo", "third", "Q"), ("J", "fourth", "P")] {
            let report = try await store.importText(
                Self.text([("N0A", ["NAME": name, "NOTES": notes])], from: source))
            #expect(report.updated == 0 && report.unchanged == 1)
            let contact = try #require(try store.firstContact())
            #expect(contact.text("NAME") == "Joseph" && contact.text("NOTES") == nil)
        }
    }

    @Test func `the right file replaces what is left after the revert of a wrong one`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(Self.text([("N0A", ["NAME": "Joe"])], from: "P"))
        let wrong = try await store.importText(Self.text([("N0A", ["NAME": "Jane", "NOTES": "wrong"])], from: "P"))
        _ = try await store.revert(store.events(ofImport: #require(wrong.id)), note: "Wrong file")
        let reverted = try #require(try store.firstContact())
        #expect(reverted.text("NAME") == "Joe" && reverted.text("NOTES") == nil)
        try await store.importText(Self.text([("N0A", ["NAME": "Joseph", "NOTES": "right"])], from: "P"))
        let contact = try #require(try store.firstContact())
        #expect(contact.text("NAME") == "Joseph" && contact.text("NOTES") == "right")
    }

    @Test func `a park that was removed here comes back neither from the same file nor from another one`() async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let parks = "US-0001,US-0002"
        try await store.importText(Self.text([("N0A", ["POTA_REF": parks])], from: "P"))
        let id = try #require(try store.firstContact()).id
        _ = try await store.write { try $0.set("qso", id, [Assignment("POTA_REF", text: "US-0001")]) }
        for source in ["P", "Q", "Q"] {
            try await store.importText(Self.text([("N0A", ["POTA_REF": parks])], from: source))
            #expect(try store.firstContact()?.text("POTA_REF") == "US-0001")
        }
        try await store.importText(Self.text([("N0A", ["POTA_REF": parks + ",US-0003"])], from: "Q"))
        #expect(try store.firstContact()?.text("POTA_REF") == "US-0001,US-0003")
        try await store.importText(Self.text([("N0A", ["POTA_REF": "US-0001"])], from: "Q"))
        #expect(try store.firstContact()?.text("POTA_REF") == "US-0001", "what this source brought it may take back")
    }

    @Test func `set and shift change every record before it is compared`() async throws {
        let temporary = try await TemporaryStore(.full())
        var options = ImportOptions()
        options.assignments = [Assignment("STATION_CALLSIGN", text: "N0CALL"), Assignment("COMMENT", nil)]
        options.shiftMinutes = -750
        let text = Self.text(
            [("N0A", ["COMMENT": "gone", "QSO_DATE_OFF": "20260501", "TIME_OFF": "123456"])], from: "P")
        try await temporary.store.importText(text, named: "a.adi", options)
        let contact = try #require(try temporary.store.firstContact())
        #expect(contact.text("QSO_DATE") == "20260430" && contact.text("TIME_ON") == "2330")
        #expect(contact.text("QSO_DATE_OFF") == "20260501" && contact.text("TIME_OFF") == "000456")
        #expect(contact.text("STATION_CALLSIGN") == "N0CALL")
        #expect((contact.text("COMMENT") ?? "").isEmpty)
        #expect(try await temporary.store.importText(text, named: "a.adi", options).unchanged == 1)
    }

    @Test func `a contact that is hidden here stays so, and that is told`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(Self.text([("N0A", ["NAME": "Joe"])], from: "P"))
        let id = try #require(try store.firstContact()).id
        _ = try await store.write { try $0.remove("qso", id) }
        let report = try await store.importText(Self.text([("N0A", ["NAME": "Jim"])], from: "P"))
        #expect(report.hidden == 1 && report.unchanged == 1 && report.id == nil)
        _ = try await store.write { try $0.restore("qso", id) }
        try await store.importText(Self.text([("N0A", ["NAME": "Jim"])], from: "P"))
        #expect(try store.firstContact()?.text("NAME") == "Jim", "what the file changed meanwhile comes now")
    }
}
