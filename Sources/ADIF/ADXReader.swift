import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads ADX, the XML form of ADIF (ADIF 3.1.6, "ADX File Format").
///
/// The items are those of ``ADIReader``: an `APP` element becomes a field `APP_PROGRAMID_FIELDNAME`, a `USERDEF`
/// element of a record a field with its `FIELDNAME`, and one of the header a field `USERDEFn`. The case of element
/// names is ignored. Values are UTF-8, with line breaks as in the XML.
///
/// A document with a document type declaration, or in an encoding other than UTF-8, ASCII and Latin-1, is refused
/// entirely; nothing outside of the document is ever read. If a document stops being well-formed, the records before
/// that position are kept and the rest is one rejection. A processing instruction without data (`<?name?>`) and a tag that
/// is longer than 4 KiB count as such a position.
public enum ADXReader {
    /// Reads a whole document in memory.
    ///
    /// - Complexity: O(*n*) in time and memory; a document larger than ``ADIFLimits/documentByteCount`` is refused at
    ///   once.
    public static func items(in bytes: [UInt8], limits: ADIFLimits = ADIFLimits()) -> [ADIFItem] {
        let whole = 0..<UInt64(bytes.count)
        func refusal(_ code: ADIFRejection.Code) -> [ADIFItem] {
            [.rejected(ADIFRejection(code, recordNumber: 0, byteRange: whole))]
        }
        guard bytes.count <= limits.documentByteCount else { return refusal(.documentTooLarge) }
        var document: [UInt8]
        switch ADXProlog.verdict(on: bytes) {
        case .forbidden: return refusal(.forbiddenXML)
        case .notXML: return refusal(.notADIF)
        case .acceptable(latin1: nil): document = bytes
        case .acceptable(let instruction?): document = inUTF8(bytes, latin1: instruction)
        }
        // The parser of swift-corelibs-foundation crashes on a name that is not UTF-8, and on a processing
        // instruction without data. So it gets only the bytes before the first of these, where the document counts as
        // no longer well-formed.
        let count = document.count
        document.removeSubrange(firstByteNotUTF8(in: document)...)
        document.removeSubrange(firstEmptyInstruction(in: document)...)
        document.removeSubrange(ADXTagLimit.firstLongTag(in: document)...)
        let builder = ADXBuilder(bytes: bytes, limits: limits)
        // As a stream: of a document that is passed at once, libxml2 refuses what is behind its first 10 MB.
        let parser = XMLParser(stream: InputStream(data: Data(document)))
        parser.shouldResolveExternalEntities = false
        let delegate = ADXParserDelegate(builder: builder)
        parser.delegate = delegate
        let isParsed = parser.parse()
        let isWhole = isParsed && parser.parserError == nil && document.count == count
        let errorLine = delegate.errorLine ?? (isWhole ? nil : parser.lineNumber)
        return delegate.builder.finish(errorLine: errorLine)
    }

    /// Converts a Latin-1 document to UTF-8, with the same lines. The declaration of the encoding is blanked: if it
    /// were malformed, the parser could interpret it differently.
    private static func inUTF8(_ bytes: [UInt8], latin1 instruction: Range<Int>) -> [UInt8] {
        var document: [UInt8] = []
        document.reserveCapacity(bytes.count + bytes.count / 16)
        for (index, byte) in bytes.enumerated() {
            if instruction.contains(index), !byte.isLineBreak {
                document.append(.space)
            } else if byte < 0x80 {
                document.append(byte)
            } else {
                document.append(0xC0 | byte >> 6)
                document.append(0x80 | byte & 0x3F)
            }
        }
        return document
    }

    /// Returns the start of the first processing instruction without data, or of bytes that a parser that repairs
    /// malformed documents may take for one; the end if there is none.
    private static func firstEmptyInstruction(in bytes: [UInt8]) -> Int {
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case .questionMark where index > 0 && bytes[index - 1] == .lessThan: start = index - 1
            case .greaterThan where bytes[max(0, index - 1)] == .questionMark: if let start { return start }
            case .lessThan, .greaterThan: start = nil
            default: if byte.isBlank { start = nil }
            }
        }
        return bytes.count
    }

    private static func firstByteNotUTF8(in bytes: [UInt8]) -> Int {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return bytes.count
        } catch { return error.byteOffsets.lowerBound }
    }
}

/// Passes the parser's events to the builder.
private final class ADXParserDelegate: NSObject, XMLParserDelegate {
    var builder: ADXBuilder
    /// The line where the document stopped being well-formed.
    ///
    /// The parser of swift-corelibs-foundation repairs what it can and continues after an error, so that a mangled
    /// record would look complete; everything after the first error is ignored here.
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
