import GroundwaveMetering

/// The names of columns, which encode all of a layout except the decimals: `voltage_V`, `mode`,
/// `tick_1000Hz_mod65536`.
package enum ColumnNames {
    static let time = "time"
    package static let missing = "missing"
    package static let repeats = "repeats"
    /// The column of descriptions of moments. No channel has this name: `text` is no unit.
    package static let marker = "marker_text"
    static let nameByteLimit = 64

    /// Returns the column of a channel: its name, and after an underscore its unit if it has one.
    package static func column(_ channel: Channel) -> String {
        channel.unit == .none ? channel.name : "\(channel.name)_\(channel.unit.rawValue)"
    }

    /// Returns the column of a counter.
    package static func column(_ tick: Layout.Tick) -> String { "tick_\(tick.hertz)Hz_mod\(tick.modulus)" }

    /// Whether `name` may name a channel. Characters that some format must quote or escape are not allowed, nor is
    /// the underscore, which separates name and unit.
    static func isName(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.utf8.count <= nameByteLimit
            && name.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !["\"", ",", "\\", "_", "="].contains { byte == UInt8(ascii: $0) }
            }
    }

    /// Throws if the columns of `layout` would be ambiguous, or could not be read back.
    static func check(_ layout: Layout) throws(TraceExportError) {
        if layout.channels.isEmpty { throw .option("there must be at least one channel") }
        if layout.channels.count > Layout.channelLimit {
            throw .option("there are \(layout.channels.count) channels, but the maximum is \(Layout.channelLimit)")
        }
        var taken: Set<String> = [time, missing, repeats]
        if let tick = layout.tick {
            guard tick.hertz >= 1, tick.modulus >= 1 else {
                throw .option("a counter has at least 1 Hz and 1 tick, not \(tick.hertz) and \(tick.modulus)")
            }
            taken.insert(column(tick))
        }
        for channel in layout.channels {
            guard isName(channel.name) else {
                throw .channel(
                    channel.name, reason: "a name is 1 to \(nameByteLimit) characters of ASCII without _ = , \" and \\")
            }
            guard (0...9).contains(channel.decimals) else {
                throw .channel(
                    channel.name, reason: "it has \(channel.decimals) decimals, but only 0 to 9 are possible")
            }
            guard taken.insert(column(channel)).inserted else {
                throw .channel(channel.name, reason: "there are two columns called \(column(channel))")
            }
        }
    }

    /// Returns the channel of a column, without its decimals; or the fault of the column.
    static func channel(_ column: Substring) -> Result<Channel, ColumnFault> {
        let parts = column.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard isName(parts[0]) else { return .failure(.name(String(column))) }
        guard parts.count == 2 else { return .success(Channel(String(column), .none, decimals: 0)) }
        guard let unit = Channel.Unit(rawValue: String(parts[1])), unit != .none else {
            return .failure(.unit(String(parts[1])))
        }
        return .success(Channel(String(parts[0]), unit, decimals: 0))
    }

    /// Returns the counter of a column; `nil` if the column is not in the form of ``column(_:)-(Layout.Tick)``.
    static func tick(_ column: Substring) -> Layout.Tick? {
        guard column.hasPrefix("tick_"), let end = column.firstRange(of: "Hz_mod") else { return nil }
        guard let hertz = Int(column[..<end.lowerBound].dropFirst(5)), let modulus = Int(column[end.upperBound...]),
            hertz >= 1, modulus >= 1
        else { return nil }
        let tick = Layout.Tick(hertz: hertz, modulus: modulus)
        return self.column(tick) == column ? tick : nil
    }

    /// The reason why a column is not a channel.
    enum ColumnFault: Error {
        case name(String)
        case unit(String)
    }
}
