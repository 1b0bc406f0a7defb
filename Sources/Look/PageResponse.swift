/// An answer: a status, header fields, and a page or a file.
package struct PageResponse: Sendable {
    /// The status code (RFC 9110, 15).
    package var status = 200
    /// The header fields.
    package private(set) var headers: [(name: String, value: String)] = []
    /// The bytes.
    package private(set) var body: [UInt8]
    /// Whether more follows for as long as the browser listens: see ``LiveFeed``.
    package private(set) var isLive = false

    /// What a page may do, which is nothing but show what this server sends (Content Security Policy Level 3).
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    private init(_ type: String, _ body: [UInt8]) {
        self.body = body
        headers = [
            ("Content-Type", type), ("Content-Security-Policy", Self.policy),
            // What is erased must not come back from a browser's memory.
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"),
        ]
    }

    /// A page.
    init(_ page: HTML, status: Int = 200) {
        self.init("text/html; charset=utf-8", Array(page.content.utf8))
        self.status = status
    }

    /// A picture.
    init(svg: String) { self.init("image/svg+xml; charset=utf-8", Array(svg.utf8)) }

    /// A file of this program's own, which is the same for as long as it runs.
    init(asset: [UInt8], type: String) { self.init(type, asset) }

    /// A file to keep.
    init(download: [UInt8], type: String, name: String) {
        self.init(type, download)
        headers.append(
            (
                "Content-Disposition",
                "attachment; filename=\"\(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })\""
            ))
    }

    /// A plain text.
    init(text: String) { self.init("text/plain; charset=utf-8", Array(text.utf8)) }

    /// What a script asks for.
    init(json: [UInt8]) { self.init("application/json", json) }

    /// Another address, to be looked at instead.
    init(redirect address: Address) {
        self.init("text/plain; charset=utf-8", [])
        status = 303
        headers.append(("Location", address.description))
    }

    /// A stream of events that has just begun (HTML Standard, 9.2).
    static let live: PageResponse = {
        var response = PageResponse("text/event-stream", [])
        response.isLive = true
        return response
    }()

    /// The same answer with a cookie that no script can read and no other site can send.
    func settingCookie(_ name: String, _ value: String) -> PageResponse {
        var copy = self
        copy.headers.append(("Set-Cookie", "\(name)=\(value); HttpOnly; SameSite=Strict; Path=/"))
        return copy
    }
}
