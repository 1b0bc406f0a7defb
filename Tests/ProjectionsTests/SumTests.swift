import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveProjections

/// What the checkpoint says of the rows of each table, against rows that are read and added up by other code.
@Suite struct `The sums of the views` {
    /// The rows of a view as this test counts them.
    struct Counted: Equatable {
        var rows: [String: UInt64] = [:]
        var totals: [String: UInt64] = [:]

        /// What the checkpoint says.
        init(_ sums: TableSums) {
            for table in SummedTable.allCases {
                rows[table.name] = sums[table].rows
                totals[table.name] = sums[table].total
            }
        }

        /// What lies in the file.
        init(_ transaction: borrowing ReadTransaction) throws {
            for name in ["records", "index", "unread", "blocks", "cells", "behind", "meta"] {
                (rows[name], totals[name]) = (0, 0)
                let table = try #require(try transaction.table(name, of: [UInt8].self))
                try transaction.withCursor(table) { cursor in
                    var isThere = try cursor.first()
                    while isThere {
                        let (key, row) = try cursor.withEntry { (Self.array($0), Self.array($1)) }
                        if name != "meta" || key != Array("checkpoint".utf8) { add(key, row, to: name) }
                        isThere = try cursor.next()
                    }
                }
            }
        }

        private static func array(_ bytes: RawSpan) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }

        private mutating func add(_ key: [UInt8], _ row: [UInt8], to name: String) {
            let sealed =
                switch name {
                case "meta": Array(row.dropFirst(4))
                default: key + row.dropFirst(4)
                }
            rows[name]? += 1
            totals[name]? &+= Self.mixed(UInt64(key.count + row.count) << 32 | UInt64(Self.checksum(sealed)))
        }

        /// CRC-32C bit by bit, as RFC 3720 defines it.
        private static func checksum(_ bytes: [UInt8]) -> UInt32 {
            ~bytes.reduce(UInt32.max) { register, byte in
                (0..<8).reduce(register ^ UInt32(byte)) { word, _ in
                    word & 1 == 1 ? word >> 1 ^ 0x82F6_3B78 : word >> 1
                }
            }
        }

        /// The finaliser of splitmix64, as https://prng.di.unimi.it/splitmix64.c has it.
        private static func mixed(_ word: UInt64) -> UInt64 {
            var z = word
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    /// Blocks that say how many they are, in cells of 4 and 8 items.
    private static let series = KindSchema(
        name: "count", fields: [],
        series: SeriesSchema(
            itemsPerCell: 4, factor: 2, levelCount: 2,
            add: { summary, cell in [UInt8(truncatingIfNeeded: (cell?.count ?? 0) + summary.byteCount)] }))

    private let store: TestStore

    init() throws { store = try TestStore(kinds: Kinds([TestStore.kind, Self.series])) }

    private func compare(_ environment: Environment, _ comment: Comment) throws -> Counted {
        let found = try environment.read { try Counted($0) }
        let said = try environment.read { try Counted(Replayer.checkpoint(in: $0, ViewTables(in: $0)).sums) }
        #expect(said == found, comment)
        return said
    }

    private func writeBlocks(_ count: Int, from first: UInt64) throws {
        try store.write(
            (0..<UInt64(count)).map { number in
                Change(
                    kind: "count", record: RecordID(high: 0, low: number % 2),
                    block: SeriesBlock(first: first + number, count: 1, summary: [1, 2], content: [3]))
            })
    }

    /// Writes to a record, which a program folds that has other kinds.
    private func writeElsewhere() throws {
        store.views.close()
        let other = Views(of: store.log, kinds: Kinds([]), at: store.folder.appending(path: "views.mdb").path)
        defer { other.close() }
        let set = FieldOperation(.set, .number(1), value: Array("elsewhere".utf8))
        try store.write([Change(kind: "thing", record: RecordID(high: 0, low: 99), operations: [set])])
        try other.catchUp()
        #expect(other.rebuildsSoFar.isEmpty)
    }

    private func writeUnknown() throws {
        var (batch, generator) = (DraftBatch(), SystemRandomNumberGenerator())
        batch.append(shape: { $0.append(UInt8(9)) }, values: { $0.append(UInt8(1)) })
        _ = try store.log.append([batch], as: store.replica, arrival: .now())
        _ = generator.next()
    }

    @Test(arguments: UInt64(1)...20)
    func `are those of all rows after each fold, and after views were built anew`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        try store.views.catchUp()
        let rebuilds = store.views.rebuildsSoFar
        for round in UInt64(0)..<6 {
            try store.write(12, using: &numbers)
            if numbers.chance(0.7) { try writeBlocks(5, from: round * 5) }
            if numbers.chance(0.7) { try writeUnknown() }
            try store.views.catchUp()
            let said = try compare(store.views.environment(), "after round \(round)")
            #expect((said.rows["records"] ?? 0) > 0 && (said.rows["index"] ?? 0) > 0)
        }
        try writeBlocks(3, from: 100)
        try writeUnknown()
        try store.views.catchUp()
        #expect(store.views.rebuildsSoFar == rebuilds, "they were folded, and not built anew")
        try writeElsewhere()
        let before = try compare(store.views.environment(), "before")
        #expect(before.rows.allSatisfy { $0.value > 0 }, "there is something in each table")
        try store.views.catchUp()
        let followed = try compare(store.views.environment(), "with what the other program left")
        #expect(followed.rows["behind"] == 0)
        try store.views.rebuild()
        let after = try compare(store.views.environment(), "after")
        #expect(after.rows == followed.rows)
        #expect(Views.damage(at: store.folder.appending(path: "views.mdb").path) == nil)
    }

