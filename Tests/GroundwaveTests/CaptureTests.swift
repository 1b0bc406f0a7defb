import Everything
import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveMeters

@Suite struct `A trace with the bytes of its meter` {
    /// Records `numbers` as a meter answers them, polled twice a second, with some noise, and keeps the bytes.
    private func record(
        _ numbers: Range<Int>, with recorder: TraceRecorder, _ decoder: inout MeterDecoder
    ) async throws {
        for number in numbers {
            let time = 1_700_000_000_000 + Int64(number) * 500
            if number == 0 {
                // What lay in a buffer before anybody asked.
                let stale = simulatedFrame(9_999)
                var rows = DecodedRows()
                decoder.begin(into: &rows)
                let asked = CapturedBytes(.sent, at: time - 10, [0xF0])
                decoder.asked()
                let asking = Reception(ReadMoment(time - 10), requestCount: 1)
                try await recorder.append(rows, by: asking, of: [asked])
                decoder.consume(Array(stale.dropFirst(40)).span.bytes, into: &rows)
                try await recorder.append(
                    rows, by: Reception(ReadMoment(time - 9)),
                    of: [CapturedBytes(.received, at: time - 9, Array(stale.dropFirst(40)))])
            }
            let frame = simulatedFrame(number)
            for (place, bytes) in [Array(frame[..<50]), Array(frame[50...])].enumerated() {
                var rows = DecodedRows()
                decoder.consume(bytes.span.bytes, into: &rows)
                let piece = CapturedBytes(.received, at: time + Int64(place), bytes)
                try await recorder.append(rows, by: Reception(ReadMoment(piece.time)), of: [piece])
            }
        }
    }

    /// Everything that the rows of a trace say.
    private func rows(_ store: Store, _ trace: RecordID) throws -> [TraceRows] {
        var rows: [TraceRows] = []
        try store.forEachPiece(of: trace) { piece in
            if case .rows(let next) = piece {
                if rows.isEmpty || !rows[rows.count - 1].append(next) { rows.append(next) }
            }
            return true
        }
        return rows
    }

    private func found(_ store: Store, _ id: RecordID) throws -> Trace {
        try #require(try store.traces().first { $0.id == id })
    }

