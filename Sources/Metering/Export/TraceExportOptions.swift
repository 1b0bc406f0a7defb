/// What of a trace is written, and how.
///
/// The same rows with the same options are the same bytes, however they were cut into pieces.
public struct TraceExportOptions: Hashable, Sendable {
    /// What stands where rows are missing.
    public enum GapPolicy: String, Hashable, Sendable, CaseIterable {
        /// The row behind a gap says how many are missing before it.
        case mark
        /// A row without values stands in the gap: it has the time of the row behind it, and says how many are missing,
        /// which that row then does not. A line through the values is broken there.
        case blank
    }

    /// What points in a time series belong to, for ``TraceExportFormat/influx``.
    public struct Series: Hashable, Sendable {
        /// The measurement.
        public var measurement: String
        /// The tags `meter`, `model` and `trace`; one that is empty is left out.
        public var meter, model, trace: String

        /// A series with these tags.
        public init(measurement: String = "meter", meter: String = "", model: String = "", trace: String = "") {
            (self.measurement, self.meter, self.model, self.trace) = (measurement, meter, model, trace)
        }
    }

    /// The names of the channels to write, in this order; `nil` for all.
    public var channels: [String]?
    /// Of so many rows the first is written: 1 for all. What was missing or repeated before a row that is left out is
    /// counted with the next that is not.
    public var every = 1
    /// Writes one row for all rows of so many milliseconds, with their means: see ``BucketMeans``. For
    /// ``TraceExportFormat/sigrok``, which needs it, the interval of its samples.
    public var bucketMilliseconds: Int?
    /// What stands where rows are missing. Ignored by ``TraceExportFormat/sigrok``, whose gaps are not numbers.
    public var gaps = GapPolicy.mark
    /// For ``TraceExportFormat/influx``: what the points belong to.
    public var series = Series()

    /// All rows and channels; the rest is set afterwards.
    public init() {}

    /// Throws where the options say nothing that `format` can do.
    func check(for format: TraceExportFormat) throws(TraceExportError) {
        guard every >= 1 else { throw .option("every must be at least 1, but is \(every)") }
        if let bucketMilliseconds {
            guard bucketMilliseconds >= 1 else {
                throw .option("a bucket must have at least 1 ms, but has \(bucketMilliseconds)")
            }
            guard bucketMilliseconds <= Self.longestBucket else {
                throw .option("a bucket can have at most \(Self.longestBucket) ms, but has \(bucketMilliseconds)")
            }
        }
        switch format {
        case .influx where gaps == .blank: throw .option("InfluxDB cannot have empty points; use --gaps mark")
        case .sigrok where bucketMilliseconds == nil:
            throw .option("a sigrok session needs a bucket: the milliseconds from one sample to the next")
        default: break
        }
    }

    /// A year.
    static let longestBucket = 366 * 86_400_000
}
