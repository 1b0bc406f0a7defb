import GroundwaveMetering

/// One layout for rows of several layouts in a file: their requested channels, united.
struct UnionOfLayouts {
    /// The layout with the requested channels of all layouts.
    let layout: Layout
    /// Whether a row of one of the layouts lacks a channel, or its counter if that is written.
    let mayLack: Bool

    /// Unites `layouts`, at least one, for a file with `options`. Layouts without any requested channel are left out,
    /// since their rows are.
    ///
    /// - Throws: ``TraceExportError/unknownChannel(_:available:)`` if no layout has a requested channel; another
    ///   ``TraceExportError`` if one file cannot hold the channels.
    init(of layouts: [Layout], _ options: TraceExportOptions) throws(TraceExportError) {
        let parts = try Self.wanted(layouts, options.channels)
        var united = parts[0]
        for part in parts.dropFirst() where part != united {
            guard let next = united.union(part) else { throw Self.refusal(united, part) }
            united = next
        }
        layout = united
        let hasTicks = options.bucketMilliseconds == nil && united.tick != nil
        mayLack = parts.contains { part in
            part.channels.count < united.channels.count || (hasTicks && part.tick == nil)
        }
    }

    /// Returns `layouts` with the channels called `names` only, without those that have none; `nil` is all channels.
    static func wanted(_ layouts: [Layout], _ names: [String]?) throws(TraceExportError) -> [Layout] {
        guard let names, !names.isEmpty else { return layouts }
        for name in names where !layouts.contains(where: { $0.channels.contains { $0.name == name } }) {
            var all: [String] = []
            for channel in layouts.flatMap(\.channels) where !all.contains(channel.name) { all.append(channel.name) }
            throw .unknownChannel(name, available: all)
        }
        return layouts.map { Layout($0.channels.filter { names.contains($0.name) }, tick: $0.tick) }
            .filter { !$0.channels.isEmpty }
    }

    /// Returns the reason why `one` and `other` cannot be united.
    private static func refusal(_ one: Layout, _ other: Layout) -> TraceExportError {
        if let first = one.tick, let second = other.tick, first != second {
            return .option("the rows have two counters, \(ColumnNames.column(first)) and \(ColumnNames.column(second))")
        }
        for channel in other.channels {
            guard let same = one.channels.first(where: { $0.name == channel.name }), same.unit != channel.unit else {
                continue
            }
            return .channel(
                channel.name,
                reason: "some rows have it as \(ColumnNames.column(same)), others as \(ColumnNames.column(channel))")
        }
        return .tooLarge(
            "the rows together have more than \(Layout.channelLimit) channels; choose some of them")
    }
}
