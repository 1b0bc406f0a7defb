/// Which values a row has: of which channels of its layout, and whether a counter.
public struct RowPattern: Hashable, Sendable {
    /// Bit 0 for the counter, bit n + 1 for channel n. Files have these bits.
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// The pattern of a row that has everything that `layout` has.
    public init(all layout: Layout) { self.init(channels: layout.channels.indices, tick: layout.tick != nil) }

    /// The pattern of a row that has `channels`, which are indices below 63, and a counter if `tick` is true.
    public init(channels: some Sequence<Int>, tick: Bool) {
        bits = channels.reduce(tick ? 1 : 0) { $0 | 1 << UInt64($1 + 1) }
    }

    /// Whether the row has a value of `channel`.
    @inline(__always)
    public func has(_ channel: Int) -> Bool { bits >> UInt64(channel + 1) & 1 == 1 }

    /// Whether the row has a counter.
    public var hasTick: Bool { bits & 1 == 1 }

    /// Whether the row has a value of any channel.
    public var hasChannels: Bool { bits > 1 }

    /// Returns the pattern with what this one or `other` has.
    func union(_ other: RowPattern) -> RowPattern { RowPattern(bits: bits | other.bits) }

    /// Returns what this pattern becomes in another layout, whose channels come from `sources` of its own: see
    /// ``Layout/sources(in:)``.
    package func moved(to sources: [(column: Int, factor: Int64)?]) -> RowPattern {
        var moved = bits & 1
        for (channel, source) in sources.enumerated() {
            if let source, has(source.column) { moved |= 1 << UInt64(channel + 1) }
        }
        return RowPattern(bits: moved)
    }
}
