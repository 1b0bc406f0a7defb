import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `The text of a list` {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func elements(_ text: String) -> [String] {
        ListSyntax.quoted.split(bytes(text)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (["CQ", "DX"], "CQ,DX"), (["Smith, John"], #""Smith, John""#), (["5\" nail", ""], #""5"" nail","""#),
        ([","], #"",""#), ([], ""), ([""], #""""#),
    ])
    func `puts elements with commas or quotation marks into quotation marks`(_ elements: [String], _ text: String) {
        #expect(ListSyntax.quoted.join(elements.map(Self.bytes)) == Self.bytes(text))
        #expect(Self.elements(text) == elements)
    }

    @Test(arguments: [
        ("a,,b", ["a", "", "b"]), (#"5" nail,x"#, [#"5" nail"#, "x"]), (#""open,x"#, [#""open"#, "x"]),
        (#""a"b,c"#, [#""a"b"#, "c"]), (#""a","#, ["a", ""]), (#"""#, [#"""#]),
    ])
    func `is read however a person types it`(_ text: String, _ elements: [String]) {
        #expect(Self.elements(text) == elements)
    }

    @Test func `of ADIF has no quotation marks`() {
        #expect(ListSyntax.commas.split(Self.bytes(#""a,b""#)) == [Self.bytes("\"a"), Self.bytes("b\"")])
        #expect(ListSyntax.commas.join([Self.bytes("a\""), Self.bytes("b")]) == Self.bytes("a\",b"))
    }

    @Test(arguments: UInt64(1)...200)
    func `gives back any elements, and reads any bytes`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        func word() -> [UInt8] {
            (0..<Int.random(in: 0...4, using: &numbers)).map { _ in
                Self.bytes(",\"a\n")[Int.random(in: 0...3, using: &numbers)]
            }
        }
        let elements = (0..<Int.random(in: 1...5, using: &numbers)).map { _ in word() }
        #expect(ListSyntax.quoted.split(ListSyntax.quoted.join(elements)) == elements)
        let text = word() + word()
        let read = ListSyntax.quoted.split(text)
        #expect(ListSyntax.quoted.split(ListSyntax.quoted.join(read)) == read)
    }
}
