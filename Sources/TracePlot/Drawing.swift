/// What is in a picture, before anyone knows as what it will be written: rectangles, lines and texts, from back to front.
struct Drawing: Hashable, Sendable {
    /// Of the picture, in pixels.
    let width: Int
    /// Of the picture, in pixels.
    let height: Int
    /// How many pixels of the picture are one of the font's: 1, and more for large pictures.
    let scale: Int
    /// What the picture is called.
    let title: String
    /// From back to front.
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

    /// A place in tenths of a pixel, from the upper left corner.
    struct Point: Hashable, Sendable {
        var x: Int
        var y: Int
    }

    /// Lines with round ends and corners. Where they cross one another, they are one area.
    struct Stroke: Hashable, Sendable {
        /// Each a line through its points; one of a single point is a dot.
        var lines: [[Point]] = []
        /// In tenths of a pixel.
        var width: Int
        var colour: Colour
    }

    struct Text: Hashable, Sendable {
        enum Anchor: Hashable, Sendable { case start, middle, end }

        var string: String
        /// Where its start, middle or end is, in pixels.
        var x: Int
        /// Where the letters stand, in pixels.
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

        /// Colours that people who do not see all colours tell apart (Okabe and Ito, "Color Universal Design", 2008), without
        /// the yellow, which is too light for a line on white.
        static let lines = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000].map { Colour($0) }
    }
}
