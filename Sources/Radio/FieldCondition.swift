import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveRecords

/// A condition on the value of one field, as a person writes it: `GRIDSQUARE=FN*`, `NAME~jim`, `FREQ>14.1`.
///
/// | | holds if the value |
/// |---|---|
/// | `FIELD=TEXT` | is the text, in which `*` stands for any characters and `?` for one |
/// | `FIELD=` | is missing or empty |
/// | `FIELD~TEXT` | contains the text |
/// | `FIELD>TEXT`, `FIELD<TEXT` | is greater or less: as a number if both are numbers, else as text, which dates are |
///
/// The case of ASCII letters is ignored. The band of a contact that has a frequency alone is that of its frequency.
public struct FieldCondition: Hashable, Sendable {
    /// How the value is compared.
    public enum Comparison: Character, Sendable {
        /// Is the text.
        case equal = "="
        /// Contains the text.
        case contains = "~"
        /// Is greater.
        case greater = ">"
        /// Is less.
        case less = "<"
    }

    /// The field.
    public let field: FieldName
    /// How its value is compared.
    public let comparison: Comparison
    /// What its value is compared with, in upper case; also as a number, if it is one.
    private let folded: [UInt8]
    private let number: Double?

    /// A condition on `field`.
    public init(_ field: FieldName, _ comparison: Comparison, _ text: String) {
        (self.field, self.comparison) = (field, comparison)
        folded = ContactKey.folded(text.utf8)
        number = Self.number(folded[...])
    }

    /// Reads `FIELD=TEXT`, `FIELD~TEXT`, `FIELD>TEXT` or `FIELD<TEXT`.
    ///
    /// - Throws: ``EntryProblem`` for anything else, and for a field that looks misspelt.
    public init(_ condition: String) throws(EntryProblem) {
        guard let place = condition.firstIndex(where: { Comparison(rawValue: $0) != nil }),
            place != condition.startIndex, let comparison = Comparison(rawValue: condition[place])
        else {
            throw EntryProblem(
                "“\(condition)” is not a condition.", hint: "Conditions are like GRIDSQUARE=FN*, NAME~jim or FREQ>14.1."
            )
        }
        var remarks: [String] = []
        let name = try FieldNameInput.name(String(condition[..<place]), in: nil, remarks: &remarks)
        self.init(name, comparison, String(condition[condition.index(after: place)...]))
    }

    /// Whether the value that a contact shows meets the condition.
    func holds(_ contact: borrowing ShownValues) -> Bool {
        var value = contact.value(field) ?? []
        if value.isEmpty, field == .band {
            let band = contact.value(.freq).flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0) }
            value = band.map { Array($0.name.utf8)[...] } ?? []
        }
        switch comparison {
        case .equal: return folded.isEmpty ? value.isEmpty : Wildcards.match(folded, value)
        case .contains: return WordSearch.contains(value.span.bytes, folded)
        case .greater: return !value.isEmpty && isLess(folded[...], number, value, Self.number(value))
        case .less: return !value.isEmpty && isLess(value, Self.number(value), folded[...], number)
        }
    }

    private func isLess(_ a: ArraySlice<UInt8>, _ x: Double?, _ b: ArraySlice<UInt8>, _ y: Double?) -> Bool {
        if let x, let y { return x < y }
        return ContactKey.folded(a).lexicographicallyPrecedes(ContactKey.folded(b))
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Double? {
        guard let first = text.first, first < 0x3A, text.count <= 32 else { return nil }
        return Double(String(decoding: text, as: UTF8.self))
    }
}

/// Texts with `*` for any characters and `?` for one.
enum Wildcards {
    /// What every text that matches begins with.
    static func prefix(of pattern: [UInt8]) -> [UInt8] { Array(pattern.prefix { !isWild($0) }) }

    /// Whether `text` matches `pattern`, which is in upper case; the case of ASCII letters in the text is ignored.
    static func match(_ pattern: [UInt8], _ text: ArraySlice<UInt8>) -> Bool {
        // The place behind the last star, and from where in the text it was tried last.
        var star: (behind: Int, tried: Int)?
        var (place, at) = (0, text.startIndex)
        while at < text.endIndex {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                place += 1
                star = (place, at)
            } else if place < pattern.count,
                pattern[place] == UInt8(ascii: "?") || pattern[place] == WordSearch.upper(text[at])
            {
                place += 1
                at += 1
            } else if let (behind, tried) = star {
                star = (behind, tried + 1)
                (place, at) = (behind, tried + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func isWild(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") }
}

/// Words that are looked for in all values of a contact.
enum WordSearch {
    static func upper(_ byte: UInt8) -> UInt8 { byte >= 0x61 && byte <= 0x7A ? byte - 32 : byte }

    /// Whether `text` contains `word`, which is in upper case; the case of ASCII letters in the text is ignored.
    static func contains(_ text: RawSpan, _ word: [UInt8]) -> Bool {
        guard let first = word.first else { return true }
        var start = 0
        let last = text.byteCount - word.count
        while start <= last {
            if upper(text.byte(at: start)) == first {
                var length = 1
                while length < word.count, upper(text.byte(at: start + length)) == word[length] { length += 1 }
                if length == word.count { return true }
            }
            start += 1
        }
        return false
    }

    /// Whether a contact shows `word`, which is in upper case, in the value of any field.
    static func finds(_ word: [UInt8], in contact: borrowing ShownValues) -> Bool {
        for head in contact.state.heads where head.code.hasValue && !QSOKind.isInternal(head.field) {
            guard contains(contact.state.values.span.bytes.extracting(head.value), word) else { continue }
            if shows(word, in: head.field, of: contact) { return true }
        }
        return false
    }

    /// Whether what is shown for a field has the word: of several values only one is, and a register has several parts.
    private static func shows(_ word: [UInt8], in field: FieldOrdinal, of contact: borrowing ShownValues) -> Bool {
        let isList = field <= FieldOrdinal(FieldName.maximumNumber) && RegisterTable.shared.isCollection(UInt16(field))
        guard let value = isList ? contact.elements(field) : contact.value(field) else { return false }
        guard QSOKind.isRegister(field) else { return contains(value.span.bytes, word) }
        var isFound = false
        Register.forEachMember(of: value) { _, part in isFound = isFound || contains(part.span.bytes, word) }
        return isFound
    }
}

extension ShownValues {
    /// The fields of a contact that have any of `words`, in the order of its source.
    package func fields(having words: [String]) -> [FieldName] {
        let folded = words.map { ContactKey.folded($0.utf8) }
        var shown = ShownFields()
        shown.read(self)
        let bytes = shown.bytes(of: self)
        return shown.layout.names.indices.filter { place in
            folded.contains { WordSearch.contains(bytes.span.bytes.extracting(shown.range(at: place)), $0) }
        }.map { shown.layout.names[$0] }
    }
}
