/// The longest tag that is passed to the parser of ADX.
///
/// libxml2 compares each attribute of an element with all others, so that an element with 300,000 of them takes a minute;
/// those of ADX have three.
enum ADXTagLimit {
    /// The most bytes between `<` and `>`.
    static let byteCount = 4096

    private static let comment = (start: Array("<!--".utf8), end: Array("-->".utf8))
    private static let section = (start: Array("<![CDATA[".utf8), end: Array("]]>".utf8))

    /// Returns the start of the first tag that is longer; the end if there is none. What comments and CDATA sections have
    /// is no tag, and a `>` within a value does not end one (XML 1.0, sections 2.4 to 3.1).
    static func firstLongTag(in bytes: [UInt8]) -> Int {
        let span = bytes.span
        var place = 0
        while let start = span.firstIndex(of: .lessThan, from: place) {
            if has(comment.start, at: start, span) {
                place = end(of: comment.end, from: start + 4, span)
            } else if has(section.start, at: start, span) {
                place = end(of: section.end, from: start + 9, span)
            } else {
                guard let end = endOfTag(from: start + 1, span) else { return start }
                place = end
            }
        }
        return bytes.count
    }

    /// Returns the place behind the `>` that ends a tag; the end of the document if nothing does; `nil` if it is too long.
    private static func endOfTag(from start: Int, _ bytes: Span<UInt8>) -> Int? {
        var quote: UInt8?
        let limit = start + byteCount
        for place in start..<min(bytes.count, limit) {
            let byte = bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == .greaterThan {
                return place + 1
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
        }
        return limit < bytes.count ? nil : bytes.count
    }

    private static func has(_ text: [UInt8], at start: Int, _ bytes: Span<UInt8>) -> Bool {
        guard start + text.count <= bytes.count else { return false }
        for index in text.indices where bytes[start + index] != text[index] { return false }
        return true
    }

    private static func end(of text: [UInt8], from start: Int, _ bytes: Span<UInt8>) -> Int {
        var place = start
        while place < bytes.count {
            if has(text, at: place, bytes) { return place + text.count }
            place += 1
        }
        return bytes.count
    }
}

extension Span<UInt8> {
    fileprivate func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var place = start
        while place < count {
            if self[place] == byte { return place }
            place += 1
        }
        return nil
    }
}
