import Everything
import Foundation
import Groundwave
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import GroundwaveTraceFiles
import Testing

/// A counter, a gap, repeats, a sign, an extreme number.
private func smallRows() -> TraceRows {
    let layout = Layout(
        [
            Channel("voltage", .volt, decimals: 4), Channel("current", .ampere, decimals: 3),
            Channel("mode", .none, decimals: 0),
        ], tick: .init(hertz: 1000, modulus: 65_536))
    var rows = TraceRows(layout, first: 0)
    rows.times = [1_777_636_800_000, 1_777_636_800_040, 1_777_636_800_041, 1_777_636_801_007]
    rows.ticks = [65_530, 65_570, 65_571, 65_572]
    rows.columns = [[12_345, 50_000, -1, 0], [-5, 1_000, 999, .min], [0, 1, 2, 3]]
    rows.marks = [Mark(.gap, before: 1, count: 39), Mark(.repeats, before: 3, count: 2)]
    return rows
}

/// Rows of seeded channels, units, decimals and numbers, extremes among them.
private func madeUpRows(_ count: Int, seed: UInt64) -> TraceRows {
    var numbers = SeededGenerator(seed: seed)
    let names = ["voltage", "d+", "power.factor", "group0.energy", "cc1"].shuffled(using: &numbers)
    let channels = names.prefix(.random(in: 1...5, using: &numbers)).map {
        Channel(
            $0, Channel.Unit.allCases.randomElement(using: &numbers) ?? .none,
            decimals: .random(in: 0...9, using: &numbers)
        )
    }
    let tick = numbers.chance(0.5) ? Layout.Tick(hertz: 1000, modulus: 65_536) : nil
    var rows = TraceRows(Layout(channels, tick: tick), first: 0)
    var time: Int64 = 1_777_636_800_000
    for row in 0..<count {
        time += .random(in: 0...60, using: &numbers)
        rows.times.append(time)
        if tick != nil { rows.ticks.append(.random(in: -9...1_000_000_000_000, using: &numbers)) }
        for column in rows.columns.indices {
            let extreme: Int64 = numbers.chance(0.5) ? .min : .max
            rows.columns[column].append(numbers.chance(0.02) ? extreme : .random(in: -90_000...90_000, using: &numbers))
        }
        if numbers.chance(0.05) { rows.marks.append(Mark(.gap, before: row, count: numbers.next() >> 20)) }
        if numbers.chance(0.05) { rows.marks.append(Mark(.repeats, before: row, count: 1)) }
    }
    return rows
}

extension Store {
    /// A trace of these rows, one layout after the other.
    fileprivate func trace(of pieces: TraceRows...) async throws -> Trace {
        let recorder = try await record(
            meter: MACAddress("02:00:00:00:00:01")!, model: .km003c, name: "made up", source: "a test")
        for rows in pieces { try await recorder.append(recorded: rows) }
        try await recorder.finish()
        return try #require(try traces().first { $0.id == recorder.trace })
    }
}

@Suite struct `A database of a trace` {
    private func exported(
        _ trace: Trace, _ store: Store, from start: Int64 = .min,
        _ change: (inout TraceExportOptions) -> Void = { _ in }, _ read: (String) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        var options = TraceExportOptions()
        change(&options)
        let path = folder.path("trace.sqlite")
        let report = try store.export(trace, as: .sqlite, options, from: start, toFile: path)
        #expect(report.byteCount == (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["trace.sqlite"])
        try read(path)
    }

