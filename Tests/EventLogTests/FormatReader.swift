import Foundation
import GroundwaveByteCoding
import GroundwaveEvents

/// The other reader of a log: `Tests/FormatReader/read-log.py`, made from Docs/FileFormat.md alone.
enum FormatReader {
    /// It ended with exit code 1.
    struct Refusal: Error, Equatable {
        let sentence: String
    }

    /// One line of its output.
    struct Event: Decodable, Equatable {
        let position: Int
        let replica: String
        let sequence: UInt64
        let stamp: UInt64
        let rest: Int
        let observesAll: Int
        let shape: String
        /// `hash` or `withheld`, and the SHA-256 of the values.
        let values: [String]

        init(_ frame: Frame, _ bytes: [UInt8], at position: Int) {
            self.position = position
            replica = Self.hexadecimal(frame.id.replica.bytes)
            sequence = frame.id.sequence
            stamp = frame.stamp.rawValue
            rest = frame.rest
            observesAll = frame.observesAll ? 1 : 0
            shape = Self.hexadecimal(Array(bytes[frame.shape]))
            let hash = Array(bytes[frame.values]).withSpan {
                frame.isWithheld ? Hash256(at: 0, of: $0) : Hash256(hashing: $0)
            }
            values = [frame.isWithheld ? "withheld" : "hash", "\(hash)"]
        }

        private static func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// Why it cannot be asked here, or `nil` where it can.
    static let absence: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let hasPython = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
        return hasPython ? nil : "no python3 in PATH"
    }()

    /// What it prints of the log at `path`.
    static func read(_ path: String) throws -> String { try run([path]) }

    /// For each of `flips`, the digest of what it prints of the log at `path` with that byte changed, or its refusal.
    static func digests(of path: String, _ flips: [Flip]) throws -> [String] {
        let list = path + "-flips"
        defer { try? FileManager.default.removeItem(atPath: list) }
        let text = flips.map { "\($0.offset) \($0.xor)\n" }.joined()
        try Data(text.utf8).write(to: URL(filePath: list))
        return try run([path, "--flips", list]).split(separator: "\n").map(String.init)
    }

    private static func run(_ arguments: [String]) throws -> String {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "FormatReader/read-log.py")
        let folder = FileManager.default.temporaryDirectory
        let (output, errors) = (folder.appending(path: UUID().uuidString), folder.appending(path: UUID().uuidString))
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        // Files, not pipes: nobody has to read while it writes.
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path] + arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Refusal(sentence: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        }
        return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    }
}
