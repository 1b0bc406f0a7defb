import GroundwaveGeography

/// A map of the world with the squares that were worked: both halves of the Earth, a degree as wide as it is high.
package struct WorldMap: Sendable {
    /// The title, in large letters.
    package var title: String
    /// The line below the title.
    package var subtitle: String
    /// What is drawn.
    package var worked: WorkedSquares

    /// Creates a map.
    package init(title: String, subtitle: String, worked: WorkedSquares) {
        (self.title, self.subtitle, self.worked) = (title, subtitle, worked)
    }

    /// Returns the map as SVG 1.1 in UTF-8: 1200 by 640 pixels, without scripts, fonts or pictures from elsewhere. Equal maps
    /// give equal bytes.
    ///
    /// - Complexity: About 90 bytes for each square, and 150 for each way to one.
    package func svg() -> String {
        var pen = MapPen(title: title, subtitle: subtitle)
        pen.drawLand()
        pen.drawGrid()
        pen.drawWays(worked)
        pen.drawSquares(worked)
        pen.drawStations(worked)
        pen.drawFrame()
        pen.drawLegend()
        return pen.finished()
    }
}