    @Test func `has the integers of each row, what they mean, and a view in volts and amperes`() async throws {
        let temporary = try await TemporaryStore(.full())
        let trace = try await temporary.store.trace(of: smallRows())
        try exported(trace, temporary.store) { path in
            let rows = try sqliteRows(path, "SELECT * FROM rows")
            #expect(rows.count == 4)
            #expect(
                rows[1] == [
                    "row": "1", "time_ms": "1777636800040", "tick_1000Hz_mod65536": "65570", "missing": "39",
                    "repeats": "0", "voltage_100uV": "50000", "current_mA": "1000", "mode": "1",
                ])
            #expect(rows[3]["current_mA"] == "\(Int64.min)" && rows[3]["repeats"] == "2")
            let readings = try sqliteRows(path, "SELECT * FROM readings")
            #expect(
                readings[0] == [
                    "row": "0", "time": "2026-05-01T12:00:00.000Z", "tick_1000Hz_mod65536": "65530", "missing": "0",
                    "repeats": "0", "voltage_V": "1.2345", "current_A": "-0.005", "mode": "0",
                ])
            #expect(readings[3]["time"] == "2026-05-01T12:00:01.007Z")
            let channels = try sqliteRows(path, "SELECT * FROM channels")
            #expect(channels[0] == ["column": "voltage_100uV", "name": "voltage", "unit": "V", "decimals": "4"])
            let facts = Dictionary(
                uniqueKeysWithValues: try sqliteRows(path, "SELECT * FROM trace").map { ($0["key"]!, $0["value"]!) })
            #expect(facts["trace"] == "\(trace.id)" && facts["meter"] == "02:00:00:00:00:01")
            #expect(facts["model"] == "km003c" && facts["name"] == "made up" && facts["source"] == "a test")
            #expect(facts["rows"] == "4" && facts["missing"] == "39" && facts["withheld"] == "0")
        }
    }

    @Test(arguments: UInt64(0)..<12)
    func `brings back every integer, whatever its channel's unit and decimals`(seed: UInt64) async throws {
        let temporary = try await TemporaryStore(.full())
        let rows = madeUpRows(200, seed: seed)
        let trace = try await temporary.store.trace(of: rows)
        let firstChannel = rows.layout.tick == nil ? 4 : 5
        for gaps in TraceExportOptions.GapPolicy.allCases {
            try exported(trace, temporary.store, { $0.gaps = gaps }) { path in
                let names = try sqliteRows(path, "SELECT name FROM pragma_table_info('rows')").compactMap { $0["name"] }
                #expect(Set(names).count == firstChannel + rows.columns.count)
                var found = try sqliteRows(path, "SELECT * FROM rows")[...]
                for row in 0..<rows.count {
                    let marks = rows.marks.filter { $0.row == row }
                    var missing = marks.first { $0.kind == .gap }?.count ?? 0
                    if gaps == .blank, missing > 0 {
                        let blank = found.popFirst()
                        #expect(blank == ["time_ms": "\(rows.times[row])", "missing": "\(missing)", "repeats": "0"])
                        missing = 0
                    }
                    var expected = [
                        "row": "\(row)", "time_ms": "\(rows.times[row])", "missing": "\(missing)",
                        "repeats": "\(marks.first { $0.kind == .repeats }?.count ?? 0)",
                    ]
                    if rows.layout.tick != nil { expected[names[2]] = "\(rows.ticks[row])" }
                    for (name, column) in zip(names[firstChannel...], rows.columns) {
                        expected[name] = "\(column[row])"
                    }
                    let next = found.popFirst()
                    #expect(next == expected)
                }
                #expect(found.isEmpty)
            }
        }
    }

    @Test func `has the channels of all rows, and NULL where a row lacks one`() async throws {
        let temporary = try await TemporaryStore(.full())
        let layout = Layout([Channel("voltage", .volt, decimals: 5), Channel("power", .watt, decimals: 0)])
        var other = TraceRows(layout, first: 4)
        (other.times, other.columns) = ([1_777_636_802_000], [[500_001], [7]])
        let trace = try await temporary.store.trace(of: smallRows(), other)
        try exported(trace, temporary.store) { path in
            let rows = try sqliteRows(path, "SELECT * FROM rows")
            #expect(
                rows[4] == [
                    "row": "4", "time_ms": "1777636802000", "missing": "0", "repeats": "0", "voltage_10uV": "500001",
                    "power_W": "7",
                ])
            #expect(rows[0]["voltage_10uV"] == "123450" && rows[0]["power_W"] == nil && rows[0]["mode"] == "0")
            let counted = "SELECT count(voltage_V) AS v, count(power_W) AS p, sum(mode) AS m FROM readings"
            #expect(try sqliteRows(path, counted) == [["v": "5", "p": "1", "m": "6"]])
        }
        // Where the range has rows of one layout, the file has those channels.
        try exported(trace, temporary.store, from: 1_777_636_801_500) { path in
            let names = try sqliteRows(path, "SELECT name FROM channels").compactMap { $0["name"] }
            #expect(names == ["voltage", "power"])
        }
    }

    @Test func `is the same bytes each time`() async throws {
        let temporary = try await TemporaryStore(.full())
        let trace = try await temporary.store.trace(of: madeUpRows(3_000, seed: 9))
        var bytes: [Data] = []
        for _ in 1...2 {
            try exported(trace, temporary.store) { bytes.append(try Data(contentsOf: URL(filePath: $0))) }
        }
        #expect(bytes[0] == bytes[1] && bytes[0].count > 4_096)
    }

    @Test func `numbers rows as the trace does, and means not at all`() async throws {
        let temporary = try await TemporaryStore(.full())
        let rows = madeUpRows(500, seed: 3)
        let trace = try await temporary.store.trace(of: rows)
        try exported(trace, temporary.store, { $0.every = 70 }) { path in
            let found = try sqliteRows(path, "SELECT row FROM rows").compactMap { $0["row"] }
            #expect(found == stride(from: 0, to: 500, by: 70).map { "\($0)" })
        }
        let start = try #require(rows.times.max()) - 500
        let first = try #require(rows.times.firstIndex { $0 >= start })
        try exported(trace, temporary.store, from: start) { path in
            let found = try sqliteRows(path, "SELECT row FROM rows").first
            #expect(found?["row"] == "\(first)")
        }
        try exported(trace, temporary.store, { $0.bucketMilliseconds = 1_000 }) { path in
            let found = try sqliteRows(path, "SELECT * FROM rows")
            #expect(found.count > 3 && found.allSatisfy { $0["row"] == nil && $0["time_ms"]?.hasSuffix("000") == true })
        }
    }

    @Test func `that cannot be written leaves what was there`() async throws {
        let (temporary, folder) = (try await TemporaryStore(.full()), try TemporaryFolder())
        let store = temporary.store
        let path = folder.path("trace.sqlite")
        try Data("what was there".utf8).write(to: URL(filePath: path))
        func expectRefusal(_ trace: Trace, _ words: String, _ change: (inout TraceExportOptions) -> Void = { _ in }) {
            var options = TraceExportOptions()
            change(&options)
            #expect {
                _ = try store.export(trace, as: .sqlite, options, toFile: path)
            } throws: { error in
                guard let error = error as? StoreError else { return false }
                return error.code == .usage && error.message.contains(words)
            }
        }
        var other = TraceRows(Layout([Channel("voltage", .ampere, decimals: 2)]), first: 4)
        (other.times, other.columns) = ([1_777_636_802_000], [[500]])
        expectRefusal(try await store.trace(of: smallRows(), other), "some rows have it as voltage_V")
        expectRefusal(try await store.trace(of: smallRows()), "there is no channel power") { $0.channels = ["power"] }
        for names in [["d+", "D+"], ["Time", "voltage"], ["voltage", "ROW"]] {
            let channels = zip(names, [2, 3]).map { Channel($0, .none, decimals: $1) }
            var alike = TraceRows(Layout(channels), first: 0)
            (alike.times, alike.columns) = ([1_777_636_800_000], [[500], [500]])
            expectRefusal(try await store.trace(of: alike), "upper and lower case")
        }
        // Its column in `rows` would be `time_ms`.
        var timed = TraceRows(Layout([Channel("time", .second, decimals: 3)]), first: 0)
        (timed.times, timed.columns) = ([1_777_636_800_000], [[500]])
        expectRefusal(try await store.trace(of: timed), "upper and lower case")
        var many = smallRows()
        many.marks = [Mark(.gap, before: 2, count: 1 << 63)]
        expectRefusal(try await store.trace(of: many), "missing of row 2 cannot be written")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("what was there".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["trace.sqlite"])
    }

    @Test func `is a file, and no stream`() async throws {
        let temporary = try await TemporaryStore(.full())
        let trace = try await temporary.store.trace(of: smallRows())
        #expect {
            _ = try temporary.store.export(trace, as: .sqlite) { _ in Issue.record("nothing is handed out") }
        } throws: {
            ($0 as? StoreError)?.code == .usage
        }
        #expect(throws: TraceExportError.self) { try TraceWriter(.sqlite) }
    }
}