    @Test(arguments: [1, 3, 1000])
    func `are those of all rows where views begin with a snapshot`(length: Int) throws {
        var numbers = SeededGenerator(seed: 9)
        try store.write(40, using: &numbers)
        try writeBlocks(8, from: 0)
        try writeUnknown()
        try store.views.catchUp()
        let position = try store.log.lastPosition()
        var bytes: [UInt8] = []
        let past = try PastViews(
            of: store.views, EventFilter(try store.log.vector(through: position)),
            temporaryPath: store.folder.appending(path: "past").path)
        _ = try #require(try Snapshot.write(of: past, created: 0) { bytes += $0 })
        let path = store.folder.appending(path: "a.snapshot").path
        try Data(bytes).write(to: URL(filePath: path))
        try store.write(30, using: &numbers)
        try writeBlocks(8, from: 8)
        try writeUnknown()
        let environment = try Views.load(
            SnapshotReader(path), at: store.folder.appending(path: "loaded.mdb").path, of: store.log,
            kinds: store.views.kinds, resumingAfter: position, through: position + 3,
            content: store.log.content())
        defer { environment.close() }
        let loaded = try compare(environment, "with the first events behind it")
        #expect(loaded.rows.allSatisfy { $0.value > 0 || $0.key == "behind" })
        let replayer = Replayer(log: store.log, kinds: store.views.kinds, sliceCount: length)
        #expect(try replayer.catchUp(environment).events > 20)
        _ = try compare(environment, "at the end")
    }

    @Test func `count what an entry of an index was that went`() throws {
        try store.views.catchUp()
        for value in ["before", "after", "", "before"] {
            try store.set(1, 1, value)
            _ = try compare(store.views.environment(), "\(value)")
        }
    }

    /// Changes the first row of a table but the checkpoint, with a checksum that is right, behind the back of the sums; or
    /// takes it away.
    private func meddle(with name: String, isRowLeft: Bool) throws {
        store.views.close()
        let environment = try Environment.open(
            store.folder.appending(path: "views.mdb").path, options: Views.options)
        defer { environment.close() }
        try environment.write { transaction in
            let table = try #require(try transaction.table(name, of: [UInt8].self))
            let first = name == "meta" ? SliceWriter.namesKey : [0]
            var (key, row): ([UInt8], [UInt8]) = try transaction.withCursor(table) { cursor in
                _ = try name == "unread" ? cursor.first() : cursor.seek(atOrAfter: first)
                return try cursor.withEntry { ($0.toArray(), $1.toArray()) }
            }
            _ = try transaction.remove(key, in: table)
            guard isRowLeft else { return }
            row.removeFirst(4)
            switch name {
            case "index":
                key[key.count - 1] ^= 0x80
                row = Array(CheckedRow.seal(key).prefix(4))
            case "meta":
                row[row.count - 1] ^= 1
                row = CheckedRow.seal(row)
            default:
                row = row.isEmpty ? [1] : row.dropLast() + [row[row.count - 1] ^ 1]
                row = CheckedRow.seal(row, under: key)
            }
            try transaction.put(row.span.bytes, for: key, in: table)
        }
    }

    @Test(arguments: ["records", "index", "unread", "blocks", "cells", "behind", "meta"], [true, false])
    func `tell of a row of any table that is another one, or is gone, though each checksum is right`(
        table: String, isRowLeft: Bool
    ) throws {
        var numbers = SeededGenerator(seed: 3)
        try store.write(12, using: &numbers)
        try writeBlocks(5, from: 0)
        try writeUnknown()
        try store.views.catchUp()
        try writeElsewhere()
        store.views.close()
        let path = store.folder.appending(path: "views.mdb").path
        #expect(Views.damage(at: path) == nil)
        try meddle(with: table, isRowLeft: isRowLeft)
        let damage = try #require(Views.damage(at: path))
        #expect(damage.contains("table \(table)"), "\(damage)")
        #expect(damage.contains("its checkpoint counts") != isRowLeft, "\(damage)")
    }
}
