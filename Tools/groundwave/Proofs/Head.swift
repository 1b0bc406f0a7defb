import ArgumentParser
import Groundwave

struct Head: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Sign what this device has logged, and check what was signed.",
        discussion: """
            A signed head is a short fingerprint of everything that this device has logged so far. Anyone who keeps it \
            can check later whether any of that was changed, and whether a proof of a contact is from this log. It \
            does not reveal what is in the log.
            """,
        subcommands: [HeadShow.self, HeadCheck.self],
        defaultSubcommand: HeadShow.self)
}
