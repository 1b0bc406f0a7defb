import Foundation
import GroundwaveReplication
import GroundwaveStore

/// The address of a remote, at which other stores of a log can be reached.
public enum RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// A folder that all of them can reach, now or later: a share, a USB stick, a folder that a cloud service copies.
    case folder(URL)
    /// A device that listens for connections: a name or an address, IPv6 without brackets.
    case host(name: String, port: Int)
    /// A bucket of an object store that speaks the S3 protocol, or a folder in one.
    case bucket(Bucket)
    /// Storage or a connection of an application, which alone can open it, under the name that it gave it.
    case application(name: String)

    /// The port at which a device listens if no other is given.
    public static let defaultPort = 7373

    /// Parses `text`: `file:///path`, the path of a folder, `groundwave://host:port`, `s3://bucket/prefix`, or
    /// `application://name`.
    ///
    /// - Throws: ``StoreError`` with code `usage` if it is not an address that this version supports.
    public init(_ text: String) throws {
        if let rest = text.removing(prefix: "groundwave://") {
            let endpoint = try HostAndPort(rest.removing(suffix: "/") ?? rest)
            guard endpoint.port > 0, !rest.isEmpty, !rest.hasPrefix(":") else { throw HostAndPort.refusal(rest) }
            self = .host(name: endpoint.host, port: endpoint.port)
        } else if text.hasPrefix(Bucket.scheme) {
            self = .bucket(try Bucket(text))
        } else if let name = text.removing(prefix: "application://"), Remote.isName(name) {
            self = .application(name: name)
        } else if let url = URL(string: text), let scheme = url.scheme, text.contains("://") {
            guard scheme == "file", url.host() == nil || url.host() == "", url.path.hasPrefix("/") else {
                throw StoreError(
                    .usage, "“\(text)” is not a known address.",
                    hint: """
                        Use file:///path/to/folder, or just the path, for a folder, or \
                        groundwave://host:\(Self.defaultPort) for a device that serves its store, or \
                        s3://bucket/prefix for an object store.
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

    /// The text form.
    public var description: String {
        switch self {
        case .folder(let url): "file://\(url.path)"
        case .bucket(let bucket): bucket.description
        case .host(let name, let port): "groundwave://\(HostAndPort(host: name, port: port))"
        case .application(let name): "application://\(name)"
        }
    }

    /// The name of a remote at this address if the user does not name it.
    package var suggestedName: String {
        let name: String
        switch self {
        case .folder(let url): name = url.lastPathComponent
        case .host(let host, _): name = host.first?.isLetter == true ? String(host.prefix { $0 != "." }) : host
        case .bucket(let bucket): name = bucket.name
        case .application(let given): return given
        }
        let letters = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        if !letters.isEmpty { return String(letters.prefix(32)) }
        if case .host = self { return "device" } else { return "folder" }
    }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    fileprivate func removing(suffix: String) -> String? {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
    }
}
