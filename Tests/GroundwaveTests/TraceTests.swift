import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveTesting
import GroundwaveTraceFiles
import Testing

@Suite struct `A recording` {
    private let meter = simulatedMeter

    @Test func `has all rows in order, in few events, and says how it ended`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.recorded(12_000, name: "charge")
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
        let verification = try await Store.verify(at: store.url, isDeep: true, components: .all)
        #expect(verification.isOK)
    }

    @Test(arguments: ["", "N0CALL", "An operator with a name that takes some bytes"])
    func `fills pages of the log, whoever records it`(author: String) async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: author))
        let recorder = try await temporary.store.record(meter: simulatedMeter, model: .um25c)
        var (noise, rows) = (
            SeededGenerator(seed: 7), TraceRows(Layout([Channel("voltage", .volt, decimals: 3)]), first: 0)
        )
        for number in 0..<30_000 {
            rows.times.append(1_700_000_000_000 + Int64(number) * 100)
            rows.columns[0].append(5_000 + Int64.random(in: 0..<12, using: &noise))
        }
        try await recorder.append(recorded: rows)
        try await recorder.finish()
        let positions = try temporary.store.read { view in
            var positions: [Position] = []
            try view.forEachBlock(of: Metering.trace.name, recorder.trace) { block, _ in
                positions.append(block.position)
                return true
            }
            return positions
        }
        try temporary.store.close()
        let log = try EventLog(opening: temporary.store.url.appending(path: "log.mdb").path)
        let lengths = try positions.compactMap { try log.withEvent(at: $0) { frame, _ in frame.length } }
        try log.close()
        // Two of at most 2,022 bytes share a page of LMDB; the last one is as long as it is.
        #expect(lengths.count > 5 && lengths.dropLast().allSatisfy { (1_980...2_022).contains($0) }, "\(lengths)")
    }

    @Test func `is read by time`() async throws {
        let temporary = try await TemporaryStore(.full())
        let trace = try await temporary.store.recorded(6_000)
        let start: Int64 = 1_700_000_000_000
        #expect(
            try temporary.store.numbers(of: trace, from: start + 100_000, to: start + 350_050)
                == (Array(1_000..<3_501), 0))
        #expect(try temporary.store.numbers(of: trace, from: start + 700_000) == ([], 0))
    }

    @Test func `shows its rows while it goes on, and keeps them when its process ends without a word`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            trace = recorder.trace
            try await recorder.append(simulatedRows(0..<700))
            try await recorder.flush()
            #expect(try store.numbers(of: trace).0 == Array(0..<700))
            #expect(try store.summary(of: trace).tailCount == 700 && store.traces()[0].end == nil)
            // Another recording of the same store goes on beside it.
            let other = try await store.record(meter: MACAddress("02:00:00:00:00:02")!, model: .um25c)
            try await other.append(simulatedRows(0..<10))
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
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var (path, kept) = ("", Data())
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            path = store.url.appending(path: "tails/\(recorder.trace).tail").path
            try await recorder.append(simulatedRows(0..<900))
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
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: meter, model: .um25c, rate: 10)
            trace = recorder.trace
            // A block is full: most of the rows are in the log.
            try await recorder.append(simulatedRows(0..<4_096), by: Reception(ReadMoment(1_700_000_000_000)))
        }
        let path = store.url.appending(path: "tails/\(trace).tail").path
        try Data("half of one".utf8).write(to: URL(filePath: "\(path).new"))
        _ = try await store.sealTails()
        let found = try #require(try store.traces().first)
        #expect(try found.ended == store.summary(of: trace).lastTime && found.end == .interrupted)
        let left = try FileManager.default.contentsOfDirectory(atPath: store.url.appending(path: "tails").path)
        #expect(left.isEmpty)
    }

    @Test func `is said to be interrupted by who only reads, also where the log has all of its rows`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            trace = recorder.trace
            try await recorder.append(simulatedRows(0..<700))
            try await recorder.flush()
            #expect(try store.summary(of: trace).tail == .recording)
        }
        var summary = try store.summary(of: trace)
        #expect(summary.tail == .interrupted && summary.tailCount == 700)
        // As on a disk that had room for the last block, and not for the word that the recording has ended.
        var all: TraceRows?
        try store.forEachPiece(of: trace) { piece in
            if case .rows(let rows) = piece { all = rows }
            return true
        }
        let block = SealedBlock(try #require(all), after: nil).block
        try await store.write { try $0.append(Change(kind: Metering.trace.name, record: trace, block: block)) }
        summary = try store.summary(of: trace)
        #expect(summary.tail == .interrupted && summary.tailCount == 0 && summary.rowCount == 700)
        try await store.sealTails()
        #expect(try store.summary(of: trace).tail == .none && store.traces()[0].end == .interrupted)
    }

    @Test func `keeps what is whole of a tail that was cut anywhere`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var trace: RecordID?
        do {
            let recorder = try await store.record(meter: meter, model: .um25c)
            trace = recorder.trace
            for start in stride(from: 0, to: 100, by: 10) {
                try await recorder.append(simulatedRows(start..<start + 10))
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
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.recorded(9_000)
        let (summary, gaps, digest) = (try store.summary(of: trace), try store.gaps(of: trace), try store.digest())
        try FileManager.default.removeItem(at: store.url.appending(path: "views.mdb"))
        #expect(try store.digest() == digest && store.summary(of: trace) == summary)
        _ = try await store.erase([trace], kind: "trace", note: "Aged out")
        let (numbers, withheld) = try store.numbers(of: trace)
        #expect(numbers.isEmpty && withheld == 9_000)
        #expect(try store.summary(of: trace) == summary && store.gaps(of: trace) == gaps)
        try store.close()
        let verification = try await Store.verify(at: store.url, isDeep: true, components: .all)
        #expect(verification.isOK)
    }

    /// What is read of a trace, as text.
    private static let reads: [@Sendable (Store, RecordID) throws -> String] = [
        { store, _ in "\(try store.traces())" }, { "\(try $0.summary(of: $1))" }, { "\(try $0.gaps(of: $1))" },
        { "\(try $0.storage(of: $1))" }, { "\(try $0.numbers(of: $1))" },
    ]

    @Test(arguments: 0..<5)
    func `is the same where the views turn out damaged while they are read`(read: Int) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.recorded(9_000)
        let second = try await store.recorded(20)
        // One is read before the damage is met.
        try await store.write { try $0.set("trace", max(first, second), [Assignment("NAME", text: "the last one")]) }
        let found = try Self.reads[read](store, first)
        let places = try store.read { view in
            var last: [UInt8] = []
            try view.forEachBlock(of: "trace", first) { _, summary in
                last = summary.toArray()
                return true
            }
            return [Data(last), Data("the last one".utf8)]
        }
        let file = store.url.appending(path: "views.mdb")
        let bytes = try Data(contentsOf: file)
        let handle = try FileHandle(forUpdating: file)
        for place in places {
            // Pages that are not in use any more have copies.
            var start = bytes.startIndex
            while let range = bytes.range(of: place, in: start..<bytes.endIndex) {
                try handle.seek(toOffset: UInt64(range.upperBound - 1))
                try handle.write(contentsOf: [bytes[range.upperBound - 1] ^ 1])
                start = range.upperBound
            }
            #expect(start > bytes.startIndex)
        }
        try handle.close()
        #expect(try Self.reads[read](store, first) == found)
        #expect(try store.numbers(of: second) == (Array(0..<20), 0))
    }

    @Test func `goes to another device with its rows where that is wanted`() async throws {
        let (one, folder) = (try await TemporaryStore(.full()), try TemporaryFolder())
        let trace = try await one.store.recorded(5_000)
        try await one.store.edit(trace: trace, sharing: .synced)
        let address = RemoteAddress.folder(folder.url)
        try await one.store.add(remote: "place", at: address)
        try await one.store.sync(one.store.remote("place"))
        let other = try await TemporaryStore(joining: address, .full())
        #expect(try other.store.numbers(of: trace) == (Array(0..<5_000), 0))
        #expect(try other.store.summary(of: trace) == one.store.summary(of: trace))
        // The other device has said who it is meanwhile.
        try await one.store.sync(one.store.remote("place"))
        #expect(try other.store.digest() == one.store.digest())
    }

    @Test func `is exported, and comes back as the same integers`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.recorded(3_000)
        func csv(_ id: RecordID) throws -> [UInt8] {
            var bytes: [UInt8] = []
            let trace = try #require(try store.traces().first { $0.id == id })
            _ = try store.export(trace, as: .csv) { bytes += $0 }
            return bytes
        }
        let written = try csv(first)
        var reader = CSVTraceReader()
        let found = try #require(try reader.append(written).first)
        try reader.finish()
        let recorder = try await store.record(meter: meter, model: .um25c)
        try await recorder.append(recorded: found)
        try await recorder.finish()
        #expect(try csv(recorder.trace) == written)
        #expect(try store.summary(of: recorder.trace).parts.map(\.cells) == store.summary(of: first).parts.map(\.cells))
    }

    @Test func `makes one record of a meter, and is no step of undo`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        _ = try await store.write(note: "a contact") { try $0.add(Contact("N0CALL", start: 1_700_000_000)) }
        _ = try await store.recorded(20)
        _ = try await store.recorded(20)
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
        let temporary = try await TemporaryStore(.full())
        let recorder = try await temporary.store.record(meter: meter, model: .um25c)
        try await recorder.append(simulatedRows(0..<5))
        try await recorder.finish()
        await #expect(throws: StoreError.self) { try await recorder.append(simulatedRows(5..<6)) }
        #expect(try temporary.store.numbers(of: recorder.trace).0 == Array(0..<5))
    }
}
