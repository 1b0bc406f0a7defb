/// A moment by two clocks of the host, in milliseconds.
public struct ReadMoment: Hashable, Sendable {
    /// By a clock that counts on through suspend and is never set; its zero has no meaning.
    public var steady: Int64
    /// By the wall clock, since 1970.
    public var wall: Int64

    /// Creates a moment from what both clocks show.
    public init(steady: Int64, wall: Int64) { (self.steady, self.wall) = (steady, wall) }

    /// Creates a moment at which both clocks show `milliseconds`: for inputs that have times of their own.
    public init(_ milliseconds: Int64) { (steady, wall) = (milliseconds, milliseconds) }
}

/// What the host knows of the bytes that it read at one moment.
public struct Reception: Hashable, Sendable {
    /// When the bytes were read.
    public var moment: ReadMoment
    /// The number of requests for a row that were sent since the previous reception.
    public var requestCount: Int
    /// Whether more bytes were waiting: the host is behind, and silence proves nothing.
    public var hasMore: Bool
    /// Whether the connection was made anew before these bytes.
    public var isNewConnection: Bool

    /// Creates a reception.
    public init(
        _ moment: ReadMoment, requestCount: Int = 0, hasMore: Bool = false, isNewConnection: Bool = false
    ) {
        (self.moment, self.requestCount) = (moment, requestCount)
        (self.hasMore, self.isNewConnection) = (hasMore, isNewConnection)
    }
}

/// How the rows of a recording get their times.
package enum RowTiming: Hashable, Sendable {
    /// From the moments at which they were received.
    case live
    /// By the meter's counter, else one after the other at this rate: for inputs without times.
    case paced(perSecond: Double)
}

/// What is known of the rows of a recording before the first one comes.
package struct RowSource: Hashable, Sendable {
    /// How rows get their times.
    package var timing: RowTiming
    /// The time between rows that the meter sends together, in milliseconds; `nil` if it is not known.
    package var spacingMilliseconds: Int64?
    /// The time between two requests, in milliseconds; `nil` if the meter is not asked.
    package var requestMilliseconds: Int64?

    /// Creates a source.
    package init(_ timing: RowTiming, spacingMilliseconds: Int64? = nil, requestMilliseconds: Int64? = nil) {
        self.timing = timing
        (self.spacingMilliseconds, self.requestMilliseconds) = (spacingMilliseconds, requestMilliseconds)
    }
}
