import GroundwaveMetering

/// Averages the rows of each time bucket into one row.
///
/// A bucket begins at a multiple of its length since 1970, which is the time of its row; an empty bucket gives no
/// row. Means are exact, rounded to the decimals of the channel, halves to even. A channel's mean is that of the rows
/// that have it; the row lacks it if none has. A row of means has no counter. If the clock was set back, a bucket may
/// appear twice.
struct BucketMeans {
    private let milliseconds: Int64
    private var bucket: Int64 = 0
    private var sums: [Int128]
    // The number of rows, and of the values of each channel.
    private var count = 0
    private var counts: [Int]
    private var note = PendingNote()

    /// Creates buckets of `milliseconds`, at least 1.
    init(milliseconds: Int, channelCount: Int) {
        self.milliseconds = Int64(milliseconds)
        sums = Array(repeating: 0, count: channelCount)
        counts = Array(repeating: 0, count: channelCount)
    }

    /// The number of channels averaged.
    var channelCount: Int { sums.count }

    /// Adds `rows`, and appends the rows of the buckets that they complete to `means`.
    mutating func append(_ rows: ExportRows, to means: inout ExportRows) {
        var next = 0
        for row in 0..<rows.count {
            let bucket = Self.floor(rows.times[row], milliseconds)
            if count > 0 && bucket != self.bucket { close(to: &means) }
            self.bucket = bucket
            if next < rows.notes.count, rows.notes[next].row == row {
                note.add(missing: rows.notes[next].missing, repeats: rows.notes[next].repeats)
                next += 1
            }
            for column in sums.indices where rows.has(column, at: row) {
                sums[column] += Int128(rows.columns[column][row])
                counts[column] += 1
            }
            count += 1
        }
    }

    /// Appends the row of the open bucket, if any, and starts again with `channelCount` channels.
    mutating func finish(to means: inout ExportRows, channelCount: Int) {
        if count > 0 { close(to: &means) }
        sums = Array(repeating: 0, count: channelCount)
        counts = Array(repeating: 0, count: channelCount)
    }

    private mutating func close(to means: inout ExportRows) {
        means.note(note.take(), at: means.count)
        means.times.append(bucket)
        let pattern = RowPattern(channels: sums.indices.filter { counts[$0] > 0 }, tick: false)
        for column in sums.indices {
            means.columns[column].append(counts[column] == 0 ? 0 : Self.mean(sums[column], counts[column]))
            (sums[column], counts[column]) = (0, 0)
        }
        means.append(pattern: pattern, all: RowPattern(channels: sums.indices, tick: false))
        count = 0
    }

    /// Returns the multiple of `step` at or before `time`, or the least `Int64` if that multiple would overflow.
    static func floor(_ time: Int64, _ step: Int64) -> Int64 {
        let rest = time % step
        if rest >= 0 { return time - rest }
        let (start, overflow) = time.subtractingReportingOverflow(step + rest)
        return overflow ? .min : start
    }

    /// Returns `sum` / `count`, halves rounded to even.
    static func mean(_ sum: Int128, _ count: Int) -> Int64 {
        let (quotient, rest) = sum.quotientAndRemainder(dividingBy: Int128(count))
        let doubled = rest.magnitude * 2
        let divisor = UInt128(count)
        let isFurther = doubled > divisor || (doubled == divisor && !quotient.isMultiple(of: 2))
        return Int64(isFurther ? quotient + (sum < 0 ? -1 : 1) : quotient)
    }
}
