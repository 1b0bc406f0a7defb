/// Characters that control a terminal or mislead a reader of the text.
package enum ControlCharacters {
    /// Whether `scalar` is such a character: C0 including line breaks, DEL, C1, line and paragraph separators, and
    /// the marks, embeddings, overrides and isolates that change the writing direction, and what has no width and joins nothing.
    package static func contain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
        default: false
        }
    }
}
