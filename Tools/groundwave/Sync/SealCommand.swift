import ArgumentParser
import Groundwave
import GroundwaveWording

struct SealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Seal the log: what leaves this device is encrypted, and only approved devices belong to the log.",
        discussion: """
            A sealed log has a passphrase, which opens what lies at remotes, a recovery phrase of twelve words, which \
            puts everything right, and a list of devices. What a device writes that nobody has approved is kept, and \
            changes nothing until somebody does. A log stays sealed for ever.

            The recovery phrase is shown once and stored nowhere. Write it down.

              groundwave seal
              groundwave seal --with "Summit phone" --passphrase-file secret.txt
              groundwave seal passphrase
            """,
        subcommands: [SealLog.self, SealPassphrase.self], defaultSubcommand: SealLog.self)
}

struct SealLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Seal the log (the default).",
        discussion: """
            Remotes that the log has lie open as before, until each is sealed: groundwave remote seal NAME.

              groundwave seal
            """)

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "Another device of the log that belongs to it; may be repeated. Others wait until they are approved.",
            valueName: "device"))
    var others: [String] = []
    @OptionGroup var secrets: PassphraseOptions
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var log: String
        var recoveryPhrase: [String]
    }

    func run() async throws {
        let store = try await options.openWhole()
        if try store.isSealed() {
            throw StoreError(
                .exists, "The log is sealed already.",
                hint:
                    "To see who belongs to it: groundwave replicas. To change the passphrase: groundwave seal passphrase"
            )
        }
        let devices = try others.map { try store.otherReplica(named: $0) }
        let words = try await store.seal(passphrase: try secrets.newPassphrase(), including: devices)
        if options.json {
            return try Terminal.print(json: Result(log: "\(store.logID)", recoveryPhrase: words))
        }
        try Terminal.print("The log \(store.logID.short) is sealed. Its recovery phrase, shown only now:\n")
        for row in stride(from: 0, to: words.count, by: 4) {
            let cells = (row..<min(row + 4, words.count)).map { index in
                "\(index < 9 ? " " : "")\(index + 1) \(words[index].padding(toLength: 10, withPad: " ", startingAt: 0))"
            }
            try Terminal.print("  \(cells.joined(separator: " "))")
        }
        try Terminal.print("\nWrite it down: whoever has these words can read the log and decide who belongs to it.")
        for remote in try store.remotes() where try !store.isSealed(remote: remote.name) {
            if case .host = remote.address { continue }
            Terminal.remark("\(remote.name) still lies open. To seal it: groundwave remote seal \(remote.name)")
        }
    }
}

struct SealPassphrase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase", abstract: "Change the passphrase of a sealed log.",
        discussion: """
            What was sealed before stays as it is: whoever has kept a copy of it and knows the former passphrase can still \
            read that copy.

              groundwave seal passphrase
            """)

    @OptionGroup var secrets: PassphraseOptions
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var changed: Bool
    }

    func run() async throws {
        let store = try await options.openWhole()
        try await store.changePassphrase(to: try secrets.newPassphrase())
        if options.json { return try Terminal.print(json: Result(changed: true)) }
        try Terminal.print("The passphrase was changed. Remotes follow with the next sync of this device.")
    }
}
