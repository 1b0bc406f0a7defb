import ArgumentParser
import Groundwave
import GroundwaveWording

struct SealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Seal the log: remotes and bundles are encrypted, and only approved devices belong to the log.",
        discussion: """
            A sealed log has a passphrase, which opens what lies at remotes, a recovery phrase of twelve words, which \
            puts everything right, and a list of devices. What a device writes that nobody has approved is kept, and \
            changes nothing until somebody does. Direct connections (groundwave serve) are encrypted, too. A log stays sealed \
            for ever.

            The recovery phrase is shown once and stored nowhere. Write it down.

              groundwave seal
              groundwave seal --with "Summit phone" --passphrase-file secret.txt
              groundwave seal passphrase
            """,
        subcommands: [SealLog.self, SealAccept.self, SealPassphrase.self], defaultSubcommand: SealLog.self)
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
    @Flag(help: "Do not ask whether the words are written down.")
    var yes = false
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
        let passphrase = try secrets.newPassphrase()
        let words = Store.newRecoveryPhrase()
        if options.json {
            // Before the log is sealed: nobody can make other words for it.
            try Terminal.print(json: Result(log: "\(store.logID)", recoveryPhrase: words))
            return try await store.seal(passphrase: passphrase, recoveryPhrase: words, including: devices)
        }
        try Terminal.print("The recovery phrase of the log, shown only now:\n")
        for row in stride(from: 0, to: words.count, by: 4) {
            let cells = (row..<min(row + 4, words.count)).map { index in
                "\(index < 9 ? " " : "")\(index + 1) \(words[index].padding(toLength: 10, withPad: " ", startingAt: 0))"
            }
            try Terminal.print("  \(cells.joined(separator: " "))")
        }
        try Terminal.print("\nWrite it down: whoever has these words can read the log and decide who belongs to it.")
        if Terminal.canAsk, !yes {
            try Confirmation.ask("Have you written it down?", orElse: "Nothing was sealed.")
        }
        try await store.seal(passphrase: passphrase, recoveryPhrase: words, including: devices)
        try Terminal.print("The log \(store.logID.short) is sealed.")
        for remote in try store.remotes() where try !store.isSealed(remote: remote.name) {
            if case .host = remote.address { continue }
            Terminal.remark("\(remote.name) still lies open. To seal it: groundwave remote seal \(remote.name)")
        }
    }
}

struct SealAccept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Accept that another device has sealed the log.",
        discussion: """
            Anybody who can write at an open remote can claim that. Compare the six words that are shown here with those that \
            groundwave replicas shows on that device. A device that finds a remote sealed before it has heard of that \
            accepts it with the passphrase or the recovery phrase instead.

              groundwave seal accept shack
              groundwave seal accept --at cloud
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String?
    @Option(name: .customLong("at"), help: ArgumentHelp("The sealed remote.", valueName: "remote"))
    var remote: String?
    @Flag(help: "Do not ask whether the words are the same.")
    var yes = false
    @OptionGroup var secrets: PassphraseOptions
    @OptionGroup var phrase: PhraseOptions
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard (device == nil) != (remote == nil) else {
            throw ValidationError("Name the device that has sealed the log, or a sealed remote with --at.")
        }
        guard remote != nil || (secrets.passphraseFile == nil && phrase.phraseFile == nil) else {
            throw ValidationError("A passphrase or phrase opens a remote: name it with --at.")
        }
        guard secrets.passphraseFile == nil || phrase.phraseFile == nil else {
            throw ValidationError("--passphrase-file and --phrase-file cannot be used together.")
        }
    }

    struct Result: Encodable {
        var replica: String?
        var device: String?
        var fingerprint: String?
        var remote: String?
    }

    func run() async throws {
        let store = try await options.openWhole()
        if let remote {
            let unlocking: Unlocking =
                if let words = try phrase.words() { .phrase(words) } else { .passphrase(try secrets.passphrase()) }
            try await store.acceptSeal(at: remote, unlocking)
            if options.json { return try Terminal.print(json: Result(remote: remote)) }
            return try Terminal.print(
                "The log is sealed here too. To see who belongs to it, after the next sync: groundwave replicas")
        }
        guard let device else { return }
        let replica = try store.otherReplica(named: device)
        let name = try store.deviceNames()[replica] ?? replica.short
        let words = try store.fingerprint(of: replica)
        if !yes {
            try Confirmation.ask(
                "\(name) (\(replica.short)) shows these words: \(words ?? "none yet"). Are they the same there?",
                orElse:
                    "The words of \(name) are: \(words ?? "none yet"). This would accept that it has sealed the log.")
        }
        try await store.acceptSeal(by: replica)
        if options.json {
            return try Terminal.print(json: Result(replica: "\(replica)", device: name, fingerprint: words))
        }
        try Terminal.print("The log is sealed here too. Devices that \(name) has approved belong to it.")
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
