import Testing

@testable import GroundwaveLook

@Suite struct `Who may look` {
    private static let admission = Admission(token: "aaaabbbb", cookie: "ccccdddd", port: 8073)
    private static let cookie = (name: "Cookie", value: "groundwave-8073=ccccdddd")
    private static let host = (name: "Host", value: "127.0.0.1:8073")

    /// What is answered to a request with these fields: 0 if it is let in.
    private static func status(
        _ target: String, _ headers: [(name: String, value: String)], method: String = "GET"
    ) -> Int {
        do throws(Refusal) {
            let request = try PageRequest(method: method, target: target, headers: headers)
            return try admission.admit(request)?.status ?? 0
        } catch { return error.status }
    }

    private static func status(_ headers: [(name: String, value: String)]) -> Int { status("/contacts", headers) }

    @Test func `is whoever has the cookie, from this page or by hand`() {
        #expect(Self.status([Self.host, Self.cookie]) == 0)
        #expect(Self.status([Self.host, Self.cookie, ("Sec-Fetch-Site", "same-origin")]) == 0)
        #expect(Self.status([Self.host, Self.cookie, ("Sec-Fetch-Site", "none")]) == 0)
        #expect(Self.status([Self.host, ("Cookie", "other=1; groundwave-8073=ccccdddd")]) == 0)
    }

    @Test func `is told by the token of the first address, which becomes a cookie that no script can read`() throws {
        #expect(Self.admission.firstAddress == "http://127.0.0.1:8073/?token=aaaabbbb")
        let request = try PageRequest(method: "GET", target: "/?token=aaaabbbb", headers: [Self.host])
        let answer = try #require(try Self.admission.admit(request))
        #expect(answer.status == 303)
        let fields = Dictionary(answer.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields["Location"] == "/", "the token does not stay in the address")
        #expect(fields["Set-Cookie"] == "groundwave-8073=ccccdddd; HttpOnly; SameSite=Strict; Path=/")
        #expect(fields["Referrer-Policy"] == "no-referrer")
        #expect(fields["Cache-Control"] == "no-store")
    }

    @Test(arguments: ["", "aaaabbb", "aaaabbbbb", "aaaabbbc", "ccccdddd"])
    func `is not who guesses the token`(token: String) {
        #expect(Self.status("/?token=\(token)", [Self.host]) == 401)
        #expect(Self.status("/contacts?token=aaaabbbb", [Self.host]) == 401, "it is for the first address alone")
    }

    @Test func `is not who has no cookie, or another one`() {
        for cookie in [
            "", "groundwave-8073=", "groundwave-8073=aaaabbbb", "groundwave-8074=ccccdddd", "groundwave-8073=ccccdddde",
        ] {
            #expect(Self.status([Self.host, ("Cookie", cookie)]) == 401)
        }
        #expect(Self.status([Self.host]) == 401)
    }

    @Test(arguments: [
        "evil.example:8073", "localhost:8073", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8073.evil.example", "",
        "[::1]:8073",
    ])
    func `is not who calls this server by another name`(host: String) {
        #expect(Self.status([("Host", host), Self.cookie]) == 421)
        #expect(Self.status("/?token=aaaabbbb", [("Host", host)]) == 421, "nor with the token")
        #expect(Self.status([Self.host, ("Host", host), Self.cookie]) == 421, "nor by two names")
    }

    @Test func `is not a page of somebody else`() {
        for site in ["cross-site", "same-site", "anything"] {
            #expect(Self.status([Self.host, Self.cookie, ("Sec-Fetch-Site", site)]) == 403)
        }
    }

    @Test func `writes only from a page of this server`() {
        let origin = ("Origin", "http://127.0.0.1:8073")
        #expect(Self.status("/write/undo", [Self.host, Self.cookie, origin], method: "POST") == 0)
        for other in ["http://evil.example", "null", "", "http://127.0.0.1:8074", "https://127.0.0.1:8073"] {
            #expect(Self.status("/write/undo", [Self.host, Self.cookie, ("Origin", other)], method: "POST") == 403)
        }
        #expect(Self.status("/write/undo", [Self.host, Self.cookie], method: "POST") == 403)
        #expect(Self.status("/?token=aaaabbbb", [Self.host, origin], method: "POST") == 401)
    }
}
