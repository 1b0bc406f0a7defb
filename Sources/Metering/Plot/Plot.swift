/// One channel of a plot, brought to the columns of the picture.
public struct PlotSeries: Hashable, Sendable {
    /// What is drawn.
    public var channel: Channel
    /// From left to right; `nil` where no row is. A line goes on over such columns unless ``gapAfter`` has one of them, or the
    /// one before.
    public var columns: [Cell?]
    /// After which columns rows are missing: the line is broken there, as far as the next column that has rows. -1 stands
    /// for what is before the first one.
    public var gapAfter: Set<Int>

    /// `columns` of `channel`.
    public init(channel: Channel, columns: [Cell?], gapAfter: Set<Int> = []) {
        self.channel = channel
        self.columns = columns
        self.gapAfter = gapAfter
    }
}

/// Why there is no plot.
public enum PlotError: Error, Hashable, Sendable {
    /// No such width: ``Plot/widths``.
    case width(Int)
    /// No such height: ``Plot/heights``.
    case height(Int)
    /// The panels need so many pixels of height: draw fewer channels, or a higher picture.
    case tooLow(needed: Int)
    /// There is no channel to draw.
    case noSeries
    /// The end of the time is not after its start.
    case noTime
    /// So many columns cannot be, or a series has other ones than the series before it.
    case columns(Int)
    /// The integers of a channel have so many decimals; 0 to 9 can be.
    case decimals(Int)
}

extension PlotError: CustomStringConvertible {
    /// What is wrong, and what helps.
    public var description: String {
        switch self {
        case .width(let width):
            "A picture \(width) pixels wide is invalid; use \(Plot.widths.lowerBound) to \(Plot.widths.upperBound)."
        case .height(let height):
            "A picture \(height) pixels high is invalid; use \(Plot.heights.lowerBound) to \(Plot.heights.upperBound)."
        case .tooLow(let needed):
            "The panels need a picture \(needed) pixels high: draw fewer channels, or make the picture higher."
        case .noSeries: "There is no channel to draw."
        case .noTime: "The end of the time to draw is not after its start."
        case .columns(let count): "A plot cannot have \(count) columns here; all series need the same, at least 1."
        case .decimals(let count): "A channel cannot have \(count) decimals; 0 to 9 are possible."
        }
    }
}

/// A picture of one or several channels of a trace over the same time: as SVG or as PNG, from one drawing.
///
/// Channels of one unit share a panel, at most four of them, and the panels share the time. The same plot gives the same
/// bytes on every machine; in a PNG the pixels are the same, and the bytes with the same release of zlib.
public struct Plot: Sendable {
    /// How wide a picture may be, in pixels.
    public static let widths = 200...8000
    /// How high a picture may be, in pixels.
    public static let heights = 150...4000
    /// How many channels share a panel at most.
    static let panelLimit = 4

    /// The first line; left out where it is empty, and cut where it is too long for the picture.
    public let title: String
    /// The second line: the meter, the rows, what is missing. Like ``title``.
    public let subtitle: String
    /// The time at the left edge: milliseconds since 1970, UTC.
    public let startMilliseconds: Int64
    /// The time at the right edge: milliseconds since 1970, UTC.
    public let endMilliseconds: Int64
    /// Pixels from left to right.
    public let width: Int
    /// Pixels from top to bottom.
    public let height: Int
    /// The channels, in the order of the legend, all with as many columns.
    public let series: [PlotSeries]

    /// A plot of `series`, if it can be drawn.
    ///
    /// - Throws: ``PlotError``; where this returns, ``svg()`` and ``png()`` draw whatever the values are.
    public init(
        title: String, subtitle: String, startMilliseconds: Int64, endMilliseconds: Int64, width: Int, height: Int,
        series: [PlotSeries]
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
        self.width = width
        self.height = height
        self.series = series
        let needed = PlotLayout.neededHeight(of: self)
        guard needed <= height else { throw .tooLow(needed: needed) }
    }

    /// How many columns of a picture of this size lie between the axis and the right edge of its panels: as many of them as a
    /// series should have. Series with other counts are drawn too, stretched to the panel.
    public static func columnCount(width: Int, height: Int) -> Int {
        let layout = PlotLayout.Metrics(width: width, height: height)
        return max(1, width - layout.left - layout.right)
    }

    /// The picture as SVG 1.1 in UTF-8, with its texts as text.
    ///
    /// - Complexity: O(columns), about 30 bytes for each of a channel that is busy.
    public func svg() -> String { SVGWriter.text(of: PlotLayout.drawing(of: self)) }

    /// The picture as PNG, 8 bits for each of red, green and blue.
    ///
    /// - Complexity: O(pixels + columns), and memory of about ten bytes for each pixel.
    public func png() -> [UInt8] { PNGWriter.bytes(of: Canvas(PlotLayout.drawing(of: self))) }
}
