/// The content of a picture, independent of the output format: rectangles, lines and texts, from back to front.
struct Drawing: Hashable, Sendable {
    /// The width of the picture in pixels.
    let width: Int
    /// The height of the picture in pixels.
    let height: Int
    /// The number of picture pixels per font pixel: 1, or more for large pictures.
    let scale: Int
    /// The title of the picture.
    let title: String
    /// The elements from back to front.
    var elements: [Element] = []

    enum Element: Hashable, Sendable {
        case rectangle(Rectangle)
        case stroke(Stroke)
        case text(Text)
    }

    /// A filled rectangle, in whole pixels.
    struct Rectangle: Hashable, Sendable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
        var colour: Colour
    }

    /// A point in tenths of a pixel, from the upper left corner.
    struct Point: Hashable, Sendable {
        var x: Int
        var y: Int
    }

    /// Lines with round ends and corners. Crossing lines form a single area.
    struct Stroke: Hashable, Sendable {
        /// The lines, each through its points; a single point is a dot.
        var lines: [[Point]] = []
        /// The width in tenths of a pixel.
        var width: Int
        var colour: Colour
    }

    struct Text: Hashable, Sendable {
        enum Anchor: Hashable, Sendable { case start, middle, end }

        var string: String
        /// The position of the start, middle or end of the text, in pixels.
        var x: Int
        /// The position of the baseline, in pixels.
        var baseline: Int
        var anchor: Anchor
        var isBold = false
        var colour: Colour
    }

    /// Red, green and blue in the lower 24 bits.
    struct Colour: Hashable, Sendable {
        let rgb: UInt32

        init(_ rgb: UInt32) { self.rgb = rgb }

        static let white = Colour(0xFFFFFF)
        static let ink = Colour(0x222222)
        static let quiet = Colour(0x606060)
        static let axis = Colour(0x888888)
        static let grid = Colour(0xE4E4E4)
        static let band = Colour(0xE9E9E9)

        /// This colour mixed with three parts of white.
        var pale: Colour {
            let parts = [16, 8, 0].map { shift in ((((rgb >> shift) & 0xFF) + 3 * 0xFF) / 4) << shift }
            return Colour(parts.reduce(0, |))
        }

        /// Colours that colour-blind readers can distinguish (Okabe and Ito, "Color Universal Design", 2008), without
        /// the yellow, which is too light for a line on white.
        static let lines = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000].map { Colour($0) }
    }
}
