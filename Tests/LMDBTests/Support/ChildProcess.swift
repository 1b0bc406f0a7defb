import Foundation

/// A running LMDBSecondProcess.
final class ChildProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    /// Starts it with `arguments`.
    init(_ arguments: String...) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        // What it says when it is refused is of no interest; its status is.
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The number of the process.
    var identifier: Int32 { process.processIdentifier }

    /// Waits until it says that it is ready, or false if it ends before.
    func isReady() -> Bool {
        output.fileHandleForReading.availableData.starts(with: Array("ready".utf8))
    }

    /// Waits for its end and returns its status: 0 if all went well, minus the signal if it was killed.
    @discardableResult
    func status() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// All that it says until its end.
    func text() -> String {
        String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Ends it at once, as `kill -9` does.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops it where it is, until `goOn`.
    func stop() { Foundation.kill(process.processIdentifier, SIGSTOP) }

    /// Lets it go on.
    func goOn() { Foundation.kill(process.processIdentifier, SIGCONT) }

    /// The program lies beside the program or the bundle that holds these tests.
    private static var executable: URL {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle(for: ChildProcess.self).bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("LMDBSecondProcess")
    }
}
