/// Decides which lines of a file of others are rows of the trace, and counts the others.
struct ForeignRows {
    /// A line that is a row.
    struct Row {
        /// Nanoseconds, since 1970 or since the recording began.
        let time: Int64
        /// What the field of each channel contains.
        let values: [LooseDecimal.Field]
    }

    /// What was left out so far.
    private(set) var leftOut = ForeignLeftOut()
    /// The number of rows so far.
    private(set) var count: UInt64 = 0
    private var rate: Double?
    private var last = Int64.min

    /// Creates the rows of nothing.
    init() {}

    /// Creates the rows of `table`; they follow one another at `rate` if it has no times.
    init(_ table: ForeignTable, rate: Double?) {
        self.rate = table.time == nil ? rate : nil
        leftOut.wrongValues = Array(repeating: 0, count: table.channels.count)
        leftOut.roundedValues = leftOut.wrongValues
    }

    /// Takes the next line. Returns `nil` if it is no row.
    mutating func next(_ line: ForeignRow) -> Row? {
        if line.isEmpty { return nil }
        guard var time = line.time else {
            leftOut.withoutTime += 1
            return nil
        }
        guard line.hasNumber else {
            leftOut.withoutValues += 1
            return nil
        }
        if let rate { time = Int64(exactly: (Double(count) * 1e9 / rate).rounded()) ?? last }
        guard time >= last else {
            leftOut.earlier += 1
            return nil
        }
        for (index, value) in line.values.enumerated() where value == .other { leftOut.wrongValues[index] += 1 }
        last = time
        count += 1
        return Row(time: time, values: line.values)
    }

    /// Takes note of a value that does not fit.
    mutating func leaveOut(valueOf channel: Int) { leftOut.wrongValues[channel] += 1 }

    /// Takes note of a value that has more decimals than a channel may have.
    mutating func round(valueOf channel: Int) { leftOut.roundedValues[channel] += 1 }
}

/// What of a file of others is not in the trace.
package struct ForeignLeftOut: Hashable, Sendable {
    /// The number of lines behind the header that have no time.
    package internal(set) var withoutTime: UInt64 = 0
    /// The number of lines with a time and no value of any channel.
    package internal(set) var withoutValues: UInt64 = 0
    /// The number of rows that are earlier than the row before them.
    package internal(set) var earlier: UInt64 = 0
    /// For each channel the number of values that are no numbers, or do not fit into 64 bits.
    package internal(set) var wrongValues: [UInt64] = []
    /// For each channel the number of values that were rounded.
    package internal(set) var roundedValues: [UInt64] = []
}
