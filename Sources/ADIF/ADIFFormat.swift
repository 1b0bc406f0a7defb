/// The format of a log file.
public enum ADIFFormat: String, Sendable, Hashable, CaseIterable {
    /// ADI: tags with lengths.
    case adi
    /// ADX: XML.
    case adx
    /// Cabrillo: the format of contest sponsors. Not read by this module.
    case cabrillo

    /// The most bytes of a file that ``detect(_:)`` examines.
    public static let prefixByteCount = 64 << 10

    /// Detects a format from the first bytes of a file; nil if they match none.
    ///
    /// A file is ADX if it begins with an XML declaration, a document type declaration, a comment or the element
    /// `ADX`; Cabrillo if it begins with `START-OF-LOG:`; ADI if it contains an ADI tag. A UTF-8 byte order mark and
    /// leading blanks are skipped. Files in UTF-16 match none.
    ///
    /// - Parameter prefix: The beginning of the file; bytes after the first ``prefixByteCount`` are ignored.
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
