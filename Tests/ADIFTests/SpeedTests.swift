import Foundation
import Testing

@testable import ADIF

@Suite struct `Speed` {
    /// Prints a figure and asserts nothing; `Docs/ADIF.md` has the command.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["GROUNDWAVE_MEASURE"] != nil))
    func `reading a plain log`() {
        var bytes: [UInt8] = []
        ADIWriter.append(ADIWriter.makeHeader(programVersion: "1", createdTimestamp: 0), to: &bytes)
        for number in 0..<200_000 {
            let fields: ADIFFields = [
                ADIFField(.call, "N\(number % 10)CALL"), ADIFField(.gridsquare, "AA00"), ADIFField(.mode, "FT8"),
                ADIFField(.rstSent, "-10"), ADIFField(.rstRcvd, "-03"), ADIFField(.qsoDate, "20260101"),
                ADIFField(.timeOn, "120000"), ADIFField(.qsoDateOff, "20260101"), ADIFField(.timeOff, "120130"),
                ADIFField(.band, "20m"), ADIFField(.freq, "14.075123"), ADIFField(.stationCallsign, "N0CALL"),
                ADIFField(.comment, "a made-up contact"),
            ]
            ADIWriter.append(fields, to: &bytes)
        }
        var count = 0
        let time = ContinuousClock().measure {
            var reader = ADIReader()
            for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
                reader.append(bytes[start..<min(start + (64 << 10), bytes.count)])
                while let item = reader.next() { if case .record = item { count += 1 } }
            }
            reader.finish()
            while let item = reader.next() { if case .record = item { count += 1 } }
        }
        #expect(count == 200_000)
        print("\(bytes.count) bytes, \(count) records, \(Int(Double(bytes.count) / (time / .seconds(1)) / 1e6)) MB/s")
    }
}
