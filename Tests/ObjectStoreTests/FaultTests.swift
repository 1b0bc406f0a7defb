import Foundation
import GroundwaveReplication
import GroundwaveStore
import GroundwaveTesting
import ObjectServers
import Synchronization
import Testing

@testable import GroundwaveObjectStore

@Suite struct `An object store that fails` {
    private typealias Fault = FaultServer.Fault

    /// A server, and a transport that waits for it no longer than a test has time.
    struct Place {
        let server: FaultServer
        let transport: S3Transport
        let name = ObjectName("a/b")!

        init(_ change: (inout S3Timing) -> Void = { _ in }) async throws {
            server = try await FaultServer.start()
            var timing = S3Timing()
            (timing.firstPause, timing.longestPause) = (.milliseconds(1), .milliseconds(5))
            change(&timing)
            transport = S3Transport(try server.bucket(), ObjectStoreServer.credentials, timing: timing)
        }

        func methods() async throws -> [String] { try await server.order().requests.map(\.method) }
    }

    private static let passing: [FaultServer.Fault] = [
        .status(429, "SlowDown"), .status(500, "InternalError"), .status(502), .status(503, "SlowDown"), .status(504),
        .status(408), .init("reset"),
    ]

    @Test(arguments: passing.indices) func `is asked again where that helps`(index: Int) async throws {
        let place = try await Place()
        try await place.server.set([Self.passing[index], Self.passing[index]])
        #expect(try await place.transport.putIfAbsent(place.name, [1, 2]) == .stored)
        #expect(try await place.methods().filter { $0 == "PUT" }.count == 3)
        try await place.server.set([Self.passing[index]])
        #expect(try await place.transport.get(place.name, range: nil, limit: 2) == [1, 2])
        try await place.server.set([Self.passing[index]])
        #expect(try await place.transport.list(prefix: .all, startAfter: nil, limit: 9) == [place.name])
        try await place.server.set([Self.passing[index]])
        try await place.transport.delete(place.name)
        #expect(try await place.server.order().keys == [])
    }

