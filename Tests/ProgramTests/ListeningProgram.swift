import Foundation
import LoggerDatagrams
import NIOCore
import NIOPosix
import Testing

/// A running `groundwave listen`, and a logging program that sends datagrams to it.
struct ListeningProgram {
    private let running: Program.Running
    private let channel: any Channel
    /// Where it listens.
    let port: Int

    /// Starts it at a free port, with `--json` unless `isText`.
    init(_ program: Program, _ arguments: String..., isText: Bool = false) throws {
        running = try program.start(["listen", "--udp", "0"] + arguments + (isText ? [] : ["--json"]))
        let output = running.paths[0]
        var port: Int?
        try Self.wait(for: running.process) {
            let text = try String(contentsOf: output, encoding: .utf8)
            let start = text.firstRange(of: isText ? "127.0.0.1:" : "\"ports\":[")
            port = start.flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
            return port != nil && text.hasSuffix("\n")
        }
        self.port = try #require(port)
        channel = try DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .wait()
    }

    /// Sends datagrams, one after the other.
    func send(_ datagrams: [UInt8]...) throws { try send(datagrams) }

    /// Sends datagrams, one after the other.
    func send(_ datagrams: [[UInt8]]) throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        for datagram in datagrams {
            let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: datagram))
            try channel.writeAndFlush(envelope).wait()
        }
    }

    /// The lines of JSON that it has printed so far.
    func lines() throws -> [[String: Any]] {
        try String(contentsOf: running.paths[0], encoding: .utf8).split(separator: "\n").compactMap { line in
            try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
    }

    /// Waits until it has answered so many messages, and returns its answers.
    @discardableResult
    func answers(_ count: Int) throws -> [[String: Any]] {
        var answers: [[String: Any]] = []
        try Self.wait(for: running.process) {
            answers = try lines().filter { ["contact", "deletion"].contains($0["event"] as? String) }
            return answers.count >= count
        }
        return answers
    }

    /// Waits until its errors have a text.
    func waitForError(_ text: String) throws {
        try Self.wait(for: running.process) { try String(contentsOf: running.paths[1], encoding: .utf8).contains(text) }
    }

    /// Waits until its output has a text.
    func waitForOutput(_ text: String) throws {
        try Self.wait(for: running.process) { try String(contentsOf: running.paths[0], encoding: .utf8).contains(text) }
    }

    private static func wait(for process: Process, _ isDone: () throws -> Bool) throws {
        let end = Date.now + 60
        while try !isDone() {
            try #require(Date.now < end && process.isRunning, "groundwave listen does not answer")
            usleep(20_000)
        }
    }

    /// Asks it to end, and returns what came of it.
    func end(by signal: Int32 = SIGINT) throws -> Program.Outcome {
        kill(running.process.processIdentifier, signal)
        let outcome = try running.outcome()
        try channel.close().wait()
        return outcome
    }
}
