import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveWording

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Recover a damaged store: see its state, restore it, start over, or write a report.",
        discussion: """
            The damaged log is preserved in EmergencyBackup byte for byte, and a temporary store takes its place, so \
            that you can keep logging. What you log there is added to whatever you choose. Nothing is decided without \
            you.

              groundwave recover status        what happened, and what is lost
              groundwave recover restore       continue with what was salvaged
              groundwave recover reset         start over, empty
              groundwave recover diagnostics   a file for a bug report; decides nothing
            """,
        subcommands: [RecoverStatus.self, RecoverRestore.self, RecoverDiagnostics.self, RecoverReset.self],
        defaultSubcommand: RecoverStatus.self)
}

/// The remark of a command that runs while recovery is waiting.
enum RecoveryRemark {
    static func print(of recovery: Recovery) {
        Terminal.remark(
            "The store is damaged and waiting for recovery: \(recovery.failure.message). This is a "
                + "temporary store; what you log here is kept. To see what can be done: groundwave recover")
    }
}

struct RecoverStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the store is damaged or waiting for recovery, and what is lost.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Failure: Encodable {
            var at: String
            var code: String
            var message: String
            var file: String
            var backup: String
            var moved: Bool
        }

        struct Snapshot: Encodable {
            var id: String
            var qsos: Int
            var at: String
        }

        struct Range: Encodable {
            var replica: String
            var first: UInt64
            var last: UInt64
            var peers: [String]
        }

        struct Receipt: Encodable {
            var appended: UInt64
            var recovered: UInt64
            var lost: [Range]
            var unnamed: UInt64
            var atLeast: Bool
            var returned: UInt64
        }

        var state: String
        var failure: Failure?
        var snapshot: Snapshot?
        var receipt: Receipt?
        var staged: String?
    }

    func run() async throws {
        let status = try Store.recoveryStatus(at: options.url)
        if options.json { return try Terminal.print(json: Result(status)) }
        try RecoveryText.print(status)
    }
}

extension RecoverStatus.Result {
    init(_ status: RecoveryStatus) {
        state = status.state.rawValue
        failure = status.failure.map {
            Failure(
                at: TimeText.iso($0.at), code: $0.code, message: $0.message, file: $0.file, backup: $0.backup,
                moved: $0.isMoved)
        }
        snapshot = status.snapshot.map { Snapshot(id: $0.id, qsos: $0.contacts, at: TimeText.iso($0.at)) }
        receipt = status.receipt.map { receipt in
            Receipt(
                appended: receipt.appended, recovered: receipt.recovered,
                lost: status.lost.map { range in
                    Range(
                        replica: "\(range.replica)", first: range.first, last: range.last,
                        peers: (status.peers[range] ?? []).map { "\($0)" })
                }, unnamed: receipt.unnamed, atLeast: receipt.isAtLeast,
                returned: receipt.lost.reduce(0) { $0 + $1.count } - status.lost.reduce(0) { $0 + $1.count })
        }
        staged = status.staged
    }
}

/// The state of recovery, in words.
enum RecoveryText {
    static func print(_ status: RecoveryStatus) throws {
        switch status.state {
        case .whole: try Terminal.print("No known damage. This store was never recovered.")
        case .damaged:
            try Terminal.print(
                Terminal.styled("The store is damaged", .red)
                    + ": \(status.failure?.message ?? "") (\(status.failure?.file ?? "")).")
            try Terminal.print(
                status.isLogMissing
                    ? "The next groundwave command uses a temporary store; groundwave recover status then shows what can be restored."
                    : "The next groundwave command moves the damaged file to EmergencyBackup, byte for byte, and uses a "
                        + "temporary store; groundwave recover status then shows what could be salvaged.")
        case .recovered:
            guard let receipt = status.receipt else {
                return try Terminal.print("No known damage. The store was started over once, after damage.")
            }
            try Terminal.print("No known damage. The store was recovered once:")
            try Self.print(receipt, lost: status.lost, peers: status.peers)
        case .waiting, .staged:
            if let failure = status.failure { try Self.print(failure) }
            try Terminal.print("")
            if let receipt = status.receipt {
                try Terminal.print(
                    status.isLogMissing
                        ? "The log is missing. Ready to restore, from the newest snapshot:"
                        : "Salvaged from the damaged file, and ready to restore:")
                try Self.print(receipt, lost: status.lost, peers: status.peers)
            } else {
                try Terminal.print(
                    status.isLogMissing
                        ? "There is nothing to salvage: the log is missing."
                        : "Nothing could be salvaged from the damaged file.")
            }
            if let snapshot = status.snapshot {
                try Terminal.print(
                    "Newest snapshot: \(NumberText.count(snapshot.contacts, "contact")), of \(TimeText.date(snapshot.at))."
                )
            }
            try Terminal.print("")
            if let staged = status.staged {
                try Terminal.print(decision(staged, of: status))
            } else {
                try Self.print(choicesFor: status)
            }
        }
    }

