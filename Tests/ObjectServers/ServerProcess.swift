import Foundation
import Synchronization

/// A server for tests, which ends with this process, however that ends: it reads from a pipe.
final class ServerProcess: Sendable {
    /// Why a server does not answer.
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let input: FileHandle
    private let output: FileHandle
    private let process: Process
    private let turn = Mutex(())

    /// Starts a script of this folder with Python.
    init(_ script: String, _ arguments: String...) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script).path
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", path] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
        self.process = process
    }

    deinit { try? input.close() }

    /// Reads one line, a JSON object. Blocks.
    func line() throws -> [String: Any] {
        var bytes = Data()
        while let next = try output.read(upToCount: 1), next.first != UInt8(ascii: "\n") {
            guard !next.isEmpty else { throw Failure(description: "The server has ended.") }
            bytes += next
        }
        guard let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] else {
            throw Failure(description: "The server says something else than an object.")
        }
        return object
    }

    /// Sends one line, and returns the line that answers. Blocks.
    func answer(to orders: [String: Any]) throws -> [String: Any] {
        let line = try JSONSerialization.data(withJSONObject: orders) + Data("\n".utf8)
        return try turn.withLock { _ in
            try input.write(contentsOf: line)
            return try self.line()
        }
    }
}

/// Runs what blocks on a thread of its own, and never on one of the task pool.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
