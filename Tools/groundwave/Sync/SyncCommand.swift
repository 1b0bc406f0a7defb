import ArgumentParser
import Groundwave

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Pull what other devices have logged, and push what this one has.",
        discussion: """
            Without a name, uses all remotes. Every step can be interrupted safely: the next sync resumes.

              groundwave sync
              groundwave sync shack --watch
              groundwave sync status
            """,
        subcommands: [SyncNow.self, SyncStatusCommand.self, SyncOff.self, SyncOn.self],
        defaultSubcommand: SyncNow.self)
}

struct SyncOff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Stop synchronising on this device; nothing is deleted anywhere.")

    @OptionGroup var options: StoreOptions

    func run() async throws { try await SyncSwitch.set(isOff: true, options) }
}

struct SyncOn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Resume synchronising on this device.")

    @OptionGroup var options: StoreOptions

    func run() async throws { try await SyncSwitch.set(isOff: false, options) }
}

private enum SyncSwitch {
    struct Result: Encodable {
        var off: Bool
        var changed: Bool
    }

    static func set(isOff: Bool, _ options: StoreOptions) async throws {
        let store = try await options.openWhole()
        let isNew = try store.setSync(isOff: isOff)
        if options.json { return try Terminal.print(json: Result(off: isOff, changed: isNew)) }
        let word = isOff ? "off" : "on"
        try Terminal.print(
            isNew
                ? (isOff
                    ? "Synchronising is off on this device. The data here and at the remotes stays."
                    : "Synchronising is on. groundwave sync pulls and pushes what has accumulated meanwhile.")
                : "Synchronising is already \(word).")
    }
}
