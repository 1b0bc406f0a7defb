import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads ADX, the XML form of ADIF (ADIF 3.1.6, "ADX File Format").
///
/// The items are those of ``ADIReader``: an `APP` element becomes a field `APP_PROGRAMID_FIELDNAME`, a `USERDEF`
/// element of a record a field of its `FIELDNAME`, and one of the header a field `USERDEFn`. Element names are read in
/// any case. Values are UTF-8, with line breaks as the XML has them.
///
/// A document with a document type declaration, or in an encoding other than UTF-8, ASCII and Latin-1, is refused
/// whole; nothing outside of the document is ever read. If a document stops being well-formed, the records before that
/// place are kept and the rest is one rejection. An instruction that says nothing (`<?name?>`) counts as such a place.
public enum ADXReader {
    /// Reads a whole document that is in memory.
    ///
    /// - Complexity: O(*n*) in time and memory; a document above ``ADIFLimits/documentByteCount`` is refused at once.
    public static func items(in bytes: [UInt8], limits: ADIFLimits = ADIFLimits()) -> [ADIFItem] {
        let whole = 0..<UInt64(bytes.count)
        func refusal(_ code: ADIFRejection.Code) -> [ADIFItem] {
            [.rejected(ADIFRejection(code, recordNumber: 0, byteRange: whole))]
        }
        guard bytes.count <= limits.documentByteCount else { return refusal(.documentTooLarge) }
        // The parser of swift-corelibs-foundation ends the process on a name that is not UTF-8, and on an instruction without
        // data. So it sees what stands before the first of these; there the document stops being well-formed.
        var end: Int
        switch ADXProlog.verdict(on: bytes) {
        case .forbidden: return refusal(.forbiddenXML)
        case .notXML: return refusal(.notADIF)
        case .acceptable(let isUTF8): end = isUTF8 ? firstByteNotUTF8(in: bytes) : bytes.count
        }
        if let instruction = firstEmptyInstruction(in: bytes[..<end]) { end = instruction }
        let builder = ADXBuilder(bytes: bytes, limits: limits)
        let parser = XMLParser(data: Data(bytes[..<end]))
        parser.shouldResolveExternalEntities = false
        let delegate = ADXParserDelegate(builder: builder)
        parser.delegate = delegate
        let isParsed = parser.parse()
        let isWhole = isParsed && parser.parserError == nil && end == bytes.count
        let errorLine = delegate.errorLine ?? (isWhole ? nil : parser.lineNumber)
        return delegate.builder.finish(errorLine: errorLine)
    }

    /// Where the first processing instruction starts that has a name and nothing else, or what a parser that mends a broken
    /// document may take for one.
    private static func firstEmptyInstruction(in bytes: ArraySlice<UInt8>) -> Int? {
        var start: Int?
        for (index, byte) in zip(bytes.indices, bytes) {
            switch byte {
            case .questionMark where index > bytes.startIndex && bytes[index - 1] == .lessThan: start = index - 1
            case .greaterThan where start != nil && bytes[index - 1] == .questionMark: return start
            case .lessThan, .greaterThan: start = nil
            default: if byte.isBlank { start = nil }
            }
        }
        return nil
    }

    private static func firstByteNotUTF8(in bytes: [UInt8]) -> Int {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return bytes.count
        } catch { return error.byteOffsets.lowerBound }
    }
}

/// Hands the parser's events to the builder.
private final class ADXParserDelegate: NSObject, XMLParserDelegate {
    var builder: ADXBuilder
    /// Where the document stopped being well-formed.
    ///
    /// The parser of swift-corelibs-foundation mends what it can and goes on after an error, so that a mangled record
    /// would come out whole; everything after the first error is ignored here.
    private(set) var errorLine: Int?

    init(builder: ADXBuilder) { self.builder = builder }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard errorLine == nil else { return }
        builder.startElement(elementName, attributes: attributes, line: parser.lineNumber)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard errorLine == nil else { return }
        builder.endElement(line: parser.lineNumber)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if errorLine == nil { builder.append(string) }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if errorLine == nil { builder.append(String(decoding: block, as: UTF8.self)) }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        if errorLine == nil { errorLine = parser.lineNumber }
    }
}
