import Foundation
import GroundwaveByteCoding
import GroundwaveMetering
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveTraceFiles

/// Captures of real meters all the way: frames or published integers to rows, rows to blocks, blocks to CSV and back.
@Suite(.enabled(if: Captures.folder != nil, Comment(rawValue: Captures.reason)))
struct `Traces of real meters` {
    /// What a capture says, as rows of a trace.
    private func traces(of decoded: DecodedRows) -> [TraceRows] {
        decoded.runs.map { run in
            var taken = Taken(of: run.layout, RowSource(.paced(perSecond: 2)))
            taken.receive(
                (0..<run.count).map { Array(run.row($0)) }, run.ticks,
                by: Reception(ReadMoment(1_700_000_000_000)))
            taken.end()
            return taken.block.rows
        }
    }

    /// Rows of published integers, whose columns have these names.
    private func trace(of table: [[Substring]], _ channels: [(name: String, column: Int)]) -> TraceRows {
        var rows = TraceRows(Layout(channels.map { Channel($0.name, .none, decimals: 0) }), first: 0)
        for (number, line) in table.enumerated() {
            let values = channels.map { line.count > $0.column ? Int64(line[$0.column]) : nil }
            guard !values.contains(nil) else { continue }
            rows.times.append(Int64(number) * 100)
            for (column, value) in values.enumerated() { rows.columns[column].append(value ?? 0) }
        }
        return rows
    }

    private func check(_ rows: TraceRows, _ name: String) throws {
        #expect(rows.count > 0, "\(name) gives rows")
        var (rest, blocks) = (rows, [TraceRows]())
        while rest.count > 0 {
            let (head, tail) = rest.split(at: min(4_096, rest.count))
            let block = SealedBlock(head, after: nil)
            let summary = try block.summary.bytes.withSpan { try BlockSummary($0) }
            let found = try block.content.withSpan { try TraceRows($0, of: summary) }
            #expect(found == head, "\(name) comes back from its blocks")
            blocks.append(found)
            rest = tail
        }
        var reader = CSVTraceReader()
        let read = try #require(try reader.append(exported(.csv, blocks)).first)
        try reader.finish()
        // A table has no name for a change of the rate.
        var expected = rows
        expected.marks.removeAll { $0.kind == .rate || $0.row == rows.count }
        #expect(
            read.columns == expected.columns && read.times == expected.times && read.ticks == expected.ticks, "\(name)")
        #expect(read.marks == expected.marks, "\(name)")
    }

    @Test(arguments: ["dl24", "j7-c", "ac-usb"]) func `frames of an Atorch meter`(name: String) throws {
        let frames = try Captures.frames("atorch-\(name).frames.txt").flatMap { $0 }
        for rows in traces(of: MeterModel.atorch.rows(of: frames)) { try check(rows, name) }
    }

    @Test func `frames of a KM003C`() throws {
        let frames = try Captures.table("km003c-1000sps-idle.frames.csv").flatMap {
            try #require(Hexadecimal.decode(String($0[1])))
        }
        let all = traces(of: MeterModel.km003c.rows(of: frames))
        for rows in all { try check(rows, "km003c") }
        // What the published counters say is missing between the first and the last of these rows.
        let ticks = try #require(all.first).ticks
        let missing = all[0].marks.reduce(0) { $1.kind == .gap ? $0 + $1.count : $0 }
        #expect(UInt64(ticks[ticks.count - 1] - ticks[0]) + 1 == UInt64(ticks.count) + missing)
    }

    @Test(arguments: [
        ("km003c-1000sps-idle.csv", 1...8), ("km003c-2sps-idle.csv", 1...8), ("km003c-adc-poll-pd-session.csv", 1...17),
        ("km003c-offline-log-10s.csv", 0...4),
    ]) func `published integers`(name: String, columns: ClosedRange<Int>) throws {
        let rows = trace(of: try Captures.table(name), columns.map { ("c\($0)", $0) })
        try check(rows, name)
    }

    @Test func `published decimals of a TC66C`() throws {
        let layout = Layout([Channel("voltage", .volt, decimals: 5), Channel("current", .ampere, decimals: 6)])
        var rows = TraceRows(layout, first: 0)
        for line in try Captures.text("tc66c-10hz-phone-2h.csv").split(separator: "\n") {
            let fields = line.split(separator: ";").map { String($0.filter { $0 != "\r" }) }
            guard fields.count == 3, let time = Double(fields[0]) else { continue }
            rows.times.append(Int64((time * 1000).rounded()))
            for column in 0..<2 {
                let digits = fields[column + 1].filter { $0 != "." }
                rows.columns[column].append(try #require(Int64(digits)))
            }
        }
        try check(rows, "tc66c")
    }
}
