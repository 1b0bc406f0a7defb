import EventLog
import Events
import Foundation
import Groundwave
import GroundwaveTesting
import Metering
import Projections
import Records
import Testing

/// The answer of a UM25C that says `number` as the charge of its first group.
private func frame(_ number: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 130)
    func put(_ value: Int, _ offset: Int, _ count: Int) {
        for place in 0..<count { bytes[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - place))) }
    }
    put(0x09C9, 0, 2)
    put(5_000, 2, 2)
    put(1_000 + number % 100, 4, 2)
    put(number, 16, 4)
    put(0xFFF1, 128, 2)
    return bytes
}

private func rows(_ numbers: Range<Int>) -> DecodedRows {
    var decoder = MeterModel.um25c.makeDecoder()
    var rows = DecodedRows()
    for number in numbers { decoder.take(frame(number).span.bytes, into: &rows) }
    return rows
}

extension Store {
    /// The numbers that the rows of a trace say, and how many rows are withheld.
    fileprivate func numbers(of trace: RecordID, from start: Int64 = .min, to end: Int64 = .max) throws -> (
        [Int], UInt64
    ) {
        var (numbers, withheld) = ([Int](), UInt64(0))
        try forEachPiece(of: trace, from: start, to: end) { piece in
            switch piece {
            case .rows(let rows):
                let column = rows.layout.channels.firstIndex { $0.name == "group0.charge" }!
                numbers += rows.columns[column].map { Int($0) }
            case .withheld(let summary): withheld += summary.count
            }
            return true
        }
        return (numbers, withheld)
    }
}

@Suite struct `A recording` {
    private let meter = MACAddress("02:00:00:00:00:01")!

    /// A trace of `count` rows, ten a second, that has ended.
    private func recorded(_ count: Int, in store: Store, name: String = "") async throws -> RecordID {
        let recorder = try await store.record(meter: meter, model: .um25c, name: name)
        var times = RowTimes.paced(RowPacer(from: 1_700_000_000_000, perSecond: 10))
        for start in stride(from: 0, to: count, by: 500) {
            times = try await recorder.append(rows(start..<min(count, start + 500)), times: times)
        }
        try await recorder.finish()
        return recorder.trace
    }

