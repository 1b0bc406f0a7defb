import GroundwaveGeography
import GroundwaveSVG

/// Draws the parts of a map, from back to front.
struct MapPen {
    private typealias Area = MapProjection
    private var svg: SVGDocument

    init(title: String, subtitle: String) {
        svg = SVGDocument(width: Area.width, height: Area.height, title: title, fontSize: 11)
        fill(0, 0, 10 * Area.width, 10 * Area.height, MapStyle.paper)
        write(title, Area.left, 270, [("font-size", "20"), ("font-weight", "bold")], MapStyle.ink)
        write(subtitle, Area.right, 270, [("font-size", "13"), ("text-anchor", "end")], MapStyle.quiet)
        fill(Area.left, Area.top, Area.mapWidth, Area.mapHeight, MapStyle.sea)
    }

    func finished() -> String { svg.finished() }

    mutating func drawLand() {
        var path = SVGPath()
        for ring in LandOutline.rings {
            for (index, point) in ring.enumerated() {
                let x = Area.left + (point.longitude + 1800) * Area.scale / 10
                let y = Area.top + (900 - point.latitude) * Area.scale / 10
                if index == 0 { path.move(toX: x, y: y) } else { path.line(toX: x, y: y) }
            }
            path.close()
        }
        svg.append(
            "path",
            [
                ("id", "land"), ("fill", SVGNumber.colour(MapStyle.land)), ("fill-rule", "evenodd"),
                ("stroke", SVGNumber.colour(MapStyle.coast)), ("stroke-width", "0.6"), ("d", path.data),
            ])
    }

    /// Draws the borders of the fields, each with its two letters in the lower left corner.
    mutating func drawGrid() {
        var path = SVGPath()
        for column in 1..<18 {
            path.move(toX: Area.left + column * 600, y: Area.top)
            path.line(toX: Area.left + column * 600, y: Area.bottom)
        }
        for row in 1..<18 {
            path.move(toX: Area.left, y: Area.top + row * 300)
            path.line(toX: Area.right, y: Area.top + row * 300)
        }
        svg.append(
            "path",
            [
                ("id", "grid"), ("fill", "none"), ("stroke", SVGNumber.colour(MapStyle.grid)), ("stroke-width", "0.7"),
                ("d", path.data),
            ])
        let letters = Array("ABCDEFGHIJKLMNOPQR")
        svg.append("g", [("font-size", "9"), ("fill", SVGNumber.colour(MapStyle.gridName))]) { svg in
            for (column, first) in letters.enumerated() {
                for (row, second) in letters.enumerated() {
                    svg.append(
                        "text",
                        [
                            ("x", SVGNumber.tenths(Area.left + column * 600 + 20)),
                            ("y", SVGNumber.tenths(Area.bottom - row * 300 - 25)),
                        ], text: "\(first)\(second)")
                }
            }
        }
    }

    /// Draws the shorter way to each square from the place that it was first worked from.
    mutating func drawWays(_ worked: WorkedSquares) {
        var path = SVGPath()
        for (square, contacts) in worked.squares.sorted(by: { $0.key < $1.key }) {
            guard let origin = contacts.origin, origin != square, let station = worked.stations[origin] else {
                continue
            }
            let points = GreatCircle(from: station.point, to: square.centre).points(stepDegrees: 3)
            for line in Area.lines(points).map(LineSimplification.simplified) {
                for (index, point) in line.enumerated() {
                    if index == 0 { path.move(toX: point.x, y: point.y) } else { path.line(toX: point.x, y: point.y) }
                }
            }
        }
        if path.data.isEmpty { return }
        svg.append(
            "path",
            [
                ("id", "ways"), ("fill", "none"), ("stroke", SVGNumber.colour(MapStyle.way)), ("stroke-width", "0.6"),
                ("stroke-opacity", "0.3"), ("d", path.data),
            ])
    }

