import Crypto
import Everything
import Foundation
import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// Walks read rows; a record of each contact, and plain definitions of what is read, are what they are compared with.
@Suite struct `Rows that are read without a record` {
    /// Devices that edit, clear, delete, restore, import and erase, and meet now and then.
    private static func fleet(_ seed: UInt64) async throws -> Fleet {
        var fleet = try await Fleet(3, seed: seed)
        // More fields than are looked through one by one, and names that differ in case alone.
        let many = (0..<90).map { ("APP_MANY_\($0)", "m\($0)") }
        let fields = many.shuffled(using: &fleet.numbers) + [("CALL", "N1CALL"), ("QSO_DATE", "20260101")]
        let text = fields.map { "<\($0.0):\($0.1.utf8.count)>\($0.1)" }.joined() + "<EOR>\n"
        try await fleet.stores[0].importText(text, named: "many.adi")
        let id = try #require(try fleet.stores[0].read { try $0.all(.contacts.worked("N1CALL")).first?.id })
        _ = try await fleet.stores[0].write { batch in
            try batch.set("qso", id, [Assignment("app_many_1", text: "other"), Assignment("Name", text: "other")])
        }
        for step in 0..<60 {
            try await fleet.step()
            let store = fleet.stores.randomElement(using: &fleet.numbers) ?? fleet.stores[0]
            let ids = try store.read { try $0.all(.everything).map(\.id) }
            guard let id = ids.randomElement(using: &fleet.numbers) else { continue }
            let name = ["POTA_REF", "MY_POTA_REF", "SUBMODE", "MODE", "TIME_ON", "SESSION_X", "GRIDSQUARE"]
                .randomElement(using: &fleet.numbers)
            let value = ["", "US-0001", "US-0001,us-0002", "FT4", "NOTE", "1234", "\u{E9}"]
                .randomElement(using: &fleet.numbers)
            let assignment = Assignment(name ?? "MODE", text: value ?? "")
            _ = try await store.write { batch in
                if try store.record("qso", id)?.isErased == false { try batch.set("qso", id, [assignment]) }
            }
            if step % 20 == 19 {
                try await store.importText(
                    adi([
                        "CALL": "W1AW", "QSO_DATE": "20260102", "TIME_ON": "1200", "POTA_REF": "", "MODE": "WEATHER",
                        "APP_X_Y": "z", "NAME": "Zo\u{EB}",
                    ]), named: "notes.adi")
                _ = try await store.erase([id])
            }
        }
        // A contact whose name was that of an erased one has a head without its value.
        let merged = [("Zoe", "1300"), ("", "1301")].map { name, time in
            adi(["CALL": "N2XYZ", "QSO_DATE": "20260101", "TIME_ON": time, "NAME": name])
        }
        try await fleet.stores[1].importText(merged.joined(), named: "merged.adi")
        let pair = try fleet.stores[1].read { try $0.all(.contacts.worked("N2XYZ")).map(\.id) }
        _ = try await fleet.stores[1].merge([pair[0]], into: pair[1])
        _ = try await fleet.stores[1].erase([pair[0]])
        return fleet
    }

