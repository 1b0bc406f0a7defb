import ArgumentParser
import Groundwave
import GroundwaveWording

struct ReplicasInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Show a code with which one new device joins a sealed log.",
        discussion: """
            The code works at each sealed remote with which this device has synchronised afterwards, and while this device waits \
            for others (groundwave serve). Whoever has it can read the log and join it, until this device hears of that, or the \
            time is over. If two devices have joined with it by then, neither belongs to the log.

              groundwave replicas invite
              groundwave replicas invite --hours 2
            """)

    @Option(help: ArgumentHelp("How many hours the code lasts, from 1 to 720.", valueName: "number"))
    var hours = 24
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard (1...720).contains(hours) else { throw ValidationError("A code lasts from 1 to 720 hours.") }
    }

    struct Result: Encodable {
        var code: String
        var until: String
    }

    func run() async throws {
        let store = try await options.openWhole()
        let invitation = try await store.invite(for: .seconds(hours * 3600))
        let end = TimeText.milliseconds(invitation.end)
        if options.json {
            return try Terminal.print(json: Result(code: invitation.code, until: UTCText.milliseconds(invitation.end)))
        }
        try Terminal.print("The code for one new device, shown only now, until \(end):\n\n  \(invitation.code)\n")
        let remotes = try store.remotes().map(\.name).filter { try store.isSealed(remote: $0) }
        Terminal.remark(
            remotes.isEmpty
                ? "The log has no sealed remote, so it works while this device waits for others: groundwave serve. On the new "
                    + "device: groundwave join groundwave://HOST:PORT, which asks for it."
                : "It works after the next sync of this device: groundwave sync. On the new device: groundwave join URL, which "
                    + "asks for it.")
    }
}
