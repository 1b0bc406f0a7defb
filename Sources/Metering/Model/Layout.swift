/// What one row of a trace has: its channels, in the order of its values.
///
/// A trace may change its layout while it runs, where the meter changes a unit or what it sends. A block has one.
public struct Layout: Hashable, Sendable {
    /// The channels, at least one, each with a name of its own.
    public let channels: [Channel]
    /// The counter that the meter sends with each row; `nil` where it sends none.
    public let tick: Tick?

    /// The most channels of a layout: a block has a column for each, one for the times and one for the counter.
    public static let channelLimit = SampleBlock.columnLimit - 2

    /// A layout of these channels.
    public init(_ channels: [Channel], tick: Tick? = nil) {
        self.channels = channels
        self.tick = tick
    }

    /// A counter of the meter's own, with which gaps and repeats are known exactly.
    public struct Tick: Hashable, Sendable {
        /// How many ticks are a second.
        public let hertz: Int
        /// After how many ticks it begins again at 0.
        public let modulus: Int

        /// A counter of `hertz` ticks a second that counts to `modulus` - 1.
        public init(hertz: Int, modulus: Int) {
            self.hertz = hertz
            self.modulus = modulus
        }
    }
}

/// One channel of a trace: what its integers mean.
public struct Channel: Hashable, Sendable {
    /// What is measured: `voltage`, `current`, `d+`. Lower case, ASCII.
    public let name: String
    /// In what.
    public let unit: Unit
    /// A value is its integer times ten to the minus this: 3 for millivolts in a channel of volts. 0 to 9.
    public let decimals: Int

    /// A channel of integers that are `unit` times ten to the minus `decimals`.
    public init(_ name: String, _ unit: Unit, decimals: Int) {
        self.name = name
        self.unit = unit
        self.decimals = decimals
    }

    /// Whether a channel may be called so: 1 to 64 printable characters of ASCII without space, comma and quotes.
    public static func allows(name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    }

    /// What a channel is measured in. The raw values are written into files, and do not change.
    public enum Unit: String, Hashable, Sendable, CaseIterable {
        case volt = "V"
        case ampere = "A"
        case watt = "W"
        case ohm = "Ohm"
        case ampereHour = "Ah"
        case wattHour = "Wh"
        case celsius = "C"
        case hertz = "Hz"
        case second = "s"
        /// A number without a unit: a mode, a marker, a group.
        case none = ""
    }
}
