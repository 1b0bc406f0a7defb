import Foundation

/// The program as it is built beside the tests.
enum Program {
    /// The folder of the built products.
    static let path: URL = {
        #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            return bundle.bundleURL.deletingLastPathComponent().appending(path: "groundwave")
        }
        #endif
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appending(path: "groundwave")
    }()

    /// What came of a run.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Starts the program; it ends by itself or is ended by the caller.
    static func start(_ arguments: [String], output: FileHandle, errors: FileHandle) throws -> Process {
        let process = Process()
        process.executableURL = path
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Runs the program to its end.
    static func run(_ arguments: String...) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["out", "err"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        let handles = try files.map { try FileHandle(forWritingTo: $0) }
        let process = try start(arguments, output: handles[0], errors: handles[1])
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }
}
