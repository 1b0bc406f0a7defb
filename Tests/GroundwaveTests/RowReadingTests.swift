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
                        shownFields.withFields(of: values) { fields in
                            #expect(fields.map(\.name) == record.adifFields.map(\.name))
                            #expect(fields.map { Array($0.value) } == record.adifFields.map(\.value))
                        }
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

    /// Questions, and who answers them: by a record, in the plainest words.
    private static var questions: [(ContactQuery, (Record) -> Bool)] {
        func isNote(_ record: Record) -> Bool {
            ["WEATHER", "SOLAR", "NOTE"].contains(record.text(.mode)?.uppercased() ?? "")
        }
        func asking(_ change: (inout ContactQuery) -> Void) -> ContactQuery {
            var query = ContactQuery.contacts
            change(&query)
            return query
        }
        return [
            (.contacts, { $0.isVisible && !isNote($0) }),
            (.everything, { $0.isVisible }),
            (asking { $0.isHidden = true }, { !$0.isVisible && !isNote($0) }),
            (
                asking { $0.band = "20M" },
                { $0.isVisible && !isNote($0) && ($0.text(.band) == "20m" || $0.text(.freq)?.hasPrefix("14.") == true) }
            ),
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

    #if COUNTS_RECORDS
    /// A log in ADIF, and a folder to write to.
    private struct Log {
        let text: String
        let folder: URL
    }

    /// What reads all contacts, by name; a walk may make records of other kinds, whose number does not grow.
    private static var walks: [(name: String, walk: (Store, Log) async throws -> Void)] {
        func reading(_ body: @escaping (borrowing ViewReader) throws -> Void) -> (Store, Log) throws -> Void {
            { store, _ in try store.read { try body($0) } }
        }
        var worked = ContactQuery.contacts.worked("N0CALL")
        worked.band = "20m"
        let found = worked
        let exports = ExportFormat.allCases.map { format in
            (
                "export as \(format)",
                { (store: Store, log: Log) async throws in
                    let path = log.folder.appending(path: "export").path
                    _ = try store.export(.everything, as: format, created: 0, toFile: path)
                }
            )
        }
        return exports + [
            ("count", reading { _ = try $0.count(.contacts) }),
            ("worked", reading { _ = try $0.count(found) }),
            ("list", { store, _ in try store.forEachShownContactByTime(.contacts) { _, _ in } }),
            ("content", reading { _ = try $0.contentDigest() }),
            ("digest", { store, _ in _ = try store.digest() }),
            ("statistics", { store, _ in _ = try store.statistics() }),
            ("duplicates", { store, _ in _ = try store.duplicates() }),
            ("replay", { store, _ in _ = try store.replay() }),
            ("snapshot", { store, _ in _ = try store.createSnapshot() }),
            ("a past point", { store, _ in _ = try await store.at(.position(store.log.lastPosition() - 1)).digest() }),
            (
                "changes",
                { store, _ in for try await set in store.changes(since: nil) where set.changes.count > 20 { break } }
            ),
            (
                "import again",
                { store, log in
                    try store.read { view in
                        var comparison = ImportComparison(
                            source: SourceID(name: "Test"), ids: ContactIDs(key: try view.idKey()))
                        var contact = view.shownValues(of: "qso")
                        for case .record(let record) in ADIReader.items(in: Array(log.text.utf8)) {
                            guard case .unchanged = try comparison.compare(record, in: view, &contact) else {
                                Issue.record("it is there")
                                return
                            }
                        }
                    }
                }
            ),
        ]
    }

    @Test func `no walk makes a record of each contact`() async throws {
        var counts: [String: [Int]] = [:]
        for contacts in [25, 125] {
            let temporary = try await TemporaryStore(.full())
            let log = Log(text: generatedLog(contacts), folder: temporary.stateFolder)
            try await temporary.store.importText(log.text)
            for (name, walk) in Self.walks {
                let count = RecordCount()
                try await RecordCount.$current.withValue(count) { try await walk(temporary.store, log) }
                counts[name, default: []].append(count.value)
            }
            // The count counts.
            let count = RecordCount()
            try RecordCount.$current.withValue(count) { try temporary.store.forEachContactByTime(.contacts) { _ in } }
            #expect(count.value == contacts)
        }
        for (name, made) in counts { #expect(made[0] == made[1], "\(name)") }
    }
    #endif

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