    @Test func `is asked again a bounded number of times, and then told`() async throws {
        let place = try await Place()
        try await place.server.set((0..<20).map { _ in .status(503, "SlowDown", headers: ["Retry-After": "100000"]) })
        await #expect(throws: TransportError.unreachable("it answers 503 (SlowDown)")) {
            try await place.transport.putIfAbsent(place.name, [1])
        }
        #expect(try await place.methods().count == S3Timing().attempts)
    }

    private static let lost: [FaultServer.Fault] = [
        .status(500, "InternalError", method: "PUT", hasEffect: true), .init("reset", method: "PUT", hasEffect: true),
        .status(503, method: "PUT", hasEffect: true),
    ]

    @Test(arguments: lost.indices) func `has stored an object whose answer was lost`(index: Int) async throws {
        let place = try await Place()
        try await place.server.set([Self.lost[index]])
        #expect(try await place.transport.putIfAbsent(place.name, [1, 2]) == .stored)
        #expect(try await place.methods() == ["PUT", "PUT", "GET"])
    }

    @Test func `is not believed to have stored what somebody else has`() async throws {
        // Foundation on Linux waits for that long if a connection that was used before ends during an upload.
        let place = try await Place { $0.idle = .seconds(2) }
        try await place.server.order { ["objects": ["a/b": "another"]] }
        for bytes in [[UInt8]("anothes".utf8), [1], [UInt8](repeating: 1, count: 100)] {
            try await place.server.set([.init("reset", method: "PUT")])
            #expect(try await place.transport.putIfAbsent(place.name, bytes) == .exists)
        }
        #expect(try await place.transport.putIfAbsent(place.name, [UInt8]("another".utf8)) == .exists)
        #expect(try await place.transport.get(place.name, range: nil, limit: 9) == [UInt8]("another".utf8))
    }

    @Test func `is asked again after a conflict of two writers, and then told that the name is taken`() async throws {
        let place = try await Place()
        try await place.server.order { ["objects": ["a/b": "x"]] }
        try await place.server.set([.status(409, "ConditionalRequestConflict")])
        #expect(try await place.transport.putIfAbsent(place.name, [UInt8]("x".utf8)) == .exists)
        #expect(try await place.methods() == ["PUT", "PUT"])
    }

    private static let final: [(FaultServer.Fault, TransportError)] = [
        (.status(403, "AccessDenied"), .notPermitted("these keys have no right to do this (AccessDenied)")),
        (.status(403, "SignatureDoesNotMatch"), .notPermitted("the secret key is wrong (SignatureDoesNotMatch)")),
        (.status(403, "ExpiredToken"), .notPermitted("these keys have expired (ExpiredToken)")),
        (.status(403), .notPermitted("it answers 403")),
        (.status(507), .full("it answers 507")),
        (.status(403, "QuotaExceeded"), .full("it answers 403 (QuotaExceeded)")),
        (.status(404, "NoSuchBucket"), .notThere("there is no bucket bucket")),
        (.status(404), .unreachable("it answers 404: this may not be an object store")),
        (.status(400, "\u{1B}[31mRed"), .unreachable("it answers 400")),
        (.status(501, "NotImplemented"), .notPermitted("the server does not implement what is asked (501)")),
        (
            .status(301, "PermanentRedirect", headers: ["x-amz-bucket-region": "eu-west-1"]),
            .notThere("the bucket bucket is in the region eu-west-1, not in us-east-1")
        ),
        (
            .status(400, "AuthorizationHeaderMalformed", fields: ["Region": "eu-west-2"]),
            .notThere("the bucket bucket is in the region eu-west-2, not in us-east-1")
        ),
        (
            .status(
                307, "TemporaryRedirect", headers: ["Location": "http://bucket.s3.example.org/"],
                fields: ["Endpoint": "bucket.s3.example.org"]),
            .notThere("the bucket bucket is at bucket.s3.example.org")
        ),
        (
            .status(301),
            .notThere(
                "the server sends requests for the bucket bucket to another address, and does not say which region")
        ),
    ]

    @Test(arguments: final.indices) func `is told in words, and not asked again`(index: Int) async throws {
        let place = try await Place()
        let (fault, error) = Self.final[index]
        try await place.server.set([fault])
        await #expect(throws: error) { try await place.transport.putIfAbsent(place.name, [1]) }
        try await place.server.set([fault])
        await #expect(throws: error) { try await place.transport.get(place.name, range: nil, limit: 1) }
        #expect(try await place.methods().count == 1)
        // Nothing was lost by it.
        #expect(try await place.transport.putIfAbsent(place.name, [1]) == .stored)
    }

    @Test(arguments: [301, 302, 307, 308]) func `does not lead the signature to another host`(status: Int) async throws
    {
        let (place, other) = (try await Place(), try await FaultServer.start())
        for method in ["GET", "PUT"] {
            try await place.server.set([
                .status(status, "TemporaryRedirect", headers: ["Location": "\(other.endpoint)/bucket/a/b"])
            ])
            await #expect(throws: TransportError.self) {
                if method == "GET" { _ = try await place.transport.get(place.name, range: nil, limit: 1) }
                if method == "PUT" { _ = try await place.transport.putIfAbsent(place.name, [1]) }
            }
        }
        #expect(try await other.order().requests.isEmpty)
    }

    @Test func `gives no object with fewer bytes than it announced`() async throws {
        let place = try await Place { $0.attempts = 2 }
        try await place.server.order { ["objects": ["a/b": "0123456789"]] }
        let short = Fault("length", ["body": "01234", "announced": 10])
        try await place.server.set([short, short])
        let error = await #expect(throws: TransportError.self) {
            try await place.transport.get(place.name, range: nil, limit: 10)
        }
        guard case .unreachable = error else { return #expect(Bool(false), "\(error as Any)") }
        try await place.server.set([short])
        #expect(try await place.transport.get(place.name, range: nil, limit: 10) == [UInt8]("0123456789".utf8))
    }

    @Test func `is bounded before memory is taken`() async throws {
        let place = try await Place()
        try await place.server.set([Fault("length", ["body": "0", "announced": 50_000_000_000])])
        await #expect(throws: TransportError.tooLarge(place.name, byteCount: 50_000_000_000)) {
            try await place.transport.get(place.name, range: nil, limit: 1_000)
        }
        let hasty = try await Place { $0.attempts = 1 }
        try await hasty.server.set([Fault("endless")])
        await #expect(throws: TransportError.unreachable("it does not say how long its answer is")) {
            try await hasty.transport.get(place.name, range: nil, limit: 100_000)
        }
        try await place.server.set([Fault("endless")])
        await #expect(throws: TransportError.unreachable("its listing is larger than 4 MiB")) {
            try await place.transport.list(prefix: .all, startAfter: nil, limit: 10)
        }
    }

    @Test(arguments: ["stall", "stall-body"]) func `is left when it stalls`(kind: String) async throws {
        // The second attempt may take as long as a busy machine needs for it.
        let place = try await Place { $0.longest = .seconds(5) }
        try await place.server.order { ["objects": ["a/b": "0123456789"]] }
        try await place.server.set([Fault(kind)])
        #expect(try await place.transport.get(place.name, range: nil, limit: 100) == [UInt8]("0123456789".utf8))
        #expect(try await place.methods() == ["GET", "GET"])
        let hasty = try await Place { ($0.longest, $0.attempts) = (.milliseconds(300), 2) }
        try await hasty.server.set([Fault(kind), Fault(kind)])
        await #expect(throws: TransportError.unreachable("it did not answer in time")) {
            try await hasty.transport.get(place.name, range: nil, limit: 100)
        }
    }

    @Test func `is left at once when the task is cancelled`() async throws {
        let place = try await Place()
        try await place.server.set([Fault("stall")])
        let task = Task { try await place.transport.get(place.name, range: nil, limit: 1) }
        while try await place.methods().isEmpty {}
        task.cancel()
        await #expect(throws: TransportError.unreachable("The task was cancelled.")) { try await task.value }
    }

    private static let parts: [(String, [String: String])] = [
        ("0123", ["Content-Range": "bytes 3-6/10"]), ("012", ["Content-Range": "bytes 2-4/10"]),
        ("0123", ["Content-Range": "bytes 2-9/10"]), ("0123", [:]), ("0123", ["Content-Range": "bytes 2-5/5"]),
        ("0123", ["Content-Range": "bytes 2-4/*"]), ("012", ["Content-Range": "bytes 2-5/*"]),
        ("0123", ["Content-Range": "bytes 99999999999999999999-5/5"]),
    ]

    @Test(arguments: parts.indices) func `gives no other part than was asked for`(index: Int) async throws {
        let place = try await Place { $0.attempts = 1 }
        let (body, headers) = Self.parts[index]
        try await place.server.set([Fault("body", ["status": 206, "body": body, "headers": headers])])
        let error = await #expect(throws: TransportError.self) {
            try await place.transport.get(place.name, range: 2..<6, limit: 10)
        }
        guard case .unreachable = error else { return #expect(Bool(false), "\(error as Any)") }
    }

    private static let listings = [
        "", "<html>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><ListBucketResult><IsTruncated>&b;</IsTruncated></ListBucketResult>",
        "<Error><Code>AccessDenied</Code></Error>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
    ]

    @Test(arguments: listings) func `has no listing if it is none`(body: String) async throws {
        let place = try await Place()
        try await place.server.set([Fault("body", ["body": body])])
        let error = await #expect(throws: TransportError.self) {
            try await place.transport.list(prefix: .all, startAfter: nil, limit: 10)
        }
        guard case .unreachable(let reason) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(reason.hasPrefix("its listing cannot be read: "))
    }

    @Test func `does not list for ever`() async throws {
        let place = try await Place()
        let body = """
            <ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key><Size>1</Size></Contents>\
            <NextContinuationToken>again</NextContinuationToken></ListBucketResult>
            """
        try await place.server.set((0..<5).map { _ in Fault("body", ["body": body]) })
        await #expect(throws: TransportError.unreachable("its listing cannot be read: it begins again and again")) {
            try await place.transport.list(prefix: .all, startAfter: nil, limit: 1_000)
        }
    }

    @Test func `is followed by its clock if that differs, and told once that does not help`() async throws {
        let place = try await Place()
        try await place.server.order { ["clock": 86_400 * 400] }
        #expect(try await place.transport.putIfAbsent(place.name, [1]) == .stored)
        #expect(try await place.transport.get(place.name, range: nil, limit: 1) == [1])
        #expect(try await place.methods() == ["PUT", "PUT", "GET"])
        try await place.server.set((0..<3).map { _ in .status(403, "RequestTimeTooSkewed") })
        await #expect(
            throws: TransportError.notPermitted("the clock of this device differs too much from the server's")
        ) {
            try await place.transport.get(place.name, range: nil, limit: 1)
        }
    }

    @Test func `says what kept it from being reached`() async throws {
        var timing = S3Timing()
        timing.attempts = 2
        timing.firstPause = .milliseconds(1)
        let transport = S3Transport(
            try .init(name: "bucket", endpoint: "http://127.0.0.1:1"), ObjectStoreServer.credentials, timing: timing)
        await #expect(throws: TransportError.unreachable("it does not accept connections")) {
            try await transport.get(try #require(ObjectName("a")), range: nil, limit: 1)
        }
    }

    /// The words of each failure, with a secret that no other text has.
    @Test func `is never told with a secret`() async throws {
        let place = try await Place()
        let keys = S3Credentials(accessKeyID: "TESTKEY", secretAccessKey: "S3CR3T", sessionToken: "T0K3N")
        let transport = S3Transport(try place.server.bucket(), keys)
        let error = await #expect(throws: TransportError.self) {
            try await transport.get(place.name, range: nil, limit: 1)
        }
        var dumped = ""
        dump(transport, to: &dumped)
        for text in ["\(error as Any)", "\(transport)", String(reflecting: transport), dumped] {
            #expect(!text.contains("S3CR3T") && !text.contains("T0K3N"))
        }
    }
}
