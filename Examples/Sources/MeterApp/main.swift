// Meters: the bytes of a meter decoded, recorded as a trace, and exported as CSV.
import Check
import Foundation
import GroundwaveMeters

/// What a UM25C answers (130 bytes, big-endian), with a voltage of 5 V.
func answer(milliamperes: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 130)
    for (offset, value) in [(0, 0x09C9), (2, 5_000), (4, milliamperes * 10), (128, 0xFFF1)] {
        (bytes[offset], bytes[offset + 1]) = (UInt8(value >> 8), UInt8(value & 0xFF))
    }
    return bytes
}

try await withFolder { folder in
    let configuration = Configuration(components: [.meters], stateFolder: folder.appending(path: "state"))
    let store = try await Store.create(at: folder.appending(path: "bench"), configuration)
    let recorder = try await store.record(meter: MACAddress("02:00:00:00:00:01")!, model: .um25c)
    var decoder = MeterModel.um25c.makeDecoder()
    for number in 0..<10 {
        var rows = DecodedRows()
        decoder.consume(answer(milliamperes: 100 + number).span.bytes, into: &rows)
        try await recorder.append(rows)
    }
    try await recorder.finish()
    let trace = try store.traces()[0]
    check(try store.summary(of: trace.id).rowCount == 10, "every row is recorded")
    check(try store.verify(trace).isOK, "the trace is sound")
    let file = folder.appending(path: "trace.csv")
    _ = try store.export(trace, as: .csv, toFile: file.path)
    check(try Data(contentsOf: file).count { $0 == UInt8(ascii: "\n") } == 11, "the export has every row")
    try store.close()
    print("Ten rows were recorded and exported.")
}
