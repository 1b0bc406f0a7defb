import GroundwaveReplication
import Testing

@Suite struct `Names of objects` {
    @Test(arguments: ["a", "log/7K/00000001.seg", "A-b_c.9"])
    func `plain names are names`(text: String) { #expect(ObjectName(text)?.description == text) }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", "..", "a/../b", ".hidden", "a/.b", "a b", "a\u{0}b", "é", "a\\b",
        String(repeating: "x", count: 65),
        Array(repeating: String(repeating: "x", count: 60), count: 5).joined(separator: "/"),
    ])
    func `whatever could lead elsewhere is refused`(text: String) { #expect(ObjectName(text) == nil) }
}
