import Foundation
import Testing

@testable import GroundwaveRadio

@Suite struct `A JSON text` {
    private func parse(_ text: String) -> JSONText? { JSONText(Array(text.utf8)[...]) }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\uD83D\uDE00\u0000""#, "é😀\u{0}"),
        ("\"\u{7F} é\"", "\u{7F} é"), (#""""#, ""),
    ])
    func `says what its escapes mean`(text: String, meaning: String) {
        #expect(parse(text) == .string(meaning))
    }

    @Test(arguments: ["0", "-0", "12", "-3.50", "1e5", "1E-5", "2.5e+07"])
    func `keeps numbers as they are written`(number: String) {
        #expect(parse(" \(number)\t") == .number(number))
    }

    @Test(arguments: [
        "", "01", "-", "1.", ".5", "1e", "1e+", "+1", "tru", "nul", "falsey", "\"", "\"\\", "\"\\x\"", "\"\\u12\"",
        "\"\\u12G4\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\n\"", "[", "[1", "[1,]", "[1 2]", "{",
        "{1:2}",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "1 2", "nan", "'a'",
    ])
    func `that breaks RFC 8259 is none`(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func `keeps the order of members, and the last of two that are called alike counts`() {
        let value = parse(#" { "b" : [ true , false , null , { } , [ ] ] , "a" : 1, "b":"x" } "#)
        #expect(
            value
                == .object([
                    .init(name: "b", value: .array([.bool(true), .bool(false), .null, .object([]), .array([])])),
                    .init(name: "a", value: .number("1")), .init(name: "b", value: .string("x")),
                ]))
        #expect(value?["b"] == .string("x"))
        #expect(value?["c"] == nil)
        #expect(parse("[]")?["a"] == nil)
    }

    @Test func `may be nested sixteen deep and no deeper, and must be UTF-8`() {
        let (open, close) = ({ String(repeating: "[", count: $0) }, { String(repeating: "]", count: $0) })
        #expect(parse(open(16) + close(16)) != nil)
        #expect(parse(open(17) + close(17)) == nil)
        #expect(parse(open(100_000)) == nil)
        #expect(JSONText([0x22, 0xFF, 0x22][...]) == nil)
    }

    @Test(arguments: UInt64(1)...200)
    func `reads what Foundation writes`(seed: UInt64) throws {
        var state = seed
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        func value(_ depth: Int) -> Any {
            switch next(depth > 3 ? 4 : 6) {
            case 0: return Int(next(1000)) - 500
            case 1: return next(2) == 0
            case 2: return NSNull()
            case 3:
                return String(
                    String.UnicodeScalarView((0..<next(9)).compactMap { _ in Unicode.Scalar(UInt32(next(0x11000))) }))
            case 4: return (0..<next(4)).map { _ in value(depth + 1) }
            default:
                return Dictionary(uniqueKeysWithValues: (0..<next(4)).map { ("k\($0)", value(depth + 1)) })
                    as [String: Any]
            }
        }
        func expect(_ text: JSONText?, equals value: Any) {
            switch (text, value) {
            case (.bool(let left)?, let right as Bool): #expect(left == right)
            case (.number(let left)?, let right as Int): #expect(left == "\(right)")
            case (.null?, is NSNull): break
            case (.string(let left)?, let right as String):
                #expect(left.unicodeScalars.elementsEqual(right.unicodeScalars))
            case (.array(let left)?, let right as [Any]):
                #expect(left.count == right.count)
                for (left, right) in zip(left, right) { expect(left, equals: right) }
            case (.object(let left)?, let right as [String: Any]):
                #expect(left.count == right.count)
                for member in left { expect(member.value, equals: right[member.name] ?? "none") }
            default: Issue.record("\(String(describing: text)) is not \(value)")
            }
        }
        let original = value(0)
        let bytes = try JSONSerialization.data(withJSONObject: original, options: [.fragmentsAllowed])
        expect(JSONText([UInt8](bytes)[...]), equals: original)
    }
}
