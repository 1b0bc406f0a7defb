import ArgumentParser
import Foundation
import Groundwave

struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Empty this device's store; no other device loses anything.",
        discussion: """
            First it sends what it can, and tells what exists nowhere else. Where synchronising is on, everything that \
            others have is fetched again at once; where it is off, the store stays empty until groundwave sync on and \
            groundwave sync. What others have is never deleted.
            """)

    @Option(help: ArgumentHelp("The word CLEAR, in the place of typing it.", valueName: "word"))
    var confirm: String?
    @Flag(help: "Tell what would go, and change nothing here.")
    var dryRun = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var cleared: UInt64
        var qsos: Int
        var unsent: UInt64
        var restoring: Bool
        var qsosNow: Int?
    }

    func run() async throws {
        let store = try await options.openWhole()
        let clearing = try await store.prepareClearing()
        if !options.json { try tell(clearing) }
        if dryRun {
            if options.json { try Terminal.print(json: result(clearing, now: nil)) }
            return
        }
        try confirmed()
        try await store.clear()
        var failure: StoreError?
        if clearing.restores {
            if !options.json { try Terminal.print("Restoring what others have …") }
            for remote in try store.remotes() {
                do { try await store.sync(remote) } catch let error as StoreError { failure = error }
            }
        }
        let count = try store.read { try $0.count(.contacts) }
        if options.json {
            try Terminal.print(json: result(clearing, now: count))
        } else {
            try Terminal.print("Cleared. This device has \(NumberText.count(count, "contact")) now.")
        }
        if let failure { throw failure }
    }

    private func tell(_ clearing: Clearing) throws {
        try Terminal.print(
            "This would take \(NumberText.count(clearing.contacts, "contact")) (\(NumberText.count(clearing.events, "event"))) "
                + "off this device.")
        for failure in clearing.failures { Terminal.remark("\(failure)") }
        try Terminal.print(
            clearing.unsent == 0
                ? "All of it lies at a remote too."
                : "\(NumberText.count(clearing.unsent, "event")) of it exist nowhere else, as far as this device knows: "
                    + "they would be lost.")
        try Terminal.print(
            clearing.restores
                ? "Synchronising is on: what others have is fetched again at once."
                : "Nothing is fetched again until groundwave sync on and groundwave sync.")
    }

    private func result(_ clearing: Clearing, now: Int?) -> Result {
        Result(
            cleared: clearing.events, qsos: clearing.contacts, unsent: clearing.unsent, restoring: clearing.restores,
            qsosNow: now)
    }

    private func confirmed() throws {
        if let confirm {
            guard confirm == "CLEAR" else {
                throw StoreError(.usage, "“\(confirm)” is not the word CLEAR.", hint: "Nothing was taken away.")
            }
            return
        }
        guard isatty(STDIN_FILENO) == 1, Terminal.isTerminal else {
            throw StoreError(
                .usage, "This would empty the store of this device.", hint: "Add --confirm CLEAR to do it.")
        }
        Terminal.ask("Type CLEAR to empty this device's store: ")
        guard readLine() == "CLEAR" else { throw Answer.no }
    }
}
