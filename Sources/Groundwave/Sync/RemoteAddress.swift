import Foundation
import Replication

/// Where other stores of a log can be met.
public enum RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// A folder that all of them can reach, now or later: a share, a stick, one that a cloud service copies.
    case folder(URL)
    /// A device that waits for others and is talked with directly: a name or an address, IPv6 without brackets.
    case host(name: String, port: Int)

    /// The port at which a device waits where no other one is said.
    public static let defaultPort = 7373

    /// The address that `text` says: `file:///path`, the path of a folder, or `groundwave://host:port`.
    ///
    /// - Throws: ``StoreError`` with code `usage` where it is none that this version knows.
    public init(_ text: String) throws {
        if let rest = text.removing(prefix: "groundwave://") {
            let place = try HostAndPort(rest.removing(suffix: "/") ?? rest)
            guard place.port > 0, !rest.isEmpty, !rest.hasPrefix(":") else { throw HostAndPort.refusal(rest) }
            self = .host(name: place.host, port: place.port)
        } else if let url = URL(string: text), let scheme = url.scheme, text.contains("://") {
            guard scheme == "file", url.host() == nil || url.host() == "", url.path.hasPrefix("/") else {
                throw StoreError(
                    .usage, "“\(text)” is no address that groundwave knows.",
                    hint: """
                        A folder is file:///path/to/folder, or just its path; a device that waits for others is \
                        groundwave://host:\(Self.defaultPort).
                        """)
            }
            self = .folder(URL(filePath: url.path).standardizedFileURL)
        } else {
            guard !text.isEmpty else {
                throw StoreError(.usage, "An address cannot be empty.", hint: "Name a folder: file:///path/to/folder.")
            }
            self = .folder(URL(filePath: text).standardizedFileURL)
        }
    }

    /// The address as it is written down.
    public var description: String {
        switch self {
        case .folder(let url): "file://\(url.path)"
        case .host(let name, let port): "groundwave://\(HostAndPort(host: name, port: port))"
        }
    }

    /// A name for a remote at this address that the user did not name.
    var suggestedName: String {
        let name =
            switch self {
            case .folder(let url): url.lastPathComponent
            case .host(let name, _): name.first?.isLetter == true ? String(name.prefix { $0 != "." }) : name
            }
        let letters = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        if !letters.isEmpty { return String(letters.prefix(32)) }
        if case .folder = self { return "folder" } else { return "device" }
    }
}

/// A name or address of a machine, and a port: `name:port`, `address:port`, `[IPv6]:port`.
public struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// The name or address, IPv6 without brackets.
    public let host: String
    /// The port; 0 for any, where one waits.
    public let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// What `text` says; without a port, the usual one; without a host, this machine alone.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
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
            .usage, "“\(text)” is no host and port.",
            hint: "Such as shack.local:7373, 192.0.2.7:7373 or [2001:db8::7]:7373.")
    }

    /// Whether only this machine can be meant.
    public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// As it is written down.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    fileprivate func removing(suffix: String) -> String? {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
    }
}
