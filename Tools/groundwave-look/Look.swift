import ArgumentParser
import Everything
import Foundation
import GroundwaveLook
import GroundwaveStore

/// The program that serves the page. `groundwave look` starts it; it is a program of its own, so that the others do not grow
/// by a server.
@main
struct Look: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groundwave-look", abstract: "Serve a page to look at a log, to this computer alone.",
        discussion: """
            The page shows what is in the log now and at any moment of the past, who changed what and why, maps, charts and \
            traces. It opens in the browser, and ends with Ctrl-C. It writes no event unless --write is given.

              groundwave look
              groundwave look --no-open --port 8080
            """, version: Store.libraryVersion)

    @Option(help: ArgumentHelp("The folder of the store.", valueName: "path"))
    var store: String

    @Option(
        help: ArgumentHelp(
            "The port on the loopback; 0 for one that is free; default: 8073, or a free one if that is in use.",
            valueName: "port"))
    var port: Int?

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open = true

    @Flag(help: "Let pages write: choose in conflicts, undo, revert an import, restore.")
    var write = false

    @Option(help: ArgumentHelp("The operator whom writes of pages name as their author.", valueName: "name"))
    var author: String?

    @Flag(help: "Print the address as one JSON object: see Docs/JSON.md.")
    var json = false

    func validate() throws {
        guard port.map({ (0...65_535).contains($0) }) ?? true else {
            throw ValidationError("A port is a number from 0 to 65535.")
        }
    }

    func run() async throws {
        let folder = URL(filePath: store)
        let (server, site) = try await serve(folder, Configuration.full(author: author ?? "", isReadOnly: !write))
        do { try await site.open() } catch let error as StoreError {
            await server.stop()
            FileHandle.standardError.write(Data("groundwave-look: \(error)\n".utf8))
            throw ExitCode(error.code.exitCode)
        }
        let words =
            json
            ? "{\"address\":\"\(site.firstAddress)\"}\n"
            : "Looking at \(folder.path). Open this address, and end with Ctrl-C:\n\n  \(site.firstAddress)\n\n"
        FileHandle.standardOutput.write(Data(words.utf8))
        if open { Browser.open(site.firstAddress) }
        await Interruption.wait()
        await server.stop()
        await site.close()
    }

    /// Kept addresses lead to the same page at the next start, as long as nobody else uses the port.
    private static let usualPort = 8073

    private func serve(_ folder: URL, _ configuration: Configuration) async throws -> (LookServer, LookSite) {
        let ports = port.map { [$0] } ?? [Self.usualPort, 0]
        for port in ports {
            do {
                return try await LookServer.start(port: port) { port in
                    LookSite(
                        folder, configuration, Admission(token: Self.secret(), cookie: Self.secret(), port: port),
                        mayWrite: write)
                }
            } catch {}
        }
        let words = "groundwave-look: The port \(ports[0]) cannot be had. Choose another one with --port.\n"
        FileHandle.standardError.write(Data(words.utf8))
        throw ExitCode(StoreError.Code.busy.exitCode)
    }

    /// 128 bits that nobody can guess.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
