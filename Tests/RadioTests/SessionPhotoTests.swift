import GroundwaveRadio
import Testing

@Suite struct `The photos of a session` {
    private static let hash = String(repeating: "Ab", count: 32)

    @Test func `are names of files, with a hash behind them or without`() {
        #expect(SessionPhoto(element: "summit.jpg")?.name == "summit.jpg")
        #expect(SessionPhoto(element: "summit.jpg")?.hash == nil)
        let photo = SessionPhoto(element: "On the top.jpg \(Self.hash)")
        #expect(photo?.name == "On the top.jpg" && photo?.hash == Self.hash.lowercased())
        // What is no hash belongs to the name.
        #expect(SessionPhoto(element: "top 12ab")?.name == "top 12ab")
    }

    @Test(
        arguments: [
            "", " ", ".", "..", ".hidden", "../up.jpg", "a/b.jpg", "/etc/passwd", "a\\b.jpg", "a\u{0}.jpg", "a\nb.jpg",
            " summit.jpg", String(repeating: "a", count: 241), " \(hash)", "../up.jpg \(hash)",
        ])
    func `are nothing else`(element: String) {
        #expect(SessionPhoto(element: element) == nil)
    }
}
