import ArgumentParser
import Foundation
import Groundwave

struct RecoverRestore: AsyncParsableCommand {
    enum Origin: String, ExpressibleByArgument, CaseIterable {
        case salvage, snapshot, remote
    }

    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Have the store restored when it is opened next.",
        discussion: """
            salvage goes on with every event that could be got out of the damaged file. snapshot is the same, and what is \
            lost before the newest snapshot shows as it was then; times before it cannot be looked at any more. remote \
            begins anew and fetches what a remote has. What was logged meanwhile is in all of them.
            """)

    @Option(help: "Where from: salvage, snapshot, remote.")
    var from = Origin.salvage
    @Flag(help: "Tell what would be restored, and decide nothing.")
    var dryRun = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let recovery = try await options.recovery()
        if dryRun {
            let status = try Store.recoveryStatus(at: options.url)
            return options.json
                ? try Terminal.print(json: RecoverStatus.Result(status)) : try RecoveryText.print(status)
        }
        try await recovery.stageRestore(from: source)
        try recovery.temporary.close()
        let status = try Store.recoveryStatus(at: options.url)
        if options.json { return try Terminal.print(json: RecoverStatus.Result(status)) }
        let way = status.staged ?? ""
        try Terminal.print("Decided: \(RecoveryText.words(ofWay: way)). \(RecoveryText.next(afterWay: way))")
    }

    private var source: Recovery.Source {
        switch from {
        case .salvage: .salvage
        case .snapshot: .snapshot
        case .remote: .remote
        }
    }
}

struct RecoverReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Begin anew, empty but for what was logged meanwhile.",
        discussion: """
            The damaged file stays in EmergencyBackup. Synchronising is switched off until groundwave sync on; what others \
            have then comes back.
            """)

    @Option(help: ArgumentHelp("The word RESET, in the place of typing it.", valueName: "word"))
    var confirm: String?
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let recovery = try await options.recovery()
        try recovery.reset(confirmation: try word())
        try recovery.temporary.close()
        let status = try Store.recoveryStatus(at: options.url)
        if options.json { return try Terminal.print(json: RecoverStatus.Result(status)) }
        try Terminal.print("Decided: begin anew, empty. The next groundwave command does it.")
        try Terminal.print("The damaged file stays in \(status.failure?.backup ?? "EmergencyBackup").")
    }

    private func word() throws -> String {
        if let confirm { return confirm }
        guard isatty(STDIN_FILENO) == 1, Terminal.isTerminal else {
            throw StoreError(
                .usage, "This would begin the store anew, empty.", hint: "Add --confirm RESET to do it.")
        }
        Terminal.ask("Type RESET to begin anew, empty: ")
        return readLine() ?? ""
    }
}

extension StoreOptions {
    /// The recovery that waits.
    func recovery() async throws -> Recovery {
        guard let recovery = try await Store.recovery(at: url, configuration()) else {
            throw StoreError(.notFound, "No recovery waits: the store is in use.", hint: "See groundwave verify.")
        }
        return recovery
    }
}
