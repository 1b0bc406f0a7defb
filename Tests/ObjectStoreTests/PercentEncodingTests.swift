import GroundwaveSeededNumbers
import ObjectServers
import Testing

@testable import GroundwaveObjectStore

@Suite struct `Percent-encoding` {
    private static func texts(seed: UInt64, _ count: Int) -> [String] {
        var numbers = SeededGenerator(seed: seed)
        let letters = Array("aZ09-_.~ /+%?&=#\"<>\u{1}\u{7F}éß漢😀\u{301}\r\n")
        return (0..<count).map { _ in
            String((0..<Int.random(in: 0...20, using: &numbers)).map { _ in letters.randomElement(using: &numbers)! })
        }
    }

    @Test func `is what Python makes of a text, and gives it back`() async throws {
        let texts = Self.texts(seed: 7, 2_000)
        let said = try await Witness.texts(
            "import urllib.parse\nsaid = [urllib.parse.quote(text, safe='') for text in given]", of: texts)
        for (text, said) in zip(texts, said) {
            #expect(PercentEncoding.encoded(text) == said)
            #expect(PercentEncoding.decoded(PercentEncoding.encoded(text)).map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test func `keeps the slashes of a path, as Python does`() async throws {
        let texts = Self.texts(seed: 8, 500)
        let said = try await Witness.texts(
            "import urllib.parse\nsaid = [urllib.parse.quote(text, safe='/') for text in given]", of: texts)
        #expect(texts.map { PercentEncoding.encoded($0, keepsSlashes: true) } == said)
    }

    @Test(arguments: ["%", "%4", "%4G", "a%FF", "%C3", "%+1", "%é1"])
    func `refuses to decode what is none`(text: String) { #expect(PercentEncoding.decoded(text) == nil) }
}
