import Foundation
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveRecords
import GroundwaveTracePlot

/// Recording, plotting and listing as an application does them.
enum MeterBench {
    private static let start: Int64 = 1_700_000_000_000
    private static func meter(_ number: Int) throws -> MACAddress {
        guard let address = MACAddress("02000000" + String(0x1_0000 + number, radix: 16).suffix(4)) else {
            throw Failure("no address")
        }
        return address
    }

    // MARK: Recording

    /// Records the frames of `seconds` seconds of a KM003C at 1 kHz, with seven channels and a counter, 40 rows each,
    /// and flushes twice for each second of the recording. Prints the processor time as a share of these seconds,
    /// including decoding and disk.
    static func record(_ path: String, seconds: Int) async throws {
        let store = try await TraceBench.newStore(path)
        let frames = (0..<seconds * 25).map(frame)
        let recorder = try await store.record(meter: meter(1), model: .km003c)
        var decoder = MeterModel.km003c.makeDecoder()
        var rows = DecodedRows()
        let before = processorSeconds()
        for (index, bytes) in frames.enumerated() {
            rows.removeAll()
            bytes.withUnsafeBytes { decoder.consume($0.bytes, into: &rows) }
            try await recorder.append(rows, by: Reception(ReadMoment(start + Int64(index) * 40)))
            if index % 25 == 12 || index % 25 == 24 { try await recorder.flush() }
        }
        try await recorder.finish()
        let busy = processorSeconds() - before
        guard await recorder.rowCount == UInt64(seconds * 1000) else { throw Failure("rows are missing") }
        try store.close()
        print(
            "engine meter-record \(seconds) s: \(String(format: "%.3f", busy / Double(seconds) * 100)) % of a core,",
            "\(String(format: "%.3f", busy)) s")
    }

