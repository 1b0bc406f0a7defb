/// A picture that is written as SVG 1.1, from back to front.
package struct SVGDocument {
    private var svg: String

    /// Starts a picture of `width` by `height` pixels.
    ///
    /// - Parameters:
    ///   - title: The name that a viewer shows; an empty one is left out.
    ///   - fontSize: The size of text that has none of its own, in pixels.
    package init(width: Int, height: Int, title: String, fontSize: Int) {
        svg = """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="\(fontSize)">

            """
        if !title.isEmpty { append("title", [], text: title) }
    }

    /// Appends an element. `text` is escaped; the attributes are written as they are.
    package mutating func append(_ name: String, _ attributes: [(String, String)], text: String? = nil) {
        appendTag(name, attributes)
        svg += text.map { ">\(Self.escaped($0))</\(name)>\n" } ?? "/>\n"
    }

    /// Appends an element that `content` fills. The attributes are written as they are.
    package mutating func append(
        _ name: String, _ attributes: [(String, String)], content: (inout SVGDocument) -> Void
    ) {
        appendTag(name, attributes)
        svg += ">\n"
        content(&self)
        svg += "</\(name)>\n"
    }

    private mutating func appendTag(_ name: String, _ attributes: [(String, String)]) {
        svg += "<\(name)"
        for (name, value) in attributes { svg += " \(name)=\"\(value)\"" }
    }

    /// Returns the complete document, with a newline at its end.
    package func finished() -> String { svg + "</svg>\n" }

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
