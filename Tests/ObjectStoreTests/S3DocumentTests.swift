import Foundation
import GroundwaveSeededNumbers
import ObjectServers
import Testing

@testable import GroundwaveObjectStore

@Suite struct `An answer as XML` {
    static let listing = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>p/</Prefix>
        <EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
        <Contents><Key>p/a%26b</Key><ETag>&#34;x&#34;</ETag><Size>12</Size><Owner><ID>7</ID></Owner></Contents>
        <Contents><Key>p/%C3%A9</Key><Size>0</Size></Contents><Contents><Key>p/%zz</Key><Size>1</Size></Contents>
        <CommonPrefixes><Prefix>p/q/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>p/r/</Prefix></CommonPrefixes>
        <NextContinuationToken>a&lt;&amp;b</NextContinuationToken></ListBucketResult>
        """

    @Test func `gives keys, sizes, folders and how to go on`() throws {
        let listing = try S3Listing(Array(Self.listing.utf8))
        #expect(listing.objects.map(\.key) == ["p/a&b", "p/é"])
        #expect(listing.objects.map(\.byteCount) == [12, 0])
        #expect(listing.folders == ["p/q/", "p/r/"])
        #expect(listing.next == "a<&b")
    }

    static let hostile: [(String, String)] = [
        ("", "not XML"), ("no", "not XML"), ("<a>", "not XML"), ("<a></b>", "not XML"), ("<a/><b/>", "not XML"),
        ("<a>&who;</a>", "not XML"), ("<a b></a>", "not XML"),
        ("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>", "declaration"),
        ("<a><!-- --></a>", "declaration"), ("<a><![CDATA[b]]></a>", "declaration"), ("<a><?b?></a>", "declaration"),
        ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>", "declaration"), ("<a\u{0}/>", "UTF-8"),
        ("<a \(String(repeating: "b", count: 600))=''/>", "long tag"),
        (String(repeating: "<a>", count: 9) + String(repeating: "</a>", count: 9), "deeply"),
    ]

    @Test(arguments: hostile) func `is refused with a reason if it is hostile`(text: String, reason: String) {
        let refusal = #expect(throws: S3Document.Refusal.self) { try S3Document(Array(text.utf8)) }
        #expect(refusal?.reason.contains(reason) == true, "\(refusal?.reason ?? "")")
    }

    @Test func `is refused if it is larger than any`() {
        let bytes = [UInt8](repeating: 0x20, count: S3Document.byteLimit + 1)
        #expect(throws: S3Document.Refusal(reason: "it has more than 4 MiB")) { try S3Document(bytes) }
        #expect(throws: S3Document.Refusal.self) { try S3Document([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) }
    }

    @Test(arguments: [
        "<ListBucketResult/>", "<Error><Code>NoSuchBucket</Code></Error>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents></ListBucketResult>",
    ]) func `is no listing if it does not say what a listing says`(text: String) {
        #expect(throws: S3Document.Refusal.self) { try S3Listing(Array(text.utf8)) }
    }

    /// Damage of all kinds: what is accepted all the same, another reader of XML understands in the same way.
    @Test func `is read as Python reads it, or refused`() async throws {
        var numbers = SeededGenerator(seed: 22)
        let pieces = [
            "<", ">", "</", "/>", "&amp;", "&", "&#65;", "\"", "<Key>", "</Key>", "<Size>", "]]>", "=", " ", "x",
        ]
        let original = Array(Self.listing.utf8)
        let texts = (0..<3_000).compactMap { _ -> String? in
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let start = Int.random(in: 0..<bytes.count, using: &numbers)
                let end = min(bytes.count, start + Int.random(in: 0...12, using: &numbers))
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes.removeSubrange(start..<end)
                case 1: bytes.insert(contentsOf: Array(pieces.randomElement(using: &numbers)!.utf8), at: start)
                case 2:
                    bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0..<bytes.count, using: &numbers))
                default: bytes[start] = UInt8.random(in: 0x20...0x7E, using: &numbers)
                }
            }
            return String(validating: bytes, as: UTF8.self)
        }
        let said = try await Witness.texts(
            """
            import xml.etree.ElementTree as tree
            ns = "{http://s3.amazonaws.com/doc/2006-03-01/}"
            def keys(text):
                try:
                    root = tree.fromstring(text.encode())
                except Exception:
                    return None
                return "|".join(key.text or "" for key in root.iterfind(f"{ns}Contents/{ns}Key") if len(key) == 0)
            said = [keys(text) for text in given]
            """, of: texts)
        var accepted = 0
        for (text, said) in zip(texts, said) {
            guard let document = try? S3Document(Array(text.utf8)),
                text.contains("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">")
            else { continue }
            accepted += 1
            let keys = document.all("ListBucketResult/Contents/Key").joined(separator: "|")
            // What is within a key is no key of a listing.
            guard document.all("ListBucketResult/Contents/Key/Key").isEmpty else { continue }
            #expect(said == keys, "\(text)")
        }
        #expect(accepted > 50)
    }
}
