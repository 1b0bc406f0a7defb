import Foundation
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

@Suite struct `Rows written as NDJSON` {
    @Test func `are objects with exact decimals`() throws {
        #expect(
            try exportedText(.ndjson, [smallTrace()]) == """
                {"time":"2026-05-01T12:00:00.000Z","tick_1000Hz_mod65536":65530,"missing":0,"repeats":0,"voltage_V":1.2345,"current_A":-0.005,"mode":0}
                {"time":"2026-05-01T12:00:00.040Z","tick_1000Hz_mod65536":65570,"missing":39,"repeats":0,"voltage_V":5.0000,"current_A":1.000,"mode":1}
                {"time":"2026-05-01T12:00:00.040Z","tick_1000Hz_mod65536":65571,"missing":0,"repeats":0,"voltage_V":-0.0001,"current_A":0.999,"mode":2}
                {"time":"2026-04-30T12:00:00.999Z","tick_1000Hz_mod65536":65572,"missing":0,"repeats":2,"voltage_V":0.0000,"current_A":-9223372036854775.808,"mode":3}

                """)
    }

    @Test func `have nulls in an empty row, where that is asked for`() throws {
        let lines = try exportedText(.ndjson, [smallTrace()]) { $0.gaps = .blank }.split(separator: "\n")
        #expect(
            lines[1]
                == """
                {"time":"2026-05-01T12:00:00.040Z","tick_1000Hz_mod65536":null,"missing":39,"repeats":0,"voltage_V":null,"current_A":null,"mode":null}
                """)
    }

    @Test func `leave out the keys of what a row lacks`() throws {
        var other = TraceRows(Layout([Channel("voltage", .volt, decimals: 2)]), first: 11)
        (other.times, other.columns) = ([-1], [[-123]])
        let lines = try exportedText(.ndjson, [smallTrace(), other]).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[4] == #"{"time":"1969-12-31T23:59:59.999Z","missing":0,"repeats":0,"voltage_V":-1.2300}"#)
        let means = try exportedText(.ndjson, [smallTrace(), other]) { $0.bucketMilliseconds = 86_400_000 }
        #expect(
            means == """
                {"time":"2026-05-01T00:00:00.000Z","missing":39,"repeats":0,"voltage_V":2.0781,"current_A":0.665,"mode":1}
                {"time":"2026-04-30T00:00:00.000Z","missing":0,"repeats":2,"voltage_V":0.0000,"current_A":-9223372036854775.808,"mode":3}
                {"time":"1969-12-31T00:00:00.000Z","missing":0,"repeats":0,"voltage_V":-1.2300}

                """)
    }

    @Test func `go on with other keys where a channel comes that the file was not begun with`() throws {
        var other = TraceRows(Layout([Channel("voltage", .volt, decimals: 5)]), first: 11)
        (other.times, other.columns) = ([1_777_550_401_000], [[-123]])
        let lines = try exportedText(.ndjson, [smallTrace(), other], layout: smallTrace().layout).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[4] == #"{"time":"2026-04-30T12:00:01.000Z","missing":0,"repeats":0,"voltage_V":-0.00123}"#)
        // Buckets are closed there.
        let means = try exportedText(.ndjson, [smallTrace(), other], layout: smallTrace().layout) {
            $0.bucketMilliseconds = 86_400_000
        }
        #expect(means.split(separator: "\n").count == 3)
    }

    @Test(arguments: UInt64(1)...40)
    func `are JSON with the numbers of the columns of the CSV`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let trace = MadeUpTrace(&numbers)
        let csv = try exportedText(.csv, [trace.rows]).split(separator: "\r\n").map { $0.split(separator: ",") }
        let lines = try exportedText(.ndjson, trace.rows.pieces(&numbers)).split(separator: "\n")
        #expect(lines.count == csv.count - 1)
        for (line, fields) in zip(lines, csv.dropFirst()) {
            let members = zip(csv[0], fields).map { $0 == "time" ? #""time":"\#($1)""# : #""\#($0)":\#($1)"# }
            #expect(line == "{\(members.joined(separator: ","))}")
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }
}
