import Foundation
import GroundwaveReplication
import GroundwaveStore

/// A bucket of an object store that speaks the S3 protocol, or a folder in one.
///
/// It says where the objects are, and holds no keys. As text: `s3://BUCKET/PREFIX`, and after a question mark what differs
/// from Amazon's service: `endpoint=https://HOST:PORT`, `region=REGION` and `path-style`, separated by `&`.
public struct Bucket: Hashable, Sendable, CustomStringConvertible {
    /// The name: 3 to 63 lower-case letters, digits, `-` and `.`.
    public let name: String
    /// The folder in the bucket, of the form of an ``ObjectName``; empty for the whole bucket.
    public let prefix: String
    /// The server: scheme, host and, if it is not the usual one, port; `nil` for Amazon's.
    public let endpoint: String?
    /// The region by which requests are signed; `nil` for ``defaultRegion``.
    public let region: String?
    /// Whether the bucket's name always stands in the path, and never before the host.
    public let isPathStyle: Bool

    static let scheme = "s3://"
    /// The region if none is named.
    public static let defaultRegion = "us-east-1"

    /// Creates the address of a bucket.
    ///
    /// - Parameter endpoint: `https://host:port`. Without a scheme, `https`, and on this machine `http`.
    /// - Throws: ``StoreError`` with code `usage` if a part is invalid, such as an endpoint with a path or with a password.
    public init(
        name: String, prefix: String = "", endpoint: String? = nil, region: String? = nil, isPathStyle: Bool = false
    ) throws {
        guard name.wholeMatch(of: /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/) != nil, !name.contains("..") else {
            throw StoreError(
                .usage, "“\(name)” is not the name of a bucket.",
                hint: "It has 3 to 63 lower-case letters, digits, - and ., as in s3://shack-log/2026.")
        }
        guard prefix.isEmpty || ObjectName(prefix) != nil, prefix.utf8.count <= Self.prefixByteLimit else {
            throw StoreError(
                .usage, "“\(prefix)” cannot be a folder in a bucket.",
                hint: "Use letters, digits, -, _ and ., at most \(Self.prefixByteLimit) in all, with / between folders."
            )
        }
        guard region?.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil || region == nil else {
            throw StoreError(
                .usage, "“\(region ?? "")” is not the name of a region.", hint: "An example: eu-central-1.")
        }
        self.name = name
        self.prefix = prefix
        self.endpoint = try endpoint.map(Self.checked(endpoint:))
        self.region = region
        self.isPathStyle = isPathStyle
    }

    /// A key has at most 1,024 bytes, and the name of an object 255.
    private static let prefixByteLimit = 255

    /// Throws if a text has what may be a password, which the message then does not repeat.
    private static func refuseKeys(in text: String) throws {
        guard text.contains("@") else { return }
        throw StoreError(
            .usage, "The address of a bucket has no user, password or keys in it.",
            hint: "Keys come from the environment or from a file: Docs/ObjectStores.md shows how.")
    }

    private static func checked(endpoint text: String) throws -> String {
        try refuseKeys(in: text)
        let refusal = StoreError(
            .usage, "“\(text)” is not the address of a server.",
            hint: "An example: https://s3.example.org. It has no path, and no keys.")
        let parts = text.components(separatedBy: "://")
        guard parts.count <= 2, let rest = parts.last, parts.count == 1 || ["http", "https"].contains(parts[0]),
            !rest.isEmpty, !rest.hasPrefix(":")
        else { throw refusal }
        let authority = rest.hasSuffix("/") ? String(rest.dropLast()) : rest
        // The usual port of a device stands for none given, and no server of objects has it by chance.
        guard let server = try? HostAndPort(authority), !server.host.contains("%") else { throw refusal }
        let scheme = parts.count == 2 ? parts[0] : server.isLoopback ? "http" : "https"
        let hasPort = authority.wholeMatch(of: /.*[^:]:[0-9]+|\[.*\]:[0-9]+/) != nil
        guard !hasPort || server.port > 0 else { throw refusal }
        let isUsual = !hasPort || server.port == (scheme == "https" ? 443 : 80)
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        return "\(scheme)://\(host)" + (isUsual ? "" : ":\(server.port)")
    }

    /// Parses the text form.
    ///
    /// - Throws: ``StoreError`` with code `usage` if it is none.
    init(_ text: String) throws {
        try Self.refuseKeys(in: text)
        let halves = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var prefix = path.count > 1 ? String(path[1]) : ""
        if prefix.hasSuffix("/") { prefix.removeLast() }
        var (endpoint, region, isPathStyle) = (String?.none, String?.none, false)
        for option in halves.count > 1 ? halves[1].split(separator: "&") : [] {
            let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
            switch (pair[0], pair.count > 1 ? pair[1] : nil) {
            case ("endpoint", let value?): endpoint = value
            case ("region", let value?): region = value
            case ("path-style", nil): isPathStyle = true
            default:
                throw StoreError(
                    .usage, "“\(option)” is not known in the address of a bucket.",
                    hint: "Known are endpoint=https://HOST, region=REGION and path-style.")
            }
        }
        try self.init(
            name: String(path[0]), prefix: prefix, endpoint: endpoint, region: region, isPathStyle: isPathStyle)
    }

    /// The text form.
    public var description: String {
        let options = [
            endpoint.map { "endpoint=\($0)" }, region.map { "region=\($0)" }, isPathStyle ? "path-style" : nil,
        ].compactMap(\.self)
        let place = prefix.isEmpty ? name : "\(name)/\(prefix)"
        return Self.scheme + place + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
    }
}
