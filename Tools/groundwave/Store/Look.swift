import ArgumentParser
import Foundation
import Groundwave

struct Look: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at the log in a browser: now and at any moment of the past. On this computer alone.",
        discussion: """
            Serves a page on the loopback, opens it, and ends with Ctrl-C. The page shows who changed what and why, any \
            moment of the past, maps, charts and traces. No event is written unless --write is given; then each change is \
            shown before it is made, and is an event in the log like any other.

              groundwave look
              groundwave look --no-open --port 8080
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        help: ArgumentHelp(
            "The port on the loopback; 0 for one that is free; default: 8073, or a free one if that is in use.",
            valueName: "port"))
    var port: Int?

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open = true

    @Flag(help: "Let the page write: choose in conflicts, undo, revert an import, restore.")
    var write = false

    @Option(help: ArgumentHelp("The author of what the page writes.", valueName: "name"))
    var author: String?

    func validate() throws {
        guard port.map({ (0...65_535).contains($0) }) ?? true else {
            throw ValidationError("A port is a number from 0 to 65535.")
        }
    }

    func run() async throws {
        let program = Self.program
        guard let program else {
            throw StoreError(
                .notFound, "groundwave-look is not installed beside groundwave.",
                hint: "Tools/install puts both in one place.")
        }
        // What is wrong with the store is said here, as by every other command.
        try await options.openForReading().close()
        let author = author ?? ProcessInfo.processInfo.environment["GROUNDWAVE_AUTHOR"]
        var words = [program, "--store", options.url.path]
        if let port { words += ["--port", "\(port)"] }
        if !open { words.append("--no-open") }
        if options.json { words.append("--json") }
        if write { words.append("--write") }
        if let author, !author.isEmpty { words += ["--author", author] }
        // This process becomes that program: signals and the terminal are its own. It returns only if that fails.
        var pointers = words.map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw StoreError(.inputOutput, "\(program) cannot be started: \(String(cString: strerror(errno))).")
    }

    /// The program that serves the page, which is installed beside this one.
    private static var program: String? {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        let path = own.deletingLastPathComponent().appending(path: "groundwave-look").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
}
