/// The layout of a row: its channels, in the order of its values.
///
/// The layout may change within a trace, if the meter changes a unit or the values that it sends. That of a block has the
/// channels of all of its rows: see ``RowPattern``.
public struct Layout: Hashable, Sendable {
    /// The channels, at least one, with distinct names.
    public let channels: [Channel]
    /// The counter that the meter sends with each row; `nil` if it sends none.
    public let tick: Tick?

    /// The most channels of a layout: a block has a column for each, and one each for the times, the counter and the
    /// patterns of the rows.
    public static let channelLimit = SampleBlock.columnLimit - 3

    /// Creates a layout of these channels.
    public init(_ channels: [Channel], tick: Tick? = nil) {
        self.channels = channels
        self.tick = tick
    }

    /// The meter's own counter, which reveals gaps and repeats exactly.
    public struct Tick: Hashable, Sendable {
        /// The number of ticks per second.
        public let hertz: Int
        /// The number of ticks after which the counter restarts at 0.
        public let modulus: Int

        /// Creates a counter of `hertz` ticks per second that counts to `modulus` - 1.
        public init(hertz: Int, modulus: Int) {
            self.hertz = hertz
            self.modulus = modulus
        }
    }
}

/// One channel of a trace: the meaning of its integers.
public struct Channel: Hashable, Sendable {
    /// The measured quantity: `voltage`, `current`, `d+`. Lower case, ASCII.
    public let name: String
    /// The unit of the values.
    public let unit: Unit
    /// The number of decimals: a value is its integer times ten to the minus this, so 3 for millivolts in a channel
    /// of volts. 0 to 9.
    public let decimals: Int

    /// Creates a channel whose integers are in `unit` times ten to the minus `decimals`.
    public init(_ name: String, _ unit: Unit, decimals: Int) {
        self.name = name
        self.unit = unit
        self.decimals = decimals
    }

    /// Whether `name` may name a channel: 1 to 64 printable ASCII characters without space, comma and double quote.
    public static func allows(name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    }

    /// The unit of a channel. The raw values are written into files, and do not change.
    public enum Unit: String, Hashable, Sendable, CaseIterable {
        /// Voltage.
        case volt = "V"
        /// Current.
        case ampere = "A"
        /// Power.
        case watt = "W"
        /// Resistance.
        case ohm = "Ohm"
        /// Charge, in ampere hours.
        case ampereHour = "Ah"
        /// Energy, in watt hours.
        case wattHour = "Wh"
        /// Temperature, in degrees Celsius.
        case celsius = "C"
        /// Frequency.
        case hertz = "Hz"
        /// Time.
        case second = "s"
        /// A number without a unit: a mode, a marker, a group.
        case none = ""
    }
}
