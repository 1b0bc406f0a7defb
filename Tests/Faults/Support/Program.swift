import Foundation
import Testing

/// The built programs, run as child processes.
enum Program {
    /// What came of a run.
    struct Outcome: Sendable {
        var status: Int32
        /// Whether a signal ended it; then `status` is its number.
        var wasKilled: Bool
        /// What it wrote to standard output, as bytes.
        var data: Data
        var errors: String

        var output: String { String(decoding: data, as: UTF8.self) }

        /// Ended by itself, with this code.
        func ended(_ code: Int32) -> Bool { !wasKilled && status == code }
    }

    /// Where the build put the programs: the folder of the test bundle, or `GROUNDWAVE_PROGRAMS`.
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["GROUNDWAVE_PROGRAMS"] { return URL(filePath: path) }
        #if os(macOS)
        return Bundle(for: Child.self).bundleURL.deletingLastPathComponent()
        #else
        return URL(filePath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
        #endif
    }()

    /// The program that people use.
    static func groundwave(_ arguments: String..., input: String? = nil) throws -> Outcome {
        try Child(path("groundwave"), arguments, input: input).wait()
    }

    /// The writer that says of each contact whether it was acknowledged: see `Tests/FaultWriter`.
    static func fault(_ count: String, in store: URL) throws -> Outcome {
        try Child(path("fault-writer"), [store.path, count, "fault"]).wait()
    }

    /// The path of a built program.
    static func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The path of a program of the system, or `nil` where it is not installed.
    static func installed(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// A child process whose output goes to files, so that nothing waits for a full pipe.
final class Child {
    private let process = Process()
    private let folder: URL
    private let input: Pipe?
    private let outputHandle: FileHandle
    private let errorHandle: FileHandle

    /// Starts `program`; with `input`, standard input is that text and then ends. With `isFed` it stays open.
    /// - Parameter state: Where the device keeps what tells its stores from their copies; else where this process does.
    init(
        _ program: String, _ arguments: [String], input text: String? = nil, isFed: Bool = false, state: URL? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["output", "errors"] {
            _ = FileManager.default.createFile(atPath: folder.appending(path: name).path, contents: nil)
        }
        outputHandle = try FileHandle(forWritingTo: folder.appending(path: "output"))
        errorHandle = try FileHandle(forWritingTo: folder.appending(path: "errors"))
        input = text != nil || isFed ? Pipe() : nil
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = outputHandle
        process.standardError = errorHandle
        if let input { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        var environment = ProcessInfo.processInfo.environment
        environment["NO_COLOR"] = "1"
        environment["GROUNDWAVE_STORE"] = nil
        if let state { environment["GROUNDWAVE_STATE"] = state.path }
        process.environment = environment
        try process.run()
        if let text, let input {
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try input.fileHandleForWriting.close()
        }
    }

    /// What it has said so far.
    var output: String { text("output") }

    var isRunning: Bool { process.isRunning }

    /// Gives it bytes on its standard input, which was left open; not, where it has ended.
    func feed(_ bytes: [UInt8]) {
        signal(SIGPIPE, SIG_IGN)
        try? input?.fileHandleForWriting.write(contentsOf: Data(bytes))
    }

    /// Ends its standard input.
    func endInput() throws { try input?.fileHandleForWriting.close() }

    /// Ends it as nothing can be ended more suddenly.
    func killNow() { kill(process.processIdentifier, SIGKILL) }

    /// Waits until it has ended, two minutes at most.
    func wait() -> Program.Outcome {
        let deadline = Date.now.addingTimeInterval(120)
        while process.isRunning {
            if Date.now > deadline {
                Issue.record("\(process.arguments ?? []) does not end")
                killNow()
                break
            }
            usleep(1000)
        }
        process.waitUntilExit()
        try? outputHandle.close()
        try? errorHandle.close()
        return Program.Outcome(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            data: bytes("output"), errors: text("errors"))
    }

    /// Waits until it has said `words`.
    func waitUntilSaid(_ words: String) -> Bool {
        let deadline = Date.now.addingTimeInterval(60)
        while !output.contains(words) {
            if Date.now > deadline || !process.isRunning { return output.contains(words) }
            usleep(1000)
        }
        return true
    }

    private func bytes(_ name: String) -> Data { (try? Data(contentsOf: folder.appending(path: name))) ?? Data() }

    private func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

    deinit {
        if process.isRunning { killNow() }
        try? FileManager.default.removeItem(at: folder)
    }
}
