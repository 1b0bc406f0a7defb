import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An answer of an object store as XML: the texts of its elements, by their paths, in order.
///
/// The answer is hostile input. It is refused if it has a declaration, a comment or CDATA, none of which an object store
/// sends, or if it is deeper or larger than any answer.
struct S3Document {
    private var texts: [String: [String]] = [:]

    static let byteLimit = 4 << 20
    static let depthLimit = 8
    /// The longest tag in bytes: that of the first element has the name of a schema.
    static let tagLimit = 512

    /// Why an answer is not read.
    struct Refusal: Error, Hashable { let reason: String }

    /// Reads an answer.
    init(_ bytes: [UInt8]) throws(Refusal) {
        try Self.check(bytes)
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        let collector = Collector()
        parser.delegate = collector
        // The parser of swift-corelibs-foundation repairs what it can, and says so only on the way.
        guard parser.parse(), parser.parserError == nil, collector.refusal == nil, collector.isWhole else {
            throw Refusal(reason: collector.refusal ?? "it is not XML")
        }
        texts = collector.texts
    }

    /// The texts of all elements at a path such as `Error/Code`.
    func all(_ path: String) -> [String] { texts[path] ?? [] }

    /// The text of the first element at a path.
    func first(_ path: String) -> String? { texts[path]?.first }

    /// Refuses what the parser must not see: it crashes on some of it.
    private static func check(_ bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= byteLimit else { throw Refusal(reason: "it has more than 4 MiB") }
        guard (try? UTF8Span(validating: bytes.span)) != nil, !bytes.contains(0) else {
            throw Refusal(reason: "it is not UTF-8")
        }
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "<"):
                start = index
                let next = index + 1 < bytes.count ? bytes[index + 1] : 0
                if next == UInt8(ascii: "!") || next == UInt8(ascii: "?") && !hasProlog(bytes, at: index) {
                    throw Refusal(reason: "it has a declaration")
                }
            case UInt8(ascii: ">"): start = nil
            default:
                if let start, index - start > tagLimit { throw Refusal(reason: "it has a very long tag") }
            }
        }
    }

    /// Whether the first line begins at `index`, and says nothing of an encoding other than UTF-8.
    private static func hasProlog(_ bytes: [UInt8], at index: Int) -> Bool {
        let line = String(decoding: bytes.dropFirst(index).prefix(64), as: UTF8.self)
        let form = /<\?xml version=["']1\.0["'](?: encoding=["'](?i:utf-8)["'])?(?: standalone=["']yes["'])? ?\?>/
        return index == 0 && line.prefixMatch(of: form) != nil
    }

    private final class Collector: NSObject, XMLParserDelegate {
        var texts: [String: [String]] = [:]
        var refusal: String?
        /// Whether there was an element, and each has ended: of a text that ends too early, the parser says nothing.
        var isWhole: Bool { path.isEmpty && !texts.isEmpty }
        private var path: [String] = []
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            path.append(name)
            text = ""
            if path.count > S3Document.depthLimit { stop(parser, "it is nested too deeply") }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard refusal == nil else { return }
            texts[path.joined(separator: "/"), default: []].append(text)
            _ = path.popLast()
            text = ""
        }

        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { stop(parser, "it is not XML") }

        private func stop(_ parser: XMLParser, _ reason: String) {
            if refusal == nil { refusal = reason }
            parser.abortParsing()
        }
    }
}
