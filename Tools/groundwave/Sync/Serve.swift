import ArgumentParser
import Everything
import Groundwave
import GroundwaveNetwork
import GroundwaveWording

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait for other devices of this log, and keep them up to date while they are connected.",
        discussion: """
            If the log is sealed, only devices that belong to it can connect, and those that join with a code of this \
            device (groundwave replicas invite); what is said is encrypted: see groundwave seal --help.

            WARNING: if it is not sealed, anyone who can reach the address can read the whole log and add to it. \
            Without --listen, only programs on this machine can reach it. Listen on another address only if you trust \
            the whole network, or use ssh: `ssh host groundwave sync --stdio`.

              groundwave serve
              groundwave serve --listen 192.0.2.7:7373

            On the other device: groundwave remote add shack groundwave://192.0.2.7:7373, then groundwave sync, or \
            groundwave sync --watch. Runs until it is interrupted.
            """)

    @Option(help: ArgumentHelp("The address to listen on; port 0 for any free port.", valueName: "host:port"))
    var listen = "127.0.0.1:7373"
    @OptionGroup var options: StoreOptions

    struct Line: Encodable {
        var event: String
        var address: String
        var peer: Int?
        var replica: String?
        var device: String?
        var sent: UInt64?
        var received: Int?
        var returned: Int?
        var member: Bool?
        var reason: String?
    }

    func run() async throws {
        let endpoint = try HostAndPort(listen)
        let store = try await options.openWhole()
        let serving = try await store.serve(at: endpoint)
        let sources = Interruption.whenAsked { await serving.stop() }
        defer { for source in sources { source.cancel() } }
        try Self.sayWhoMayConnect(to: serving.address, isSealed: store.isSealed())
        if options.json {
            try Terminal.print(json: Line(event: "listening", address: "\(serving.address)"))
        } else {
            try Terminal.print(
                "Listening on \(serving.address): groundwave remote add NAME groundwave://\(serving.address)")
        }
        for await event in serving.events {
            if options.json { try Terminal.print(json: Line(event)) } else { try Terminal.print("\(Self.text(event))") }
        }
    }

    private static func sayWhoMayConnect(to address: HostAndPort, isSealed: Bool) throws {
        if isSealed {
            return Terminal.remark(
                "The log is sealed: only devices that belong to it can connect, or have a code of this one, and what is said is "
                    + "encrypted.")
        }
        let warning: TerminalText =
            address.isLoopback
            ? "The log is not sealed, so nothing is encrypted; only programs on this machine can reach this address."
            : "WARNING: the log is not sealed. Anyone who can reach this address can read the whole log and add to it."
        Terminal.remark(Terminal.styled(warning, .yellow, on: 2))
    }

    private static func text(_ event: Serving.Event) -> String {
        switch event {
        case .connected(let peer): return "\(name(peer)) is connected from \(peer.address)."
        case .synced(let peer, let sent, let received, let returned):
            return "\(name(peer)): sent \(NumberText.count(sent, "event")), received "
                + "\(NumberText.received(received, returned: returned))."
        case .joined(let peer, true): return "\(name(peer)) has joined with a code, and belongs to the log."
        case .joined(let peer, false):
            return "\(name(peer)) has joined with a code that another device has used too: neither belongs to the log."
        case .quarantined(let peer, let sentence): return "\(name(peer)) was quarantined. \(sentence)"
        case .disconnected(let peer, let reason):
            return "\(name(peer)) has disconnected\(reason.map { ": \($0)" } ?? "")."
        }
    }

    private static func name(_ peer: Serving.Peer) -> String {
        peer.device ?? peer.replica?.short ?? "A device at \(peer.address)"
    }
}

extension Serve.Line {
    fileprivate init(_ event: Serving.Event) {
        switch event {
        case .connected(let peer): self.init("connected", peer)
        case .synced(let peer, let sent, let received, let returned):
            self.init("synced", peer)
            self.sent = sent
            self.received = received
            self.returned = returned
        case .joined(let peer, let isMember):
            self.init("joined", peer)
            member = isMember
        case .quarantined(let peer, let sentence):
            self.init("quarantined", peer)
            reason = sentence
        case .disconnected(let peer, let reason):
            self.init("gone", peer)
            self.reason = reason
        }
    }

    private init(_ event: String, _ peer: Serving.Peer) {
        self.init(
            event: event, address: peer.address, peer: peer.number, replica: peer.replica.map { "\($0)" },
            device: peer.device)
    }
}
