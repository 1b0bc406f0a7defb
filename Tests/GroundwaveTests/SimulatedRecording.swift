import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords
import SimulatedMeters
import Testing

let simulatedMeter = MACAddress("02:00:00:00:00:01")!

/// The answer of a UM25C that says `number` as the charge of its first group.
func simulatedFrame(_ number: Int) -> [UInt8] { answerOfUM25C(number, current: 1_000 + number % 100) }

func simulatedRows(_ numbers: Range<Int>) -> DecodedRows {
    var decoder = MeterModel.um25c.makeDecoder()
    var rows = DecodedRows()
    for number in numbers { decoder.consume(simulatedFrame(number).span.bytes, into: &rows) }
    return rows
}

extension Store {
    /// The numbers that the rows of a trace say, and how many rows are withheld. None may be unreadable.
    func numbers(of trace: RecordID, from start: Int64 = .min, to end: Int64 = .max) throws -> (
        [Int], UInt64
    ) {
        var (numbers, withheld) = ([Int](), UInt64(0))
        try forEachPiece(of: trace, from: start, to: end) { piece in
            switch piece {
            case .rows(let rows):
                let column = rows.layout.channels.firstIndex { $0.name == "group0.charge" }!
                numbers += rows.columns[column].map { Int($0) }
            case .withheld(let summary): withheld += summary.count
            case .unreadable(let rows): Issue.record("the rows \(rows) cannot be read")
            case .hidden: break
            }
            return true
        }
        return (numbers, withheld)
    }

    /// A trace of `count` rows, ten a second, that has ended.
    func recorded(_ count: Int, name: String = "") async throws -> RecordID {
        let recorder = try await record(meter: simulatedMeter, model: .um25c, name: name, rate: 10)
        for start in stride(from: 0, to: count, by: 500) {
            try await recorder.append(
                simulatedRows(start..<min(count, start + 500)), by: Reception(ReadMoment(1_700_000_000_000)))
        }
        try await recorder.finish()
        return recorder.trace
    }
}
