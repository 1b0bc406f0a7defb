/// A JSON value that preserves the order of an object's members.
///
/// Foundation's decoders lose that order, which matters for the fields of a contact.
package enum JSONText: Hashable {
    case string(String)
    case number(String)
    case bool(Bool)
    case null
    case array([JSONText])
    case object([Member])

    package struct Member: Hashable {
        package var name: String
        package var value: JSONText
    }

    /// The deepest nesting: more than any contact needs, and safe for any stack.
    static let depthLimit = 16

    /// Parses `bytes`; `nil` if they are not one JSON text (RFC 8259) in UTF-8, nested less than ``depthLimit`` deep.
    package init?(_ bytes: ArraySlice<UInt8>) {
        var parser = JSONParser(bytes)
        guard let value = parser.value(depth: 0) else { return nil }
        parser.skipBlanks()
        guard parser.isAtEnd else { return nil }
        self = value
    }

    /// The value of the last member named `name`; `nil` if this is not an object, or has no such member.
    package subscript(name: String) -> JSONText? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }
}

/// Parses one JSON text from its beginning.
private struct JSONParser {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    var isAtEnd: Bool { offset == bytes.endIndex }
    private var next: UInt8? { isAtEnd ? nil : bytes[offset] }

    mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func consume(word: String) -> Bool {
        guard bytes[offset...].starts(with: word.utf8) else { return false }
        offset += word.utf8.count
        return true
    }

    mutating func value(depth: Int) -> JSONText? {
        guard depth < JSONText.depthLimit else { return nil }
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "t"): return consume(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return consume(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return consume(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONText? {
        offset += 1
        var members: [JSONText.Member] = []
        skipBlanks()
        if consume(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\""), let name = string() else { return nil }
            skipBlanks()
            guard consume(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
            members.append(.init(name: name, value: value))
            skipBlanks()
            if consume(UInt8(ascii: "}")) { return .object(members) }
            guard consume(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONText? {
        offset += 1
        var elements: [JSONText] = []
        skipBlanks()
        if consume(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            guard let element = value(depth: depth + 1) else { return nil }
            elements.append(element)
            skipBlanks()
            if consume(UInt8(ascii: "]")) { return .array(elements) }
            guard consume(UInt8(ascii: ",")) else { return nil }
        }
    }

    /// Parses a number and keeps its spelling: a sign, digits without leading zeros, a fraction, an exponent.
    private mutating func number() -> JSONText? {
        let start = offset
        _ = consume(UInt8(ascii: "-"))
        guard let first = next, isDigit(first) else { return nil }
        if !consume(UInt8(ascii: "0")) { skipDigits() }
        if consume(UInt8(ascii: ".")), !skipDigits() { return nil }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            if !skipDigits() { return nil }
        }
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = offset
        while let byte = next, isDigit(byte) { offset += 1 }
        return offset > start
    }

    private mutating func string() -> String? {
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = hexadecimal() else { return nil }
            guard 0xD800...0xDBFF ~= unit else { return Unicode.Scalar(unit) }
            // A high surrogate: a low surrogate must follow.
            guard consume(word: "\\u"), let low = hexadecimal(), 0xDC00...0xDFFF ~= low else { return nil }
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        default: return nil
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard bytes.endIndex - offset >= 4 else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
