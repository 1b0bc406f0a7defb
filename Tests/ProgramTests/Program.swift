import Foundation
import Testing

/// The built program, run on a store of its own that goes away with this object.
final class Program: Sendable {
    /// What came of a run.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String

        /// The JSON object on standard output.
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
        }

        /// The JSON object that says what went wrong.
        var error: [String: Any] {
            let object = (try? JSONSerialization.jsonObject(with: Data(errors.utf8))) as? [String: Any]
            return object?["error"] as? [String: Any] ?? [:]
        }
    }

    /// The folder that everything of this object lies in.
    let folder: URL
    /// The folder of the store.
    var store: URL { folder.appending(path: "store") }

    /// Makes a store whose device is called `shack`.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = try run("init", "--name", "shack")
        try #require(made.status == 0, "\(made.errors)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The text of a file in the folder.
    func text(_ name: String) throws -> String { try String(contentsOf: folder.appending(path: name), encoding: .utf8) }

    /// Where the device keeps what tells its stores from their copies.
    var state: URL { folder.appending(path: "state") }

    /// Runs the program on the store.
    func run(_ arguments: String..., input: String? = nil) throws -> Outcome { try run(arguments, input: input) }

    /// Runs the program on the store to its end.
    func run(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) throws -> Outcome {
        try start(arguments, input: input, environment: environment).outcome()
    }

    /// Runs a script of bash in which `$GROUNDWAVE` is the program, on the store.
    func script(_ text: String) throws -> Outcome {
        try start(
            ["-c", text], environment: ["GROUNDWAVE": Self.executable.path], executable: URL(filePath: "/bin/bash")
        ).outcome()
    }

    /// Starts the program on the store.
    func start(
        _ arguments: [String], input: String? = nil, environment changes: [String: String] = [:],
        executable: URL = Program.executable
    ) throws -> Running {
        let name = UUID().uuidString
        let paths = ["output", "errors", "input"].map { folder.appending(path: "\(name).\($0)") }
        for path in paths { _ = FileManager.default.createFile(atPath: path.path, contents: nil) }
        if let input { try Data(input.utf8).write(to: paths[2]) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: paths[0])
        process.standardError = try FileHandle(forWritingTo: paths[1])
        process.standardInput = try FileHandle(forReadingFrom: paths[2])
        process.environment = environment.merging(changes) { $1 }
        try process.run()
        return Running(process: process, paths: paths, arguments: arguments)
    }

    /// Starts the program between two pipes.
    func talk(
        _ arguments: [String], _ input: FileHandle, _ output: FileHandle, _ errors: Pipe
    ) throws -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        process.environment = environment
        try process.run()
        return process
    }

    /// What the program finds in its environment.
    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["GROUNDWAVE_STORE"] = store.path
        environment["GROUNDWAVE_STATE"] = state.path
        environment["GROUNDWAVE_AUTHOR"] = nil
        environment["GROUNDWAVE_LOG"] = nil
        environment["NO_COLOR"] = "1"
        return environment
    }

    /// A run that has not ended yet. Its output goes to files, so that nothing waits for a full pipe.
    struct Running {
        let process: Process
        /// Where its output, its errors and its input lie.
        let paths: [URL]
        fileprivate let arguments: [String]

        /// Waits for its end; what has not ended after five minutes hangs, and is killed.
        func outcome() throws -> Outcome {
            // It is let go after that time only, cancelled or not, so it must not hold the process and its open files.
            let isHanging = DispatchWorkItem { [id = process.processIdentifier] in kill(id, SIGKILL) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: isHanging)
            process.waitUntilExit()
            isHanging.cancel()
            try #require(
                process.terminationReason == .exit, "\(arguments) was ended by signal \(process.terminationStatus)")
            let texts = try paths.prefix(2).map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
            for path in paths { try? FileManager.default.removeItem(at: path) }
            return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
        }
    }

    /// Runs a verb that must succeed, with `--json`, and returns what it says.
    @discardableResult
    func json(_ arguments: String...) throws -> [String: Any] { try json(arguments) }

    /// Runs a verb that must succeed, with `--json`, and returns what it says.
    @discardableResult
    func json(_ arguments: [String]) throws -> [String: Any] {
        let outcome = try run(arguments + ["--json"])
        try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
        try #require(outcome.json["v"] as? Int == 1)
        return outcome.json
    }

    /// Where the build put it: beside the test bundle, or in `GROUNDWAVE_PROGRAMS`.
    static let executable: URL = {
        let folder: URL
        if let path = ProcessInfo.processInfo.environment["GROUNDWAVE_PROGRAMS"] {
            folder = URL(filePath: path)
        } else {
            #if os(macOS)
            folder = Bundle(for: Program.self).bundleURL.deletingLastPathComponent()
            #else
            folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
            #endif
        }
        return folder.appending(path: "groundwave")
    }()
}
