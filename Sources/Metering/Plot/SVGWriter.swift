/// Writes a drawing as SVG 1.1.
enum SVGWriter {
    /// Returns the document, in UTF-8, with a newline at its end.
    static func text(of drawing: Drawing) -> String {
        var svg = """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(drawing.width)" height="\(drawing.height)" \
            viewBox="0 0 \(drawing.width) \(drawing.height)" font-family="sans-serif" \
            font-size="\(TextWidth.fontSize(isBold: false) * drawing.scale)">

            """
        if !drawing.title.isEmpty { svg += "<title>\(escaped(drawing.title))</title>\n" }
        for element in drawing.elements {
            switch element {
            case .rectangle(let rectangle): append(rectangle, to: &svg)
            case .stroke(let stroke): append(stroke, to: &svg)
            case .text(let text): append(text, scale: drawing.scale, to: &svg)
            }
        }
        return svg + "</svg>\n"
    }

    private static func append(_ rectangle: Drawing.Rectangle, to svg: inout String) {
        svg += "<rect x=\"\(rectangle.x)\" y=\"\(rectangle.y)\" width=\"\(rectangle.width)\""
        svg += " height=\"\(rectangle.height)\" fill=\"\(hex(rectangle.colour))\"/>\n"
    }

    private static func append(_ text: Drawing.Text, scale: Int, to svg: inout String) {
        let anchor =
            switch text.anchor {
            case .start: ""
            case .middle: " text-anchor=\"middle\""
            case .end: " text-anchor=\"end\""
            }
        let weight =
            text.isBold ? " font-weight=\"bold\" font-size=\"\(TextWidth.fontSize(isBold: true) * scale)\"" : ""
        svg += "<text x=\"\(text.x)\" y=\"\(text.baseline)\"\(anchor)\(weight) fill=\"\(hex(text.colour))\">"
        svg += "\(escaped(text.string))</text>\n"
    }

    /// Appends one path: each line starts at absolute coordinates, and its other points are relative.
    private static func append(_ stroke: Drawing.Stroke, to svg: inout String) {
        svg += "<path fill=\"none\" stroke=\"\(hex(stroke.colour))\" stroke-width=\"\(tenths(stroke.width))\""
        svg += " stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\""
        for line in stroke.lines {
            guard var before = line.first else { continue }
            svg += "M\(pair(before.x, before.y))"
            // A dot is a line of length 0.
            if line.count == 1 { svg += "h0" }
            for point in line.dropFirst() {
                let (dx, dy) = (point.x - before.x, point.y - before.y)
                if dx == 0 {
                    svg += "v\(tenths(dy))"
                } else if dy == 0 {
                    svg += "h\(tenths(dx))"
                } else {
                    svg += "l\(pair(dx, dy))"
                }
                before = point
            }
        }
        svg += "\"/>\n"
    }

    /// Returns two numbers; a minus sign of the second replaces the separating space.
    private static func pair(_ x: Int, _ y: Int) -> String { "\(tenths(x))\(y < 0 ? "" : " ")\(tenths(y))" }

    /// Returns `value` tenths as a decimal number.
    private static func tenths(_ value: Int) -> String {
        let (whole, part) = value.magnitude.quotientAndRemainder(dividingBy: 10)
        return "\(value < 0 ? "-" : "")\(whole)\(part == 0 ? "" : ".\(part)")"
    }

    private static func hex(_ colour: Drawing.Colour) -> String {
        let digits = String(colour.rgb, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Escapes `text` for XML 1.0. Characters that XML does not allow, such as most control characters, become
    /// U+FFFD.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "\t", "\n", "\r": result.append(" ")
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
