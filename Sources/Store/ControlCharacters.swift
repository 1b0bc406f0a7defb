/// Characters that a terminal, or the eye of who reads a line, would act on.
package enum ControlCharacters {
    /// Whether `scalar` is one: C0 with line breaks, DEL, C1, separators of lines and paragraphs, and the marks and brackets
    /// that turn the direction of writing round.
    package static func contain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
