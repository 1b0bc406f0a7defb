import GroundwaveSVG

/// Writes a drawing as SVG 1.1.
enum SVGWriter {
    /// Returns the document, in UTF-8, with a newline at its end.
    static func text(of drawing: Drawing) -> String {
        var svg = SVGDocument(
            width: drawing.width, height: drawing.height, title: drawing.title,
            fontSize: TextWidth.fontSize(isBold: false) * drawing.scale)
        for element in drawing.elements {
            switch element {
            case .rectangle(let rectangle): append(rectangle, to: &svg)
            case .stroke(let stroke): append(stroke, to: &svg)
            case .text(let text): append(text, scale: drawing.scale, to: &svg)
            }
        }
        return svg.finished()
    }

    private static func append(_ rectangle: Drawing.Rectangle, to svg: inout SVGDocument) {
        svg.append(
            "rect",
            [
                ("x", "\(rectangle.x)"), ("y", "\(rectangle.y)"), ("width", "\(rectangle.width)"),
                ("height", "\(rectangle.height)"), ("fill", SVGNumber.colour(rectangle.colour.rgb)),
            ])
    }

    private static func append(_ text: Drawing.Text, scale: Int, to svg: inout SVGDocument) {
        var attributes = [("x", "\(text.x)"), ("y", "\(text.baseline)")]
        switch text.anchor {
        case .start: break
        case .middle: attributes.append(("text-anchor", "middle"))
        case .end: attributes.append(("text-anchor", "end"))
        }
        if text.isBold {
            attributes += [("font-weight", "bold"), ("font-size", "\(TextWidth.fontSize(isBold: true) * scale)")]
        }
        attributes.append(("fill", SVGNumber.colour(text.colour.rgb)))
        svg.append("text", attributes, text: text.string)
    }

    private static func append(_ stroke: Drawing.Stroke, to svg: inout SVGDocument) {
        var path = SVGPath()
        for line in stroke.lines {
            guard let first = line.first else { continue }
            path.move(toX: first.x, y: first.y)
            if line.count == 1 { path.dot() }
            for point in line.dropFirst() { path.line(toX: point.x, y: point.y) }
        }
        svg.append(
            "path",
            [
                ("fill", "none"), ("stroke", SVGNumber.colour(stroke.colour.rgb)),
                ("stroke-width", SVGNumber.tenths(stroke.width)), ("stroke-linecap", "round"),
                ("stroke-linejoin", "round"), ("d", path.data),
            ])
    }
}
