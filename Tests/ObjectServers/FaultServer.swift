import Foundation
import GroundwaveObjectStore
import GroundwaveSyncing

/// An object store in memory that does wrong what it is told: see `fault-server.py`.
public final class FaultServer: Sendable {
    private let process: ServerProcess
    /// The address of the server.
    public let endpoint: String

    private init(_ process: ServerProcess, port: Int) {
        self.process = process
        endpoint = "http://127.0.0.1:\(port)"
    }

    /// Starts a server of its own.
    public static func start() async throws -> FaultServer {
        try await onOwnThread {
            let process = try ServerProcess("fault-server.py")
            guard let port = try process.line()["port"] as? Int else {
                throw ServerProcess.Failure(description: "The fault server did not start.")
            }
            return FaultServer(process, port: port)
        }
    }

    /// A fault, and the request that it waits for.
    public struct Fault: Sendable {
        /// What the server does, with its values.
        let fields: @Sendable () -> [String: Any]

        /// Creates a fault of a kind.
        ///
        /// - Parameters:
        ///   - method: The method that it waits for; any if none is given.
        ///   - contains: What the address must contain.
        ///   - hasEffect: Whether the request has its effect before.
        public init(
            _ kind: String, method: String? = nil, contains: String = "", hasEffect: Bool = false,
            _ more: @autoclosure @escaping @Sendable () -> [String: Any] = [:]
        ) {
            fields = {
                var fields = more()
                (fields["kind"], fields["contains"], fields["effect"]) = (kind, contains, hasEffect)
                fields["method"] = method
                return fields
            }
        }

        /// An answer without success.
        public static func status(
            _ status: Int, _ code: String? = nil, method: String? = nil, contains: String = "", hasEffect: Bool = false,
            headers: [String: String] = [:], fields: [String: String] = [:]
        ) -> Fault {
            Fault(
                "status", method: method, contains: contains, hasEffect: hasEffect,
                ["status": status, "headers": headers, "fields": fields].merging(code.map { ["code": $0] } ?? [:]) {
                    $1
                })
        }
    }

    /// A request that has arrived.
    public struct Request: Sendable, Hashable {
        /// The method.
        public let method: String
        /// The path and the query.
        public let path: String
        /// The header `If-None-Match`.
        public let condition: String?
    }

    /// Gives the server its next faults, which replace those that are left.
    public func set(_ faults: [Fault]) async throws { try await order { ["faults": faults.map { $0.fields() }] } }

    /// Gives the server other orders; returns the requests since the last ones, and the keys of all objects.
    @discardableResult
    public func order(
        _ orders: @escaping @Sendable () -> [String: Any] = { [:] }
    ) async throws -> (requests: [Request], keys: [String]) {
        let process = process
        return try await onOwnThread {
            let said = try process.answer(to: orders())
            let requests = (said["requests"] as? [[String: Any]] ?? []).map {
                Request(
                    method: $0["method"] as? String ?? "", path: $0["path"] as? String ?? "",
                    condition: $0["conditional"] as? String)
            }
            return (requests, said["keys"] as? [String] ?? [])
        }
    }

    /// The bucket of the server, or a folder of it.
    public func bucket(_ prefix: String = "") throws -> Bucket {
        try Bucket(name: "bucket", prefix: prefix, endpoint: endpoint)
    }
}