/// Files for `Tools/read-exports`, which has Python's own sqlite3 read them.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["GROUNDWAVE_EXPORTS"] != nil))
struct `Files of exports that are databases` {
    @Test(arguments: UInt64(1)...5) func `hold made-up rows`(seed: UInt64) async throws {
        let folder = URL(filePath: ProcessInfo.processInfo.environment["GROUNDWAVE_EXPORTS"] ?? "")
        let temporary = try await TemporaryStore(.full())
        let rows = madeUpRows(seed == 5 ? 100_000 : 500, seed: seed)
        let trace = try await temporary.store.trace(of: rows)
        for gaps in TraceExportOptions.GapPolicy.allCases {
            var options = TraceExportOptions()
            options.gaps = gaps
            let name = "database\(seed)\(gaps == .blank ? "-blank" : "").sqlite"
            _ = try temporary.store.export(trace, as: .sqlite, options, toFile: folder.appending(path: name).path)
        }
        // As the suite of all other formats writes them.
        var text =
            rows.layout.channels.map {
                "\($0.unit == .none ? $0.name : "\($0.name)_\($0.unit.rawValue)") \($0.decimals)"
            }.joined(separator: ",") + "\n"
        let missing = Dictionary(uniqueKeysWithValues: rows.marks.filter { $0.kind == .gap }.map { ($0.row, $0.count) })
        let repeats = Dictionary(
            uniqueKeysWithValues: rows.marks.filter { $0.kind == .repeats }.map { ($0.row, $0.count) })
        for row in 0..<rows.count {
            let tick = rows.ticks.isEmpty ? "-" : "\(rows.ticks[row])"
            let values = rows.columns.map { "\($0[row])" }.joined(separator: " ")
            text += "\(rows.times[row]) \(tick) \(missing[row] ?? 0) \(repeats[row] ?? 0) \(values)\n"
        }
        try Data(text.utf8).write(to: folder.appending(path: "database\(seed).table"))
    }
}
