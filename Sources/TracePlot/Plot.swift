import GroundwaveMetering

/// One channel of a plot, reduced to the columns of the picture.
public struct PlotSeries: Hashable, Sendable {
    /// The channel.
    public var channel: Channel
    /// The columns from left to right; `nil` if no row is there. A line continues across such columns unless
    /// ``gapAfter`` contains one of them, or the column before them.
    public var columns: [Cell?]
    /// The columns after which rows are missing: the line is broken from there to the next column that has rows. -1
    /// stands for the time before the first column.
    public var gapAfter: Set<Int>
    /// The rows of which only the range of values is known. The line is broken there.
    public var bands: [Band]
    /// The text of the legend; `nil` for the name of the channel.
    public var label: String?
    /// The index of the colour, which starts again after the last one; `nil` for the index of the series in its plot.
    public var colour: Int?

    /// Creates a series of `columns` of `channel`, with its name in the legend.
    public init(channel: Channel, columns: [Cell?], gapAfter: Set<Int> = [], bands: [Band] = []) {
        self.channel = channel
        self.columns = columns
        self.gapAfter = gapAfter
        self.bands = bands
    }

    /// Rows whose samples are not here, in several columns: a pale rectangle from their least to their greatest value.
    public struct Band: Hashable, Sendable {
        /// The columns from the first to the last row.
        public var columns: ClosedRange<Int>
        /// The least and the greatest value.
        public var least, greatest: Int64

        /// Creates a band over `columns`.
        public init(columns: ClosedRange<Int>, least: Int64, greatest: Int64) {
            (self.columns, self.least, self.greatest) = (columns, least, greatest)
        }
    }

    /// Returns the columns between which the line is broken, by the index of the left one.
    var brokenBehind: Set<Int> {
        bands.reduce(into: gapAfter) { broken, band in
            let columns = (band.columns.lowerBound..<band.columns.upperBound).clamped(to: columns.indices)
            broken.formUnion(columns)
        }
    }
}

/// The reason why a plot cannot be drawn.
public enum PlotError: Error, Hashable, Sendable {
    /// The width is outside ``Plot/widths``.
    case width(Int)
    /// The height is outside ``Plot/heights``.
    case height(Int)
    /// The panels need a picture this many pixels high: draw fewer channels, or a higher picture.
    case tooLow(needed: Int)
    /// There is no channel to draw.
    case noSeries
    /// The end of the time is not after its start.
    case noTime
    /// The number of columns is not allowed, or differs between series.
    case columns(Int)
    /// A channel has this number of decimals; 0 to 9 are allowed.
    case decimals(Int)
}

extension PlotError: CustomStringConvertible {
    /// The problem, and a remedy if there is one.
    public var description: String {
        switch self {
        case .width(let width):
            "A picture \(width) pixels wide is invalid; use \(Plot.widths.lowerBound) to \(Plot.widths.upperBound)."
        case .height(let height):
            "A picture \(height) pixels high is invalid; use \(Plot.heights.lowerBound) to \(Plot.heights.upperBound)."
        case .tooLow(let needed):
            "The panels need a picture \(needed) pixels high: draw fewer channels, or make the picture higher."
        case .noSeries: "There is no channel to draw."
        case .noTime: "The end time of the plot is not after its start time."
        case .columns(let count): "A plot cannot have \(count) columns here; all series need the same, at least 1."
        case .decimals(let count): "A channel cannot have \(count) decimals; 0 to 9 are possible."
        }
    }
}

/// A picture of one or several channels of a trace, or of several traces, over the same time, as SVG or PNG from one
/// drawing.
///
/// Channels of one unit share a panel, with at most four lines, and all panels share the time axis. Series of the same
/// channel that follow one another are never in two panels. The same plot gives the same bytes on every machine. For a PNG, the pixels are always the same, but the bytes only with the same
/// release of zlib.
public struct Plot: Sendable {
    /// The allowed widths of a picture, in pixels.
    public static let widths = 200...8000
    /// The allowed heights of a picture, in pixels.
    public static let heights = 150...4000
    /// The most lines in a panel, unless a single channel has more.
    static let panelLimit = 4

    /// What the time axis counts.
    public enum TimeScale: Hashable, Sendable {
        /// Times of day and dates, in UTC; times are milliseconds since 1970.
        case clock
        /// Hours, minutes and seconds since a start; times are milliseconds since then.
        case elapsed
    }

