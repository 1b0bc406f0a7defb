/// What a recorder must find: nothing here comes from one.
public struct Truth: Sendable {
    /// A row that reached the host.
    public struct Row: Sendable {
        /// When the meter measured it, in milliseconds of the script.
        public internal(set) var measured: Double
        /// The milliseconds from one row to the next, as a rule.
        public internal(set) var spacing: Double
        /// When its last byte came.
        public internal(set) var delivered: Int64
        /// The number of bytes that show it: those up to its end, as a rule.
        public internal(set) var byteCount: Int
        /// The counter without overflows, beginning below its modulus; `nil` without one.
        public internal(set) var tick: Int64?
        /// The values by ``Family/channels``.
        public internal(set) var values: [Int64]
        /// What did not come before it.
        public internal(set) var gap = Gap()
    }

    /// What did not come between two rows.
    public struct Gap: Sendable {
        /// The number of rows that the meter measured, or was asked for, and that were lost.
        public internal(set) var lost = 0
        /// The number of rows that came again, where somebody can tell.
        public internal(set) var repeated = 0
        /// The number of rows that nobody asked for, as the host was stopped.
        public internal(set) var unasked = 0

        mutating func add(_ other: Gap) {
            (lost, repeated, unasked) = (lost + other.lost, repeated + other.repeated, unasked + other.unasked)
        }
    }

    /// The rows, in the order in which they came.
    public internal(set) var rows: [Row] = []
    /// How the wall clock was set.
    public internal(set) var wallSteps: [Int64] = []
    /// The number of frames sent, lost ones included.
    public internal(set) var frameCount = 0
}

/// What happens to the host of a meter.
public struct Event: Sendable {
    /// The kinds of events.
    public enum What: Sendable {
        /// These bytes come.
        case bytes([UInt8])
        /// Its wall clock is set by so many milliseconds.
        case wallStep(Int64)
        /// It stops for so many milliseconds.
        case stop(Int64)
    }

    /// When, in milliseconds of the script.
    public let time: Int64
    /// What happens.
    public let what: What
}