    @Test(arguments: UInt64(1)...8) func `show of every contact what a record of it shows`(seed: UInt64) async throws {
        let fleet = try await Self.fleet(seed)
        defer { fleet.close() }
        var (severals, withheld, contacts) = (0, 0, 0)
        for isMet in [false, true] {
            if isMet { try fleet.meet() }
            for store in fleet.stores {
                try store.read { view in
                    var shownFields = ShownFields()
                    try view.forEachShown(of: "qso") { id, values in
                        let record = try #require(try view.record("qso", id))
                        shownFields.read(values)
                        let (names, bytes) = (shownFields.layout.names, shownFields.bytes(of: values))
                        let fields = names.indices.map { Array(bytes[shownFields.range(at: $0)]) }
                        #expect(names == record.adifFields.map(\.name))
                        #expect(fields == record.adifFields.map(\.value))
                        for name in FieldName.allKnown + ["APP_X_Y", "SESSION_X", "APP_NOT_THERE"] {
                            let shown = values.text(name)
                            #expect(shown == record.text(name), "\(name)")
                        }
                        let (facts, isVisible, seconds) = (ContactFacts(values), values.isVisible, values.startSeconds)
                        #expect(facts == ContactFacts(record))
                        #expect(seconds == ContactFacts(record).startSeconds)
                        #expect(isVisible == record.isVisible)
                        let (first, last) = (values.firstPosition, values.lastPosition)
                        #expect(first == record.firstPosition && last == record.lastPosition)
                        for head in record.fields.flatMap(\.heads) {
                            let time = head.stamp.milliseconds
                            let isSince = values.isShown(since: time)
                            #expect(isSince == record.fields.contains { $0.shown.stamp.milliseconds >= time })
                        }
                        severals += record.fields.count { $0.heads.count > 1 }
                        withheld += record.fields.flatMap(\.heads).count { $0.isWithheld }
                        contacts += 1
                        return true
                    }
                }
            }
        }
        #expect(severals > 0 && withheld > 0 && contacts > 50)
    }

    @Test(arguments: UInt64(1)...8) func `give the digests that their records give`(seed: UInt64) async throws {
        let fleet = try await Self.fleet(seed)
        defer { fleet.close() }
        for isMet in [false, true] {
            if isMet { try fleet.meet() }
            for store in fleet.stores {
                try store.read { view in
                    let (digest, content) = try (view.digest(), view.contentDigest())
                    #expect(digest.records > content.contacts && content.contacts > 0)
                    #expect(try digest.hash == Self.digest(view))
                    #expect(try content.hash == Self.contentDigest(view))
                }
            }
        }
    }

    @Test(arguments: UInt64(1)...8) func `are found by the same questions`(seed: UInt64) async throws {
        let fleet = try await Self.fleet(seed)
        defer { fleet.close() }
        try fleet.meet()
        let store = fleet.stores[0]
        try store.read { view in
            var (records, foundCount) = ([Record](), 0)
            try view.forEachRecord(of: "qso") { record in
                if !record.isErased { records.append(record) }
                return true
            }
            for (query, condition) in Self.questions {
                let expected = records.filter(condition).map(\.id)
                foundCount += expected.count
                var byRow: [RecordID] = []
                try view.forEachShownContact(query) { id, _ in
                    byRow.append(id)
                    return true
                }
                #expect(byRow.sorted() == expected.sorted(), "\(query)")
                #expect(try view.all(query).map(\.id).sorted() == expected.sorted(), "\(query)")
                #expect(try view.count(query) == expected.count, "\(query)")
            }
            #expect(foundCount > records.count, "the questions find something")
        }
    }

    @Test(arguments: UInt64(1)...8) func `are counted as their records are`(seed: UInt64) async throws {
        var fleet = try await Self.fleet(seed)
        defer { fleet.close() }
        try await Self.writeBandsAndModes(&fleet)
        let text =
            adi(["CALL": "N3XYZ", "QSO_DATE": "20260101", "BAND": "12.5m", "MODE": "NEWMODE"])
            + adi(["CALL": "N3XYZ", "QSO_DATE": "20260101", "FREQ": "18.1", "MODE": "FT4"])
            + adi(["CALL": "N3XYZ", "QSO_DATE": "20260101", "MODE": "USB", "MY_POTA_REF": "US-0001"])
        try await fleet.stores[0].importText(text, named: "each.adi")
        try fleet.meet()
        let store = fleet.stores[0]
        let records = try store.read { try $0.all(.everything) }
        var groups: Set<String> = []
        for (query, condition) in Self.questions {
            let asked = records.filter { condition($0) && !Self.isNote($0) }
            let counts = try store.countContacts(query, by: ContactCounts.Key.allCases)
            for key in ContactCounts.Key.allCases {
                var expected: [String: Int] = [:]
                for record in asked { for value in Self.values(key, record) { expected[value, default: 0] += 1 } }
                // Counted alone, most are counted by the index of times; all at once need the rows.
                let alone = try store.countContacts(query, by: [key])
                for counted in [alone, counts] where !query.isHidden {
                    let found = Dictionary(uniqueKeysWithValues: counted.groups(by: key).map { ($0.key, $0.count) })
                    #expect(found == expected, "\(key), \(query)")
                    #expect(counted.total == asked.count, "\(key), \(query)")
                }
                groups.formUnion(expected.keys)
            }
        }
        for group in ["17m", "12.5m", "", "FT4", "SSB", "NEWMODE", "2026-01-01", "US-0001"] {
            #expect(groups.contains(group), "\(group) is counted")
        }
    }

