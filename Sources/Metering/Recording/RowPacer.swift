/// Assigns times to rows that did not arrive live: those of a capture file, which contains no times.
///
/// The counter gives the distance of rows that have one; a rate gives that of other rows.
public struct RowPacer: Sendable {
    private let start: Int64
    private let perSecond: Double
    private var count: Int64 = 0
    private var elapsedTicks: Int64 = 0
    private var lastTick: UInt32?

    /// Creates times from `start` on, in milliseconds since 1970.
    ///
    /// - Parameter perSecond: The number of rows per second of a meter without a counter; greater than 0.
    public init(from start: Int64, perSecond: Double) {
        precondition(perSecond > 0, "The number of rows per second is positive.")
        (self.start, self.perSecond) = (start, perSecond)
    }

    /// Returns the time of the next row.
    mutating func next(tick: UInt32?, of layout: Layout) -> Int64 {
        defer { count += 1 }
        guard let tick, let counter = layout.tick else {
            return start &+ Int64((Double(count) * 1000 / perSecond).rounded())
        }
        if let last = lastTick {
            var delta = (Int64(tick) - Int64(last)) % Int64(counter.modulus)
            if delta < 0 { delta += Int64(counter.modulus) }
            // A counter that steps back a little repeats an earlier row.
            if delta < Int64(counter.modulus) * 3 / 4 { elapsedTicks += delta } else { return time(counter) }
        }
        lastTick = tick
        return time(counter)
    }

    private func time(_ counter: Layout.Tick) -> Int64 { start &+ elapsedTicks * 1000 / Int64(counter.hertz) }
}

/// The times at which rows reached the host.
public enum RowTimes: Sendable {
    /// All rows have this time: milliseconds since 1970.
    case at(Int64)
    /// The pacer assigns the times.
    case paced(RowPacer)

    /// Returns the time of the next row.
    public mutating func next(tick: UInt32?, of layout: Layout) -> Int64 {
        switch self {
        case .at(let time): return time
        case .paced(var pacer):
            defer { self = .paced(pacer) }
            return pacer.next(tick: tick, of: layout)
        }
    }
}
