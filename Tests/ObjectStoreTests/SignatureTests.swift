import GroundwaveEvents
import ObjectServers
import Testing

@testable import GroundwaveObjectStore

/// The examples that Amazon publishes: Amazon S3 API Reference, "Signature Calculations for the Authorization Header:
/// Transferring Payload in a Single Chunk (AWS Signature Version 4)". The keys are those of the examples, and open nothing.
@Suite struct `The signature of a request` {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        let path: String
        var query = ""
        var headers: [String: String] = [:]
        var body = ""
        let requestHash: String
        let signature: String

        var computed: Signature {
            let hash = Hash256(hashing: Array(body.utf8).span.bytes)
            var all = headers
            all["host"] = "examplebucket.s3.amazonaws.com"
            all["x-amz-content-sha256"] = "\(hash)"
            all["x-amz-date"] = "20130524T000000Z"
            return Signature(
                method: method, path: path, query: query, headers: all, bodyHash: hash, region: "us-east-1",
                seconds: 1_369_353_600)
        }
    }

    static let credentials = S3Credentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    static let examples = [
        Example(
            testDescription: "a part of an object", path: "/test.txt", headers: ["range": "bytes=0-9"],
            requestHash: "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            testDescription: "an object to store", method: "PUT", path: "/test%24file.text",
            headers: ["date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
            body: "Welcome to Amazon S3.",
            requestHash: "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            testDescription: "a query without a value", path: "/", query: "lifecycle=",
            requestHash: "9766c798316ff2757b517bc739a67f6213b4ab36dd5da2f94eaebf79c77395ca",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            testDescription: "a listing", path: "/", query: "max-keys=2&prefix=J",
            requestHash: "df57d21db20da04d7fa30298dd4488ba3a2b47ca3a489c74750e0f1e7df1b9b7",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples) func `is that of the published examples`(example: Example) {
        let signature = example.computed
        #expect("\(Signature.hash(of: signature.canonicalRequest))" == example.requestHash)
        #expect(
            signature.stringToSign
                == "AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n\(example.requestHash)")
        #expect(signature.value(by: Self.credentials) == example.signature)
        #expect(signature.authorization(by: Self.credentials).hasSuffix("Signature=\(example.signature)"))
    }

    @Test func `is what Python computes of what is signed`() async throws {
        let regions = (0..<40).map { "region-\($0)" }
        let signatures = regions.map { region in
            Signature(
                method: "PUT", path: "/a%20b/\(region)", query: "", headers: ["host": region, "if-none-match": "*"],
                bodyHash: Hash256(hashing: Array(region.utf8).span.bytes), region: region,
                seconds: 1_700_000_000 + Int64(region.count) * 86_400)
        }
        let said = try await Witness.texts(
            """
            import hashlib, hmac
            said = []
            for text in given:
                request, word, time, scope = text.split("\\0")
                signed = "\\n".join([word, time, scope, hashlib.sha256(request.encode()).hexdigest()])
                key = b"AWS4" + b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
                for part in scope.split("/"):
                    key = hmac.new(key, part.encode(), hashlib.sha256).digest()
                said.append(hmac.new(key, signed.encode(), hashlib.sha256).hexdigest())
            """,
            of: signatures.map { "\($0.canonicalRequest)\0AWS4-HMAC-SHA256\0\($0.time)\0\($0.scope)" })
        #expect(said == signatures.map { $0.value(by: Self.credentials) })
    }

    @Test func `covers the condition under which an object is stored`() throws {
        let endpoint = S3Endpoint(try .init(name: "examplebucket"))
        let request = S3Request(method: "PUT", key: "a", headers: ["if-none-match": "*"])
        let signed = try #require(request.signed(at: endpoint, by: Self.credentials, seconds: 0))
        let authorization = try #require(signed.value(forHTTPHeaderField: "Authorization"))
        #expect(authorization.contains("SignedHeaders=host;if-none-match;x-amz-content-sha256;x-amz-date,"))
        #expect(authorization.contains("/19700101/us-east-1/s3/aws4_request"))
    }

    @Test func `has the token of keys that are valid for some hours`() throws {
        let keys = S3Credentials(accessKeyID: "A", secretAccessKey: "B", sessionToken: "C")
        let signed = try #require(
            S3Request(method: "GET", key: "a").signed(
                at: S3Endpoint(try .init(name: "examplebucket")), by: keys, seconds: 0))
        #expect(signed.value(forHTTPHeaderField: "X-Amz-Security-Token") == "C")
        #expect(signed.value(forHTTPHeaderField: "Authorization")?.contains("x-amz-security-token") == true)
    }
}