    /// Gives contacts of all devices bands, modes and times: those of the standard's lists in any case, others, and none.
    private static func writeBandsAndModes(_ fleet: inout Fleet) async throws {
        let texts: [(name: String, values: [String])] = [
            ("BAND", ["6m", "6M", "12.5m", " 6m", ""]), ("FREQ", ["18.1", "18,1", "3.0", "", "\u{E9}"]),
            ("MODE", ["usb", "Ssb", "CW ", "", "NEWMODE", "A VERY LONG MODE, UNKNOWN", "\u{E9}", "FT4", "SOLAR"]),
            ("SUBMODE", ["FT4", "usb", "", "NEWMODE", "OLIVIA 16/1000"]),
            ("QSO_DATE", ["20260101", "19691231", "20269999", ""]), ("TIME_ON", ["1200", "235959", "9999", ""]),
        ]
        for store in fleet.stores {
            for record in try store.read({ try $0.all(.everything) }) where record.isVisible {
                let chosen = texts.filter { _ in Bool.random(using: &fleet.numbers) }.map { name, values in
                    Assignment(name, text: values.randomElement(using: &fleet.numbers) ?? "")
                }
                if chosen.isEmpty { continue }
                _ = try await store.write { try $0.set("qso", record.id, chosen) }
            }
        }
    }

