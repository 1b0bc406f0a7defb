import ArgumentParser
import Foundation
import Groundwave

struct RecoverRestore: AsyncParsableCommand {
    enum Origin: String, ExpressibleByArgument, CaseIterable {
        case salvage, snapshot, remote
    }

    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore the store the next time it is opened.",
        discussion: """
            With salvage, the store continues with every event that could be read from the damaged file. With \
            snapshot, it does the same, and records whose events were lost before the newest snapshot appear as they \
            were then; times before the snapshot can no longer be viewed. If nothing could be salvaged, only the \
            snapshot is restored. With remote, the store starts over and fetches what a remote has. What was logged \
            meanwhile is kept in every case.
            """)

    @Option(help: "The source: salvage, snapshot or remote.")
    var from = Origin.salvage
    @Flag(help: "Show what would be restored, and decide nothing.")
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
        try Terminal.print(RecoveryText.decision(status.staged ?? "", of: status))
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
        commandName: "reset", abstract: "Start over, empty except for what was logged meanwhile.",
        discussion: """
            The damaged file stays in EmergencyBackup. Synchronising is switched off; after groundwave sync on, what \
            other devices have comes back.
            """)

    @Option(help: ArgumentHelp("Confirm without being asked: RESET.", valueName: "word"))
    var confirm: String?
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let recovery = try await options.recovery()
        try recovery.reset(confirmation: try word())
        try recovery.temporary.close()
        let status = try Store.recoveryStatus(at: options.url)
        if options.json { return try Terminal.print(json: RecoverStatus.Result(status)) }
        try Terminal.print(RecoveryText.decision(status.staged ?? "", of: status))
        if let backup = status.failure?.backup, !backup.isEmpty {
            try Terminal.print("The damaged file stays in \(backup).")
        }
    }

    private func word() throws -> String {
        if let confirm { return confirm }
        guard Terminal.canAsk else {
            throw StoreError(
                .usage, "This would start over with an empty store.", hint: "Add --confirm RESET to do it.")
        }
        Terminal.ask("Type RESET to start over with an empty store: ")
        return readLine() ?? ""
    }
}

extension StoreOptions {
    /// The recovery that waits.
    func recovery() async throws -> Recovery {
        guard let recovery = try await Store.recovery(at: url, configuration()) else {
            throw StoreError(
                .notFound, "The store is not waiting for recovery.", hint: "To check it: groundwave verify")
        }
        return recovery
    }
}
