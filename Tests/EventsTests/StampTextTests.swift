import GroundwaveEvents
import Testing

@Suite struct `The text of a stamp` {
    @Test(arguments: [
        (Int64(0), UInt16(0), "1970-01-01T00:00:00.000Z"), (1_777_636_800_250, 0, "2026-05-01T12:00:00.250Z"),
        (1_709_251_199_999, 3, "2024-02-29T23:59:59.999Z+3"),
        (253_402_300_800_000, 65_535, "10000-01-01T00:00:00.000Z+65535"),
    ])
    func `is its time in UTC, and its counter`(_ milliseconds: Int64, _ counter: UInt16, _ text: String) {
        #expect("\(Stamp(milliseconds: milliseconds, counter: counter))" == text)
    }
}
