import Foundation

/// A running transport-writer.
final class WriterProcess {
    private let process = Process()
    private let output = Pipe()

    /// Starts it with `arguments`.
    init(_ arguments: String...) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits until it has said something, and for a while more.
    func waitUntilItWorks(microseconds: UInt32) -> [String] {
        let said = output.fileHandleForReading.availableData
        usleep(microseconds)
        return Self.lines(said)
    }

    /// Ends it at once, as `kill -9` does.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The whole lines that it says until its end, of which the caller sees to it.
    func lines() -> [String] { Self.lines(output.fileHandleForReading.readDataToEndOfFile()) }

    private static func lines(_ data: Data) -> [String] {
        String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The program lies beside the program or the bundle that holds these tests.
    private static var executable: URL {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle(for: WriterProcess.self).bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("transport-writer")
    }
}
