import ArgumentParser
import Everything
import Groundwave
import GroundwaveConnections
import GroundwaveLogbook
import GroundwaveLoggerMessages
import GroundwaveWording

struct Listen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Log the contacts that WSJT-X, JTDX, N1MM and GridTracker report while they are made.",
        discussion: """
            These programs send what they log to a UDP port of this machine: 2237 is usual for WSJT-X, JTDX and \
            GridTracker, 12060 for N1MM. Each contact is logged once, whoever reports it and how often, also if the log \
            file of the program is imported later. A contact that N1MM changes or deletes is changed or hidden here. What \
            you have corrected or hidden by hand stays. Docs/Listening.md says how to set up the programs. Runs until it \
            is interrupted.

              groundwave listen
              groundwave listen --udp 2333 --session none
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    @Option(
        help: ArgumentHelp(
            "A port to listen on instead of 2237 and 12060; 0 for any free one. Repeatable.", valueName: "port"))
    var udp: [Int] = []

    @Option(
        help: ArgumentHelp(
            "The session that new contacts belong to: an id, last, or none; default: the open session.", valueName: "id"
        ))
    var session: String?

    private static let usualPorts = [2237, 12060]

    func validate() throws {
        guard udp.allSatisfy({ 0...65_535 ~= $0 }) else { throw ValidationError("--udp must be 0 to 65535.") }
    }

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let choice = try SessionName.choice(session, store)
        let receiver = try await receiver()
        let sources = Interruption.whenAsked { await receiver.stop() }
        defer { for source in sources { source.cancel() } }
        var reception = Reception(store, choice, writing, isJSON: options.json)
        do {
            try reception.began(at: receiver.ports)
            for await message in receiver.messages { try await reception.take(message) }
        } catch {
            await receiver.stop()
            throw error
        }
        try reception.end(lostCount: receiver.lostCount)
    }

    private func receiver() async throws -> DatagramReceiver<LoggerMessage> {
        do {
            return try await DatagramReceiver.receive(at: udp.isEmpty ? Self.usualPorts : udp) { datagram in
                LoggerMessage.messages(in: datagram).filter { $0 != .other }
            }
        } catch {
            if error.isInUse {
                throw StoreError(
                    .busy, "Another program receives at the UDP port \(error.port).",
                    hint: "Close it, or choose another port here and in the program that reports: --udp 2333",
                    cause: error)
            }
            throw StoreError(
                .inputOutput, "Cannot listen on the UDP port \(error.port): \(error.reason).",
                hint: "Choose another port: --udp 2333", cause: error)
        }
    }
}