    @Test func `has all rows in order, in few events, and says how it ended`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let trace = try await recorded(12_000, in: store, name: "charge")
        #expect(try store.numbers(of: trace) == (Array(0..<12_000), 0))
        let summary = try store.summary(of: trace)
        #expect(summary.rowCount == 12_000 && summary.tailCount == 0 && summary.unreadCount == 0)
        #expect(summary.missingCount == 0 && summary.blockCount < 12)
        let found = try #require(try store.traces().first)
        #expect(found.id == trace && found.name == "charge" && found.end == .finished && found.meter == meter)
        #expect(found.ended == summary.lastTime)
        // 5 V and 104.95 mA on average, over 20 minutes less a tenth of a second.
        let part = try #require(summary.parts.first)
        let hours = try #require(part.layout.ampereHours(part.totals))
        #expect(abs(hours - 0.10495 * 1199.9 / 3600) < 0.0001)
        #expect(part.totals.covered == 1_199_900)
        try store.close()
        let verification = try await Store.verify(at: store.url, isDeep: true)
        #expect(verification.isOK)
    }

    @Test func `is read by time`() async throws {
        let temporary = try await TemporaryStore()
        let trace = try await recorded(6_000, in: temporary.store)
        let start: Int64 = 1_700_000_000_000
        #expect(
            try temporary.store.numbers(of: trace, from: start + 100_000, to: start + 350_050)
                == (Array(1_000..<3_501), 0))
        #expect(try temporary.store.numbers(of: trace, from: start + 700_000) == ([], 0))
    }

    @Test func `shows its rows while it goes on, and keeps them when its process ends without a word`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            trace = recorder.trace
            try await recorder.append(rows(0..<700))
            try await recorder.flush()
            #expect(try store.numbers(of: trace).0 == Array(0..<700))
            #expect(try store.summary(of: trace).tailCount == 700 && store.traces()[0].end == nil)
            // Another recording of the same store goes on beside it.
            let other = try await store.record(meter: MACAddress("02:00:00:00:00:02")!, model: .um25c)
            try await other.append(rows(0..<10))
            try await other.finish()
            #expect(try await store.sealTails().isEmpty, "whoever records still has it")
        }
        // The recorder is gone, as after a kill: what it had put on the disk is taken into the log.
        #expect(try await store.sealTails() == [trace])
        #expect(try store.numbers(of: trace) == (Array(0..<700), 0))
        let found = try #require(try store.traces().first { $0.id == trace })
        let last = try store.summary(of: trace).lastTime
        #expect(found.end == .interrupted && found.ended == last)
        #expect(try await store.sealTails().isEmpty)
    }

    @Test func `has each row once, also where its block went into the log and the tail stayed`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        var (path, kept) = ("", Data())
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            path = store.url.appending(path: "tails/\(recorder.trace).tail").path
            try await recorder.append(rows(0..<900))
            try await recorder.flush()
            kept = try Data(contentsOf: URL(filePath: path))
        }
        let traces = try await store.sealTails()
        // As after a power cut that took the removal of the tail, and not the commit before it.
        try kept.write(to: URL(filePath: path))
        #expect(try store.numbers(of: traces[0]).0 == Array(0..<900))
        #expect(try await store.sealTails() == traces)
        #expect(try store.numbers(of: traces[0]).0 == Array(0..<900))
    }

    @Test func `ends with its last row where all rows were in the log already, and leaves no file`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            trace = recorder.trace
            // A block is full: most of the rows are in the log.
            _ = try await recorder.append(
                rows(0..<4_096), times: .paced(RowPacer(from: 1_700_000_000_000, perSecond: 10)))
        }
        let path = store.url.appending(path: "tails/\(trace).tail").path
        try Data("half of one".utf8).write(to: URL(filePath: "\(path).new"))
        _ = try await store.sealTails()
        let found = try #require(try store.traces().first)
        #expect(try found.ended == store.summary(of: trace).lastTime && found.end == .interrupted)
        let left = try FileManager.default.contentsOfDirectory(atPath: store.url.appending(path: "tails").path)
        #expect(left.isEmpty)
    }

    @Test func `keeps what is whole of a tail that was cut anywhere`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        var trace: RecordID?
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            trace = recorder.trace
            for start in stride(from: 0, to: 100, by: 10) {
                try await recorder.append(rows(start..<start + 10))
                try await recorder.flush()
            }
        }
        let id = try #require(trace)
        let path = store.url.appending(path: "tails/\(id).tail").path
        let whole = try Data(contentsOf: URL(filePath: path))
        for count in stride(from: 0, through: whole.count, by: 37) {
            try whole.prefix(count).write(to: URL(filePath: path))
            let shown = try store.numbers(of: id).0
            #expect(shown == Array(0..<shown.count) && shown.count % 10 == 0 && shown.count <= 100)
        }
        try whole.write(to: URL(filePath: path))
        for place in stride(from: 0, to: whole.count, by: 11) {
            var damaged = whole
            damaged[place] ^= 0x10
            try damaged.write(to: URL(filePath: path))
            let shown = try store.numbers(of: id).0
            #expect(shown == Array(0..<shown.count) && shown.count < 100)
        }
    }

    @Test func `is what it was when its samples are withheld, and when the views are made anew`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let trace = try await recorded(9_000, in: store)
        let (summary, gaps, digest) = (try store.summary(of: trace), try store.gaps(of: trace), try store.digest())
        try FileManager.default.removeItem(at: store.url.appending(path: "views.mdb"))
        #expect(try store.digest() == digest && store.summary(of: trace) == summary)
        _ = try await store.erase([trace], kind: "trace", note: "Aged out")
        let (numbers, withheld) = try store.numbers(of: trace)
        #expect(numbers.isEmpty && withheld == 9_000)
        #expect(try store.summary(of: trace) == summary && store.gaps(of: trace) == gaps)
        try store.close()
        let verification = try await Store.verify(at: store.url, isDeep: true)
        #expect(verification.isOK)
    }

    @Test func `goes to another device with its rows`() async throws {
        let (one, folder) = (try await TemporaryStore(), try TemporaryFolder())
        let trace = try await recorded(5_000, in: one.store)
        let address = RemoteAddress.folder(folder.url)
        try await one.store.add(remote: "place", at: address)
        try await one.store.sync(one.store.remote("place"))
        let other = try await TemporaryStore(joining: address)
        #expect(try other.store.numbers(of: trace) == (Array(0..<5_000), 0))
        #expect(try other.store.summary(of: trace) == one.store.summary(of: trace))
        // The other device has said who it is meanwhile.
        try await one.store.sync(one.store.remote("place"))
        #expect(try other.store.digest() == one.store.digest())
    }

    @Test func `is exported, and comes back as the same integers`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        let first = try await recorded(3_000, in: store)
        func csv(_ id: RecordID) throws -> [UInt8] {
            var bytes: [UInt8] = []
            let trace = try #require(try store.traces().first { $0.id == id })
            _ = try store.export(trace, as: .csv) { bytes += $0 }
            return bytes
        }
        let written = try csv(first)
        var reader = CSVTraceReader()
        let found = try #require(try reader.append(written))
        try reader.finish()
        let recorder = try await store.record(meter: meter, model: .um25c)
        try await recorder.append(recorded: found)
        try await recorder.finish()
        #expect(try csv(recorder.trace) == written)
        #expect(try store.summary(of: recorder.trace).parts.map(\.cells) == store.summary(of: first).parts.map(\.cells))
    }

    @Test func `makes one record of a meter, and is no step of undo`() async throws {
        let temporary = try await TemporaryStore()
        let store = temporary.store
        _ = try await store.write(note: "a contact") { try $0.add(Contact("N0CALL", start: 1_700_000_000)) }
        _ = try await recorded(20, in: store)
        _ = try await recorded(20, in: store)
        var meters: [RecordID] = []
        try store.read { view in
            try view.forEachRecord(of: "meter") { record in
                meters.append(record.id)
                return true
            }
        }
        #expect(meters == [Metering.meterID(meter)])
        #expect(try store.undoableSteps(9).map(\.note.text) == ["Recording", "Recording", "a contact"])
    }

    @Test func `that has ended takes no more rows`() async throws {
        let temporary = try await TemporaryStore()
        let recorder = try await temporary.store.record(meter: meter, model: .um25c)
        try await recorder.append(rows(0..<5))
        try await recorder.finish()
        await #expect(throws: StoreError.self) { try await recorder.append(rows(5..<6)) }
        #expect(try temporary.store.numbers(of: recorder.trace).0 == Array(0..<5))
    }
}
