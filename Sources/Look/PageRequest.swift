/// A request of a browser, within the limits of this server.
package struct PageRequest: Sendable {
    /// What is done.
    package enum Method: Sendable {
        /// Something is looked at.
        case get
        /// Something is written.
        case post
    }

    /// What is done.
    let method: Method
    /// Where, and with which parameters.
    let address: Address
    /// The fields of the form that was sent.
    let form: Address
    /// The header fields that decide whether it is answered, by their names in small letters.
    private let headers: [String: String]

    /// The longest request target in bytes. Enough for a point of a hundred devices.
    package static let targetLimit = 16_384
    /// The longest form in bytes.
    package static let formLimit = 65_536
    /// The most parameters, of an address and of a form.
    static let parameterLimit = 100

    /// Reads a request as it arrived.
    ///
    /// - Parameters:
    ///   - method: `GET`, `HEAD` or `POST`.
    ///   - target: The path with the query.
    ///   - headers: The header fields; of one that is there twice, none counts.
    ///   - body: A form (WHATWG URL Standard, 5: `application/x-www-form-urlencoded`).
    /// - Throws: ``Refusal`` if it is longer than the limits, or nothing that can be read.
    package init(
        method: String, target: String, headers: [(name: String, value: String)], body: [UInt8] = []
    ) throws(Refusal) {
        switch method {
        case "GET", "HEAD": self.method = .get
        case "POST": self.method = .post
        default: throw Refusal(405, "Only GET and POST are answered.")
        }
        guard target.utf8.count <= Self.targetLimit else { throw Refusal(414, "The address is too long.") }
        guard body.count <= Self.formLimit else { throw Refusal(413, "The form is too long.") }
        guard target.utf8.first == UInt8(ascii: "/") else { throw Refusal(400, "The address is none.") }
        let sides = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in sides[0].split(separator: "/") {
            guard let text = Self.decoded(part.utf8, plusIsBlank: false) else {
                throw Refusal(400, "The address is none.")
            }
            path.append(text)
        }
        guard path.count <= 8 else { throw Refusal(404, "There is no such page.") }
        address = Address(path: path, parameters: try Self.parameters(sides.count > 1 ? sides[1].utf8 : "".utf8[...]))
        form = Address(path: [], parameters: try Self.parameters(body[...]))
        var known: [String: String] = [:]
        var repeated: Set<String> = []
        for (name, value) in headers {
            let name = name.lowercased()
            if known.updateValue(value, forKey: name) != nil { repeated.insert(name) }
        }
        for name in repeated where name != "cookie" { known[name] = "" }
        self.headers = known
    }

    /// The value of a header field.
    func header(_ name: String) -> String? { headers[name] }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for pair in (headers["cookie"] ?? "").split(separator: ";") {
            let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if sides.count == 2, sides[0] == name { return String(sides[1]) }
        }
        return nil
    }

    private static func parameters<Bytes: Collection<UInt8>>(
        _ query: Bytes
    ) throws(Refusal) -> [(name: String, value: String)] where Bytes.SubSequence: Collection<UInt8> {
        var parameters: [(name: String, value: String)] = []
        for pair in query.split(separator: UInt8(ascii: "&")) {
            guard parameters.count < parameterLimit else { throw Refusal(400, "The address has too many parameters.") }
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0], plusIsBlank: true),
                let value = decoded(sides.count > 1 ? sides[1] : pair[pair.endIndex...], plusIsBlank: true)
            else { throw Refusal(400, "The address has a parameter that is no text.") }
            parameters.append((name, value))
        }
        return parameters
    }

    /// The text of percent signs and digits; `nil` if it is not UTF-8.
    private static func decoded(_ text: some Collection<UInt8>, plusIsBlank: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// A request that is not answered: a status of HTTP, and why.
package struct Refusal: Error, Sendable {
    /// The status code (RFC 9110, 15).
    package let status: Int
    /// Why, as a sentence.
    package let message: String

    init(_ status: Int, _ message: String) { (self.status, self.message) = (status, message) }
}
