import ArgumentParser
import Foundation
import Groundwave
import GroundwaveWording

struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Clone a log from a remote into a new store.",
        discussion: """
            If somebody has left a snapshot there (see the setting syncEngine), it is fetched first, and commands that \
            read show it at once, from another terminal too; the history follows. Until everything is fetched, commands \
            that write, or need the history, refuse the store. If it is interrupted, run the same command again, or \
            groundwave sync: it goes on where it ended.

            A sealed log is opened with its passphrase, which is asked for; this device then waits until another one \
            approves it. With a code (groundwave replicas invite, on another device), typed in place of the passphrase, or with \
            the recovery phrase it belongs to the log at once. Over a connection (groundwave serve, on the device that shows it) only \
            a code opens it.

              groundwave join file:///mnt/shack/log --name laptop
              groundwave join file:///mnt/shack/log --name laptop --replaces laptop
              groundwave join groundwave://192.0.2.7:7373 --name phone
            """)

    @Argument(
        help: ArgumentHelp(
            "The address of the log: file:///path/to/folder, or the path; s3://bucket/prefix; or groundwave://host:port.",
            valueName: "url"))
    var url: String
    @Option(help: ArgumentHelp("The name of this device; default: the host's name.", valueName: "device"))
    var name: String?
    @Option(
        help: ArgumentHelp(
            "The device of the log that this one was before it lost its store: nothing waits for it any more.",
            valueName: "device"))
    var replaces: String?
    @OptionGroup var bucket: BucketOptions
    @OptionGroup var secrets: PassphraseOptions
    @OptionGroup var phrase: PhraseOptions
    @Option(
        help: ArgumentHelp(
            "The file with a code that another device has shown; - for the standard input.", valueName: "file"))
    var codeFile: String?
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard [secrets.passphraseFile, phrase.phraseFile, codeFile].count(where: { $0 != nil }) < 2 else {
            throw ValidationError("Only one of --passphrase-file, --phrase-file and --code-file can be used.")
        }
    }

    struct Result: Encodable {
        var store: String
        var log: String
        var replica: String
        var qsos: Int
        var complete: Bool
    }

    func run() async throws {
        var configuration = options.configuration()
        if let name { configuration.deviceName = name }
        let (store, summary, hasCode) = try await join(try bucket.address(url), configuration)
        if let replaces {
            try await store.replace(try store.otherReplica(named: replaces))
            try await store.sync(summary.remote)
        }
        let count = try store.read { try $0.count(.contacts) }
        let status = try store.syncStatus()
        if options.json {
            try Terminal.print(
                json: Result(
                    store: store.url.path, log: "\(store.logID)", replica: store.replica.map { "\($0)" } ?? "",
                    qsos: count, complete: status.isComplete))
        } else {
            try report(store, summary, count, configuration, hasCode)
        }
        if !status.here.isEmpty || !summary.quarantined.isEmpty {
            for remote in status.remotes where !options.json { Terminal.remark("\(remote.sentence)") }
            throw Answer.inPart
        }
    }

    /// Joins with what opens the log, if it is sealed: asks for the passphrase where that was not given.
    private func join(
        _ address: RemoteAddress, _ configuration: Configuration
    ) async throws -> (store: Store, summary: SyncSummary, hasCode: Bool) {
        func joined(with unlocking: Unlocking?) async throws -> (store: Store, summary: SyncSummary, hasCode: Bool) {
            let (store, summary) = try await Self.join(address, at: options.url, configuration, unlocking)
            let hasCode = if case .code = unlocking { true } else { false }
            return (store, summary, hasCode)
        }
        var unlocking: Unlocking?
        if let words = try phrase.words() {
            unlocking = .phrase(words)
        } else if let file = secrets.passphraseFile {
            unlocking = .passphrase(try Secret.line(of: file))
        } else if let codeFile {
            unlocking = .code(try Secret.line(of: codeFile))
        }
        do { return try await joined(with: unlocking) } catch let error as StoreError {
            guard unlocking == nil, error.isSealedRemote, isatty(STDIN_FILENO) == 1 else { throw error }
            Terminal.remark("\(error.message)")
            let isDevice = if case .host = address { true } else { false }
            let typed = try Secret.typed(isDevice ? "Code" : "Passphrase or code")
            return try await joined(with: Unlocking.isCode(typed) ? .code(typed) : .passphrase(typed))
        }
    }

    /// Joins the log at `address`, or goes on with it, and shows how far it is.
    static func join(
        _ address: RemoteAddress, at url: URL, _ configuration: Configuration, _ unlocking: Unlocking? = nil
    ) async throws -> (store: Store, summary: SyncSummary) {
        let joined = try await Progress.during("Looking for the log") { progress in
            try await Store.join(address, at: url, configuration, unlocking: unlocking) { show($0, progress) }
        }
        OpenedStore.remember(joined.store)
        return joined
    }

    private static func show(_ step: JoinProgress, _ progress: Progress) {
        switch step {
        case .snapshot(let part, let count): progress.update("Fetching the snapshot: part \(part) of \(count)")
        case .unusable(let created, let reason):
            Terminal.remark(
                "The snapshot of \(TimeText.milliseconds(created)) cannot be used: \(reason). Nothing is lost: the log "
                    + "itself has everything.")
        case .readable(let snapshot):
            Terminal.remark(
                "Readable from now on, as of \(TimeText.milliseconds(snapshot.created)): "
                    + "\(NumberText.count(snapshot.recordCount, "record")). The history follows.")
        case .history(let events, let total):
            let known = total.map { " of \(NumberText.count($0, "event"))" } ?? ""
            progress.update("Fetching the history: \(events)\(known)")
        }
    }

    private func report(
        _ store: Store, _ summary: SyncSummary, _ count: Int, _ configuration: Configuration, _ hasCode: Bool
    ) throws {
        try Terminal.print(
            "The log \(store.logID.short) is in \(store.url.path) now: \(NumberText.count(count, "contact")), "
                + "\(NumberText.count(summary.receivedEvents, "event")).")
        let device = try store.replica.flatMap { try store.deviceNames()[$0] } ?? configuration.deviceName
        try Terminal.print(
            "This device is \(device), replica \(store.replica?.short ?? ""); its remote is called "
                + "\(summary.remote.name).")
        if let replica = store.replica, try store.membership(of: replica) == .waiting {
            if hasCode {
                Terminal.remark("The code lets nobody in any more: it was used, or its time is over.")
            }
            Terminal.remark(
                "The log is sealed, and this device waits for approval: what it writes counts from then on. On a device that "
                    + "belongs to the log: groundwave replicas approve \"\(device)\". Its words: "
                    + "\(try store.fingerprint(of: replica) ?? ""). With the recovery phrase, here: "
                    + "groundwave replicas approve \"\(device)\" --phrase-file FILE")
        }
    }
}
