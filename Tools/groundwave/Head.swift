import ArgumentParser
import Groundwave

struct Head: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "head", abstract: "Sign what this device has logged, and check what was signed.",
        discussion: """
            A signed head is one short line of numbers that stands for all this device has logged so far. Whoever keeps it \
            can tell later whether any of it was changed, and whether a proof of a contact is of this log. It says nothing \
            of what is in the log.
            """,
        subcommands: [HeadShow.self, HeadCheck.self],
        defaultSubcommand: HeadShow.self)
}
