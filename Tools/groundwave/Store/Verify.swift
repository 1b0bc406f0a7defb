import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveWording

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every event, chain and tree of the log, the views and every snapshot. Read-only.",
        discussion: """
            The files are read page by page, without the database, so that any damage can be examined. With --deep, \
            the log is replayed in a temporary folder and the result is compared with the views. With --archive, the \
            log and that archive are checked as one. Exits with status 65 if anything is wrong.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var archives: ArchiveOptions

    @Flag(help: "Also replay the log, and compare the result with the views.")
    var deep = false

    struct Result: Encodable {
        struct Replica: Encodable {
            var replica: String
            var events: UInt64
            var root: String?
        }

        struct Range: Encodable {
            var replica: String
            var first: UInt64
            var last: UInt64
        }

        struct Damage: Encodable {
            var what: String
            var replica: String?
            var first: UInt64?
            var last: UInt64?
            var detail: String
        }

        var ok: Bool
        var events: UInt64
        var replicas: [Replica]
        var missing: [Range]
        var damage: [Damage]
        var archivedEvents: Int?
        var digest: String?
    }

    func run() async throws {
        let verification = try await Progress.during("Verifying") { _ in
            try await Store.verify(at: options.url, isDeep: deep, archives: archives.files, components: .all)
        }
        let result = Result(
            ok: verification.isOK, events: verification.events,
            replicas: verification.replicas.map {
                .init(replica: "\($0.replica)", events: $0.events, root: $0.root.map { "\($0)" })
            },
            missing: verification.missing.map {
                .init(replica: "\($0.replica)", first: $0.first, last: $0.last)
            },
            damage: verification.damage.map {
                .init(
                    what: $0.what, replica: $0.replica.map { "\($0)" }, first: $0.first, last: $0.last,
                    detail: $0.detail)
            },
            archivedEvents: verification.archivedEvents, digest: verification.comparison.map { "\($0.after.hash)" })
        if options.json { try Terminal.print(json: result) } else { try describe(result, verification) }
        if !result.ok { throw ExitCode(StoreError.Code.damaged.exitCode) }
    }

    private func describe(_ result: Result, _ verification: StoreVerification) throws {
        var replicas = TextTable(["REPLICA", "EVENTS", "ROOT"], numbersFrom: 1, to: 1)
        for replica in result.replicas {
            replicas.append([replica.replica, "\(replica.events)", replica.root ?? "not computable: events are lost"])
        }
        try replicas.print()
        try Terminal.print("")
        for damage in result.damage.prefix(50) {
            try Terminal.print("\(Self.place(of: damage)): \(damage.detail)")
        }
        if result.damage.count > 50 {
            try Terminal.print("… and \(result.damage.count - 50) more: --json lists them all.")
        }
        if let comparison = verification.comparison {
            try Terminal.print(
                comparison.isSame ? "The views match the log." : "The views do not match the log.")
        }
        if let count = verification.archivedEvents {
            let files = archives.files.count
            try Terminal.print(
                "\(files == 1 ? "The archive is" : "The archives are") intact: \(NumberText.count(count, "event")) in "
                    + "\(NumberText.count(files, "file")).")
        }
        let lost = verification.missing.reduce(0) { $0 + $1.count }
        try Terminal.print(
            result.ok
                ? Terminal.styled("All is well:", .green) + " \(NumberText.count(result.events, "event"))."
                : Terminal.styled("Problems found:", .red) + " \(NumberText.count(result.damage.count, "finding")), "
                    + "\(NumberText.count(result.events, "event")) intact\(lost > 0 ? ", \(lost) lost" : "").")
        if lost > 0 {
            Terminal.remark(
                verification.damage.allSatisfy { $0.what == "hole" }
                    ? "The next groundwave sync brings back lost events that other devices still have."
                    : "To see what can be done: groundwave recover status. Do not change the folder until then.")
        }
    }

    /// Returns the file, the replica and the events that a finding is about. Its code, `what`, is for scripts.
    private static func place(of damage: Result.Damage) -> String {
        let file =
            switch damage.what {
            case "views": "Views"
            case "snapshot": "Snapshot"
            case "archive": "Archive"
            case "identity": "Key"
            default: "Log"
            }
        let replica = damage.replica.map { "replica \($0.prefix(8))" }
        let events = damage.first.map { words($0, damage.last ?? $0) }
        return [file, replica, events].compactMap { $0 }.joined(separator: ", ")
    }

    private static func words(_ first: UInt64, _ last: UInt64) -> String {
        first == last ? "event \(first)" : "events \(first) to \(last)"
    }
}
