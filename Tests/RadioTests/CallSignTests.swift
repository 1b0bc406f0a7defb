import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveRadio

@Suite struct `A call` {
    @Test(arguments: [
        ("W1AW", "W1AW"), ("W1AW/P", "W1AW"), ("DL/W1AW", "W1AW"), ("DL/W1AW/P", "W1AW"), ("W1AW/4", "W1AW"),
        ("W1AW/KH6", "W1AW"), ("9A/OK1ABC", "OK1ABC"), ("VP2E/W1AW", "W1AW"), ("F/G4ABC/QRP", "G4ABC"),
        ("2E0ABC/MM", "2E0ABC"), ("/", "/"), ("A/B", "A/B"), ("W1AW//P", "W1AW"),
    ])
    func `has a base between what says where the station is`(call: String, base: String) {
        #expect(CallSign.base(of: call) == base)
    }
}

@Suite struct `A pattern` {
    /// The meaning of a pattern, by its definition: a star is nothing, or one character and the star again.
    private func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == UInt8(ascii: "*") {
            return matches(pattern.dropFirst(), text) || !text.isEmpty && matches(pattern, text.dropFirst())
        }
        guard let letter = text.first, first == UInt8(ascii: "?") || first == letter else { return false }
        return matches(pattern.dropFirst(), text.dropFirst())
    }

    @Test(arguments: UInt64(1)...300)
    func `matches what its definition says`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        func random(_ letters: String, _ count: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: count, using: &numbers)).map { _ in Array(letters.utf8).randomElement(using: &numbers)!
            }
        }
        for _ in 0..<20 {
            let (pattern, text) = (random("AB*?", 0...6), random("AB", 0...8))
            #expect(
                Wildcards.match(pattern, text[...]) == matches(pattern[...], text[...]),
                "\(String(decoding: pattern, as: UTF8.self)) on \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test func `ignores the case of a text`() {
        #expect(Wildcards.match(Array("W1*".utf8), Array("w1aw".utf8)[...]))
        #expect(!Wildcards.match(Array("W1*".utf8), Array("aw1".utf8)[...]))
    }
}
