/// A drawing in pixels.
///
/// Lines are anti-aliased: each pixel has 4 by 4 samples, and the share of samples in the line is the opacity. The
/// arithmetic is in integers, so the pixels are the same on every machine.
struct Canvas {
    let width: Int
    let height: Int
    /// The pixels, row by row from the top: red, green and blue in the lower 24 bits.
    private(set) var pixels: [UInt32]

    /// Draws `drawing` on white.
    init(_ drawing: Drawing) {
        width = drawing.width
        height = drawing.height
        pixels = Array(repeating: Drawing.Colour.white.rgb, count: width * height)
        var samples = StrokeSamples(width: width, height: height)
        for element in drawing.elements {
            switch element {
            case .rectangle(let rectangle): fill(rectangle)
            case .text(let text): write(text, scale: drawing.scale)
            case .stroke(let stroke):
                samples.cover(stroke)
                blend(&samples, stroke.colour)
            }
        }
    }

    /// Fills `rectangle`, clipped to the picture.
    private mutating func fill(_ rectangle: Drawing.Rectangle) {
        let left = max(rectangle.x, 0)
        let right = min(rectangle.x + rectangle.width, width)
        guard left < right else { return }
        for row in max(rectangle.y, 0)..<max(rectangle.y, 0, min(rectangle.y + rectangle.height, height)) {
            for index in (row * width + left)..<(row * width + right) { pixels[index] = rectangle.colour.rgb }
        }
    }

    /// Draws `text`, each font pixel as `scale` by `scale` pixels.
    private mutating func write(_ text: Drawing.Text, scale: Int) {
        let advance = PlotFont.advance + (text.isBold ? 1 : 0)
        let total = (text.string.count * advance - 1) * scale
        var x =
            switch text.anchor {
            case .start: text.x
            case .middle: text.x - total / 2
            case .end: text.x - total
            }
        for character in text.string {
            for row in 0..<PlotFont.height {
                let bits = PlotFont.row(row, of: character, isBold: text.isBold)
                for column in 0...PlotFont.width where bits >> UInt64(PlotFont.width - column) & 1 == 1 {
                    fill(
                        .init(
                            x: x + column * scale, y: text.baseline + (row - PlotFont.ascent) * scale, width: scale,
                            height: scale, colour: text.colour))
                }
            }
            x += advance * scale
        }
    }

    /// Blends `colour` over the pixels by their share of `samples`, and clears the samples.
    private mutating func blend(_ samples: inout StrokeSamples, _ colour: Drawing.Colour) {
        samples.takeRows { row, left, bits in
            var index = row * width + left
            for mask in bits {
                if mask == .max {
                    pixels[index] = colour.rgb
                } else if mask != 0 {
                    pixels[index] = Self.mixed(pixels[index], colour.rgb, UInt32(mask.nonzeroBitCount))
                }
                index += 1
            }
        }
    }

    /// Returns a mix of `part` sixteenths of `front` and the rest of `back`.
    private static func mixed(_ back: UInt32, _ front: UInt32, _ part: UInt32) -> UInt32 {
        var result: UInt32 = 0
        for shift: UInt32 in [0, 8, 16] {
            let (one, other) = (back >> shift & 0xFF, front >> shift & 0xFF)
            result |= ((one * (16 - part) + other * part + 8) / 16) << shift
        }
        return result
    }
}
