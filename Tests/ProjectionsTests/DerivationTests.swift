import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveProjections

/// Which things show each value of their first field, and how many.
private enum Values: Projection {
    static let name = "values"
    static let kinds = ["thing"]

    static func project(_ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows)
    {
        guard record.isVisible, let value = record.text("A") else { return }
        rows.add([.text(value)], value: Array((record.text("B") ?? "").utf8))
        rows.add(sums: [1, Int64(value.utf8.count)], to: [.text(value)])
    }
}

/// Programs with different kinds use one store, one after the other.
@Suite struct `Views of several programs` {
    private static let fields = [FieldSchema(1, "A"), FieldSchema(2, "B")]

    /// Finds things by their first field.
    private static let first = Kinds([TestStore.kind])
    /// Finds them by both, and has a projection.
    private static let both = Kinds(
        [
            KindSchema(
                name: "thing", version: 2, fields: fields, indexes: [IndexSchema(1, "a"), IndexSchema(2, "b")],
                indexEntries: { values, entries in
                    entries.add(values.value(1) ?? [], to: 1)
                    entries.add(values.value(2) ?? [], to: 2)
                })
        ], projections: [Values.self])
    /// Knows nothing of things.
    private static let none = Kinds([])

    /// What a program finds.
    private struct Answers: Equatable {
        var digest: ViewDigest
        var entries: [[String]] = [[], []]
        var rows: [String] = []
        var sums: [String: [Int64]] = [:]
    }

    private static func answers(_ view: borrowing ViewReader) throws -> Answers {
        var answers = Answers(digest: try view.digest())
        for index in [UInt8(1), 2] {
            try view.forEachEntry(of: "thing", index: index) { key, record in
                answers.entries[Int(index) - 1].append("\(String(decoding: key.toArray(), as: UTF8.self)) \(record)")
                return true
            }
        }
        guard view.kinds.place(of: .projection, Values.name) != nil else { return answers }
        try view.forEachRow(of: Values.self) { key, record, value in
            answers.rows.append("\(key.values) \(record) \(value)")
            return true
        }
        try view.forEachSums(of: Values.self) { key, sums in
            guard case .text(let text)? = key.values.first else { return true }
            answers.sums[text] = sums
            let again = try view.sums(of: Values.self, key)
            #expect(again == sums)
            return true
        }
        return answers
    }

    /// The same from the records alone, as the definitions of index and projection say.
    private static func expected(_ view: borrowing ViewReader) throws -> Answers {
        var answers = Answers(digest: try view.digest())
        var rows: [(key: String, record: RecordID, value: [UInt8])] = []
        var entries: [[(key: [UInt8], record: RecordID)]] = [[], []]
        try view.forEachRecord(of: "thing") { record in
            if record.isErased { return true }
            let a = record[.number(1)]?.value
            let b = record[.number(2)]?.value
            entries[0].append((a ?? [], record.id))
            entries[1].append((b ?? [], record.id))
            if record.isVisible, let a {
                let text = String(decoding: a, as: UTF8.self)
                rows.append((text, record.id, b ?? []))
                let sums = answers.sums[text] ?? [0, 0]
                answers.sums[text] = [sums[0] + 1, sums[1] + Int64(a.count)]
            }
            return true
        }
        answers.entries = entries.map { entries in
            entries.sorted { left, right in
                let (a, b) = (left.key + left.record.bytes, right.key + right.record.bytes)
                return a.lexicographicallyPrecedes(b)
            }.map { "\(String(decoding: $0.key, as: UTF8.self)) \($0.record)" }
        }
        answers.rows = rows.sorted { ($0.key, $0.record) < ($1.key, $1.record) }.map { row in
            "\([ProjectionKey.Value.text(row.key)]) \(row.record) \(row.value)"
        }
        return answers
    }

    private let store: TestStore

    init() throws { store = try TestStore(kinds: Self.first) }

