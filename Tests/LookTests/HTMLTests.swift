import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveLook

@Suite struct `A piece of a page` {
    /// What a browser would read the text between two tags as: the references that are defined for any text, undone.
    private static func read(_ html: String) -> String {
        html.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"").replacing(
            "&#39;", with: "'"
        )
        .replacing("&amp;", with: "&")
    }

    @Test func `keeps what the program has written, and escapes what it was given`() {
        let name = "<b>\"Tom & 'Jerry'\"</b>"
        let html: HTML = "<td title=\"\(name)\">\(name)</td>"
        let text = "&lt;b&gt;&quot;Tom &amp; &#39;Jerry&#39;&quot;&lt;/b&gt;"
        #expect(html.content == "<td title=\"\(text)\">\(text)</td>")
    }

    @Test func `shows control characters and those that turn the direction of writing as symbols`() {
        let (controls, lines) = ("a\u{0}b\u{1B}c\u{202E}d\u{85}\u{200B}", "one\ntwo\r\nthree")
        #expect(HTML(controls).content == "a␀b␛c\u{FFFD}d\u{FFFD}\u{FFFD}")
        #expect(HTML(lines: lines).content == "one<br>two<br>three")
    }

    @Test(arguments: UInt64(1)...100)
    func `contains nothing that has a meaning to a browser, whatever it was given`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = HostileText.one(&numbers)
            let html: HTML = "\(value)"
            #expect(!html.content.contains { "<>\"'".contains($0) }, "of \(value.debugDescription)")
            // Nothing but what cannot be seen was taken out.
            let visible = value.unicodeScalars.filter { $0.value >= 0x20 && $0.properties.generalCategory != .control }
            let kept = Self.read(html.content).unicodeScalars.filter { $0.value >= 0x20 }
            let isSame = visible.filter { $0.properties.generalCategory != .format && $0 != "\u{2028}" }.allSatisfy(
                kept.contains)
            #expect(isSame, "of \(value.debugDescription)")
        }
    }

    @Test func `in another one is taken in as it is`() {
        let inner: HTML = "<b>\("<")</b>"
        let outer: HTML = "<p>\(inner)\([inner, inner])</p>"
        #expect(outer.content == "<p><b>&lt;</b><b>&lt;</b><b>&lt;</b></p>")
    }
}
