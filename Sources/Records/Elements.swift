/// How the elements of a collection are written as one text.
public enum ListSyntax: Hashable, Sendable {
    /// Separated by commas, as ADIF's lists are: an element contains none.
    case commas
    /// Separated by commas; an element that contains a comma or a quotation mark, or is empty, stands in quotation marks,
    /// and a quotation mark within it is doubled (RFC 4180, section 2): `CQ,"Smith, John"`.
    case quoted

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    /// The text of `elements`.
    public func join(_ elements: [[UInt8]]) -> [UInt8] {
        Array(elements.map { self == .commas ? $0 : Self.quoted($0) }.joined(separator: [Self.comma]))
    }

    private static func quoted(_ element: [UInt8]) -> [UInt8] {
        guard element.isEmpty || element.contains(where: { $0 == comma || $0 == quote }) else { return element }
        return [quote] + element.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }

    /// The elements of `text`, in order; none for an empty text.
    ///
    /// A quotation mark that does not begin an element stands for itself, and so does one that is never closed.
    public func split(_ text: [UInt8]) -> [[UInt8]] {
        if text.isEmpty { return [] }
        guard self == .quoted, text.contains(Self.quote) else {
            return text.split(separator: Self.comma, omittingEmptySubsequences: false).map(Array.init)
        }
        var elements: [[UInt8]] = []
        var rest = text[...]
        while true {
            let (element, end) = Self.quotedElement(rest) ?? Self.plainElement(rest)
            elements.append(element)
            if end == text.endIndex { return elements }
            rest = text[(end + 1)...]
        }
    }

    private static func plainElement(_ text: ArraySlice<UInt8>) -> (element: [UInt8], end: Int) {
        let end = text.firstIndex(of: comma) ?? text.endIndex
        return (Array(text[..<end]), end)
    }

    /// The element in quotation marks that `text` begins with, and where it ends: at a comma or the end of the text. `nil`
    /// if there is none.
    private static func quotedElement(_ text: ArraySlice<UInt8>) -> (element: [UInt8], end: Int)? {
        guard text.first == quote else { return nil }
        var element: [UInt8] = []
        var place = text.startIndex + 1
        while place < text.endIndex {
            let isQuote = text[place] == quote
            let next = place + 1
            if isQuote, next == text.endIndex || text[next] == comma { return (element, next) }
            if isQuote, text[next] != quote { return nil }
            element.append(text[place])
            place += isQuote ? 2 : 1
        }
        return nil
    }
}

/// The elements of collections.
enum Elements {
    /// That by which two elements are the same element.
    enum Identity: Hashable {
        /// The form that the field gives to a text.
        case text(String)
        /// What is not UTF-8 is the same only if its bytes are.
        case bytes([UInt8])
    }

    /// Returns the identities of the elements of `field`.
    static func identity(of field: FieldSchema?) -> ([UInt8]) -> Identity {
        { element in
            guard let text = String(validating: element, as: UTF8.self) else { return .bytes(element) }
            return .text(field?.identity(text) ?? text)
        }
    }

    /// The first of all elements that are the same.
    static func once(_ elements: [[UInt8]], of field: FieldSchema) -> [[UInt8]] {
        let identity = identity(of: field)
        var seen: Set<Identity> = []
        return elements.filter { seen.insert(identity($0)).inserted }
    }

    /// The live elements in the order in which they were added.
    ///
    /// The elements of a single event are returned byte for byte; an element that several authors added is returned
    /// once.
    static func shown(_ heads: [Record.Head], of field: FieldSchema) -> [[UInt8]] {
        guard let first = heads.first else { return [] }
        let isOneWrite = heads.allSatisfy { $0.id.event == first.id.event }
        let elements = heads.compactMap(\.value)
        return isOneWrite ? elements : once(elements, of: field)
    }
}
