/// A line of a Cabrillo log.
package enum CabrilloLine: Sendable, Hashable {
    /// `START-OF-LOG:` with the version of the format.
    case start(version: String)
    /// `END-OF-LOG:`
    case end
    /// `QSO:` with its words; `X-QSO:`, which is not to be counted, if `isIgnored`.
    case contact([String], isIgnored: Bool)
    /// Another tag.
    case header(CabrilloHeader.Line)
    /// Nothing but blanks.
    case blank

    /// Reads a line without its line feed; `nil` if it has no tag, or tells of a message (`QTC:`).
    package init?(_ line: some StringProtocol) {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\r" }
        let rest = line.drop(while: isBlank)
        if rest.isEmpty {
            self = .blank
            return
        }
        guard let colon = rest.firstIndex(of: ":") else { return nil }
        let tag = rest[..<colon].uppercased()
        guard !tag.isEmpty, tag.utf8.count <= 64, tag.utf8.allSatisfy(Self.isTagByte), tag != "QTC" else { return nil }
        let text = rest[rest.index(after: colon)...]
        switch tag {
        case "START-OF-LOG": self = .start(version: text.split(whereSeparator: isBlank).joined(separator: " "))
        case "END-OF-LOG": self = .end
        case "QSO", "X-QSO":
            self = .contact(text.split(whereSeparator: isBlank).map { $0.uppercased() }, isIgnored: tag == "X-QSO")
        default:
            var value = text.drop(while: isBlank)
            while let last = value.last, isBlank(last) { value.removeLast() }
            self = .header(.init(tag, String(value)))
        }
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