    /// The first line; omitted if empty, and cut if it is too long for the picture.
    public let title: String
    /// The second line: the meter, the rows, the missing rows. Treated like ``title``.
    public let subtitle: String
    /// The time at the left edge in milliseconds: see ``timeScale``.
    public let startMilliseconds: Int64
    /// The time at the right edge in milliseconds.
    public let endMilliseconds: Int64
    /// What the time axis counts.
    public let timeScale: TimeScale
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The channels, in the order of the legend, all with the same number of columns; values as they were measured.
    public let series: [PlotSeries]
    /// Moments that are drawn as numbered lines, from 1 in this order; those outside of the picture are left out.
    public let markers: [Marker]
    /// The unit in which temperatures are drawn. Those of ``series`` are in degrees Celsius.
    public let temperatureUnit: TemperatureUnit
    /// The number of rows that are drawn as ``PlotSeries/bands`` since their samples are withheld.
    public let withheldCount: UInt64
    /// The number of rows that cannot be read: drawn as bands, or not at all if not even their summary can be read.
    public let unreadableCount: UInt64
    /// The number of rows that are hidden or erased, which are not drawn.
    public let hiddenCount: UInt64

    /// A moment, with its description.
    public struct Marker: Hashable, Sendable {
        /// The time in milliseconds, on the axis of the plot.
        public var time: Int64
        /// The description, which a list above the panels has.
        public var text: String

        /// Creates a marker.
        public init(time: Int64, text: String) { (self.time, self.text) = (time, text) }
    }

    /// Creates a plot of `series`.
    ///
    /// The counts of withheld and unreadable rows are not drawn: ``subtitle`` should tell them.
    ///
    /// - Throws: ``PlotError``. If this returns, ``svg()`` and ``png()`` succeed for any values.
    public init(
        title: String, subtitle: String, startMilliseconds: Int64, endMilliseconds: Int64,
        timeScale: TimeScale = .clock, width: Int, height: Int, series: [PlotSeries], markers: [Marker] = [],
        temperatureUnit: TemperatureUnit = .celsius, withheldCount: UInt64 = 0, unreadableCount: UInt64 = 0,
        hiddenCount: UInt64 = 0
    ) throws(PlotError) {
        guard Self.widths.contains(width) else { throw .width(width) }
        guard Self.heights.contains(height) else { throw .height(height) }
        guard endMilliseconds > startMilliseconds else { throw .noTime }
        guard let columnCount = series.first?.columns.count else { throw .noSeries }
        for series in series {
            let count = series.columns.count
            guard count == columnCount, count >= 1, count <= Self.widths.upperBound else { throw .columns(count) }
            guard (0...9).contains(series.channel.decimals) else { throw .decimals(series.channel.decimals) }
        }
        self.title = title
        self.subtitle = subtitle
        self.startMilliseconds = startMilliseconds
        self.endMilliseconds = endMilliseconds
        self.timeScale = timeScale
        self.width = width
        self.height = height
        self.series = series
        self.temperatureUnit = temperatureUnit
        self.markers = markers.filter { $0.time >= startMilliseconds && $0.time <= endMilliseconds }
        (self.withheldCount, self.unreadableCount, self.hiddenCount) = (withheldCount, unreadableCount, hiddenCount)
        let needed = PlotLayout.neededHeight(of: self)
        guard needed <= height else { throw .tooLow(needed: needed) }
    }

    /// Returns the number of pixel columns between the axis and the right edge of the panels in a picture of this
    /// size: the best number of columns for a series. Series with other numbers are stretched to the panel.
    public static func columnCount(width: Int, height: Int) -> Int {
        let layout = PlotLayout.Metrics(width: width, height: height)
        return max(1, width - layout.left - layout.right)
    }

    /// Returns the picture as SVG 1.1 in UTF-8, with its texts as text.
    ///
    /// - Complexity: O(columns), about 30 bytes per column of a busy channel.
    public func svg() -> String { SVGWriter.text(of: PlotLayout.drawing(of: self)) }

    /// Returns the picture as PNG, 8 bits for each of red, green and blue.
    ///
    /// - Complexity: O(pixels + columns), and memory of about ten bytes per pixel.
    public func png() -> [UInt8] { PNGWriter.bytes(of: Canvas(PlotLayout.drawing(of: self))) }
}
