import GroundwaveStore

/// Characters that a terminal, or the eye of who reads it, would act on.
package enum VisibleText {
    /// `text` with a symbol in the place of each of them.
    package static func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
        guard text.unicodeScalars.contains(where: ControlCharacters.contain) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !ControlCharacters.contain(scalar) {
                result.append(scalar)
            } else if scalar.value < 0x20, let symbol = Unicode.Scalar(0x2400 + scalar.value) {
                result.append(symbol)
            } else {
                result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}
