import GroundwaveReplication
import GroundwaveTesting
import ObjectServers
import Testing

@testable import GroundwaveObjectStore

@Suite(.enabled(if: ObjectStoreServer.seaweedFS.isExpected, Comment(rawValue: ObjectStoreServer.seaweedFS.absence)))
struct `A bucket of SeaweedFS` {
    @Test(arguments: TransportConformance.Guarantee.allCases)
    func `keeps each guarantee`(guarantee: TransportConformance.Guarantee) async throws {
        let server = try await ObjectStoreServer.seaweedFS.shared()
        try await TransportConformance { try server.transport() }.check(guarantee)
    }

    @Test func `refuses wrong keys, and a bucket that is not there`() async throws {
        let server = try await ObjectStoreServer.seaweedFS.shared()
        let bucket = try server.freshBucket()
        let name = try #require(ObjectName("a"))
        let strangers = [
            (S3Credentials(accessKeyID: "TESTKEY", secretAccessKey: "wrong"), "SignatureDoesNotMatch"),
            (S3Credentials(accessKeyID: "WRONG", secretAccessKey: "wrong"), "InvalidAccessKeyId"),
        ]
        for (keys, code) in strangers {
            let error = await #expect(throws: TransportError.self) {
                try await S3Transport(bucket, keys).putIfAbsent(name, [1])
            }
            guard case .notPermitted(let reason) = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(reason.contains(code))
        }
        let absent = S3Transport(
            try .init(name: "no-such-bucket", endpoint: server.endpoint), ObjectStoreServer.credentials)
        await #expect(throws: TransportError.notThere("there is no bucket no-such-bucket")) {
            try await absent.get(name, range: nil, limit: 10)
        }
    }
}

@Suite(.enabled(if: ObjectStoreServer.ceph.isExpected, Comment(rawValue: ObjectStoreServer.ceph.absence)))
struct `A bucket of Ceph` {
    @Test(arguments: TransportConformance.Guarantee.allCases)
    func `keeps each guarantee`(guarantee: TransportConformance.Guarantee) async throws {
        let server = try await ObjectStoreServer.ceph.shared()
        try await TransportConformance { try server.transport() }.check(guarantee)
    }
}

@Suite struct `A bucket of the server in memory` {
    @Test(arguments: TransportConformance.Guarantee.allCases)
    func `keeps each guarantee`(guarantee: TransportConformance.Guarantee) async throws {
        let server = try await FaultServer.start()
        try await TransportConformance {
            try await server.order { ["forget": true, "page": 300] }
            return S3Transport(try server.bucket("p/q"), ObjectStoreServer.credentials)
        }.check(guarantee)
    }
}
