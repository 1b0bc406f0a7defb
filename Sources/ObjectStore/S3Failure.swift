import Foundation
import GroundwaveRemotes
import GroundwaveReplication

/// What an answer without success means.
enum S3Failure: Error, Hashable, Sendable {
    /// There is no such object.
    case absent
    /// The name is taken.
    case exists
    /// No byte of the object is in the range.
    case noBytes
    /// The answer has this number of bytes, or more, and that is more than was allowed.
    case tooLarge(Int)
    /// Another attempt may succeed. Whether this one may have had its effect.
    case again(TransportError, after: Duration?, mayHaveEffect: Bool)
    /// The clocks differ too much: the moment by the server's, in seconds since 1970.
    case skewed(Int64?)
    /// It fails in the same way each time.
    case final(TransportError)

    /// Reads an answer without success.
    init(_ answer: HTTPAnswer, to request: S3Request, of bucket: Bucket, at endpoint: S3Endpoint) {
        let error = S3ErrorText(answer)
        let words = "it answers \(answer.status)" + (error.code.map { " (\($0))" } ?? "")
        switch (answer.status, error.code) {
        case (301, _), (302, _), (307, _), (308, _), (400, "AuthorizationHeaderMalformed"):
            self = .final(.notThere(Self.elsewhere(error, bucket, endpoint)))
        case (_, "NoSuchBucket"): self = .final(.notThere("there is no bucket \(bucket.name)"))
        case (404, "NoSuchKey"): self = .absent
        case (404, nil) where request.method == "HEAD": self = .absent
        case (404, _): self = .final(.unreachable("\(words): this may not be an object store"))
        case (412, _): self = .exists
        case (416, _): self = .noBytes
        case (507, _), (_, "QuotaExceeded"), (_, "XMinioStorageFull"), (_, "InsufficientCapacity"):
            self = .final(.full(words))
        case (403, "RequestTimeTooSkewed"): self = .skewed(answer.headers["date"].flatMap(HTTPDate.seconds))
        case (403, _), (401, _): self = .final(.notPermitted(Self.sentence(error.code) ?? words))
        case (409, _): self = .again(.unreachable(words), after: nil, mayHaveEffect: false)
        case (408, _), (429, _), (500, _), (502, _), (503, _), (504, _):
            let asked = answer.headers["retry-after"].flatMap { Int($0) }.map {
                Duration.seconds(min(max(0, $0), 3_600))
            }
            self = .again(.unreachable(words), after: asked, mayHaveEffect: answer.status != 429)
        case (501, _): self = .final(.notPermitted("the server does not implement what is asked (\(answer.status))"))
        default: self = .final(.unreachable(words))
        }
    }

    private static func sentence(_ code: String?) -> String? {
        switch code {
        case "InvalidAccessKeyId": "the server does not know these keys (InvalidAccessKeyId)"
        case "SignatureDoesNotMatch": "the secret key is wrong (SignatureDoesNotMatch)"
        case "AccessDenied": "these keys have no right to do this (AccessDenied)"
        case "ExpiredToken", "TokenRefreshRequired": "these keys have expired (ExpiredToken)"
        default: nil
        }
    }

    private static func elsewhere(_ error: S3ErrorText, _ bucket: Bucket, _ endpoint: S3Endpoint) -> String {
        if let region = error.region, region != endpoint.region {
            return "the bucket \(bucket.name) is in the region \(region), not in \(endpoint.region)"
        }
        if let host = error.endpoint { return "the bucket \(bucket.name) is at \(host)" }
        return
            "the server sends requests for the bucket \(bucket.name) to another address, and does not say which region"
    }
}

/// What an answer says of an error, as far as it may stand in a message: each word is checked.
struct S3ErrorText {
    let code: String?
    let region: String?
    let endpoint: String?

    init(_ answer: HTTPAnswer) {
        let document = try? S3Document(answer.body)
        code = document?.first("Error/Code").flatMap { Self.word($0, /[A-Za-z0-9.]{1,64}/) }
        let region = answer.headers["x-amz-bucket-region"] ?? document?.first("Error/Region")
        self.region = region.flatMap { Self.word($0, /[a-z0-9-]{1,32}/) }
        endpoint = document?.first("Error/Endpoint").flatMap { Self.word($0, /[A-Za-z0-9.:-]{1,128}/) }
    }

    private static func word(_ text: String, _ form: Regex<Substring>) -> String? {
        text.wholeMatch(of: form) == nil ? nil : text
    }
}
