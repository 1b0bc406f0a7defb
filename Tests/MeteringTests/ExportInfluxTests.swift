import SeededNumbers
import Testing

@testable import Metering

@Suite struct `Rows written for InfluxDB` {
    @Test func `are points with exact decimals and times of their own`() throws {
        var rows = smallTrace()
        rows.times[3] = rows.times[2] + 2
        let text = try exportedText(.influx, [rows]) {
            $0.series = .init(measurement: "usb meter", meter: "a=b,c", model: "", trace: "7")
        }
        let series = #"usb\ meter,meter=a\=b\,c,trace=7"#
        #expect(
            text == """
                \(series) voltage_V=1.2345,current_A=-0.005,mode=0 1777636800000000000
                \(series) voltage_V=5.0000,current_A=1.000,mode=1 1777636800040000000
                \(series) voltage_V=-0.0001,current_A=0.999,mode=2 1777636800041000000
                \(series) voltage_V=0.0000,current_A=-9223372036854775.808,mode=3 1777636800042000000

                """)
    }

    @Test(arguments: UInt64(1)...100)
    func `have times that ascend, with one point for each row`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let trace = MadeUpTrace(&numbers, times: 1_777_000_000_000...1_777_000_000_500)
        let whole = try exported(.influx, [trace.rows])
        #expect(try exported(.influx, trace.rows.pieces(&numbers)) == whole)
        let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n")
        let times = lines.compactMap { $0.split(separator: " ").last.flatMap { Int64($0) } }
        #expect(times.count == trace.rows.count)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.first == trace.rows.times[0] * 1_000_000)
        let csv = try exportedText(.csv, [trace.rows]).split(separator: "\r\n").map { $0.split(separator: ",") }
        let first = csv[0].count - trace.layout.channels.count
        for (line, fields) in zip(lines, csv.dropFirst()) {
            let members = zip(csv[0], fields).dropFirst(first).map { "\($0)=\($1)" }
            #expect(line.hasPrefix("meter \(members.joined(separator: ",")) "))
        }
    }

    @Test func `are refused where they cannot be named or timed exactly`() throws {
        for series: TraceExportOptions.Series in [
            .init(measurement: ""), .init(measurement: "#a"), .init(measurement: "_a"), .init(measurement: "a\nb"),
            .init(meter: "a\\"), .init(trace: "\u{7F}"),
        ] {
            #expect(throws: TraceExportError.self) { try exported(.influx, [smallTrace()]) { $0.series = series } }
        }
        #expect(throws: TraceExportError.self) { try exported(.influx, [smallTrace()]) { $0.gaps = .blank } }
        for time: Int64 in [.min, .max, -9_223_372_036_855, 9_223_372_036_855] {
            var rows = smallTrace()
            rows.times[2] = time
            let error = TraceExportError.value(
                "the time", row: 2, reason: "InfluxDB only has times from 1677 to 2262")
            #expect(throws: error) { try exported(.influx, [rows]) }
        }
    }
}

@Suite struct `A clock of rows` {
    private func moments(_ hertz: Int?, _ rows: [(Int64, Int64)]) -> [Int64?] {
        var clock = RowClock(hertz: hertz)
        return rows.map { clock.nanoseconds($0.0, tick: hertz == nil ? nil : $0.1) }
    }

    @Test func `follows the counter within one millisecond`() {
        #expect(
            moments(1000, [(5, 10), (5, 11), (5, 13), (45, 50), (45, 51)])
                == [5_000_000, 6_000_000, 8_000_000, 45_000_000, 46_000_000])
    }

    @Test func `squeezes rows that came early, and those behind a clock that was set back`() {
        #expect(
            moments(1000, [(5, 10), (5, 12), (6, 13), (6, 14), (4, 15), (4, 20), (20, 21)])
                == [5_000_000, 7_000_000, 7_001_000, 7_002_000, 7_003_000, 9_000_000, 20_000_000])
    }

    @Test func `goes on by microseconds where there is no counter, or one that says nothing`() {
        #expect(moments(nil, [(5, 0), (5, 0), (5, 0), (6, 0)]) == [5_000_000, 5_001_000, 5_002_000, 6_000_000])
        #expect(
            moments(1000, [(5, 0), (5, .max), (5, .min), (5, -1)]) == [5_000_000, 5_001_000, 5_002_000, 5_003_000])
    }
}
