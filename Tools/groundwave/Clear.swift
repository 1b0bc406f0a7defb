import ArgumentParser
import Foundation
import Groundwave

struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Empty this device's store; no other device loses anything.",
        discussion: """
            First it sends what it can, and reads back what lies in the folders of the remotes. Events that were not read \
            there go into a bundle beside the store, which groundwave bundle apply brings back; the bundle is written and \
            checked before anything is deleted. If synchronising is on, everything that others have is fetched again at \
            once; if it is off, the store stays empty until groundwave sync on and groundwave sync. What others have is \
            never deleted.

              groundwave clear
              groundwave clear --confirm CLEAR
              groundwave clear --discard --confirm 37
            """)

    @Option(
        help: ArgumentHelp(
            "The word CLEAR, or with --discard the number of events that are lost, in place of typing it.",
            valueName: "word"))
    var confirm: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Write the bundle to this file.", valueName: "file"))
    var output: String?
    @Flag(help: "Leave no bundle: what exists nowhere else is lost.")
    var discard = false
    @Flag(help: "Show what would go, and change nothing here.")
    var dryRun = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var cleared: UInt64
        var qsos: Int
        var unsent: UInt64
        var bundle: String?
        var remarks: [String]
        var restoring: Bool
        var qsosNow: Int?
    }

    func validate() throws {
        if discard, output != nil { throw ValidationError("--discard leaves no bundle: leave --output out.") }
    }

    func run() async throws {
        let store = try await options.openWhole()
        let clearing = try await store.prepareClearing(bundle: output.map { URL(filePath: $0).path })
        if !options.json { try tell(clearing, isOff: try store.isSyncOff()) }
        if dryRun {
            if options.json { try Terminal.print(json: result(clearing, discard ? nil : clearing.bundle, now: nil)) }
            return
        }
        try confirmed(discard && clearing.unsent > 0 ? "\(clearing.unsent)" : "CLEAR")
        let isJSON = options.json
        let bundle = try await store.clear(clearing, discarding: discard ? clearing.unsent : nil) { path, count in
            // Before anything is deleted; under --json too, should nothing else be printed any more.
            let line: TerminalText = "\(NumberText.count(count, "event")) saved in \(path)."
            if isJSON { Terminal.remark(line) } else { try Terminal.print(line) }
        }
        var failure: StoreError?
        if clearing.restores {
            if !options.json { try Terminal.print("Restoring what others have …") }
            for remote in try store.remotes() {
                do { try await store.sync(remote) } catch let error as StoreError { failure = error }
            }
        }
        let count = try store.read { try $0.count(.contacts) }
        if options.json {
            try Terminal.print(json: result(clearing, bundle, now: count))
        } else {
            try Terminal.print("Cleared. This device has \(NumberText.count(count, "contact")) now.")
            if let bundle {
                try Terminal.print("To bring back what was saved: groundwave bundle apply \(bundle)")
            }
        }
        if let failure {
            throw StoreError(
                failure.code, "The store was cleared; \(failure.message)",
                hint: "groundwave sync fetches what others have when the remote is back.", cause: failure)
        }
    }

    private func tell(_ clearing: Clearing, isOff: Bool) throws {
        try Terminal.print(
            "This would take \(NumberText.count(clearing.contacts, "contact")) (\(NumberText.count(clearing.events, "event"))) "
                + "off this device\(snapshots(clearing.snapshots)).")
        for remark in clearing.remarks { Terminal.remark("\(remark)") }
        try Terminal.print("\(proof(clearing))")
        if clearing.unprovable > 0 {
            try Terminal.print(
                "\(NumberText.count(clearing.unprovable, "event")) of these can be proven to nobody, so no bundle can hold "
                    + "them: this is only done with --discard.")
        }
        if clearing.restores {
            try Terminal.print("Synchronising is on: what others have is fetched again at once.")
        } else if isOff {
            try Terminal.print("Nothing is fetched again until groundwave sync on and groundwave sync.")
        }
    }

    private func snapshots(_ count: Int) -> String {
        count == 0 ? "" : ", and \(NumberText.count(count, "snapshot")) of it"
    }

    private func proof(_ clearing: Clearing) -> String {
        if clearing.unsent == 0 { return "All of these events were just read back at a remote." }
        let count = NumberText.count(clearing.unsent, "event")
        let events = "\(count) \(clearing.unsent == 1 ? "was" : "were") not found at any remote"
        if discard { return "\(events): they would be lost." }
        return "\(events): they are saved in \(clearing.bundle ?? "nothing") first."
    }

    private func result(_ clearing: Clearing, _ bundle: String?, now: Int?) -> Result {
        Result(
            cleared: clearing.events, qsos: clearing.contacts, unsent: clearing.unsent, bundle: bundle,
            remarks: clearing.remarks, restoring: clearing.restores, qsosNow: now)
    }

    private func confirmed(_ word: String) throws {
        if let confirm {
            guard confirm == word else {
                throw StoreError(
                    .usage,
                    "“\(confirm)” is not \(discard && word != "CLEAR" ? "the number of events" : "the word CLEAR").",
                    hint: "Nothing was deleted.")
            }
            return
        }
        guard isatty(STDIN_FILENO) == 1, Terminal.isTerminal else {
            throw StoreError(
                .usage, "This would empty the store of this device.", hint: "Add --confirm \(word) to do it.")
        }
        Terminal.ask(
            word == "CLEAR"
                ? "Type CLEAR to empty this device's store: "
                : "Type how many events are lost to empty this device's store: "
        )
        guard readLine() == word else { throw Answer.no }
    }
}
