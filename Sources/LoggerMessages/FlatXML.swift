/// Reads an XML document whose root has elements without children, as N1MM sends it.
///
/// A parser of all of XML is not used: nothing that it could do beyond this is wanted from a datagram, and it refuses what
/// some programs send, such as an end tag in another case than its start tag. Attributes are ignored. A document type
/// declaration, a comment or an element in an element ends the reading with an error.
struct FlatXML {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads up to the start tag of the root and returns its name in lower case; `nil` if that is not there.
    mutating func root() -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        skipBlanks()
        if bytes[offset...].starts(with: Array("<?xml".utf8)) {
            guard let end = bytes[offset...].firstRange(of: Array("?>".utf8)) else { return nil }
            offset = end.upperBound
            skipBlanks()
        }
        guard let tag = tag(), !tag.isEnd, !tag.isEmpty else { return nil }
        return tag.name
    }

    /// Reads the elements of the root, up to its end tag.
    ///
    /// - Returns: The values by name in lower case, without blanks at their ends; of a repeated element the last one.
    mutating func values(in root: String) throws(UnreadableMessage) -> [String: [UInt8]] {
        var values: [String: [UInt8]] = [:]
        while true {
            skipBlanks()
            guard let start = tag() else { throw UnreadableMessage(reason: "its XML is damaged or cut off") }
            if start.isEnd, start.name == root { return values }
            if start.isEmpty { continue }
            let text = bytes[offset...].prefix { $0 != UInt8(ascii: "<") }
            offset = text.endIndex
            guard !start.isEnd, let end = tag(), end.isEnd, end.name == start.name else {
                throw UnreadableMessage(reason: "its XML is damaged or cut off")
            }
            values[start.name] = Self.value(of: text)
        }
    }

    private mutating func skipBlanks() {
        while offset < bytes.count, Self.isBlank(bytes[offset]) { offset += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private struct Tag {
        var name: String
        var isEnd: Bool
        var isEmpty: Bool
    }

    /// Reads a tag; `nil` if none is here.
    private mutating func tag() -> Tag? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "<"),
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        var content = bytes[offset + 1..<end]
        let isEnd = content.first == UInt8(ascii: "/")
        if isEnd { content.removeFirst() }
        let isEmpty = content.last == UInt8(ascii: "/")
        let name = content.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: "/") }
        guard !name.isEmpty, name.allSatisfy(Self.isNameByte), !(isEnd && isEmpty) else { return nil }
        offset = end + 1
        return Tag(name: String(decoding: name, as: UTF8.self).lowercased(), isEnd: isEnd, isEmpty: isEmpty)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// The text without blanks at its ends, and with characters in place of their references.
    private static func value(of text: ArraySlice<UInt8>) -> [UInt8] {
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        var value: [UInt8] = []
        while let first = rest.first {
            if first == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(named: String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self))
            {
                value += Array(String(character).utf8)
                rest = rest[(end + 1)...]
            } else {
                value.append(first)
                rest.removeFirst()
            }
        }
        return value
    }

    /// The character that a reference stands for (XML 1.0, sections 4.1 and 4.6); `nil` for any other name.
    private static func character(named name: String) -> Character? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
