import Foundation
import GroundwaveByteCoding
import GroundwaveEvents

/// The signature of a request, version 4 (AWS, "Signature Calculations for the Authorization Header").
struct Signature {
    /// The moment of the request, as `20130524T000000Z`.
    let time: String
    /// What the signature is for: day, region, service.
    let scope: String
    /// The request in the one form that both sides hash.
    let canonicalRequest: String
    /// The names of the headers that are signed, separated by semicolons.
    let signedHeaders: String

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - method: `GET` and the like.
    ///   - path: The path, percent-encoded.
    ///   - query: The query, percent-encoded, in order of names.
    ///   - headers: The headers to sign, with lower-case names, `host` among them. Values have no blanks at their ends.
    ///   - bodyHash: The hash of the body.
    ///   - seconds: The moment, in seconds since 1970.
    init(
        method: String, path: String, query: String, headers: [String: String], bodyHash: Hash256, region: String,
        seconds: Int64
    ) {
        time = Self.text(seconds)
        scope = "\(time.prefix(8))/\(region)/s3/aws4_request"
        let names = headers.keys.sorted()
        signedHeaders = names.joined(separator: ";")
        let lines = names.map { "\($0):\(headers[$0] ?? "")\n" }.joined()
        canonicalRequest = [method, path, query, lines, signedHeaders, "\(bodyHash)"].joined(separator: "\n")
    }

    /// What is signed.
    var stringToSign: String {
        ["AWS4-HMAC-SHA256", time, scope, "\(Self.hash(of: canonicalRequest))"].joined(separator: "\n")
    }

    /// The signature by a secret, in hexadecimal.
    func value(by credentials: S3Credentials) -> String {
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in scope.split(separator: "/") { key = Self.hash(of: part, under: key).bytes }
        return "\(Self.hash(of: stringToSign, under: key))"
    }

    /// The value of the header `Authorization`.
    func authorization(by credentials: S3Credentials) -> String {
        "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope),SignedHeaders=\(signedHeaders),"
            + "Signature=\(value(by: credentials))"
    }

    /// A moment as signatures name it.
    static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    }

    static func hash(of text: some StringProtocol) -> Hash256 { Hash256(hashing: Array(text.utf8).span.bytes) }

    private static func hash(of text: some StringProtocol, under key: [UInt8]) -> Hash256 {
        KeyedHash(key: key)(Array(text.utf8).span.bytes)
    }
}

extension Hash256 {
    fileprivate var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.append(self)
        return writer.bytes
    }
}
