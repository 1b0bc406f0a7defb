import Foundation
import Groundwave
import GroundwaveTesting
import Testing

private enum Verdict: String, RecordValue, CaseIterable { case passed, failed }

private struct Inspection: TypedRecord, Hashable {
    var device = ""
    var day: CalendarDay?
    var verdict = Verdict.passed
    var count = 0
    var weight: Decimal?
    var isUrgent = false
    var finished: Date?
    var image: [UInt8]?
    var labels: [String] = []
    var readings: [Int64] = []

    static let name = "inspection"
    static let fields = [
        Field(1, "DEVICE", \.device, type: .text(limit: 20)), Field(2, "DAY", \.day), Field(3, "VERDICT", \.verdict),
        Field(4, "COUNT", \.count), Field(5, "WEIGHT", \.weight), Field(6, "URGENT", \.isUrgent),
        Field(7, "FINISHED", \.finished), Field(8, "IMAGE", \.image, type: .bytes(limit: 8)),
        Field(9, "LABELS", \.labels) { $0.lowercased() }, Field(10, "READINGS", \.readings),
    ]
    static let byDay = Index(1, "day") { $0.day.map { [.text("\($0)")] } }
    static let byDevice = Index(2, "device", isUnique: true) { [.text($0.device), .number(Int64($0.count))] }
    static let byLabel = Index(3, "label", keys: { $0.labels.map { [.text($0)] } })
    static let indexes = [byDay, byDevice, byLabel]

    struct NegativeCount: Error {}
    func validate() throws { if count < 0 { throw NegativeCount() } }
}

/// The same kind as another program knows it: no types, and a field more.
private enum Untyped: RecordKind {
    static let schema = KindSchema(
        name: "inspection",
        fields: [
            FieldSchema(1, "DEVICE"), FieldSchema(2, "DAY"), FieldSchema(4, "COUNT"), FieldSchema(9, "LABELS", .union),
            FieldSchema(77, "LATER"),
        ])
}

/// A price as the first version wrote it, and as the second one does.
private struct FirstPrice: TypedRecord {
    var price = ""
    static let name = "price"
    static let fields = [Field(1, "PRICE", \.price)]
}

private struct SecondPrice: TypedRecord {
    var cents: Int64 = 0
    static let name = "price"
    static let version: UInt32 = 2
    static let fields = [
        Field(
            2, "CENTS", \.cents,
            former: [.init(1) { text in Decimal(string: text).map { NSDecimalNumber(decimal: $0 * 100).int64Value } }])
    ]
    static let byCents = Index(1, "cents") { [.number($0.cents)] }
    static let indexes = [byCents]
}

/// A colour whose words the second version changed, in the same field.
private struct Paint: TypedRecord {
    enum Colour: String, RecordValue { case red, green }
    var colour: Colour?
    static let name = "paint"
    static let fields = [
        Field(1, "COLOUR", \.colour, former: [.init(1) { $0 == "1" ? .red : $0 == "2" ? .green : nil }])
    ]
}

@Suite struct `Records as values of a type` {
    private static func store(_ kind: any RecordKind.Type = Inspection.self) async throws -> TemporaryStore {
        try await TemporaryStore(Configuration(author: "N0CALL", kinds: [kind]))
    }

    private static let full = Inspection(
        device: "Ladder", day: CalendarDay("2026-05-01"), verdict: .failed, count: 3, weight: Decimal(string: "12.5"),
        isUrgent: true, finished: Date(timeIntervalSince1970: 1_777_000_000.25), image: [0, 255, 10],
        labels: ["Smith, John", "red"], readings: [-5, 7])

