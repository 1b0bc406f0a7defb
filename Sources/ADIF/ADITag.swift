/// A tag of an ADI file: `<NAME>`, `<NAME:LENGTH>` or `<NAME:LENGTH:TYPE>`.
struct ADITag {
    enum Kind {
        /// A field: the tag has a length.
        case field
        /// `<EOR>`.
        case endOfRecord
        /// `<EOH>`, or `<EH>` as written by WSJT-X 2.2.2.
        case endOfHeader
        /// `<APP_LoTW_EOF>`, which LoTW writes at the end of a report.
        case endOfFile
        /// Any other name without a length.
        case bare
    }

    var kind: Kind
    /// The index of the `<`.
    var start: Int
    /// The index after the `>`.
    var end: Int
    /// The length of the name in bytes.
    var nameLength: Int
    /// The number of a known field, or 0.
    var number: UInt16
    /// The ``FieldTable/hash(_:)`` of the name.
    var nameHash: UInt32
    /// The declared length of the value, in bytes by the rules of ADIF; 0 if there is none.
    var declaredLength: Int
    /// The declared type: an ASCII letter, or 0.
    var typeIndicator: UInt8
    /// Whether a type is declared that is not a single letter.
    var hasUnknownType: Bool

    var nameStart: Int { start + 1 }
    var nameRange: Range<Int> { start + 1..<start + 1 + nameLength }

    /// The longest name in bytes; a longer name is treated as text.
    static let maximumNameLength = 128
    /// The most digits of a length, more than any accepted length has; a tag with more digits is treated as text.
    private static let maximumDigitCount = 10

    /// The result of a scan at a `<`.
    enum Scan {
        case tag(ADITag)
        /// Not a tag: the `<` is part of text.
        case text
        /// The bytes end before this can be decided.
        case incomplete
    }

    /// Reads the tag that begins with the `<` at `start`.
    ///
    /// - Parameter isComplete: Whether no bytes will follow the given ones; then the result is not `incomplete`.
    @inline(__always)
    static func scan(_ bytes: Span<UInt8>, at start: Int, isComplete: Bool, table: FieldTable) -> Scan {
        let end = bytes.count
        let cut: Scan = isComplete ? .text : .incomplete
        var index = start + 1
        var hash = FieldTable.hashSeed
        while index < end {
            let byte = bytes[index]
            if byte == .colon || byte == .greaterThan { break }
            guard isFieldNameByte(byte), index - start <= maximumNameLength else { return .text }
            hash = FieldTable.hash(hash, adding: byte)
            index += 1
        }
        guard index < end else { return cut }
        let nameLength = index - start - 1
        guard nameLength > 0, bytes[start + 1] != .space, bytes[index - 1] != .space else { return .text }
        var tag = ADITag(
            kind: .field, start: start, end: index + 1, nameLength: nameLength, number: 0, nameHash: hash,
            declaredLength: 0, typeIndicator: 0, hasUnknownType: false)
        if bytes[index] == .greaterThan {
            tag.kind = marker(bytes, tag)
        } else {
            switch scanLength(bytes, from: index + 1, into: &tag) {
            case nil: return cut
            case false: return .text
            default: break
            }
        }
        if tag.kind == .field || tag.kind == .bare {
            tag.number = table.number(in: bytes, at: start + 1, length: nameLength, hash: hash)
        }
        return .tag(tag)
    }

    /// Reads `LENGTH>` or `LENGTH:TYPE>`; false if the bytes do not have this form, nil if they end first.
    @inline(__always)
    private static func scanLength(_ bytes: Span<UInt8>, from start: Int, into tag: inout ADITag) -> Bool? {
        let end = bytes.count
        var index = start
        while index < end, bytes[index] == .space { index += 1 }
        let firstDigit = index
        var length = 0
        while index < end, bytes[index].isASCIIDigit {
            length = length * 10 + Int(bytes[index] &- 0x30)
            index += 1
            if index - firstDigit > maximumDigitCount { return false }
        }
        let digitCount = index - firstDigit
        while index < end, bytes[index] == .space { index += 1 }
        guard index < end else { return nil }
        guard digitCount > 0 else { return false }
        tag.declaredLength = length
        if bytes[index] == .colon {
            let typeStart = index + 1
            index = typeStart
            while index < end, bytes[index] != .greaterThan {
                guard bytes[index].isASCIILetter || bytes[index] == .space, index - typeStart < 40 else { return false }
                index += 1
            }
            guard index < end else { return nil }
            if index == typeStart + 1, bytes[typeStart].isASCIILetter {
                tag.typeIndicator = bytes[typeStart]
            } else {
                tag.hasUnknownType = index > typeStart
            }
        }
        guard bytes[index] == .greaterThan else { return false }
        tag.end = index + 1
        return true
    }

    /// Returns the kind of a tag without a length.
    private static func marker(_ bytes: Span<UInt8>, _ tag: ADITag) -> Kind {
        switch tag.nameLength {
        case 3 where matches(bytes, tag, "EOR"): .endOfRecord
        case 3 where matches(bytes, tag, "EOH"): .endOfHeader
        case 2 where matches(bytes, tag, "EH"): .endOfHeader
        case 12 where matches(bytes, tag, "APP_LOTW_EOF"): .endOfFile
        default: .bare
        }
    }

    /// Returns whether the name of `tag` is `name`, which is in upper case and has the same length.
    private static func matches(_ bytes: Span<UInt8>, _ tag: ADITag, _ name: String) -> Bool {
        var index = tag.nameStart
        for byte in name.utf8 {
            guard asciiUppercased(bytes[index]) == byte else { return false }
            index += 1
        }
        return true
    }

    /// Whether the name begins with a letter and has only ASCII letters, digits and underscores.
    ///
    /// Field names that programs invent have this form; mail addresses and web links do not.
    func hasPlainName(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[nameStart].isASCIILetter else { return false }
        for index in nameRange {
            let byte = bytes[index]
            guard byte.isASCIILetter || byte.isASCIIDigit || byte == 0x5F else { return false }
        }
        return true
    }
}
