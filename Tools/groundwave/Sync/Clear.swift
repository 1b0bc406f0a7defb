import ArgumentParser
import Foundation
import Groundwave
import GroundwaveWording

struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Empty this device's store; no other device loses anything.",
        discussion: """
            First, this command pushes what it can and reads back what is in the remote folders. Events that are not \
            found there are saved in a bundle beside the store. The bundle is written and checked before anything is \
            deleted; groundwave bundle apply restores its events. If synchronising is on, everything that other \
            devices have is fetched again at once. If it is off, the store stays empty until groundwave sync on and \
            groundwave sync. What other devices and remotes have is never deleted.

              groundwave clear
              groundwave clear --confirm CLEAR
              groundwave clear --discard --confirm 37
            """)

    @Option(
        help: ArgumentHelp(
            "Confirm without being asked: CLEAR, or with --discard the number of events that will be lost.",
            valueName: "word"))
    var confirm: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Write the bundle to this file.", valueName: "file"))
    var output: String?
    @Flag(help: "Write no bundle: events that exist nowhere else are lost.")
    var discard = false
    @Flag(help: "Show what would be deleted, and change nothing on this device.")
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
        if discard, output != nil { throw ValidationError("--discard writes no bundle: leave out --output.") }
    }

    func run() async throws {
        let store = try await options.openWhole()
        let clearing = try await store.prepareClearing(bundle: output.map { URL(filePath: $0).path })
        if !options.json { try printReport(clearing, isOff: try store.isSyncOff()) }
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
            if !options.json { try Terminal.print("Fetching what other devices have …") }
            for remote in try store.remotes() {
                do { try await store.sync(remote) } catch let error as StoreError { failure = error }
            }
        }
        let count = try store.read { try $0.count(.contacts) }
        if options.json {
            try Terminal.print(json: result(clearing, bundle, now: count))
        } else {
            try Terminal.print("Cleared. This device has \(NumberText.count(count, "contact")) now.")
            if clearing.restores {
                for remote in try store.syncStatus().remotes where !remote.here.isEmpty {
                    try Terminal.print("\(remote.sentence)")
                }
            }
            if let bundle {
                try Terminal.print("To restore what was saved: groundwave bundle apply \(bundle)")
            }
        }
        if let failure {
            throw StoreError(
                failure.code, "The store was cleared, but fetching events again failed: \(failure.message)",
                hint: "When the remote can be reached again: groundwave sync", cause: failure)
        }
    }

    private func printReport(_ clearing: Clearing, isOff: Bool) throws {
        try Terminal.print(
            "This would delete \(NumberText.count(clearing.contacts, "contact")) (\(NumberText.count(clearing.events, "event"))) "
                + "from this device\(snapshots(clearing.snapshots)).")
        for remark in clearing.remarks { Terminal.remark("\(remark)") }
        try Terminal.print("\(proof(clearing))")
        if clearing.unprovable > 0 {
            try Terminal.print(
                "\(NumberText.count(clearing.unprovable, "event")) of these cannot be proven to other devices, so no "
                    + "bundle can hold them. Clearing them needs --discard.")
        }
        if clearing.restores {
            try Terminal.print("Synchronising is on: everything that other devices have is fetched again at once.")
        } else if isOff {
            try Terminal.print(
                "Synchronising is off: nothing is fetched again until you run groundwave sync on and groundwave sync.")
        }
    }

    private func snapshots(_ count: Int) -> String {
        count == 0 ? "" : ", and \(NumberText.count(count, "snapshot"))"
    }

    private func proof(_ clearing: Clearing) -> String {
        if clearing.unsent == 0 { return "All of these events were just read back from a remote." }
        let count = NumberText.count(clearing.unsent, "event")
        let events = "\(count) \(clearing.unsent == 1 ? "was" : "were") not found on any remote"
        if discard { return "\(events) and would be lost." }
        return "\(events) and will first be saved in \(clearing.bundle ?? "nothing")."
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
        guard Terminal.canAsk else {
            throw StoreError(
                .usage, "This would empty the store of this device.", hint: "Add --confirm \(word) to do it.")
        }
        Terminal.ask(
            word == "CLEAR"
                ? "Type CLEAR to empty this device's store: "
                : "Type the number of events that will be lost to empty this device's store: "
        )
        guard readLine() == word else { throw Answer.no }
    }
}