    /// Opens the views as a program with `kinds`.
    private func with<Result>(_ kinds: Kinds, _ body: (Views) throws -> Result) throws -> Result {
        store.views.close()
        let views = Views(of: store.log, kinds: kinds, at: store.folder.appending(path: "views.mdb").path)
        defer { views.close() }
        let result = try body(views)
        #expect(views.rebuildsSoFar.filter { $0.reason != "they are missing" }.isEmpty, "\(views.rebuildsSoFar)")
        return result
    }

    private func write(_ count: Int, using numbers: inout SeededGenerator) throws {
        for _ in 0..<count { try store.write([randomChange(using: &numbers)]) }
    }

    private func randomChange(using numbers: inout SeededGenerator) throws -> Change {
        let id = TestStore.records.randomElement(using: &numbers) ?? TestStore.records[0]
        let field = numbers.chance(0.5) ? FieldKey.number(1) : .number(2)
        let record =
            numbers.chance(0.8)
            ? try with(Self.none) {
                try $0.catchUp(); return try $0.read { try $0.record("thing", id) }
            } : nil
        let operation =
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0: FieldOperation(.clear, field, supersedes: record?.superseded(by: field) ?? [])
            case 1: FieldOperation(.delete, .life, supersedes: record?.coveredByDelete ?? [])
            case 2 where id == TestStore.records[5]: FieldOperation(.erase, .life)
            default:
                FieldOperation(
                    .set, field, supersedes: record?.superseded(by: field) ?? [],
                    value: Array("v\(Int.random(in: 0..<5, using: &numbers))".utf8))
            }
        return Change(kind: "thing", record: id, operations: [operation])
    }

    @Test(arguments: UInt64(1)...60)
    func `show each of them what its kinds derive, whoever folded the changes, without a rebuild`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            try write(Int.random(in: 0..<6, using: &numbers), using: &numbers)
            let kinds = [Self.first, Self.both, Self.none].randomElement(using: &numbers) ?? Self.none
            try with(kinds) { views in
                try views.catchUp()
                try views.read { view in
                    var expected = try Self.expected(view)
                    if view.kinds.place(of: .projection, Values.name) == nil {
                        (expected.rows, expected.sums) = ([], [:])
                    }
                    switch view.kinds["thing"]?.indexes.count {
                    case 2: break
                    case 1: expected.entries[1] = []
                    default: expected.entries = [[], []]
                    }
                    let answers = try Self.answers(view)
                    #expect(answers == expected)
                }
            }
        }
        let path = store.folder.appending(path: "views.mdb").path
        #expect(Views.damage(at: path) == nil)
        try with(Self.both) { views in
            try views.catchUp()
            #expect(try views.compare(foldingInto: store.folder.appending(path: "again.mdb").path).isSame)
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `of a past point, and without some events, show what the records there derive`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        try write(40, using: &numbers)
        try with(Self.both) { views in
            try views.catchUp()
            for _ in 0..<6 {
                let position = Position.random(in: 1...40, using: &numbers)
                let past = try PastViews(
                    of: views, EventFilter(try store.log.vector(through: position)),
                    temporaryPath: store.folder.appending(path: "past-\(position)").path)
                let (then, thenExpected) = try past.read { (try Self.answers($0), try Self.expected($0)) }
                #expect(then == thenExpected, "at \(position)")
                var filter = EventFilter()
                filter.without = EventSet([
                    EventRange(store.replica, position, through: min(40, position + 5))
                ])
                let without = try PastViews(
                    of: views, filter, temporaryPath: store.folder.appending(path: "without-\(position)").path)
                let (rest, restExpected) = try without.read { (try Self.answers($0), try Self.expected($0)) }
                #expect(rest == restExpected, "without \(position) and what follows")
            }
        }
    }

    @Test func `an index that is added finds everything, though no version was increased`() throws {
        for value in 0..<5 { try store.set(UInt64(value), 2, "b\(value)") }
        let added = Kinds([
            KindSchema(
                name: "thing", fields: Self.fields, indexes: [IndexSchema(1, "a"), IndexSchema(2, "b")],
                indexEntries: { values, entries in
                    entries.add(values.value(1) ?? [], to: 1)
                    entries.add(values.value(2) ?? [], to: 2)
                })
        ])
        try with(added) { views in
            try views.catchUp()
            try views.read { view in
                var found = 0
                try view.forEachEntry(of: "thing", index: 2) { _, _ in
                    found += 1
                    return true
                }
                #expect(found == 5)
            }
        }
    }

    @Test func `with a derivation that is left too far behind lose it, and make it anew`() throws {
        try store.set(1, 1, "before")
        let count = DerivationsLeftBehind.limit + 10
        let set = FieldOperation(.set, .number(1), value: Array("many".utf8))
        for half in [0..<2000, 2000..<count] {
            try store.write(
                half.map { Change(kind: "thing", record: RecordID(high: 1, low: UInt64($0)), operations: [set]) })
        }
        try with(Self.none) { views in
            try views.catchUp()
            #expect(try views.read { $0.derivedTables } == [])
        }
        let path = store.folder.appending(path: "views.mdb").path
        #expect(Views.damage(at: path) == nil)
        try with(Self.first) { views in
            try views.catchUp()
            let entries = try views.read { try $0.entries() }
            #expect(entries["many"]?.count == count && entries["before"] == [1])
        }
    }

    @Test func `list what is behind, and for whom`() throws {
        try store.set(1, 1, "before")
        try store.write([
            Change(
                kind: "thing", record: RecordID(high: 0, low: 2),
                operations: [FieldOperation(.set, .number(1), value: Array("x".utf8))])
        ])
        try with(Self.none) { views in
            try views.catchUp()
            #expect(
                try views.read { $0.derivedTables }
                    == [DerivedTable(name: "the indexes of thing", kinds: ["thing"], behind: 1)])
        }
        try with(Self.both) { views in
            try views.catchUp()
            #expect(
                try views.read { $0.derivedTables.map { "\($0.name) \($0.behind)" } } == [
                    "the indexes of thing 1", "the indexes of thing 0", "the projection values 0",
                ])
        }
    }

    @Test(arguments: [true, false])
    func `are told from right ones if an index has an entry less or more`(isLess: Bool) throws {
        for value in 0..<20 { try store.set(UInt64(value % 6), UInt32(1 + value % 2), "v\(value)") }
        store.views.close()
        let environment = try Views.openNew(store.folder.appending(path: "views.mdb").path)
        try environment.write { transaction in
            let checkpoint = try Replayer.checkpoint(in: transaction, ViewTables(in: transaction))
            var rows = try RowWriter(transaction)
            if isLess {
                let key = try #require(
                    try transaction.withCursor(rows.tables.index) { cursor in
                        _ = try cursor.first()
                        return try cursor.withEntry { key, _ in key.toArray() }
                    })
                try rows.removeDerived(key, transaction)
            } else {
                let key = DerivedKey.of(1, 1, Array("zz".utf8).span.bytes, RecordID(high: 0, low: 1))
                try rows.addDerived([UInt8]().span.bytes, for: key, isLast: false, transaction)
            }
            try rows.put(checkpoint, transaction)
        }
        environment.close()
        #expect(Views.damage(at: store.folder.appending(path: "views.mdb").path) == nil, "every sum is right")
        let comparison = try store.views.compare(foldingInto: store.folder.appending(path: "folded.mdb").path)
        #expect(!comparison.isSame && comparison.before == comparison.after)
        #expect(comparison.differing == ["the indexes of thing"])
        #expect(try !store.views.rebuildComparing().isSame)
        #expect(try store.views.compare(foldingInto: store.folder.appending(path: "again.mdb").path).isSame)
    }

    @Test func `that are only read are made elsewhere where another program leaves them behind`() throws {
        try store.set(1, 1, "before")
        store.views.close()
        let path = store.folder.appending(path: "views.mdb").path
        let aside = store.folder.appending(path: "aside.mdb").path
        let reader = Views(of: store.log, kinds: Self.first, at: path, isReadOnly: true, aside: { (aside, 0) })
        #expect(try reader.read { try $0.entries() } == ["before": [1]])
        reader.close()
        let set = FieldOperation(.set, .number(1), value: Array("meanwhile".utf8))
        try store.write([Change(kind: "thing", record: RecordID(high: 0, low: 2), operations: [set])])
        _ = try with(Self.none) { try $0.catchUp() }
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(try reader.read { try $0.entries() } == ["before": [1], "meanwhile": [2]])
        #expect(try reader.compare(foldingInto: store.folder.appending(path: "folded.mdb").path).isSame)
        reader.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes, "what is only read stays as it is")
    }

    @Test func `with a series have the summaries of its blocks, whoever folded them`() throws {
        let summed = Kinds([
            KindSchema(
                name: "count", fields: [],
                series: SeriesSchema(
                    itemsPerCell: 4, factor: 2, levelCount: 2,
                    add: { summary, cell in [UInt8(truncatingIfNeeded: Int(cell?.first ?? 0) + summary.byteCount)] }))
        ])
        func writeBlocks(_ numbers: Range<UInt64>) throws {
            try store.write(
                numbers.map { number in
                    Change(
                        kind: "count", record: RecordID(high: 0, low: number % 2),
                        block: SeriesBlock(first: number, count: 1, summary: [1, 2], content: [3]))
                })
        }
        for (round, kinds) in [summed, Self.none, summed, Self.both, Self.none, summed].enumerated() {
            try writeBlocks(UInt64(round * 5)..<UInt64(round * 5 + 5))
            _ = try with(kinds) { try $0.catchUp() }
        }
        try with(summed) { views in
            let comparison = try views.compare(foldingInto: store.folder.appending(path: "folded.mdb").path)
            #expect(comparison.isSame, "\(comparison.differing)")
            var total = 0
            try views.read { view in
                for record in 0..<2 {
                    _ = try view.forEachCell(of: "count", RecordID(high: 0, low: UInt64(record)), level: 2) { _, cell in
                        total += Int(cell.byte(at: 0))
                        return true
                    }
                }
            }
            #expect(total == 60, "thirty blocks with summaries of two bytes")
        }
        #expect(Views.damage(at: store.folder.appending(path: "views.mdb").path) == nil)
    }
}