    private static func print(_ failure: Recovery.Failure) throws {
        try Terminal.print(
            Terminal.styled("The store is waiting for recovery", .red) + " since \(TimeText.date(failure.at)): "
                + "\(failure.message) (\(failure.file)).")
        if !failure.backup.isEmpty {
            try Terminal.print("The damaged file is in \(failure.backup), byte for byte.")
        }
    }

    static func print(_ receipt: RecoveryReceipt, lost: [EventRange], peers: [EventRange: [ReplicaID]]) throws {
        let least = receipt.isAtLeast ? "at least " : ""
        let stillLost = lost.reduce(0) { $0 + $1.count } + receipt.unnamed
        let returned = receipt.lostCount - stillLost
        var table = TextTable(["", "EVENTS"], numbersFrom: 1)
        table.append(["  appended", "\(least)\(receipt.appended)"])
        table.append(["  recovered", "\(receipt.recovered)"])
        if returned > 0 { table.append(["  brought back since", "\(returned)"]) }
        table.append(["  lost", "\(least)\(stillLost)"])
        try table.print()
        for range in lost.prefix(20) {
            let peers = peers[range] ?? []
            try Terminal.print(
                "  lost: \(range.replica.short) \(range.first == range.last ? "\(range.first)" : "\(range.first) to \(range.last)")"
                    + (peers.isEmpty ? "" : ", which \(peers.map(\.short).joined(separator: ", ")) had"))
        }
        if lost.count > 20 { try Terminal.print("  … and \(lost.count - 20) more: --json lists them all.") }
        if receipt.unnamed > 0 {
            try Terminal.print("  Of \(NumberText.count(receipt.unnamed, "event")), not even the id is known.")
        }
        if stillLost > 0 {
            try Terminal.print(
                "  The next groundwave sync brings back lost events that other devices still have.")
        }
    }

    private static func print(choicesFor status: RecoveryStatus) throws {
        try Terminal.print("What was logged since then is added to whatever you choose:")
        var table = TextTable(["COMMAND", "DOES"])
        if status.receipt != nil {
            table.append(["groundwave recover restore", "continues with what was salvaged"])
        }
        if status.snapshot != nil {
            table.append([
                "groundwave recover restore --from snapshot",
                status.isLogMissing
                    ? "starts over; the records in the snapshot appear as they were then"
                    : "the same; records lost before the snapshot appear as they were then",
            ])
        }
        table.append([
            "groundwave recover restore --from remote", "starts over; groundwave sync then fetches what a remote has",
        ])
        table.append(["groundwave recover reset", "starts over, empty"])
        table.append(["groundwave recover diagnostics -o FILE", "writes a report; decides nothing"])
        try table.print()
    }

    /// What was decided, and what happens next.
    static func decision(_ way: String, of status: RecoveryStatus) -> TerminalText {
        let words =
            switch way {
            case "salvage": "restore what was salvaged from the damaged file"
            case "snapshot" where status.isLogMissing: "start over, with the newest snapshot"
            case "snapshot": "restore what was salvaged, and the newest snapshot"
            case "remote": "start over, with what a remote has"
            default: "start over, empty"
            }
        let fetches = way == "remote" ? "; groundwave sync then fetches the rest" : ""
        return "Decided: \(words). The next groundwave command does it\(fetches)."
    }
}

extension RecoveryStatus {
    /// Whether there is no file of the log, so that there is nothing to salvage.
    fileprivate var isLogMissing: Bool { failure?.code == "missing" }
}