    @Test func `are read as they were written, and lie in the log as text`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let ids = try await store.write { [try $0.add(Self.full), try $0.add(Inspection())] }.value
        let saved = try #require(try store.find(Inspection.self, ids[0]))
        #expect(saved.value == Self.full && saved.problems.isEmpty && saved.device == "Ladder")
        #expect(try store.find(Inspection.self, ids[1])?.value == Inspection())
        let record = try #require(try store.record("inspection", ids[0]))
        let texts = ["DAY", "VERDICT", "COUNT", "WEIGHT", "URGENT", "FINISHED", "LABELS", "READINGS"].map {
            String(decoding: Inspection.schema.value(of: $0, in: record) ?? [], as: UTF8.self)
        }
        #expect(
            texts == [
                "2026-05-01", "failed", "3", "12.5", "true", "2026-04-24T03:06:40.250Z", #""Smith, John",red"#, "-5,7",
            ])
    }

    @Test func `that are edited write only what differs, and nil clears a field`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { try $0.add(Self.full) }.value
        let saved = try #require(try store.find(Inspection.self, id))
        let unchanged = try await store.write { try $0.edit(saved) { $0.count = 3 } }
        #expect(unchanged.value == false && unchanged.batch == nil)
        let edit = try await store.write {
            try $0.edit(saved) {
                $0.day = nil
                $0.labels = ["red", "new"]
            }
        }
        #expect(edit.value == true && edit.batch?.count == 1)
        let now = try #require(try store.find(Inspection.self, id))
        #expect(now.day == nil && now.labels == ["red", "new"] && now.count == 3)
        let entry = try #require(try store.history(HistoryQuery(of: "inspection", id)).first)
        #expect(Set(entry.changes.map(\.field)) == ["DAY", "LABELS"])
    }

    @Test func `keep the fields that the type does not know`() async throws {
        let folder = try TemporaryFolder()
        let (place, state) = (folder.url.appending(path: "log"), folder.url.appending(path: "state"))
        let other = try await Store.create(
            at: place, Configuration(author: "N0CALL", kinds: [Untyped.self], stateFolder: state))
        let id = try await other.write {
            try $0.add("inspection", [Assignment("LATER", text: "kept"), Assignment("DEVICE", text: "Ladder")])
        }.value
        try other.close()
        let store = try await Store.open(
            at: place, Configuration(author: "N0CALL", kinds: [Inspection.self], stateFolder: state)
        ).whole
        try await store.write { try $0.edit(Inspection.self, id) { $0.device = "Scaffold" } }
        let saved = try #require(try store.find(Inspection.self, id))
        #expect(saved.device == "Scaffold")
        #expect(saved.record[.number(77)]?.value == Array("kept".utf8))
        try store.close()
    }

    @Test func `that another program wrote badly say so, and an edit leaves that alone`() async throws {
        let folder = try TemporaryFolder()
        let (place, state) = (folder.url.appending(path: "log"), folder.url.appending(path: "state"))
        let other = try await Store.create(
            at: place, Configuration(author: "N0CALL", kinds: [Untyped.self], stateFolder: state))
        let id = try await other.write {
            try $0.add(
                "inspection",
                [
                    Assignment("DAY", text: "last Monday"), Assignment("COUNT", text: "three"),
                    Assignment("DEVICE", text: "Ladder"),
                ])
        }.value
        try other.close()
        let store = try await Store.open(
            at: place, Configuration(author: "N0CALL", kinds: [Inspection.self], stateFolder: state)
        ).whole
        let saved = try #require(try store.find(Inspection.self, id))
        #expect(saved.value == Inspection(device: "Ladder"))
        #expect(saved.problems.map(\.field) == ["DAY", "COUNT"])
        #expect(
            saved.problems.map(\.reason) == [
                .unreadable(Array("last Monday".utf8)), .unreadable(Array("three".utf8)),
            ])
        try await store.write { try $0.edit(saved) { $0.verdict = .failed } }
        let record = try #require(try store.record("inspection", id))
        #expect(Inspection.schema.value(of: "COUNT", in: record) == Array("three".utf8))
        try store.close()
    }

    @Test func `are refused whole if a value is not of its type, or the value does not accept itself`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { try $0.add(Self.full) }.value
        let before = try store.currentToken()
        func refusal(_ body: @escaping @Sendable (inout WriteBatch) throws -> Void) async -> StoreError? {
            await #expect(throws: StoreError.self) { _ = try await store.write { try body(&$0) } }
        }
        let named = await refusal {
            _ = try $0.add(Inspection(device: "not written"))
            try $0.set("inspection", id, [Assignment("DAY", text: "2026-02-30")])
        }
        #expect(named?.code == .invalid && named?.message == "The value of DAY is not a day, such as 2026-05-01.")
        let wrong = named?.cause as? InvalidValue
        #expect(
            wrong?.kind == "inspection" && wrong?.field == "DAY" && wrong?.problem == "is not a day, such as 2026-05-01"
        )
        let listed = await refusal { try $0.set("inspection", id, [Assignment("READINGS", text: "1,two")]) }
        #expect(listed?.code == .invalid)
        let chosen = await refusal { try $0.set("inspection", id, [Assignment("VERDICT", text: "maybe")]) }
        #expect(chosen?.message == "The value of VERDICT is none of: passed, failed.")
        let long = await refusal { _ = try $0.add(Inspection(device: String(repeating: "x", count: 21))) }
        #expect(long?.message == "The value of DEVICE has 21 bytes; the maximum is 20.")
        let large = await refusal { try $0.edit(Inspection.self, id) { $0.image = [UInt8](repeating: 1, count: 9) } }
        #expect(large?.code == .invalid)
        let never = await refusal {
            try $0.edit(Inspection.self, id) { $0.finished = .distantFuture.addingTimeInterval(1e12) }
        }
        #expect(never?.code == .invalid)
        await #expect(throws: Inspection.NegativeCount.self) {
            try await store.write { try $0.edit(Inspection.self, id) { $0.count = -1 } }
        }
        #expect(try store.currentToken() == before, "nothing was written")
        let missing = await refusal { try $0.edit(Inspection.self, RecordID(high: 1, low: 1)) { $0.count = 1 } }
        #expect(missing?.code == .notFound)
        try await store.write { try $0.set("inspection", id, [Assignment("DAY", nil)]) }
        #expect(try store.find(Inspection.self, id)?.day == nil, "a clear is of every type")
    }

    @Test func `show what earlier versions wrote, the later of two writes`() async throws {
        let folder = try TemporaryFolder()
        let (place, state) = (folder.url.appending(path: "log"), folder.url.appending(path: "state"))
        func configuration(_ kind: any RecordKind.Type) -> Configuration {
            Configuration(author: "N0CALL", kinds: [kind], stateFolder: state)
        }
        let first = try await Store.create(at: place, configuration(FirstPrice.self))
        let id = try await first.write { try $0.add(FirstPrice(price: "12.50")) }.value
        try first.close()
        let second = try await Store.open(at: place, configuration(SecondPrice.self)).whole
        #expect(try second.all(SecondPrice.byCents, prefix: [.number(1250)]).map(\.id) == [id])
        try await second.write { try $0.edit(SecondPrice.self, id) { $0.cents = 900 } }
        #expect(try second.all(SecondPrice.byCents).map(\.cents) == [900])
        try second.close()
        let again = try await Store.open(at: place, configuration(FirstPrice.self)).whole
        try await again.write { try $0.edit(FirstPrice.self, id) { $0.price = "7" } }
        try again.close()
        let last = try await Store.open(at: place, configuration(SecondPrice.self)).whole
        #expect(try last.find(SecondPrice.self, id)?.cents == 700)
        #expect(try last.all(SecondPrice.byCents).map(\.cents) == [700], "the index follows the other version")
        #expect(try last.compareWithReplay().isSame)
        try last.close()
    }

    @Test func `read another form of the same field`() async throws {
        let temporary = try await Self.store(Paint.self)
        let store = temporary.store
        let ids = try await store.write { batch in
            try ["2", "red", "3"].map { try batch.add("paint", [Assignment("COLOUR", text: $0)]) }
        }.value
        let read = try ids.map { try store.find(Paint.self, $0) }
        #expect(read.map { $0?.colour } == [.green, .red, nil])
        #expect(read.map { $0?.problems.count } == [0, 0, 1])
    }

    @Test func `that two devices edit meet field by field, and lists hold what both added`() async throws {
        let folder = try TemporaryFolder()
        let shared = RemoteAddress.folder(folder.url.appending(path: "shared"))
        let configuration = Configuration(author: "N0CALL", kinds: [Inspection.self])
        let phone = try await TemporaryStore(configuration)
        let id = try await phone.store.write { try $0.add(Self.full) }.value
        try await phone.store.add(remote: "there", at: shared)
        try await phone.store.sync(try phone.store.remote("there"))
        let tablet = try await TemporaryStore(joining: shared, configuration)
        try await phone.store.write {
            try $0.edit(Inspection.self, id) {
                $0.count = 10
                $0.labels.append("phone, of course")
            }
        }
        let seen = try #require(try tablet.store.find(Inspection.self, id))
        try await tablet.store.write {
            try $0.edit(seen) {
                $0.count = 20
                $0.day = nil
                $0.labels.append("tablet")
            }
        }
        for store in [phone.store, tablet.store, phone.store] { try await store.sync(try store.remotes().first!) }
        let (one, other) = (
            try #require(try phone.store.find(Inspection.self, id)),
            try #require(try tablet.store.find(Inspection.self, id))
        )
        #expect(one.value == other.value && one.day == nil)
        #expect(Set(one.labels) == ["Smith, John", "red", "phone, of course", "tablet"])
        let conflict = try #require(try phone.store.conflicts(in: one.record).first)
        #expect(
            conflict.field == "COUNT"
                && Set(conflict.candidates.compactMap(\.value)) == [Array("10".utf8), Array("20".utf8)])
        let loser = try #require(conflict.candidates.first { !$0.isShown })
        _ = try await phone.store.choose(loser, in: conflict)
        #expect(try phone.store.conflicts().isEmpty)
        let error = await #expect(throws: StoreError.self) { _ = try await phone.store.choose(loser, in: conflict) }
        #expect(error?.code == .conflict)
    }

    /// A list of bytes that are no text.
    private struct Ring: TypedRecord, Equatable {
        var keys: [[UInt8]] = []
        var words: [String] = []
        static let name = "ring"
        static let fields = [Field(1, "KEYS", \.keys), Field(2, "WORDS", \.words) { $0.lowercased() }]
    }

    @Test func `keep bytes that are no text apart, and equal elements once`() async throws {
        let temporary = try await Self.store(Ring.self)
        let store = temporary.store
        let id = try await store.write { try $0.add(Ring(keys: [[0xFF]], words: ["Wood", "wood", "iron"])) }.value
        #expect(try store.find(Ring.self, id)?.value == Ring(keys: [[0xFF]], words: ["Wood", "iron"]))
        try await store.write { try $0.edit(Ring.self, id) { $0.keys.append([0xFE]) } }
        #expect(try store.find(Ring.self, id)?.keys == [[0xFF], [0xFE]])
        try await store.write { try $0.edit(Ring.self, id) { $0.keys = [[0xFE], [1, 0x81]] } }
        #expect(try store.find(Ring.self, id)?.keys == [[0xFE], [1, 0x81]])
        try await store.write { try $0.edit(Ring.self, id) { $0.keys = [[1, 0x80]] } }
        #expect(try store.find(Ring.self, id)?.keys == [[1, 0x80]])
    }

    @Test func `of two versions that meet leave nothing to decide about what they say of their kind`() async throws {
        let folder = try TemporaryFolder()
        let shared = RemoteAddress.folder(folder.url.appending(path: "shared"))
        let first = try await TemporaryStore(Configuration(author: "N0CALL", kinds: [FirstPrice.self]))
        try await first.store.add(remote: "there", at: shared)
        try await first.store.sync(try first.store.remote("there"))
        let second = try await TemporaryStore(
            joining: shared, Configuration(author: "N0CALL", kinds: [SecondPrice.self]))
        // Neither has what the other one says of the kind.
        let id = try await first.store.write { try $0.add(FirstPrice(price: "2.50")) }.value
        try await second.store.write { _ = try $0.add(SecondPrice(cents: 100)) }
        for store in [first.store, second.store, first.store] { try await store.sync(try store.remotes().first!) }
        #expect(try first.store.conflicts().isEmpty && second.store.conflicts().isEmpty)
        #expect(try second.store.find(SecondPrice.self, id)?.cents == 250)
    }

    @Test func `that are written by name are not judged by the rules of their kind`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { try $0.add(Self.full) }.value
        try await store.write { try $0.set("inspection", id, [Assignment("COUNT", text: "-1")]) }
        #expect(try store.find(Inspection.self, id)?.count == -1, "writes by name are judged by the types alone")
    }

    @Test func `are found by their indexes, now, at a past point and backwards`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let days = ["2026-04-30", "2026-05-01", "2026-05-02", "2026-05-02"]
        let ids = try await store.write { batch in
            try days.enumerated().map { number, day in
                try batch.add(
                    Inspection(
                        device: number < 2 ? "Car" : "Caravan", day: CalendarDay(day), count: number % 3,
                        labels: ["l\(number)", "all"]))
            }
        }.value
        let before = try store.currentToken()
        #expect(try store.all(Inspection.byDay, text: "2026-05").map(\.day?.day) == [1, 2, 2])
        #expect(try store.all(Inspection.byDay, isBackwards: true, limit: 2).map(\.day?.day) == [2, 2])
        #expect(try store.all(Inspection.byDay, limit: 0).isEmpty)
        #expect(try store.all(Inspection.byDevice, prefix: ["Car"]).map(\.id) == [ids[0], ids[1]])
        #expect(try store.all(Inspection.byLabel, prefix: ["all"]).count == 4)
        #expect(try store.read { try $0.count(of: Inspection.byLabel, text: "l") } == 4)
        try await store.write {
            try $0.remove("inspection", ids[1])
            try $0.edit(Inspection.self, ids[0]) { $0.day = nil }
        }
        #expect(try store.all(Inspection.byDay).map(\.id) == Array(ids[2...]).sorted())
        #expect(try store.all(Inspection.self).count == 3)
        let past = try await store.at(.position(before.position))
        #expect(try past.all(Inspection.byDay).map(\.day?.day) == [30, 1, 2, 2])
        #expect(try past.find(Inspection.self, ids[1])?.device == "Car")
    }

    @Test func `that are probably one thing are listed`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let ids = try await store.write { batch in
            try [("A", 1), ("B", 1), ("A", 1), ("A", 2), ("B", 1)].map {
                try batch.add(Inspection(device: $0.0, count: $0.1))
            }
        }.value
        let repeated = try store.read { try $0.repeated(Inspection.self) }
        #expect(repeated.map(\.key) == [["A", 1], ["B", 1]] && repeated.allSatisfy { $0.index == "device" })
        #expect(repeated.map { Set($0.records) } == [[ids[0], ids[2]], [ids[1], ids[4]]])
        try await store.write { try $0.remove("inspection", ids[0]) }
        #expect(try store.read { try $0.repeated(Inspection.self) }.map(\.key) == [["B", 1]])
    }

    @Test func `are observed`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        var values = store.values(of: Inspection.byDevice, prefix: ["Ladder"]).makeAsyncIterator()
        #expect(try await values.next()?.isEmpty == true)
        try await store.write { _ = try $0.add(Inspection(device: "Scaffold")) }
        let id = try await store.write { try $0.add(Inspection(device: "Ladder")) }.value
        #expect(try await values.next()?.map(\.id) == [id])
    }

    @Test func `that were erased are found nowhere`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { try $0.add(Self.full) }.value
        _ = try await store.erase([id], kind: "inspection")
        #expect(try store.find(Inspection.self, id) == nil)
        #expect(try store.all(Inspection.byDevice).isEmpty)
    }
}
