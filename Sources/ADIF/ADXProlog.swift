/// Checks the part of an XML document before its first element, to decide whether a parser may read the document.
///
/// ADX needs no document type declaration. Such a declaration can make a parser read other files or expand entities
/// without limit, so a document with one is refused before the parser starts. So is every encoding in which a
/// declaration could be hidden.
enum ADXProlog {
    enum Verdict {
        /// The parser may read the document: it is in UTF-8 or ASCII; or in Latin-1, if `latin1` is the range of the
        /// declaration that says so.
        case acceptable(latin1: Range<Int>?)
        case forbidden
        case notXML
    }

    static func verdict(on bytes: [UInt8]) -> Verdict {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        // In UTF-16 and UTF-32, a zero byte is next to the first "<".
        if rest.prefix(4).contains(0) || rest.starts(with: [0xFE, 0xFF]) || rest.starts(with: [0xFF, 0xFE]) {
            return .forbidden
        }
        var latin1: Range<Int>?
        while true {
            rest = rest.drop(while: \.isBlank)
            if rest.starts(with: "<?".utf8) {
                guard let end = firstIndex(of: "?>", in: rest) else { return .notXML }
                switch encoding(declaration: rest[..<end]) {
                case "UTF-8", "US-ASCII", "ASCII": latin1 = nil
                case "ISO-8859-1": latin1 = rest.startIndex..<end + 2
                case nil: break
                default: return .forbidden
                }
                rest = rest[(end + 2)...]
            } else if rest.starts(with: "<!--".utf8) {
                guard let end = firstIndex(of: "-->", in: rest.dropFirst(4)) else { return .notXML }
                rest = rest[(end + 3)...]
            } else if rest.starts(with: "<!".utf8) {
                return .forbidden
            } else {
                return rest.first == .lessThan ? .acceptable(latin1: latin1) : .notXML
            }
        }
    }

    /// Returns the encoding that `declaration` names, in upper case; empty if it is malformed, `nil` if there is
    /// none.
    private static func encoding(declaration: ArraySlice<UInt8>) -> String? {
        guard declaration.starts(with: "<?xml".utf8), let key = firstIndex(of: "encoding", in: declaration) else {
            return nil
        }
        let afterKey = declaration[(key + 8)...].drop { $0.isBlank || $0 == 0x3D }
        guard let quote = afterKey.first, quote == 0x22 || quote == 0x27 else { return "" }
        return String(decoding: afterKey.dropFirst().prefix { $0 != quote }.map(asciiUppercased), as: UTF8.self)
    }

    private static func firstIndex(of word: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let word = Array(word.utf8)
        guard bytes.count >= word.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - word.count).first { bytes[$0...].starts(with: word) }
    }
}
