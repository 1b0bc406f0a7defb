import GroundwaveStore

/// A name or address of a machine, and a port: `name:port`, `address:port`, `[IPv6]:port`.
public struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// The name or address, IPv6 without brackets.
    public let host: String
    /// The port; when listening, 0 for any free one.
    public let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `text`. The port defaults to the usual one, the host to this machine only.
    ///
    /// - Throws: ``StoreError`` with code `usage` if `text` is not a host and port.
    public init(_ text: String) throws {
        var (host, port) = (Substring(text), Substring("\(RemoteAddress.defaultPort)"))
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":"), host.contains(":") else { throw Self.refusal(text) }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = text.firstIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        let isName = host.utf8.allSatisfy { byte in
            Self.isLetterOrDigit(byte) || ".-_:%".utf8.contains(byte)
        }
        guard isName, host.utf8.count <= 255, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(port), (0...65535).contains(number)
        else { throw Self.refusal(text) }
        self.init(host: host.isEmpty ? "127.0.0.1" : host.lowercased(), port: number)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    static func refusal(_ text: String) -> StoreError {
        StoreError(
            .usage, "“\(text)” is not a host and port.",
            hint: "Use the form shack.local:7373, 192.0.2.7:7373 or [2001:db8::7]:7373.")
    }

    /// Whether the host can only be this machine.
    public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The text form.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
