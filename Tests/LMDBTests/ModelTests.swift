import GroundwaveLMDB
import GroundwaveSeededNumbers
import Testing

/// What a table should hold: keys as bytes, in the order of bytes.
private struct Model {
    var values: [[UInt8]: [UInt8]] = [:]

    var sortedKeys: [[UInt8]] { values.keys.sorted { $0.lexicographicallyPrecedes($1) } }
}

@Suite struct `A table does what a sorted dictionary does` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keys that often are equal, neighbours or prefixes of one another.
    private func randomKey(_ random: inout SeededGenerator) -> [UInt8] {
        let length = Int.random(in: 0..<20, using: &random) == 0 ? 511 : Int.random(in: 1...3, using: &random)
        return (0..<length).map { _ in UInt8.random(in: 0..<6, using: &random) }
    }

    /// Values of all kinds: none, a few bytes, many on a page, several pages each.
    private func randomValue(_ random: inout SeededGenerator) -> [UInt8] {
        let lengths = [0, 1, 10, 200, 1_500, 2_100, 9_000]
        let length = lengths[Int.random(in: 0..<lengths.count, using: &random)]
        let first = UInt8.random(in: 0 ... .max, using: &random)
        return (0..<length).map { UInt8(truncatingIfNeeded: $0) &+ first }
    }

    @Test(arguments: UInt64(1)...10)
    func `after any writes, committed or not`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var committed = Model()
        let options = Environment.Options(initialMapSizeBytes: 1 << 20, synchronous: false)
        var environment = try Environment.make(folder(), options: options)
        struct Abandoned: Error {}
        for _ in 0..<25 {
            var model = committed
            // The body may run again when the map grows: then it must do the same again.
            let start = random
            do {
                try environment.write { transaction in
                    (model, random) = (committed, start)
                    let table = try transaction.openOrCreate("bytes", of: [UInt8].self)
                    for _ in 0..<Int.random(in: 1...40, using: &random) {
                        try change(&model, transaction, table, &random)
                    }
                    if Int.random(in: 0..<4, using: &random) == 0 { throw Abandoned() }
                }
                committed = model
            } catch is Abandoned {}
            if Int.random(in: 0..<8, using: &random) == 0 {
                environment.close()
                environment = try Environment.open(folder(), options: options)
            }
            try environment.read { transaction in
                guard let table = try transaction.table("bytes", of: [UInt8].self) else {
                    #expect(committed.values.isEmpty)
                    return
                }
                try compare(committed, transaction, table, &random)
            }
        }
    }

    /// One random change to both.
    private func change(
        _ model: inout Model, _ transaction: borrowing WriteTransaction, _ table: Table<[UInt8]>,
        _ random: inout SeededGenerator
    ) throws {
        let (key, value) = (randomKey(&random), randomValue(&random))
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<15:
            try transaction.put(value, for: key, in: table)
            model.values[key] = value
        case 15..<20:
            let isNew = model.values[key] == nil
            #expect(try transaction.insert(value, for: key, in: table) == isNew)
            if isNew { model.values[key] = value }
        case 20..<24:
            let sortsLast = model.sortedKeys.last.map { $0.lexicographicallyPrecedes(key) } ?? true
            let refusal = try reason { try transaction.append(value, for: key, in: table) }
            #expect(refusal == (sortsLast ? nil : .keyOrder))
            if sortsLast { model.values[key] = value }
        case 24..<28:
            try transaction.reserve(byteCount: value.count, for: key, in: table) { bytes in
                for index in value.indices {
                    bytes.storeBytes(of: value[index], toByteOffset: index, as: UInt8.self)
                }
            }
            model.values[key] = value
        case 28..<35:
            let removed = model.values.removeValue(forKey: key)
            #expect(try transaction.remove(key, in: table) == (removed != nil))
        case 35..<37:
            try changeThroughCursor(&model, transaction, table, &random)
        case 37 where Int.random(in: 0..<5, using: &random) == 0:
            try transaction.removeAll(in: table)
            model.values = [:]
        default:
            #expect(try transaction.value(key, in: table) == model.values[key])
        }
    }

    /// Walks from a random key, removing and replacing on the way, forwards or backwards.
    private func changeThroughCursor(
        _ model: inout Model, _ transaction: borrowing WriteTransaction, _ table: Table<[UInt8]>,
        _ random: inout SeededGenerator
    ) throws {
        let start = randomKey(&random)
        let isForward = Bool.random(using: &random)
        let keys = model.sortedKeys.filter { !$0.lexicographicallyPrecedes(start) }
        try transaction.withCursor(table) { (cursor) throws in
            var isOnEntry = try cursor.seek(atOrAfter: start)
            #expect(isOnEntry == !keys.isEmpty)
            var path = keys
            if !isForward {
                path = model.sortedKeys.filter { $0.lexicographicallyPrecedes(start) || $0 == keys.first }.reversed()
                if keys.isEmpty { return }
            }
            for key in path {
                try #require(isOnEntry)
                #expect(cursor.key == key)
                #expect(try cursor.withEntry { [UInt8](bytes: $1) } == model.values[key])
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    try cursor.remove()
                    model.values[key] = nil
                    #expect(cursor.key == nil)
                    #expect(try reason { try cursor.remove() } == .noEntry)
                case 1:
                    let value = randomValue(&random)
                    try cursor.replace(with: value)
                    model.values[key] = value
                    #expect(try cursor.withEntry { [UInt8](bytes: $1) } == value)
                default: break
                }
                isOnEntry = isForward ? try cursor.next() : try cursor.previous()
            }
            #expect(!isOnEntry)
        }
    }

    /// Compares all that can be read.
    private func compare<Transaction: ReadableTransaction & ~Copyable>(
        _ model: Model, _ transaction: borrowing Transaction, _ table: Table<[UInt8]>, _ random: inout SeededGenerator
    ) throws {
        let keys = model.sortedKeys
        #expect(try transaction.count(of: table) == keys.count)
        #expect(try keys.map { try transaction.value($0, in: table) } == keys.map { model.values[$0] })
        let start = randomKey(&random)
        #expect(try transaction.value(start, in: table) == model.values[start])
        try transaction.withCursor(table) { (cursor) throws in
            var found: [[UInt8]] = []
            while try cursor.next() { found.append(cursor.key ?? []) }
            #expect(found == keys)
            found = []
            while try found.isEmpty ? cursor.last() : cursor.previous() {
                found.append(cursor.key ?? [])
            }
            #expect(found == keys.reversed())
            #expect(try cursor.first() == !keys.isEmpty)
            #expect(cursor.key == keys.first)
            #expect(try cursor.seek(to: start) == (model.values[start] != nil))
            #expect(cursor.key == (model.values[start] == nil ? nil : start))
            found = []
            try cursor.forEach(from: start) { key, value in
                found.append([UInt8](bytes: key))
                // One expectation for each entry would take most of the time of this test.
                if [UInt8](bytes: value) != model.values[found.last ?? []] {
                    Issue.record("\(found) has a wrong value.")
                }
                return found.count < 50
            }
            #expect(found == Array(keys.drop { $0.lexicographicallyPrecedes(start) }.prefix(50)))
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `after appending numbers with gaps and looking for any number`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let environment = try Environment.make(folder())
        var keys: [UInt64] = []
        try environment.write { transaction in
            let table = try transaction.openOrCreate(entries, of: UInt64.self)
            try transaction.withCursor(table) { cursor in
                var key: UInt64 = 0
                for _ in 0..<2_000 {
                    key += UInt64.random(in: 1...300, using: &random)
                    try cursor.append(value(for: key), for: key)
                    keys.append(key)
                }
                let last = key
                #expect(try reason { try cursor.append([], for: last) } == .keyOrder)
            }
        }
        try environment.read { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            for _ in 0..<500 {
                let wanted = UInt64.random(in: 0...330_000, using: &random)
                let next = keys.first { $0 >= wanted }
                try transaction.withCursor(table) { (cursor) throws in
                    #expect(try cursor.seek(atOrAfter: wanted) == (next != nil))
                    #expect(cursor.key == next)
                    #expect(try cursor.seek(to: wanted) == (next == wanted))
                    #expect(try transaction.value(wanted, in: table) == (next == wanted ? value(for: wanted) : nil))
                }
            }
        }
    }
}
