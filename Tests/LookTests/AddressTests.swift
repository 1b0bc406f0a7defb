import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveLook

@Suite struct `An address` {
    private static func request(_ target: String, headers: [(name: String, value: String)] = []) throws -> PageRequest {
        try PageRequest(method: "GET", target: target, headers: headers)
    }

    @Test(arguments: UInt64(1)...50)
    func `is read as it was written, whatever is in it`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let path = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in HostileText.one(&numbers) }
            let parameters = (0..<Int.random(in: 0...4, using: &numbers)).map {
                (name: "p\($0)", value: HostileText.one(&numbers))
            }
            let address = Address(path: path, parameters: parameters)
            let text = address.description
            #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x27 })
            let read = try Self.request(text).address
            #expect(read.path == path)
            #expect(read.parameters.map(\.value) == parameters.map(\.value))
        }
    }

    @Test func `changes in the parameters that are named`() {
        let address = Address("contacts").with("band", "20m").with("page", 2)
        #expect(address.description == "/contacts?band=20m&page=2")
        #expect(address.with("page", 3).description == "/contacts?band=20m&page=3")
        #expect(address.with("band", nil as String?).description == "/contacts?page=2")
        #expect(address.without("band", "page").description == "/contacts")
        #expect(Address("map").keeping(["band"], of: address).description == "/map?band=20m")
        #expect(Address().description == "/")
    }

    @Test(arguments: [
        ("/" + String(repeating: "a", count: 20_000), 414), ("http://elsewhere/", 400), ("/%zz", 400), ("/%ff", 400),
        ("/%", 400),
        ("/?a=%c3%28", 400), ("/a/b/c/d/e/f/g/h/i", 404), ("/?" + String(repeating: "a=1&", count: 200), 400),
    ])
    func `that is too long or none is refused`(target: String, status: Int) {
        let refusal = #expect(throws: Refusal.self) { try Self.request(target) }
        #expect(refusal?.status == status)
    }

    @Test func `of another method, and a form that is too long, are refused`() {
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", ""] {
            #expect(throws: Refusal.self) { try PageRequest(method: method, target: "/", headers: []) }
        }
        let refusal = #expect(throws: Refusal.self) {
            try PageRequest(
                method: "POST", target: "/", headers: [], body: Array(repeating: 0x61, count: PageRequest.formLimit + 1)
            )
        }
        #expect(refusal?.status == 413)
    }
}
