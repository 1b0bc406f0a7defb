/// Who may look: whoever opens the address that the program has printed, in that browser, and nobody else.
///
/// The first address carries a token, which is exchanged for a cookie. Every request has to name this server as its host, so
/// that no name of somebody else's that leads to the loopback is answered (DNS rebinding); and must come from a page of this
/// server or from the person, so that no other page can ask or write (cross-site requests; Fetch Metadata, W3C).
package struct Admission: Sendable {
    /// The secret of the first address.
    package let token: String
    private let cookie: String
    private let host: String
    private let cookieName: String

    /// - Parameters:
    ///   - token: The secret of the first address.
    ///   - cookie: The secret of the cookie.
    ///   - port: The port that this server listens at.
    package init(token: String, cookie: String, port: Int) {
        (self.token, self.cookie, host) = (token, cookie, "127.0.0.1:\(port)")
        // Cookies do not tell ports apart: two servers must not overwrite each other's.
        cookieName = "groundwave-\(port)"
    }

    /// The address that a person opens first.
    package var firstAddress: String { "http://\(host)/?token=\(token)" }

    /// Lets a request in.
    ///
    /// - Returns: The answer that makes a browser known, to the first address; `nil` for everything else.
    /// - Throws: ``Refusal`` if it may not be answered.
    func admit(_ request: PageRequest) throws(Refusal) -> PageResponse? {
        guard request.header("host") == host else {
            throw Refusal(421, "This page is at \(host), and by no other name.")
        }
        let site = request.header("sec-fetch-site")
        if request.method == .get, request.address.path.isEmpty, let token = request.address.value("token") {
            guard Self.isSame(token, self.token) else { throw Self.unknown }
            return PageResponse(redirect: request.address.without("token")).settingCookie(cookieName, cookie)
        }
        guard site == nil || site == "same-origin" || site == "none" else {
            throw Refusal(403, "Another page may not ask this one.")
        }
        guard let known = request.cookie(cookieName), Self.isSame(known, cookie) else { throw Self.unknown }
        if request.method == .post {
            guard request.header("origin") == "http://\(host)" else {
                throw Refusal(403, "Another page may not write here.")
            }
        }
        return nil
    }

    private static let unknown = Refusal(
        401, "Open the address that groundwave look has printed: it lets this browser in.")

    /// Whether two secrets are the same, in a time that tells nothing of where they differ.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
