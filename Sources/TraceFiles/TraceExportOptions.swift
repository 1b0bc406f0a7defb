/// The rows and channels of a trace to write, and how.
///
/// The same rows with the same options give the same bytes, regardless of how the rows were split into pieces.
public struct TraceExportOptions: Hashable, Sendable {
    /// The representation of missing rows.
    public enum GapPolicy: String, Hashable, Sendable, CaseIterable {
        /// The row after a gap contains the number of rows missing before it.
        case mark
        /// A gap row without values is written before the row after the gap. It has the time of that row and contains
        /// the number of missing rows in its place. Charts break their line there.
        case blank
    }

    /// The series that points belong to, for ``TraceExportFormat/influx``.
    public struct Series: Hashable, Sendable {
        /// The measurement.
        public var measurement: String
        /// The tags `meter`, `model` and `trace`; empty tags are left out.
        public var meter, model, trace: String

        /// Creates a series with these tags.
        public init(measurement: String = "meter", meter: String = "", model: String = "", trace: String = "") {
            (self.measurement, self.meter, self.model, self.trace) = (measurement, meter, model, trace)
        }
    }

    /// A moment that somebody has described.
    public struct Marker: Hashable, Sendable {
        /// The moment: milliseconds since 1970.
        public var time: Int64
        /// The description.
        public var text: String

        /// Creates a marker.
        public init(time: Int64, text: String) { (self.time, self.text) = (time, text) }
    }

    /// The names of the channels to write, in this order; `nil` for all.
    public var channels: [String]?
    /// The step between written rows: 1 for all rows, 2 for every second one. Rows missing or repeated before a row
    /// that is left out are counted with the next written row.
    public var every = 1
    /// The length of a bucket: all rows of a bucket are written as one row of their means, by channel. For
    /// ``TraceExportFormat/sigrok``, which requires it, the interval of the samples.
    public var bucketMilliseconds: Int?
    /// The representation of missing rows. Ignored by ``TraceExportFormat/sigrok``, which writes NaN there.
    public var gaps = GapPolicy.mark
    /// The series of the points, for ``TraceExportFormat/influx``.
    public var series = Series()
    /// What the values are corrected by, in words; empty if they are as measured. It is written into files of
    /// ``TraceExportFormat/parquet`` and ``TraceExportFormat/influx``, which have a place for it.
    public var calibration = ""

    /// Moments that are described, in order of time. Each is a line of its own in ``TraceExportFormat/csv`` and
    /// ``TraceExportFormat/ndjson``, a point with a field `text` in ``TraceExportFormat/influx``, and a row of the table
    /// `markers` in ``TraceExportFormat/sqlite``; the others have no place for them.
    public var markers: [Marker] = []

    /// Creates options that select all rows and channels.
    public init() {}

    /// Throws if `format` does not support these options.
    func check(for format: TraceExportFormat) throws(TraceExportError) {
        guard every >= 1 else { throw .option("the interval of rows (every) must be at least 1, but is \(every)") }
        if let bucketMilliseconds {
            guard bucketMilliseconds >= 1 else {
                throw .option("a bucket must have at least 1 ms, but has \(bucketMilliseconds)")
            }
            guard bucketMilliseconds <= Self.longestBucket else {
                throw .option("a bucket can have at most \(Self.longestBucket) ms, but has \(bucketMilliseconds)")
            }
        }
        switch format {
        case .influx where gaps == .blank: throw .option("InfluxDB cannot have empty points: gaps can be marked")
        case .sigrok where bucketMilliseconds == nil:
            throw .option("a sigrok session needs a bucket: the milliseconds from one sample to the next")
        default: break
        }
    }

    /// The longest bucket: 366 days.
    static let longestBucket = 366 * 86_400_000
}
