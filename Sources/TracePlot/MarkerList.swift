/// The list of a plot's markers, with their numbers, in lines as long as the picture has room for.
struct MarkerList {
    /// A marker's number and description, cut to fit.
    struct Entry {
        /// The distance from the start of the line in pixels.
        let x: Int
        let text: String
    }

    /// The most lines; what does not fit is counted at the end of the last one.
    static let lineLimit = 4

    private(set) var lines: [[Entry]] = []

    init(_ plot: Plot, _ metrics: PlotLayout.Metrics) {
        let room = plot.width - 20 * metrics.scale
        let between = 16 * metrics.scale
        // Room for "… and 99 more" behind it.
        let longest = max(room - 120 * metrics.scale, room / 3)
        var x = room
        for (index, marker) in plot.markers.enumerated() {
            let text = TextWidth.cut("\(index + 1) \(marker.text)", to: longest, scale: metrics.scale)
            let width = TextWidth.of(text, scale: metrics.scale)
            let rest = plot.markers.count - index - 1
            let isLast = lines.count == Self.lineLimit
            let behind = isLast && rest > 0 ? between + TextWidth.of(Self.more(rest), scale: metrics.scale) : 0
            if x + width + behind > room {
                if isLast {
                    lines[lines.count - 1].append(Entry(x: x, text: Self.more(rest + 1)))
                    return
                }
                lines.append([])
                x = 0
            }
            lines[lines.count - 1].append(Entry(x: x, text: text))
            x += width + between
        }
    }

    private static func more(_ count: Int) -> String { "… and \(count) more" }
}
