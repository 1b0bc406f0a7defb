/// The format of a log file.
public enum ADIFFormat: String, Sendable, Hashable, CaseIterable {
    /// ADI: tags with lengths.
    case adi
    /// ADX: XML.
    case adx
    /// Cabrillo: the format of contest sponsors. Not read by this module.
    case cabrillo

    /// How many bytes of a file ``detect(_:)`` looks at.
    public static let prefixByteCount = 64 << 10

    /// Tells a format from the first bytes of a file; nil if they fit none.
    ///
    /// A file is ADX if it begins with an XML declaration, a comment or the element `ADX`; Cabrillo if it begins with
    /// `START-OF-LOG:`; ADI if a tag of ADI occurs. A byte order mark of UTF-8 and blanks before are skipped. Files in
    /// UTF-16 fit none.
    ///
    /// - Parameter prefix: The beginning of the file; ``prefixByteCount`` bytes are enough, more are not looked at.
    public static func detect(_ prefix: [UInt8]) -> ADIFFormat? {
        var text = prefix[..<min(prefix.count, prefixByteCount)]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop(while: \.isBlank)
        if begins(text, with: "<?XML") || begins(text, with: "<!--") || begins(text, with: "<ADX") { return .adx }
        if begins(text, with: "<!DOCTYPE") { return .adx }
        if begins(text, with: "START-OF-LOG:") { return .cabrillo }
        let bytes = prefix.span
        for index in text.indices where bytes[index] == .lessThan {
            guard case .tag(let tag) = ADITag.scan(bytes, at: index, isComplete: true, table: .shared) else { continue }
            if tag.kind != .bare { return .adi }
        }
        return nil
    }

    private static func begins(_ text: ArraySlice<UInt8>, with word: String) -> Bool {
        text.prefix(word.utf8.count).map(asciiUppercased).elementsEqual(word.utf8)
    }
}
