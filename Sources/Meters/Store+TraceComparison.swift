import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

/// Two traces over one time axis, A and B, and what each has of the channels that both have.
public struct TraceComparison: Hashable, Sendable {
    /// What the two time axes have in common.
    public enum Alignment: String, Hashable, Sendable, CaseIterable {
        /// The first rows: the axis counts milliseconds since the first row of each trace.
        case start
        /// The clock: the axis counts milliseconds since 1970.
        case clock
    }

    /// One of the two traces.
    public struct Side: Hashable, Sendable {
        /// The trace.
        public let trace: Trace
        /// Its moment at which the axis is 0: milliseconds since 1970.
        public let origin: Int64
        /// The summary of its rows in the range of the comparison.
        public let stretch: StretchSummary
    }

    /// A channel that both traces have, in the finer of their decimals.
    public struct CommonChannel: Hashable, Sendable {
        /// The channel.
        public let channel: Channel
        /// The values of A and of B, in the decimals of ``channel``.
        public let a, b: Cell
    }

    /// What the two time axes have in common.
    public let alignment: Alignment
    /// The range on the axis, in milliseconds, with the rows of both; its ends are those that were asked for, else those
    /// of the longer trace, or by the clock those of the time that both have.
    public let range: Range<Int64>
    /// Which values are compared.
    public let values: TraceValues
    /// The two traces.
    public let a, b: Side
    /// The channels with the same name and unit in both, in the order of A.
    public let channels: [CommonChannel]
    /// The channels that only one of them has, or that the other one has in another unit.
    public let onlyInA, onlyInB: [Channel]

    init(_ alignment: Alignment, over range: Range<Int64>, showing values: TraceValues, _ a: Side, _ b: Side) {
        (self.alignment, self.range, self.values, self.a, self.b) = (alignment, range, values, a, b)
        let (left, right) = (a.stretch.channels, b.stretch.channels)
        func isSame(_ one: Channel, _ other: Channel) -> Bool { one.name == other.name && one.unit == other.unit }
        channels = left.compactMap { one in
            right.first { isSame($0.channel, one.channel) }.map { CommonChannel(one, $0) }
        }
        onlyInA = left.map(\.channel).filter { one in !right.contains { isSame($0.channel, one) } }
        onlyInB = right.map(\.channel).filter { one in !left.contains { isSame($0.channel, one) } }
    }
}

extension TraceComparison.CommonChannel {
    fileprivate init(_ one: (channel: Channel, cell: Cell), _ other: (channel: Channel, cell: Cell)) {
        channel = one.channel.decimals < other.channel.decimals ? other.channel : one.channel
        let layout = Layout([channel])
        func scaled(_ part: (channel: Channel, cell: Cell)) -> Cell {
            part.cell.scaled(by: layout.sources(in: Layout([part.channel]))[0]?.factor ?? 1)
        }
        (a, b) = (scaled(one), scaled(other))
    }

    /// The number of decimals of the means and their difference: one more than a value has.
    public var meanDecimals: Int { channel.decimals + 1 }
    /// The mean of A, an integer with ``meanDecimals``, rounded to the nearest.
    public var meanOfA: Int128 { Self.quotient(a.sum &* 10, Int128(a.count)) }
    /// The mean of B.
    public var meanOfB: Int128 { Self.quotient(b.sum &* 10, Int128(b.count)) }
    /// The mean of B less that of A: rounded once, so its last digit may differ by one from that of the rounded means.
    public var difference: Int128 {
        let (countOfA, countOfB) = (Int128(a.count), Int128(b.count))
        return Self.quotient((b.sum &* countOfA &- a.sum &* countOfB) &* 10, countOfA * countOfB)
    }

    /// Returns the quotient rounded to the nearest, of two equally near the one farther from 0.
    private static func quotient(_ value: Int128, _ divisor: Int128) -> Int128 {
        (value &+ (value < 0 ? -(divisor / 2) : divisor / 2)) / divisor
    }
}

extension Reading {
    /// Compares `a` with `b` over one time axis.
    ///
    /// - Parameters:
    ///   - a: The one trace.
    ///   - b: The other trace.
    ///   - alignment: What the two axes have in common.
    ///   - values: Whether values are corrected by the calibrations.
    ///   - start: The start of the range on the axis; `nil` for the first row, or by the clock for the first moment at
    ///     which both traces have begun.
    ///   - end: Its end, exclusive; `nil` for the last row, or by the clock for the last row of the trace that ends
    ///     first.
    /// - Throws: ``StoreError`` with code `notFound` if one of them has no rows in the range; with code `usage` if the
    ///   range is empty.
    /// - Complexity: As ``summary(of:showing:from:to:)`` for each.
    public func compare(
        _ a: Trace, with b: Trace, by alignment: TraceComparison.Alignment = .start,
        showing values: TraceValues = .calibrated, from start: Int64? = nil, to end: Int64? = nil
    ) throws -> TraceComparison {
        let spans = try [a, b].map { trace in
            let summary = try summary(of: trace.id, showing: values)
            guard let first = summary.firstTime, let last = summary.lastTime else { throw noRows(trace) }
            return (first: first, end: last.addingSaturated(1))
        }
        let range = try range(from: start, to: end, of: spans, by: alignment)
        // Of a whole trace, all blocks count, however their times are.
        let isWhole = alignment == .start
        let sides = try zip([a, b], spans).map { trace, span in
            let origin = alignment == .start ? span.first : 0
            let stretch = try summary(
                of: trace.id, showing: values,
                from: isWhole && start == nil ? .min : origin.addingSaturated(range.lowerBound),
                to: isWhole && end == nil ? .max : origin.addingSaturated(range.upperBound))
            guard stretch.rows.rowCount > 0 else { throw noRows(trace, stretch) }
            return TraceComparison.Side(trace: trace, origin: origin, stretch: stretch)
        }
        return TraceComparison(alignment, over: range, showing: values, sides[0], sides[1])
    }

    private func range(
        from start: Int64?, to end: Int64?, of spans: [(first: Int64, end: Int64)],
        by alignment: TraceComparison.Alignment
    ) throws -> Range<Int64> {
        let lower: Int64
        let upper: Int64
        switch alignment {
        case .start:
            lower = start ?? 0
            let longest = spans.map { $0.end.subtractingSaturated($0.first) }.max() ?? 1
            upper = end ?? max(longest, lower.addingSaturated(1))
        case .clock:
            lower = start ?? spans.map(\.first).max() ?? 0
            upper = end ?? spans.map(\.end).min() ?? 1
        }
        guard lower < upper else {
            throw StoreError(
                .usage, "The traces have no time in common there.",
                hint: "What is possible: \(.compareWholeTraces)")
        }
        return lower..<upper
    }

    private func noRows(_ trace: Trace, _ stretch: StretchSummary? = nil) -> StoreError {
        let place = stretch == nil ? "" : " there"
        let withheld = stretch?.withheldCount ?? 0
        return StoreError(
            .notFound, "The trace \(trace.id.short) has no rows\(place).",
            hint: withheld > 0
                ? "The samples of \(withheld) rows across the ends of the range are not here."
                : "To see which it has: \(.showTrace(trace.id.short))")
    }
}

extension Int64 {
    /// Returns the sum, or the bound that it would exceed.
    fileprivate func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
