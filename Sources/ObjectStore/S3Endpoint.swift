import GroundwaveRemotes

/// Where the objects of a bucket are requested.
struct S3Endpoint: Hashable, Sendable {
    /// `https`, or `http` where the user says so.
    let scheme: String
    /// The host, and the port if it is not the usual one: what is signed as `host`.
    let authority: String
    /// What precedes the key in the path, percent-encoded: nothing, or `/BUCKET`.
    let path: String
    /// What precedes the name of an object in its key: nothing, or `PREFIX/`.
    let keyPrefix: String
    /// The region that requests are signed for.
    let region: String

    /// Finds the place of a bucket.
    ///
    /// Its name stands before the host, unless the user says otherwise, the host is an address, or the name has a point, which
    /// the certificate of a host does not cover.
    init(_ bucket: Bucket) {
        region = bucket.region ?? Bucket.defaultRegion
        let server = bucket.endpoint ?? "https://s3.\(region).amazonaws.com"
        let parts = server.components(separatedBy: "://")
        scheme = parts[0]
        let isInPath = bucket.isPathStyle || bucket.name.contains(".") || Self.isAddress(parts[1])
        authority = isInPath ? parts[1] : "\(bucket.name).\(parts[1])"
        path = isInPath ? "/\(bucket.name)" : ""
        keyPrefix = bucket.prefix.isEmpty ? "" : bucket.prefix + "/"
    }

    /// Whether no name can stand before a host.
    private static func isAddress(_ authority: String) -> Bool {
        let host = authority.prefix { $0 != ":" }
        return authority.hasPrefix("[") || host == "localhost" || host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
