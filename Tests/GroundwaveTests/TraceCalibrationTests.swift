import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

private func correction(_ factor: String, _ offset: String = "0") throws -> ChannelCorrection {
    let numbers = try [factor, offset].map { try #require(DecimalNumber($0)) }
    return try #require(ChannelCorrection(factor: numbers[0], offset: numbers[1]))
}

@Suite struct `A calibration` {
    /// 1.003 and -0.0012 A, on integers of 0.1 mA: exact, to the nearest, and a tie to the even one.
    private static func calibrated(_ value: Int64) -> Int64 {
        let thousandths = value * 1_003 - 12_000
        let (whole, rest) = (thousandths / 1_000, thousandths % 1_000)
        return rest > 500 || rest == 500 && whole % 2 == 1 ? whole + 1 : whole
    }

    private func currents(
        of trace: RecordID, in store: some Reading, _ values: TraceValues = .calibrated
    ) throws -> [Int64] {
        var currents: [Int64] = []
        try store.forEachPiece(of: trace, showing: values) { piece in
            if case .rows(let rows) = piece {
                let column = try #require(rows.layout.channels.firstIndex { $0.name == "current" })
                #expect(rows.layout.channels[column].decimals == 4)
                currents += rows.columns[column]
            }
            return true
        }
        return currents
    }

    @Test func `changes what every reader gets, and neither what was measured nor what verify compares`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let count = 9_000
        let id = try await store.recorded(count, name: "bench")
        let trace = try #require(try store.traces().first)
        let before = (try store.summary(of: id), try store.plot(trace), try csv(of: trace, in: store, .calibrated))
        _ = try await store.calibrate(.trace(id), channel: "current", by: try correction("1.003", "-0.0012"))

        let measured = (0..<count).map { Int64(1_000 + $0 % 100) }
        let expected = measured.map(Self.calibrated)
        #expect(try currents(of: id, in: store, .measured) == measured)
        #expect(try currents(of: id, in: store) == expected)
        #expect(try store.verify(trace).damage.isEmpty)

        let whole = try store.summary(of: id)
        let cell = try #require(whole.channels.first { $0.channel.name == "current" }?.cell)
        #expect((cell.first, cell.last) == (expected.first, expected.last))
        #expect((cell.least, cell.greatest) == (expected.min(), expected.max()))
        #expect(whole.calibration.text == "calibrated: current × 1.003 − 0.0012 A")
        // Rows are 100 ms apart: the charge times the factor, and the offset times the time.
        let charge = zip(measured, measured.dropFirst()).reduce(Int128(0)) { $0 + Int128($1.0 + $1.1) * 100 }
        let part = try #require(whole.parts.first)
        let exact = charge * 1_003 - 2 * 12_000 * Int128(count - 1) * 100
        #expect(2 * (part.totals.charge * 1_000 - exact).magnitude <= 1_000)
        // 5.000 V throughout, so that the energy is exact.
        #expect(part.totals.energyUncertainty <= 1)
        #expect((part.totals.energy - part.totals.charge * 5_000).magnitude <= 5_000)
        let start = try #require(whole.firstTime)
        let stretch = try store.summary(of: id, from: start + 50, to: start + 100 * 5_000)
        let inside = Array(expected[1..<5_000])
        let shown = try #require(stretch.channels.first { $0.channel.name == "current" }?.cell)
        #expect((shown.first, shown.last, shown.count) == (inside.first, inside.last, inside.count))
        #expect(stretch.calibration == whole.calibration)
        #expect(try store.summary(of: id, from: .min, to: .max).rows == whole.rows)

        var options = TracePlotOptions()
        options.channels = ["current"]
        let plot = try store.plot(trace, options)
        let drawn = plot.series[0].columns.compactMap(\.self)
        #expect(drawn.map(\.least).min() == expected.min() && drawn.map(\.greatest).max() == expected.max())
        #expect(drawn.first?.first == expected.first && drawn.last?.last == expected.last)
        #expect(plot.subtitle.hasSuffix("; calibrated: current × 1.003 − 0.0012 A"))
        // So narrow that blocks are drawn by their summaries, and so wide that rows are.
        for (from, to) in [(start - 100_000_000, start + 100_000_000), (start + 1_000, start + 9_000)] {
            let some = try store.plot(trace, options, from: from, to: to).series[0].columns.compactMap(\.self)
            #expect(some.allSatisfy { expected.contains($0.first) && expected.contains($0.greatest) })
        }
        options.channels = ["voltage"]
        #expect(!(try store.plot(trace, options).subtitle.contains("calibrated")))

        let comparison = try store.compare(trace, with: trace)
        #expect(comparison.a.stretch.rows == whole.rows && comparison.channels.allSatisfy { $0.difference == 0 })
        #expect(try store.plot(comparison).subtitle.components(separatedBy: "calibrated: ").count == 3)

        let lines = try csv(of: trace, in: store, .calibrated)
        let column = try #require(lines.first?.components(separatedBy: ",").firstIndex(of: "current_A"))
        #expect(lines.dropFirst().map { $0.components(separatedBy: ",")[column] } == expected.map(Self.amperes))

        #expect(try store.summary(of: id, showing: .measured) == before.0)
        #expect(try store.plot(trace, showing: .measured).series == before.1.series)
        #expect(try csv(of: trace, in: store, .measured) == before.2)
        #expect(try store.compare(trace, with: trace, showing: .measured).a.stretch.rows == before.0.rows)
    }

    private static func amperes(_ value: Int64) -> String {
        String(format: "%lld.%04lld", value / 10_000, value % 10_000)
    }

    private func csv(of trace: Trace, in store: Store, _ values: TraceValues) throws -> [String] {
        var bytes: [UInt8] = []
        _ = try store.export(trace, as: .csv, showing: values) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test func `says in the file by what it is corrected, where the format has a place for that`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let id = try await store.recorded(50)
        let trace = try #require(try store.traces().first)
        _ = try await store.calibrate(.trace(id), channel: "current", by: try correction("1.5"))
        for (format, isThere) in [
            (TraceExportFormat.csv, false), (.ndjson, false), (.influx, true), (.parquet, true),
        ] {
            for values in TraceValues.allCases {
                var bytes: [UInt8] = []
                let report = try store.export(trace, as: format, showing: values) { bytes += $0 }
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(text.contains("current × 1.5") == (isThere && values == .calibrated), "\(format)")
                #expect(report.calibration.isEmpty == (values == .measured))
                if format == .influx, values == .calibrated {
                    #expect(text.hasPrefix("# calibrated: current × 1.5\nmeter,"))
                    #expect(text.components(separatedBy: "#").count == 2)
                }
            }
        }
        let folder = try TemporaryFolder()
        for (values, fact) in [(TraceValues.calibrated, ["current × 1.5"]), (.measured, [])] {
            let path = folder.url.appending(path: "\(fact.count).sqlite").path
            _ = try store.export(trace, as: .sqlite, showing: values, toFile: path)
            #expect(try sqliteRows(path, "SELECT value FROM trace WHERE key = 'calibrated'").map(\.["value"]) == fact)
            let highest = try sqliteRows(path, "SELECT max(current_100uA) AS most FROM rows")[0]["most"]
            #expect(highest == (values == .calibrated ? "1574" : "1049"))
        }
        var options = TraceExportOptions()
        options.channels = ["voltage"]
        #expect(try store.export(trace, as: .csv, options) { _ in }.calibration.isEmpty)
    }

    @Test func `of a trace comes before that of its meter, and of a meter's the latest that began before the trace`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let id = try await store.recorded(20)
        let trace = try #require(try store.traces().first)
        let started = try #require(try store.summary(of: id).firstTime)
        let name = "current"
        func shown() throws -> String? { try store.summary(of: id).calibration.text }
        func calibrate(_ target: TraceCalibration.Target, _ factor: String) async throws {
            _ = try await store.calibrate(target, channel: name, by: try correction(factor))
        }
        #expect(try shown() == nil)
        try await calibrate(.meter(simulatedMeter, from: nil), "2")
        #expect(try shown() == "calibrated: current × 2")
        try await calibrate(.meter(simulatedMeter, from: started - 1_000), "3")
        try await calibrate(.meter(simulatedMeter, from: started - 2_000), "4")
        try await calibrate(.meter(simulatedMeter, from: started + 1), "5")
        #expect(try shown() == "calibrated: current × 3")
        try await calibrate(.meter(simulatedMeter, from: started), "6")
        #expect(try shown() == "calibrated: current × 6")
        try await calibrate(.trace(id), "7")
        #expect(try shown() == "calibrated: current × 7" && store.calibrations().count == 6)
        // A second one replaces the first, and one that changes nothing hides that of the meter.
        try await calibrate(.trace(id), "8")
        #expect(try shown() == "calibrated: current × 8" && store.calibrations().count == 6)
        try await calibrate(.trace(id), "1")
        #expect(try shown() == nil && currents(of: id, in: store) == (0..<20).map { 1_000 + $0 })
        let removed = try await store.removeCalibrations(.trace(id), channel: name)
        #expect(removed.value.map(\.item.description) == ["current × 1"])
        #expect(try shown() == "calibrated: current × 6")
        // What was removed can be there again, also with the same numbers.
        try await calibrate(.trace(id), "1")
        #expect(try shown() == nil)
        #expect(try store.verify(trace).damage.isEmpty)
        let gone = await #expect(throws: StoreError.self) {
            try await store.removeCalibrations(.meter(simulatedMeter, from: 5), channel: name)
        }
        #expect(gone?.code == .notFound)
        for (target, channel, code) in [
            (TraceCalibration.Target.trace(id), "curent", StoreError.Code.usage),
            (.meter(MACAddress("02:00:00:00:00:09")!, from: nil), name, .notFound),
            (.trace(RecordID(high: 1, low: 2)), name, .notFound),
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await store.calibrate(target, channel: channel, by: try correction("2"))
            }
            #expect(error?.code == code)
        }
    }

    @Test func `is undone, looked back at, and erased with its trace, like any other record`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let id = try await store.recorded(10)
        let first = try await store.calibrate(.trace(id), channel: "current", by: try correction("2"))
        _ = try await store.calibrate(.trace(id), channel: "current", by: try correction("3"))
        for step in try store.undoableSteps(1) { _ = try await store.revert(step) }
        #expect(try store.summary(of: id).calibration.text == "calibrated: current × 2")
        _ = try await store.revert(first.batch)
        #expect(try store.summary(of: id).calibration.isEmpty && store.calibrations().isEmpty)
        _ = try await store.calibrate(.trace(id), channel: "current", by: try correction("4"))
        #expect(try store.record(Metering.calibration.name, first.value.id)?.isVisible == true)
        try await store.erase(trace: id)
        #expect(try store.calibrations(hiddenToo: true).isEmpty)
    }

    @Test func `of two devices at once is one record with a conflict, whose factor and offset stay together`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        let id = try await fleet[0].recorded(10)
        try await fleet.settle()
        _ = try await fleet[0].calibrate(.trace(id), channel: "current", by: try correction("2", "0.5"))
        _ = try await fleet[1].calibrate(.trace(id), channel: "current", by: try correction("3"))
        try await fleet.settle()
        for index in 0..<2 {
            #expect(try fleet[index].calibrations().count == 1)
            let record = try #require(
                try fleet[index].record(Metering.calibration.name, try fleet[index].calibrations()[0].id))
            let conflicts = try fleet[index].conflicts(in: record)
            #expect(conflicts.map(\.field) == ["FACTOR+OFFSET"] && conflicts[0].kind == "calibration")
            #expect(try fleet[index].conflicts().count == 1)
            let text = try fleet[index].summary(of: id).calibration.text
            #expect(["calibrated: current × 2 + 0.5 A", "calibrated: current × 3"].contains(text))
        }
        #expect(try fleet.digests().count == 1)
        #expect(
            try fleet[0].summary(of: id).calibration == fleet[1].summary(of: id).calibration)
    }

    @Test func `holds for the rows of a recording that is running, and for samples that are elsewhere`() async throws {
        let fleet = try await SyncedFleet(2)
        let store = fleet[0]
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, rate: 10)
        try await recorder.append(simulatedRows(0..<300), by: Reception(ReadMoment(1_700_000_000_000)))
        try await recorder.flush()
        _ = try await store.calibrate(.trace(recorder.trace), channel: "current", by: try correction("2"))
        #expect(try currents(of: recorder.trace, in: store) == (0..<300).map { 2 * Int64(1_000 + $0 % 100) })
        try await recorder.append(simulatedRows(300..<9_000), by: Reception(ReadMoment(1_700_000_100_000)))
        try await recorder.finish()
        try await fleet.settle()
        let cell = try #require(
            try fleet[1].summary(of: recorder.trace).channels.first { $0.channel.name == "current" }?.cell)
        #expect((cell.least, cell.greatest) == (2_000, 2_198))
        var options = TracePlotOptions()
        options.channels = ["current"]
        let trace = try #require(try fleet[1].traces().first)
        let bands = try fleet[1].plot(trace, options).series[0].bands
        #expect(!bands.isEmpty && bands.allSatisfy { $0.least == 2_000 && $0.greatest == 2_198 })
    }
}
