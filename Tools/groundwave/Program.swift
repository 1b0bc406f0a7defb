import ArgumentParser
import Foundation
import Groundwave

/// The program: parses, calls the library, prints.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groundwave",
        abstract: "A logbook that keeps every change: import, look back, see who changed what and why, undo.",
        discussion: """
            Start with groundwave init, then groundwave import LOG.adi. The store is the folder given by --store, \
            else by GROUNDWAVE_STORE, else groundwave/default in $XDG_DATA_HOME (usually ~/.local/share; on macOS \
            ~/Library/Application Support).
            """,
        version: Store.libraryVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "The store",
                subcommands: [
                    Init.self,
                    Info.self, Look.self, Verify.self, Digest.self, Compare.self, Replay.self, Stats.self,
                    SnapshotCommand.self,
                ]),
            CommandGroup(
                name: "The logbook",
                subcommands: [
                    Import.self, Export.self, Listen.self,
                    QSO.self, Session.self, SettingsCommand.self, RecordCommand.self,
                    Undo.self, Clear.self, Backup.self,
                ]),
            CommandGroup(name: "Meters", subcommands: [MeterCommand.self, TraceCommand.self]),
            CommandGroup(
                name: "Several devices",
                subcommands: [
                    RemoteCommand.self, Join.self, SyncCommand.self, Serve.self, BundleCommand.self, Missing.self,
                    SealCommand.self, Replicas.self, Forks.self,
                ]),
            CommandGroup(name: "Recovery", subcommands: [Recover.self, SalvageCommand.self]),
            CommandGroup(
                name: "Audit, time travel, replay",
                subcommands: [
                    Conflicts.self, Duplicates.self,
                    HistoryVerb.self, BlameVerb.self, Diff.self, Watch.self, WhatIf.self, Revert.self, Erase.self,
                    Archive.self,
                    Prove.self, CheckProof.self, Head.self,
                ]),
        ])

    /// Parses, runs, and ends with the exit code of the contract; errors go to standard error.
    static func main() async {
        Output.prepare()
        CoreDump.prevent()
        do {
            var command = try parseAsRoot(LeadingOptions.behindCommand(Array(CommandLine.arguments.dropFirst())))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try Output.finish()
            OpenedStore.finish()
        } catch {
            Foundation.exit(status(after: error))
        }
    }

    /// Reports how a command ended, and returns the exit code.
    private static func status(after error: any Error) -> Int32 {
        switch error {
        case let error as StoreError:
            Terminal.report(error)
            if error.cause is Output.ClosedByReader { OpenedStore.finish() }
            return error.code.exitCode
        case let answer as Answer:
            OpenedStore.finish()
            return answer.exitCode
        case is ExitCode: return exitCode(for: error).rawValue
        case _ where exitCode(for: error) == .success:
            // A call for help is not an error.
            do { try Output.write(file: Array((fullMessage(for: error) + "\n").utf8)) } catch {
                return status(after: error)
            }
            return 0
        default:
            Terminal.reportUsage(error)
            return exitCode(for: error).rawValue
        }
    }
}

/// The outcome of a command that did its work but whose answer is not a plain yes.
enum Answer: Error {
    /// The answer is no.
    case no
    /// Done in part.
    case inPart
    /// Something went wrong and was already reported.
    case failed(StoreError.Code)

    var exitCode: Int32 {
        switch self {
        case .no: 1
        case .inPart: 3
        case .failed(let code): code.exitCode
        }
    }
}
