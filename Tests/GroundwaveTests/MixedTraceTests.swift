import Everything
import Foundation
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import GroundwaveTraceFiles
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMeters

/// What a KM003C sends at 1,000 samples a second while another program asks it five times a second: the frames of one real
/// capture, with the readings of another between them. The captures are in a folder beside the project.
private struct MixedCapture {
    /// A frame, when the host read it, and how many samples it has; 0 for a reading, which has a temperature.
    struct Frame {
        var milliseconds: Int64
        var bytes: [UInt8]
        var sampleCount: Int
        var temperature: Int?
    }

    static let folder: URL? = {
        var place = URL(filePath: #filePath).deletingLastPathComponent()
        while place.path != "/" {
            let folder = place.appending(path: "shared/meter")
            if FileManager.default.fileExists(atPath: folder.appending(path: "SOURCES.md").path) { return folder }
            place.deleteLastPathComponent()
        }
        return nil
    }()
    static let reason = "No folder above this one has shared/meter, where the captures are."
    static let start: Int64 = 1_700_000_000_000

    var frames: [Frame] = []

    init() throws {
        let queue = try Self.table("km003c-1000sps-idle.csv")
        let first = try #require(Double(queue[0][0]))
        var place = 0
        while place < queue.count {
            let samples = queue[place...].prefix { $0[0] == queue[place][0] }
            let time = try #require(Double(queue[place][0])) - first
            let bytes = try Self.frame(of: samples.map { try $0.dropFirst().map { try #require(Int($0)) } })
            frames.append(
                Frame(milliseconds: Int64((time * 1000).rounded()), bytes: bytes, sampleCount: samples.count))
            place += samples.count
        }
        let end = frames[frames.count - 1].milliseconds
        let readings = try Self.table("km003c-adc-poll-pd-session.csv")
        let asked = try #require(Double(readings[0][0]))
        for line in readings {
            let time = Int64(((try #require(Double(line[0])) - asked) * 1000).rounded())
            guard time < end else { break }
            let numbers = try line.dropFirst().map { try #require(Int($0)) }
            frames.append(
                Frame(milliseconds: time, bytes: Self.reading(of: numbers), sampleCount: 0, temperature: numbers[6]))
        }
        frames.sort { $0.milliseconds < $1.milliseconds }
    }

    private static func table(_ name: String) throws -> [[Substring]] {
        let text = try String(contentsOf: #require(folder).appending(path: name), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
    }

    private static func bytes(_ numbers: [Int], _ sizes: [Int]) -> [UInt8] {
        zip(numbers, sizes).flatMap { number, size in
            (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    /// Samples of tick, marker, voltage, current and four lines.
    private static func frame(of samples: [[Int]]) -> [UInt8] {
        let payload = samples.flatMap { bytes($0, [2, 2, 4, 4, 2, 2, 2, 2]) }
        return packet(2 | samples.count << 16 | 20 << 22, payload)
    }

    private static func reading(of numbers: [Int]) -> [UInt8] {
        packet(1 | 44 << 22, bytes(numbers, [4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2]))
    }

    private static func packet(_ header: Int, _ payload: [UInt8]) -> [UInt8] {
        bytes([0x41, 0, 2 | ((payload.count + 8) / 4 - 3) << 6, header], [1, 1, 2, 4]) + payload
    }
}

@Suite(.enabled(if: MixedCapture.folder != nil, Comment(rawValue: MixedCapture.reason)))
struct `A KM003C that is asked between its queue frames` {
    /// What one row says: its counter, voltage, current and temperature.
    private struct Row: Equatable {
        var tick: Int64?
        var voltage: Int64?
        var current: Int64?
        var hasTemperature: Bool
    }

    private func recorded(_ frames: [MixedCapture.Frame], rate: Double?, in store: Store) async throws -> RecordID {
        let recorder = try await store.record(meter: simulatedMeter, model: .km003c, rate: rate)
        var decoder = MeterModel.km003c.makeDecoder()
        for frame in frames {
            var rows = DecodedRows()
            decoder.consume(frame.bytes.span.bytes, into: &rows)
            #expect(rows.refusals.isEmpty)
            try await recorder.append(rows, by: Reception(ReadMoment(MixedCapture.start + frame.milliseconds)))
        }
        try await recorder.finish()
        return recorder.trace
    }

    private func rows(of trace: RecordID, in store: Store) throws -> (rows: [Row], times: [Int64]) {
        var (rows, times) = ([Row](), [Int64]())
        try store.forEachPiece(of: trace) { piece in
            guard case .rows(let piece) = piece else { return true }
            func value(_ name: String, _ row: Int) -> Int64? {
                piece.layout.channels.firstIndex { $0.name == name }.flatMap {
                    piece.has($0, at: row) ? piece.columns[$0][row] : nil
                }
            }
            for row in 0..<piece.count {
                rows.append(
                    Row(
                        tick: piece.tick(at: row), voltage: value("voltage", row), current: value("current", row),
                        hasTemperature: value("temperature", row) != nil))
            }
            times += piece.times
            return true
        }
        return (rows, times)
    }

    @Test(arguments: [nil, 5.0])
    func `gives one trace of few blocks, with each row, each gap and the charge of all`(rate: Double?) async throws {
        let all = try MixedCapture().frames
        let queues = all.indices.filter { all[$0].sampleCount > 0 }
        // Two frames are lost: one beside a reading, and one that is alone.
        let beside = try #require(queues.first { $0 > 20 && all[$0 + 1].sampleCount == 0 })
        let lost = [beside, queues[queues.count / 2]]
        let frames = all.indices.filter { !lost.contains($0) }.map { all[$0] }
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await recorded(frames, rate: rate, in: store)

        let (rows, times) = try rows(of: trace, in: store)
        #expect(rows.count == frames.reduce(0) { $0 + max(1, $1.sampleCount) })
        #expect(rows.count(where: { $0.tick == nil }) == frames.count(where: { $0.sampleCount == 0 }))
        #expect(rows.allSatisfy { ($0.tick == nil) == $0.hasTemperature })
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "no row is earlier than the one before")

        let summary = try store.summary(of: trace)
        let missing = lost.reduce(0) { $0 + all[$1].sampleCount }
        #expect(summary.rows.missing.counted == UInt64(missing) && summary.missingCount == UInt64(missing))
        #expect(summary.gapCount == 2)
        // 4,096 rows a block, but for pages that are filled: and not one for each change of the channels.
        #expect(summary.blockCount <= rows.count / 4_096 + 3, "\(summary.blockCount) blocks")
        #expect(try store.verify(try #require(try store.traces().first)).isOK)

        // Trapezoids over all rows, by the published integers and the times of the rows; over gaps, nothing.
        var (charge, covered, last) = (0.0, Int64(0), nil as Int?)
        var lastTick: Int64?
        for row in rows.indices {
            let tick = rows[row].tick
            let isGap = tick.map { $0 - (lastTick ?? $0 - 1) > 1 } ?? false
            if let last, !isGap {
                let current = Double(try #require(rows[last].current) + #require(rows[row].current)) / 2
                charge += current * Double(times[row] - times[last])
                covered += times[row] - times[last]
            }
            (last, lastTick) = (row, tick ?? lastTick)
        }
        let totals = summary.parts.reduce(into: Totals()) { $0.append($1.totals) }
        #expect(totals.covered == UInt64(covered))
        let found = summary.parts.reduce(0) { $0 + ($1.layout.ampereHours($1.totals) ?? 0) } * 3_600e9
        #expect(abs(found - charge) <= abs(charge) / 1_000_000, "\(found) of \(charge)")
    }

    @Test func `has each channel over the rows that have it, and comes back from a table`() async throws {
        let frames = try MixedCapture().frames
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await recorded(frames, rate: nil, in: store)
        let channels = try store.summary(of: id).channels
        // 1/128 of a degree is 78,125 of its ten millionths.
        let temperatures = frames.compactMap(\.temperature)
        let cell = try #require(channels.first { $0.channel.name == "temperature" }).cell
        #expect(cell.count == temperatures.count && cell.sum == Int128(temperatures.reduce(0, +) * 78_125))
        #expect(channels.first { $0.channel.name == "voltage" }?.cell.count == 9_238 + temperatures.count)
        #expect(channels.first { $0.channel.name == "marker" }?.cell.count == 9_238)

        var reader = CSVTraceReader()
        let recorder = try await store.record(meter: simulatedMeter, model: .km003c)
        var tables: [TraceRows] = []
        let trace = try #require(try store.traces().first { $0.id == id })
        let report = try store.export(trace, as: .csv) { tables += try reader.append($0) }
        try reader.finish()
        #expect(report.counts.rows == UInt64(9_238 + temperatures.count) && tables.count > temperatures.count)
        for table in tables { try await recorder.append(recorded: table) }
        try await recorder.finish()
        let (found, expected) = (try rows(of: recorder.trace, in: store), try rows(of: id, in: store))
        #expect(found.rows == expected.rows && found.times == expected.times)
        #expect(try store.summary(of: recorder.trace).blockCount <= 5)
    }

    @Test func `has the same trace after a kill, and from its bytes`() async throws {
        let frames = Array(try MixedCapture().frames.prefix(80))
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let whole = try await recorded(frames, rate: nil, in: store)
        let trace = try await killed(frames, in: store)
        #expect(try await store.sealTails() == [trace])
        let (rows, times) = try rows(of: whole, in: store)
        for id in [trace, try await store.decode(#require(try store.traces().first { $0.id == trace })).trace] {
            let found = try self.rows(of: id, in: store)
            #expect(found.rows == rows && found.times == times)
            let (summary, expected) = (try store.summary(of: id), try store.summary(of: whole))
            #expect(summary.rows.parts.map(\.totals) == expected.rows.parts.map(\.totals))
            #expect(summary.blockCount <= 2 && summary.missingCount == 0)
            #expect(try store.verify(#require(try store.traces().first { $0.id == id })).isOK)
        }
    }

    /// A recording with its bytes whose process ends without a word.
    private func killed(_ frames: [MixedCapture.Frame], in store: Store) async throws -> RecordID {
        let recorder = try await store.record(
            meter: simulatedMeter, model: .km003c, isKeepingCapture: true, started: MixedCapture.start + 1)
        var decoder = MeterModel.km003c.makeDecoder()
        for frame in frames {
            var rows = DecodedRows()
            decoder.consume(frame.bytes.span.bytes, into: &rows)
            let time = MixedCapture.start + frame.milliseconds
            try await recorder.append(
                rows, by: Reception(ReadMoment(time)), of: [CapturedBytes(.received, at: time, frame.bytes)])
            try await recorder.flush()
        }
        return recorder.trace
    }

    @Test func `takes at most 0.42 bytes a value`() async throws {
        let temporary = try await TemporaryStore(.full())
        let trace = try await recorded(MixedCapture().frames, rate: nil, in: temporary.store)
        let storage = try temporary.store.storage(of: trace)
        // Seven values of a sample, and seventeen of a reading.
        #expect(storage.valueCount == 9_238 * 7 + 45 * 17)
        let size = try #require(storage.bytesPerValue)
        #expect(size <= 0.42, "\(size) bytes a value")
    }
}