    @Test func `has them on the disk before the rows that they are of are in the log`() async throws {
        let probe = Mutex<(@Sendable () -> Void)?>(nil)
        let surroundings = Surroundings(
            now: {
                probe.withLock { $0 }?()
                return .now()
            }, randomNumber: Surroundings.system.randomNumber)
        let temporary = try await TemporaryStore(Configuration.full(surroundings: surroundings))
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, isKeepingCapture: true)
        var decoder = MeterModel.um25c.makeDecoder()
        let kept = Mutex<[Int]>([])
        let (path, log) = (Tails.path(of: recorder.trace, below: store.files), store.log)
        // Ten minutes after the first row a block is full: the fourth row has it written to the log.
        for (number, second) in [0, 1, 2, 600].enumerated() {
            if number == 3 {
                let before = try log.lastPosition()
                probe.withLock {
                    $0 = {
                        // The clock is also read by others: only what was there when the log had the rows is judged.
                        guard let position = try? log.lastPosition(), position > before else { return }
                        let pieces = TailFile.read(path, log: log.id)?.content.captures.flatMap(\.pieces)
                        kept.withLock { $0.append(pieces?.count ?? 0) }
                    }
                }
            }
            var rows = DecodedRows()
            decoder.consume(simulatedFrame(number).span.bytes, into: &rows)
            let piece = CapturedBytes(.received, at: 1_700_000_000_000 + Int64(second) * 1000, simulatedFrame(number))
            try await recorder.append(rows, by: Reception(ReadMoment(piece.time)), of: [piece])
        }
        probe.withLock { $0 = nil }
        let counts = kept.withLock { $0 }
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == 4 }, "with the block in the log: \(counts)")
        try await recorder.finish()
    }

    @Test(arguments: [true, false])
    func `is decoded to the same rows and times, also after its process died`(isFinished: Bool) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: simulatedMeter, model: .um25c, isKeepingCapture: true)
            trace = recorder.trace
            var decoder = MeterModel.um25c.makeDecoder()
            // 1,500 frames of 130 bytes: some blocks of the capture, and a tail.
            try await record(0..<1_500, with: recorder, &decoder)
            try await recorder.flush()
            let running = try await store.decode(found(store, trace))
            #expect(try rows(store, running.trace) == rows(store, trace), "while it is recorded")
            if isFinished { try await recorder.finish() }
        }
        try await store.sealTails()
        let decoded = try await store.decode(found(store, trace), name: "again")
        #expect(decoded.byteCount == 1_500 * 130 + 90 && decoded.refusedByteCount == 90 && decoded.withheldCount == 0)
        let (old, new) = (try rows(store, trace), try rows(store, decoded.trace))
        #expect(new == old && new.reduce(0) { $0 + $1.count } == 1_500)
        let (made, original) = (try found(store, decoded.trace), try found(store, trace))
        #expect(made.name == "again" && made.started == original.started && made.end == .finished)
        #expect(try store.captureSize(of: trace) == UInt64(1_500 * 130 + 90 + 1))
        #expect(try store.captureSize(of: decoded.trace) == 0)
    }

    @Test func `from a file has its rows as far apart as they were recorded`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let recorder = try await store.record(
            meter: simulatedMeter, model: .um25c, rate: 4, isKeepingCapture: true)
        let bytes = (0..<400).flatMap { simulatedFrame($0) }
        let piece = CapturedBytes(.received, at: 1_700_000_000_000, bytes)
        var (decoder, decodedRows) = (MeterModel.um25c.makeDecoder(), DecodedRows())
        decoder.consume(bytes.span.bytes, into: &decodedRows)
        try await recorder.append(decodedRows, by: Reception(ReadMoment(piece.time)), of: [piece])
        try await recorder.finish()
        let decoded = try await store.decode(found(store, recorder.trace))
        #expect(try rows(store, decoded.trace) == rows(store, recorder.trace))
        #expect(try store.summary(of: decoded.trace).lastTime == 1_700_000_000_000 + 399 * 250)
    }

    @Test func `is listened to until the last frame, also where somebody ends that`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "meter").path
        try #require(mkfifo(path, 0o600) == 0)
        let line = try MeterLine(path)
        let writer = try #require(FileHandle(forWritingAtPath: path))
        // Nobody is asked through a pipe, so the first report counts. The second one ends as a third would begin.
        let report = try reportThatWaits()
        try writer.write(contentsOf: report + report)
        var feed = MeterFeed(.fnb48, over: .usb, by: line)
        #expect(try feed.next().rows.runs.first?.count == 4)
        let rest = feed.finish()
        #expect(rest.rows.runs.first?.count == 4 && rest.isAtEnd)
    }

    @Test func `that is stopped in the middle of an answer has refused nothing, and one that ends there has`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "meter").path
        try #require(mkfifo(path, 0o600) == 0)
        for isEnding in [false, true] {
            let line = try MeterLine(path)
            let writer = try #require(FileHandle(forWritingAtPath: path))
            try writer.write(contentsOf: simulatedFrame(1) + simulatedFrame(2).prefix(50))
            var feed = MeterFeed(.um25c, over: .bluetooth, by: line)
            #expect(try feed.next().rows.runs.first?.count == 1)
            try writer.close()
            if isEnding { #expect(try feed.next().isAtEnd) }
            #expect(feed.finish().rows.runs.isEmpty)
            #expect(feed.refusedByteCount == (isEnding ? 50 : 0))
        }
    }

    @Test func `is decoded without what came before the first request, as it was recorded`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, isKeepingCapture: true)
        let terminal = try PseudoTerminal()
        var feed = MeterFeed(.um25c, over: .bluetooth, by: try MeterLine(terminal.path))
        // An answer to nobody, and the beginning of another.
        let stale = simulatedFrame(9_999) + simulatedFrame(9_998).prefix(50)
        var isAnswered = false
        let end = Date.now + 30
        while await recorder.rowCount < 3, Date.now < end {
            let step = try feed.next(waitingMilliseconds: 20)
            _ = try await recorder.append(step.rows, by: step.reception, of: step.pieces)
            for _ in terminal.received() { try terminal.send(simulatedFrame(1)) }
            if !isAnswered { try terminal.send(stale) }
            isAnswered = true
        }
        try await recorder.finish()
        let decoded = try await store.decode(found(store, recorder.trace))
        #expect(try rows(store, decoded.trace) == rows(store, recorder.trace))
        #expect(decoded.byteCount == 180 + 3 * 130 && decoded.refusedByteCount == 180)
        #expect(feed.refusedByteCount == 180)
    }

    /// A report whose check is the byte that a report begins with.
    private func reportThatWaits() throws -> [UInt8] {
        try #require(
            (UInt8.min...UInt8.max).map { [0xAA, 0x04] + [UInt8](repeating: 1, count: 60) + [$0, 0xAA] }.first {
                bytes in
                var (decoder, rows) = (MeterModel.fnb48.makeDecoder(over: .usb), DecodedRows())
                decoder.consume(bytes.span.bytes, into: &rows)
                let isWaiting = rows.runs.isEmpty
                decoder.finish(into: &rows)
                return isWaiting && rows.runs.first?.count == 4
            })
    }

    @Test func `has its last frame, too, where that waited for what might follow it`() async throws {
        let report = try reportThatWaits()
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .fnb48, over: .usb, isKeepingCapture: true)
        var (decoder, decodedRows) = (MeterModel.fnb48.makeDecoder(over: .usb), DecodedRows())
        decoder.consume(report.span.bytes, into: &decodedRows)
        decoder.finish(into: &decodedRows)
        let piece = CapturedBytes(.received, at: 1_700_000_000_000, report)
        try await recorder.append(decodedRows, by: Reception(ReadMoment(piece.time)), of: [piece])
        try await recorder.finish()
        let decoded = try await store.decode(found(store, recorder.trace))
        #expect(try rows(store, recorder.trace).reduce(0) { $0 + $1.count } == 4)
        #expect(try rows(store, decoded.trace) == rows(store, recorder.trace) && decoded.refusedByteCount == 0)
    }

    @Test func `that has none, or of which they are withheld, is not decoded`() async throws {
        let fleet = try await SyncedFleet(2)
        let plain = try await fleet[0].recorded(100)
        await #expect(throws: StoreError.self) { try await fleet[0].decode(found(fleet[0], plain)) }
        let recorder = try await fleet[0].record(meter: simulatedMeter, model: .um25c, isKeepingCapture: true)
        var decoder = MeterModel.um25c.makeDecoder()
        try await record(0..<50, with: recorder, &decoder)
        try await recorder.finish()
        try await fleet.settle()
        let count = try fleet[1].traces().count
        await #expect(throws: StoreError.self) { try await fleet[1].decode(found(fleet[1], recorder.trace)) }
        #expect(try fleet[1].traces().count == count, "nothing was begun")
        // They go where the samples of the trace go.
        try await fleet[1].edit(trace: recorder.trace, sharing: .synced)
        for _ in 0..<2 { try await fleet.settle() }
        let decoded = try await fleet[1].decode(found(fleet[1], recorder.trace))
        #expect(try rows(fleet[1], decoded.trace) == rows(fleet[0], recorder.trace))
    }

    @Test func `is verified with them, and decoded around what cannot be read`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, isKeepingCapture: true)
        var decoder = MeterModel.um25c.makeDecoder()
        try await record(0..<1_200, with: recorder, &decoder)
        let running = try store.verify(found(store, recorder.trace))
        #expect(running.isOK && running.captureByteCount > 65_536, "while it is recorded")
        try await recorder.finish()
        let whole = try store.verify(found(store, recorder.trace))
        #expect(whole.isOK && whole.captureByteCount == 1_200 * 130 + 91 && whole.withheldByteCount == 0)

        // A piece that cannot be read, one that is missing before it, and one that is there twice.
        let kind = Metering.capture.name
        func append(_ first: UInt64, _ change: (inout SeriesBlock) -> Void = { _ in }) async throws {
            var capture = Capture(first: first)
            capture.append(CapturedBytes(.received, at: 1_800_000_000_000, simulatedFrame(7)))
            var block = capture.block
            change(&block)
            let (id, changed) = (Metering.captureID(recorder.trace), block)
            try await store.write { try $0.append(Change(kind: kind, record: id, block: changed)) }
        }
        let end = whole.captureByteCount
        try await append(end) { $0.content = [1, 2, 3] }
        var verified = try store.verify(found(store, recorder.trace))
        #expect(verified.damage.map(\.what) == [.capture] && verified.captureByteCount == end)
        #expect(verified.damage[0].detail.contains("\(end) to \(end + 129)") && verified.damage[0].event != nil)
        let decoded = try await store.decode(found(store, recorder.trace))
        #expect(decoded.unreadableCount == 130 && decoded.withheldCount == 0 && decoded.byteCount == Int(end) - 1)

        try await append(end + 200)
        verified = try store.verify(found(store, recorder.trace))
        #expect(verified.damage.count == 2 && verified.damage[1].detail.contains("\(end + 130) to \(end + 199)"))
        try await append(end + 300)
        verified = try store.verify(found(store, recorder.trace))
        #expect(verified.damage.count == 3 && verified.damage[2].detail.contains("\(end + 300) to \(end + 329)"))
        #expect(verified.damage[2].detail.contains("twice"))
    }

    @Test func `loses them by the rule for samples`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, isKeepingCapture: true)
        var decoder = MeterModel.um25c.makeDecoder()
        try await record(0..<50, with: recorder, &decoder)
        try await recorder.finish()
        clock.advance(by: .seconds(10 * 86_400))
        try store.keepSamples(forDays: 7)
        let old = try store.removeOldSamples()
        #expect(old.blockCount == 2 && old.rowCount == 50 && old.traces == [recorder.trace])
        await #expect(throws: StoreError.self) { try await store.decode(found(store, recorder.trace)) }
        #expect(try store.oldSamples().blockCount == 0)
    }
}
