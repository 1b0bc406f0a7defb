import GroundwaveByteCoding
import GroundwaveMetering

/// The present measurements of the KM003C, the answer to a poll: 44 bytes, little-endian.
///
/// | at | bytes | meaning |
/// | --- | --- | --- |
/// | 0, 4 | 4, 4 | voltage, uV, and current, uA, both signed; a positive current flows from the socket to the plug |
/// | 8, 12 | 4, 4 | the same, averaged |
/// | 16, 20 | 4, 4 | the same, averaged before calibration |
/// | 24 | 2 | temperature, 1/128 of a degree Celsius, signed; 0x8000 if there is none |
/// | 26, 28, 30, 32, 34 | 2 each | CC1, CC2, D+, D-, VDD, 0.1 mV |
/// | 36, 37 | 1, 1 | the rate, 0 to 4, and flags |
/// | 38, 40, 42 | 2 each | CC2, D+, D-, averaged, mV |
///
/// Source: okhsunrog/km003c-protocol-research (`docs/protocol_reference.md`).
enum KM003CReading {
    static let byteCount = 44

    static func append(_ payload: RawSpan, to rows: inout DecodedRows) {
        func long(_ offset: Int) -> Int64 { Int64(payload.int32(at: offset)) }
        func word(_ offset: Int) -> Int64 { Int64(payload.uint16(at: offset)) }
        // 1/128 has seven decimals, so the conversion is exact.
        let temperature = Int64(payload.int16(at: 24)) * 78_125
        let values: InlineArray<17, Int64> = [
            long(0), long(4), long(8), long(12), long(16), long(20), temperature,
            word(26), word(28), word(30), word(32), word(34),
            Int64(payload.byte(at: 36)), Int64(payload.byte(at: 37)), word(38), word(40), word(42),
        ]
        if payload.uint16(at: 24) == noTemperature {
            let others = values.indices.filter { $0 != temperatureIndex }
            rows.append(others.map { values[$0] }, of: layoutWithoutTemperature)
        } else {
            rows.append(values, of: layout)
        }
    }

    // The value of a meter that has not measured its temperature: as a number it would be -256 degrees.
    private static let noTemperature: UInt16 = 0x8000
    private static let temperatureIndex = 6

    /// The layout of a reading without a temperature.
    static let layoutWithoutTemperature = Layout(layout.channels.filter { $0.name != "temperature" })

    static let layout = Layout([
        Channel("voltage", .volt, decimals: 6), Channel("current", .ampere, decimals: 6),
        Channel("voltage.average", .volt, decimals: 6), Channel("current.average", .ampere, decimals: 6),
        Channel("voltage.uncalibrated", .volt, decimals: 6), Channel("current.uncalibrated", .ampere, decimals: 6),
        Channel("temperature", .celsius, decimals: 7),
        Channel("cc1", .volt, decimals: 4), Channel("cc2", .volt, decimals: 4),
        Channel("d+", .volt, decimals: 4), Channel("d-", .volt, decimals: 4), Channel("vdd", .volt, decimals: 4),
        Channel("rate", .none, decimals: 0), Channel("flags", .none, decimals: 0),
        Channel("cc2.average", .volt, decimals: 3), Channel("d+.average", .volt, decimals: 3),
        Channel("d-.average", .volt, decimals: 3),
    ])
}
