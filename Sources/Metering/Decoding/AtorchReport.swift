import ByteCoding

/// A report of an Atorch meter: 36 bytes, big-endian, with a layout for each kind of meter.
///
/// | at | AC (1) | DC (2) | USB (3) |
/// | --- | --- | --- | --- |
/// | 04 (3) | voltage, 0.1 V | voltage, 0.1 V | voltage, 10 mV |
/// | 07 (3) | current, mA | current, mA | current, 10 mA |
/// | 0A (3) | power, 0.1 W | charge, 10 mAh | charge, mAh |
/// | 0D (4) | energy, unit unknown | energy, unit unknown | energy, 10 mWh |
/// | 11 | price of a kWh (3), 0.01 | the same | D-, D+ (2 each), 10 mV |
/// | 14 (AC, DC), 15 (USB) | frequency (2), 0.1 Hz; power factor (2), 0.001 | unknown (4) | temperature (2), degrees |
/// | 18 (AC, DC) | temperature (2), degrees | the same | |
/// | 1A (AC, DC), 17 (USB) | hours (2), minutes, seconds | the same | the same |
/// | 1E (AC, DC), 1B (USB) | backlight | backlight | backlight |
/// | 1F (AC, DC), 1C (USB) | unknown (4) | unknown (4) | unknown (7): the J7-C's settings |
///
/// Sources: NiceLabs/atorch-console (`docs/protocol-design.md`) and libsigrok (`src/hardware/atorch/protocol.c`).
/// They disagree on these points:
///
/// - DC at 0A is a charge in 10 mAh (libsigrok, syssi/esphome-atorch-dl24), not a power in 0.1 W (NiceLabs): in the
///   capture of a DL24 that draws 20 A from 3.2 V it is 51.1 Ah after 2 h 33 min, and grows by 3 in five seconds.
/// - DC energy is in 10 Wh according to libsigrok and in 10 mWh according to NiceLabs. The DL24 agrees with 10 Wh;
///   the three published reports of a DT3010 agree with neither, unless its counters were reset separately. AC energy
///   is in 10 mWh in that table and in 10 Wh in other readings of its unit, and no capture is long enough to decide.
///   Both are a channel without a unit, `energy.raw`.
/// - USB temperature has two bytes (libsigrok); the three bytes of NiceLabs' table would overlap the hours after
///   them.
struct AtorchReport: Hashable, Sendable {
    enum Device: UInt8, Sendable { case ac = 1, dc, usb }

    static let byteCount = 36
    static let usbBeginning: [UInt8] = [0xFF, 0x55, 0x01, Device.usb.rawValue]

    let device: Device
    private let charge: UInt32
    private let energy: UInt32
    private let hours: UInt16
    private let minutes: UInt8
    private let seconds: UInt8
    // USB only: the backlight byte and those after it, which rarely change.
    private let settings: UInt64

    /// Creates the report in `frame`; `nil` if the kind of device is unknown.
    init?(_ frame: RawSpan) {
        guard let device = Device(rawValue: frame.byte(at: 3)) else { return nil }
        self.device = device
        charge = frame.bigEndianUInt24(at: 0x0A)
        energy = frame.bigEndianUInt32(at: 0x0D)
        let clock = device == .usb ? 0x17 : 0x1A
        hours = frame.bigEndianUInt16(at: clock)
        minutes = frame.byte(at: clock + 2)
        seconds = frame.byte(at: clock + 3)
        settings = frame.bigEndianUInt64(at: 0x1B)
    }

    /// The time that the meter has been counting, in seconds.
    private var time: Int64 { Int64(hours) * 3600 + Int64(minutes) * 60 + Int64(seconds) }

    /// Whether the minutes and seconds of the meter's clock are valid.
    var isWellFormed: Bool { minutes < 60 && seconds < 60 }

    /// Whether a USB meter may have sent this report within a minute after `other`.
    func follows(_ other: AtorchReport) -> Bool {
        // In a minute 30 A are 500 mAh, and 30 A at 60 V are 30 Wh, which is 3,000 times 10 mWh.
        (1...60).contains(time - other.time) && charge >= other.charge && charge - other.charge <= 500
            && energy >= other.energy && energy - other.energy <= 3_000 && settings == other.settings
    }

    /// Appends the row of `frame`, which is this report.
    func append(_ frame: RawSpan, to rows: inout DecodedRows) {
        func three(_ offset: Int) -> Int64 { Int64(frame.bigEndianUInt24(at: offset)) }
        func two(_ offset: Int) -> Int64 { Int64(frame.bigEndianUInt16(at: offset)) }
        func four(_ offset: Int) -> Int64 { Int64(frame.bigEndianUInt32(at: offset)) }
        switch device {
        case .ac:
            let values: InlineArray<11, Int64> = [
                three(4), three(7), three(0x0A), Int64(energy), three(0x11), two(0x14), two(0x16), two(0x18), time,
                Int64(frame.byte(at: 0x1E)), four(0x1F),
            ]
            rows.append(values, of: Self.acLayout)
        case .dc:
            let values: InlineArray<10, Int64> = [
                three(4), three(7), Int64(charge), Int64(energy), three(0x11), four(0x14), two(0x18), time,
                Int64(frame.byte(at: 0x1E)), four(0x1F),
            ]
            rows.append(values, of: Self.dcLayout)
        case .usb:
            let values: InlineArray<10, Int64> = [
                three(4), three(7), Int64(charge), Int64(energy), two(0x13), two(0x11), two(0x15), time,
                Int64(frame.byte(at: 0x1B)), Int64(settings & 0x00FF_FFFF_FFFF_FFFF),
            ]
            rows.append(values, of: Self.usbLayout)
        }
    }

    static let usbLayout = Layout([
        Channel("voltage", .volt, decimals: 2), Channel("current", .ampere, decimals: 2),
        Channel("charge", .ampereHour, decimals: 3), Channel("energy", .wattHour, decimals: 2),
        Channel("d+", .volt, decimals: 2), Channel("d-", .volt, decimals: 2),
        Channel("temperature", .celsius, decimals: 0), Channel("time", .second, decimals: 0),
        Channel("backlight", .none, decimals: 0), Channel("unknown.1c", .none, decimals: 0),
    ])

    static let dcLayout = Layout([
        Channel("voltage", .volt, decimals: 1), Channel("current", .ampere, decimals: 3),
        Channel("charge", .ampereHour, decimals: 2), Channel("energy.raw", .none, decimals: 0),
        Channel("price", .none, decimals: 2), Channel("unknown.14", .none, decimals: 0),
        Channel("temperature", .celsius, decimals: 0), Channel("time", .second, decimals: 0),
        Channel("backlight", .none, decimals: 0), Channel("unknown.1f", .none, decimals: 0),
    ])

    static let acLayout = Layout([
        Channel("voltage", .volt, decimals: 1), Channel("current", .ampere, decimals: 3),
        Channel("power", .watt, decimals: 1), Channel("energy.raw", .none, decimals: 0),
        Channel("price", .none, decimals: 2), Channel("frequency", .hertz, decimals: 1),
        Channel("power.factor", .none, decimals: 3), Channel("temperature", .celsius, decimals: 0),
        Channel("time", .second, decimals: 0), Channel("backlight", .none, decimals: 0),
        Channel("unknown.1f", .none, decimals: 0),
    ])
}