    /// What a contact counts for, in the plainest words.
    private static func values(_ key: ContactCounts.Key, _ record: Record) -> [String] {
        func text(_ name: FieldName) -> String? { record.text(name).flatMap { $0.isEmpty ? nil : $0.uppercased() } }
        func start(_ count: Int) -> [String] {
            guard let date = ADIFDate(Array((record.text(.qsoDate) ?? "").utf8)[...]) else { return [""] }
            let time = ADIFTime(Array((record.text(.timeOn) ?? "").utf8)[...])?.text ?? "000000"
            let (day, hour) = (date.text, time.prefix(2))
            return [String("\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))T\(hour)".prefix(count))]
        }
        switch key {
        case .band:
            let derived = record.text(.freq).flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0)?.name }
            return [text(.band)?.lowercased() ?? derived ?? ""]
        case .mode:
            let mode = Mode(mode: text(.mode), submode: text(.submode))
            return [mode?.name == "SSB" ? "SSB" : mode?.submode ?? mode?.name ?? ""]
        case .park:
            let parks = Set((record.text(.myPOTARef) ?? "").split(separator: ",").map { $0.uppercased() })
            return parks.isEmpty ? [""] : parks.sorted()
        case .operator: return [text(.operator) ?? text(.stationCallsign) ?? ""]
        case .day: return start(10)
        case .hour: return start(13)
        }
    }

    private static func isNote(_ record: Record) -> Bool {
        ["WEATHER", "SOLAR", "NOTE"].contains(record.text(.mode)?.uppercased() ?? "")
    }

    /// Questions, and who answers them: by a record, in the plainest words.
    private static var questions: [(ContactQuery, (Record) -> Bool)] {
        func asking(_ change: (inout ContactQuery) -> Void) -> ContactQuery {
            var query = ContactQuery.contacts
            change(&query)
            return query
        }
        func seconds(_ record: Record) -> Int64? {
            ContactFacts.seconds(date: record.text(.qsoDate) ?? "", time: record.text(.timeOn) ?? "")
        }
        let noon: Int64 = 1_767_268_800
        return [
            (.contacts, { $0.isVisible && !isNote($0) }),
            (.everything, { $0.isVisible }),
            (asking { $0.isHidden = true }, { !$0.isVisible && !isNote($0) }),
            (
                asking { $0.band = "20M" },
                { $0.isVisible && !isNote($0) && ($0.text(.band) == "20m" || $0.text(.freq)?.hasPrefix("14.") == true) }
            ),
            (
                asking { $0.mode = "ft4" },
                {
                    $0.isVisible && !isNote($0)
                        && [$0.text(.mode)?.uppercased(), $0.text(.submode)?.uppercased()].contains("FT4")
                }
            ),
            (asking { $0.since = noon }, { $0.isVisible && !isNote($0) && (seconds($0) ?? .min) >= noon }),
            (asking { $0.until = noon }, { $0.isVisible && !isNote($0) && (seconds($0) ?? .min) < noon }),
            (.contacts.worked("w1aw"), { $0.isVisible && !isNote($0) && $0.text(.call) == "W1AW" }),
            (
                asking { $0.park = "US-0001" },
                { record in
                    record.isVisible && !isNote(record)
                        && [record.text(.potaRef), record.text(.myPOTARef)].contains { $0?.contains("US-0001") == true }
                }
            ),
        ]
    }

    /// The definition of the digest of the views, over records.
    private static func digest(_ view: borrowing ViewReader) throws -> Hash256 {
        var bytes = ByteWriter()
        for kind in try view.kindsWithRecords() {
            try view.forEachRecord(of: kind) { record in
                if record.fields.isEmpty && record.deletions.isEmpty && !record.isErased { return true }
                bytes.append(text: kind)
                bytes.append(record.id)
                if record.isErased {
                    bytes.append(varint: UInt64.max)
                    return true
                }
                bytes.append(varint: record.fields.count)
                for field in record.fields {
                    switch field.key {
                    case .number(let number): bytes.append(varint: UInt64(number) * 2)
                    case .name(let name):
                        bytes.append(varint: UInt64(name.utf8.count) * 2 + 1)
                        bytes.append(contentsOf: Array(name.utf8))
                    }
                    bytes.append(varint: field.heads.count)
                    for head in field.heads.sorted(by: { $0.id < $1.id }) {
                        bytes.append(head.id.event.replica)
                        bytes.append(varint: head.id.event.sequence)
                        bytes.append(varint: UInt64(head.id.index))
                        bytes.append(littleEndian: head.stamp.rawValue)
                        bytes.append(UInt8(head.isWithheld ? 2 : head.value == nil ? 0 : 1))
                        if let value = head.value { bytes.append(lengthPrefixed: value) }
                    }
                }
                bytes.append(varint: record.deletions.count)
                for deletion in record.deletions {
                    bytes.append(deletion.event.replica)
                    bytes.append(varint: deletion.event.sequence)
                    bytes.append(littleEndian: deletion.stamp.rawValue)
                    bytes.append(varint: deletion.covered.count)
                    for event in deletion.covered {
                        bytes.append(event.replica)
                        bytes.append(varint: event.sequence)
                    }
                }
                return true
            }
        }
        return Hash256(SHA256.hash(data: bytes.bytes))
    }

    /// The definition of the digest of what contacts show, over records.
    private static func contentDigest(_ view: borrowing ViewReader) throws -> Hash256 {
        var hashes: [Hash256] = []
        try view.forEachRecord(of: "qso") { record in
            guard record.isVisible else { return true }
            var bytes = ByteWriter()
            let fields = record.adifFields.map { (name: Array($0.name.name.utf8), value: $0.value) }
            for (name, value) in fields.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
                bytes.append(lengthPrefixed: name)
                bytes.append(lengthPrefixed: value)
            }
            hashes.append(Hash256(SHA256.hash(data: bytes.bytes)))
            return true
        }
        var bytes = ByteWriter()
        for hash in hashes.sorted() { bytes.append(hash) }
        return Hash256(SHA256.hash(data: bytes.bytes))
    }
}
