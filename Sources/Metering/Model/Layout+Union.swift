// Rows of several layouts in one table: the union of their channels, and where in a layout each of these comes from.

extension Layout {
    /// Returns the layout with the channels of both, in order of first appearance, each in the finer of its decimals,
    /// and with the counter that any of them has.
    ///
    /// Returns `nil` if a name has two units, if the counters differ, or if there are more than ``channelLimit``
    /// channels.
    package func union(_ other: Layout) -> Layout? {
        if other == self { return self }
        guard tick == nil || other.tick == nil || tick == other.tick else { return nil }
        var united = channels
        for channel in other.channels {
            guard let index = united.firstIndex(where: { $0.name == channel.name }) else {
                united.append(channel)
                continue
            }
            guard united[index].unit == channel.unit else { return nil }
            if united[index].decimals < channel.decimals { united[index] = channel }
        }
        return united.count <= Self.channelLimit ? Layout(united, tick: tick ?? other.tick) : nil
    }

    /// Returns, for each channel here, its index in `part`, and the power of ten that turns its values there into
    /// values here.
    ///
    /// It is `nil` for a channel that `part` lacks, has in another unit, or has with more decimals.
    package func sources(in part: Layout) -> [(column: Int, factor: Int64)?] {
        channels.map { channel in
            guard let column = part.channels.firstIndex(where: { channel.takes($0) }) else { return nil }
            let factor = (part.channels[column].decimals..<channel.decimals).reduce(Int64(1)) { power, _ in power * 10 }
            return (column, factor)
        }
    }

    /// Returns the channels of `layouts`, each name and unit once with the finest of its decimals, in order of first
    /// appearance.
    package static func channels(of layouts: [Layout]) -> [Channel] {
        var all: [Channel] = []
        for channel in layouts.flatMap(\.channels) {
            if let index = all.firstIndex(where: { $0.name == channel.name && $0.unit == channel.unit }) {
                if all[index].decimals < channel.decimals { all[index] = channel }
            } else {
                all.append(channel)
            }
        }
        return all
    }
}

extension Channel {
    /// Whether values of `other` can be scaled exactly to values of this channel: it has the same name and unit, and
    /// as many decimals or fewer.
    package func takes(_ other: Channel) -> Bool {
        // A power of ten with more zeros exceeds 64 bits.
        name == other.name && unit == other.unit && (0...18).contains(decimals - other.decimals)
    }
}

extension Cell {
    /// Returns the cell of the same values times `factor`, which is positive. A value that does not fit becomes the
    /// nearest that does; the sum wraps.
    package func scaled(by factor: Int64) -> Cell {
        if factor == 1 { return self }
        func scaled(_ value: Int64) -> Int64 {
            let (product, overflow) = value.multipliedReportingOverflow(by: factor)
            return overflow ? (value < 0 ? .min : .max) : product
        }
        var cell = self
        (cell.first, cell.last) = (scaled(first), scaled(last))
        (cell.least, cell.greatest) = (scaled(least), scaled(greatest))
        cell.sum = sum &* Int128(factor)
        return cell
    }
}