@Suite struct `Keys of a projection` {
    @Test(arguments: UInt64(1)...200)
    func `sort as their values, and come back as they were`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        func value() -> ProjectionKey.Value {
            if numbers.chance(0.5) {
                return .number([Int64.min, -1, 0, 1, 255, 256, Int64.max].randomElement(using: &numbers) ?? 0)
            }
            return .text(["", "a", "a\0", "a\0b", "ab", "é", "\0"].randomElement(using: &numbers) ?? "")
        }
        func isLess(_ left: ProjectionKey, _ right: ProjectionKey) -> Bool {
            for (a, b) in zip(left.values, right.values) where a != b {
                switch (a, b) {
                case (.number(let a), .number(let b)): return a < b
                case (.text(let a), .text(let b)): return Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8))
                case (.number, .text): return true
                case (.text, .number): return false
                }
            }
            return left.values.count < right.values.count
        }
        for _ in 0..<50 {
            let keys = (0..<2).map { _ in
                ProjectionKey((0..<Int.random(in: 0..<4, using: &numbers)).map { _ in value() })
            }
            for key in keys { #expect(key.bytes.withSpan { ProjectionKey($0) } == key) }
            #expect(keys[0].bytes.lexicographicallyPrecedes(keys[1].bytes) == isLess(keys[0], keys[1]), "\(keys)")
        }
    }
}
