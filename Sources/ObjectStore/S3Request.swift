import Foundation
import GroundwaveEvents

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request to an object store, before it is signed.
struct S3Request: Sendable {
    /// The method of HTTP.
    var method: String
    /// The key of the object; empty for the bucket itself.
    var key = ""
    /// The query, not encoded.
    var query: [String: String] = [:]
    /// Headers beside the usual ones, with lower-case names. They are signed.
    var headers: [String: String] = [:]
    /// The body.
    var body: [UInt8] = []
    /// The maximum number of bytes of a body that answers with success.
    var limit = 0
    /// Whether such an answer must announce its length.
    var needsLength = false

    /// Returns the request for Foundation, signed for the moment `seconds` since 1970.
    func signed(at endpoint: S3Endpoint, by credentials: S3Credentials, seconds: Int64) -> URLRequest? {
        let isBucket = key.isEmpty && !endpoint.path.isEmpty
        let path = endpoint.path + (isBucket ? "" : "/" + PercentEncoding.encoded(key, keepsSlashes: true))
        let query = query.map { (PercentEncoding.encoded($0.key), PercentEncoding.encoded($0.value)) }
            .sorted { $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let address = "\(endpoint.scheme)://\(endpoint.authority)\(path)" + (query.isEmpty ? "" : "?\(query)")
        guard let url = URL(string: address) else { return nil }
        let hash = Hash256(hashing: body.span.bytes)
        var signedHeaders = headers
        signedHeaders["host"] = endpoint.authority
        signedHeaders["x-amz-content-sha256"] = "\(hash)"
        signedHeaders["x-amz-date"] = Signature.text(seconds)
        signedHeaders["x-amz-security-token"] = credentials.sessionToken
        let signature = Signature(
            method: method, path: path, query: query, headers: signedHeaders, bodyHash: hash, region: endpoint.region,
            seconds: seconds)
        var request = URLRequest(url: url)
        request.httpMethod = method
        // Foundation sets the host by itself.
        for (name, value) in signedHeaders where name != "host" { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue(signature.authorization(by: credentials), forHTTPHeaderField: "Authorization")
        // Else objects would be counted after they were unpacked.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if method == "PUT" {
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body)
        }
        return request
    }
}