    /// A response of a KM003C with 40 samples of its queue.
    private static func frame(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ value: Int, _ count: Int) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
        }
        // A data response; its only attribute is the queue, with samples of 20 bytes.
        append(0x41 | (number & 0xFF) << 8 | (808 / 4 - 4) << 22, 4)
        append(2 | 40 << 16 | 20 << 22, 4)
        for row in number * 40..<number * 40 + 40 {
            let noise = (0..<6).map { Int(truncatingIfNeeded: mixed(UInt64(row * 6 + $0)) % 9) }
            append(row, 2)
            append(60, 2)
            append(9_000_000 + 195 * noise[0], 4)
            append(2_000_000 - row + 64 * noise[1], 4)
            append(67 + noise[2] / 2, 2)
            append(3_235 + noise[3] / 3, 2)
            append(600 + noise[4] / 8, 2)
            append(2_700 + noise[5] / 8, 2)
        }
        return bytes
    }

    /// The processor time of all threads of this process, in seconds, including the kernel's work for them.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Plotting

    private static let channels = [
        Channel("voltage", .volt, decimals: 4), Channel("current", .ampere, decimals: 5),
        Channel("d+", .volt, decimals: 3), Channel("d-", .volt, decimals: 3),
        Channel("temperature", .celsius, decimals: 1), Channel("charge", .ampereHour, decimals: 6),
        Channel("energy", .wattHour, decimals: 6),
    ]

    /// Creates a store with one trace of `count` rows, one for each millisecond, in blocks of 4,096 rows.
    static func build(_ path: String, rows count: Int) async throws {
        let store = try await TraceBench.newStore(path)
        let recorder = try await store.record(meter: meter(1), model: .km003c)
        var rows = TraceRows(Layout(channels), first: 0)
        var (charge, energy) = (Int64(0), Int64(0))
        let elapsed = try await seconds {
            var first = 0
            while first < count {
                let end = min(count, first + SampleBlock.rowLimit)
                rows = TraceRows(Layout(channels), first: UInt64(first))
                for row in first..<end {
                    let random = mixed(UInt64(row))
                    func noise(_ place: UInt64, _ limit: UInt64) -> Int64 {
                        Int64((random >> (8 * place) & 0xFF) % limit)
                    }
                    let wave = Int64((row >> 10) % 3600 - 1800).magnitude
                    let (volts, amperes) = (
                        90_000 - Int64(wave) + noise(0, 7), 200_000 - 60 * Int64(wave) + noise(1, 40)
                    )
                    charge += amperes
                    energy += volts * amperes / 1000
                    rows.times.append(start + Int64(row))
                    for (column, value) in [
                        volts, amperes, 600 + noise(2, 4), 2_700 + noise(3, 3), 250 + Int64(row >> 22),
                        charge / 360_000,
                        energy / 36_000_000,
                    ].enumerated() { rows.columns[column].append(value) }
                }
                let block = SealedBlock(rows, after: nil).block
                try await store.write(note: "") { batch in
                    try batch.append(Change(kind: Metering.trace.name, record: recorder.trace, block: block))
                }
                first = end
            }
            try await recorder.finish()
        }
        try store.close()
        print("engine meter-build \(count) rows: \(String(format: "%.1f", elapsed)) s")
    }

    /// Prints the milliseconds that a plot of one channel takes, columns and drawing, with `columns` columns: each of
    /// one cell, or all of the whole time. Then prints the seconds that the same columns take from all rows, and
    /// compares them.
    static func plot(_ path: String, columns: Int, of range: String) async throws {
        let store = try await Store.open(
            at: URL(filePath: path).appending(path: "store"), TraceBench.configuration(path)
        ).whole
        guard let trace = try store.traces().first else { throw Failure("no trace") }
        var options = TracePlotOptions()
        options.channels = ["current"]
        options.width += columns - Plot.columnCount(width: options.width, height: options.height)
        let end: Int64? = range == "cells" ? start + Int64(columns) * 65_536 : nil
        var times: [Double] = []
        var plot: Plot?
        var byteCount = 0
        for _ in 0..<9 {
            times.append(
                try seconds {
                    let drawn = try store.plot(trace, options, from: start, to: end)
                    byteCount = drawn.svg().utf8.count
                    plot = drawn
                })
        }
        guard let plot, plot.series[0].columns.count == columns else { throw Failure("other columns") }
        var collector = try ColumnCollector(
            plot.series.map(\.channel), startMilliseconds: plot.startMilliseconds,
            endMilliseconds: plot.endMilliseconds,
            columnCount: columns)
        let whole = try seconds {
            try store.forEachPiece(of: trace.id) { piece in
                if case .rows(let rows) = piece { collector.add(rows) }
                return true
            }
        }
        guard collector.series == plot.series else { throw Failure("the plot is not that of its rows") }
        let list = try seconds { _ = try store.summary(of: trace.id) }
        try store.close()
        let milliseconds = times.sorted()[times.count / 2] * 1000
        print(
            "engine meter-plot \(columns) columns: \(String(format: "%.2f", milliseconds)) ms, rows",
            "\(String(format: "%.3f", whole)) s, summary \(String(format: "%.3f", list * 1000)) ms, \(byteCount) bytes")
    }

    /// Prints the milliseconds for summing all but the first and the last row of a trace, and compares the result with
    /// sums of the rows.
    static func stretch(_ path: String, rounds: Int) async throws {
        let store = try await Store.open(
            at: URL(filePath: path).appending(path: "store"), TraceBench.configuration(path)
        ).whole
        guard let trace = try store.traces().first, let last = try store.summary(of: trace.id).lastTime else {
            throw Failure("no trace")
        }
        var found = try store.summary(of: trace.id, from: start + 1, to: last)
        let times = try (0..<rounds).map { _ in
            try seconds { found = try store.summary(of: trace.id, from: start + 1, to: last) }
        }
        var (count, sums) = (UInt64(0), [Int128](repeating: 0, count: channels.count))
        try store.forEachPiece(of: trace.id, from: start + 1, to: last) { piece in
            guard case .rows(let rows) = piece else { return true }
            count += UInt64(rows.count)
            for (index, column) in rows.columns.enumerated() { sums[index] += column.reduce(0) { $0 + Int128($1) } }
            return true
        }
        guard found.rows.rowCount == count, found.channels.map(\.cell.sum) == sums else {
            throw Failure("the sums are not those of the rows")
        }
        try store.close()
        let milliseconds = times.sorted()[times.count / 2] * 1000
        print("engine meter-stretch \(count) rows: \(String(format: "%.3f", milliseconds)) ms")
    }

    // MARK: Meters

    /// Prints the milliseconds for connecting a meter, and for listing ten of them.
    static func connect(_ path: String, rounds: Int) async throws {
        let store = try await TraceBench.newStore(path)
        for number in 0..<10 { try await store.connect(meter(number), model: .um25c) }
        var (connecting, listing) = ([Double](), [Double]())
        for round in 0..<rounds {
            let address = try meter(round % 10)
            try await store.disconnect(address)
            connecting.append(try await seconds { _ = try await store.connect(address, model: .um25c) })
            listing.append(
                try seconds {
                    guard try store.meters().count == 10 else { throw Failure("meters are missing") }
                })
        }
        try store.close()
        func median(_ times: [Double]) -> String { String(format: "%.3f", times.sorted()[times.count / 2] * 1000) }
        print("engine meter-connect \(rounds): \(median(connecting)) ms, list \(median(listing)) ms")
    }
}

/// Returns the number of seconds that `body` takes.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
}
