import Foundation
import Testing

/// The executable model of the roster, `Tests/RosterModel/roster.py` (decision 51).
enum RosterModel {
    static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../RosterModel/roster.py").standardizedFileURL

    /// Why the model cannot run here, or `nil` if it can.
    static let absence: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let hasPython = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
        return hasPython ? nil : "no python3 in PATH"
    }()

    /// Runs the model; returns its exit code and its last line.
    static func run(_ arguments: String...) throws -> (status: Int32, last: String) {
        let (status, lines) = try output(of: arguments)
        return (status, lines.last ?? "")
    }

    /// Runs the model; returns its lines.
    static func lines(_ arguments: String...) throws -> [String] { try output(of: arguments).lines }

    private static func output(of arguments: [String]) throws -> (status: Int32, lines: [String]) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path] + arguments
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text.split(separator: "\n").map(String.init))
    }
}

@Suite(.enabled(if: RosterModel.absence == nil, "needs python3"))
struct `The model of who belongs to a log` {
    @Test func `keeps its promises in histories with devices that turn`() throws {
        let (status, last) = try RosterModel.run("--check", "1000")
        #expect(status == 0 && last == "1000 passed, 0 failed")
    }

    @Test(arguments: ["junior", "bottom-up", "numbers", "uncancelled"])
    func `breaks them with a flaw in its rule`(flaw: String) throws {
        let (status, last) = try RosterModel.run("--flaw", flaw)
        let failed = try #require(last.split(separator: " ").dropLast().last.flatMap { Int($0) })
        #expect(status == 1 && failed >= 20, "\(last)")
    }
}