    /// Draws each square in the colour of its number of contacts; a viewer shows the number under the pointer.
    mutating func drawSquares(_ worked: WorkedSquares) {
        let squares = worked.squares.sorted { $0.key < $1.key }
        for (index, step) in MapStyle.steps.enumerated() {
            let members = squares.filter { MapStyle.step(of: $0.value.contacts) == index }
            if members.isEmpty { continue }
            svg.append("g", [("class", "squares"), ("fill", SVGNumber.colour(step.colour))]) { svg in
                for (square, contacts) in members {
                    svg.append(
                        "rect",
                        [
                            ("x", SVGNumber.tenths(Area.x(square.west))),
                            ("y", SVGNumber.tenths(Area.y(square.south + square.height))), ("width", "6"),
                            ("height", "3"),
                        ]
                    ) { svg in
                        let count = contacts.contacts == 1 ? "1 contact" : "\(contacts.contacts) contacts"
                        svg.append("title", [], text: "\(square): \(count)")
                    }
                }
            }
        }
    }

    /// Draws a dot for each own station.
    mutating func drawStations(_ worked: WorkedSquares) {
        for (square, station) in worked.stations.sorted(by: { $0.key < $1.key }) {
            svg.append(
                "circle",
                [
                    ("class", "station"), ("cx", SVGNumber.tenths(Area.x(station.point.longitude))),
                    ("cy", SVGNumber.tenths(Area.y(station.point.latitude))), ("r", "4"),
                    ("fill", SVGNumber.colour(MapStyle.station)), ("stroke", SVGNumber.colour(MapStyle.paper)),
                    ("stroke-width", "1.5"),
                ]
            ) { $0.append("title", [], text: "own station in \(square)") }
        }
    }

    mutating func drawFrame() {
        svg.append(
            "rect",
            [
                ("x", SVGNumber.tenths(Area.left)), ("y", SVGNumber.tenths(Area.top)),
                ("width", SVGNumber.tenths(Area.mapWidth)), ("height", SVGNumber.tenths(Area.mapHeight)),
                ("fill", "none"), ("stroke", SVGNumber.colour(MapStyle.frame)),
            ])
        for (index, letter) in "ABCDEFGHIJKLMNOPQR".enumerated() {
            let middle: [(String, String)] = [("text-anchor", "middle"), ("font-weight", "bold")]
            let x = Area.left + index * 600 + 300
            write("\(letter)", x, Area.top - 50, middle, MapStyle.quiet)
            write("\(letter)", x, Area.bottom + 130, middle, MapStyle.quiet)
            let y = Area.bottom - index * 300 - 110
            write("\(letter)", Area.left - 110, y, middle, MapStyle.quiet)
            write("\(letter)", Area.right + 110, y, middle, MapStyle.quiet)
        }
    }

    mutating func drawLegend() {
        let baseline = Area.bottom + 330
        write("Contacts in a square", Area.left, baseline, [("font-weight", "bold")], MapStyle.quiet)
        var x = Area.left + 1400
        for step in MapStyle.steps {
            fill(x, baseline - 90, 180, 90, step.colour)
            write(step.label, x + 230, baseline, [], MapStyle.ink)
            x += 340 + 60 * step.label.count
        }
        svg.append(
            "circle",
            [
                ("cx", SVGNumber.tenths(x + 140)), ("cy", SVGNumber.tenths(baseline - 40)), ("r", "4"),
                ("fill", SVGNumber.colour(MapStyle.station)),
            ])
        write("own station", x + 230, baseline, [], MapStyle.ink)
    }

    private mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ colour: UInt32) {
        svg.append(
            "rect",
            [
                ("x", SVGNumber.tenths(x)), ("y", SVGNumber.tenths(y)), ("width", SVGNumber.tenths(width)),
                ("height", SVGNumber.tenths(height)), ("fill", SVGNumber.colour(colour)),
            ])
    }

    private mutating func write(
        _ text: String, _ x: Int, _ y: Int, _ attributes: [(String, String)], _ colour: UInt32
    ) {
        let place = [("x", SVGNumber.tenths(x)), ("y", SVGNumber.tenths(y))]
        svg.append("text", place + attributes + [("fill", SVGNumber.colour(colour))], text: text)
    }
}
