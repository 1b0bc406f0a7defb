import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveWording

struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the store contains, even if it is damaged.",
        discussion: """
            Nothing is changed. If the log is damaged, this command says so, shows the other files of the store, and \
            exits with status 65.
            """)

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        struct Sizes: Encodable {
            var log: Int
            var views: Int
            var snapshots: Int
        }

        struct Replica: Encodable {
            var replica: String
            var device: String?
            var events: UInt64
            var isThisDevice: Bool
        }

        struct Derived: Encodable {
            var name: String
            var kinds: [String]
            var behind: Int
        }

        struct Trouble: Encodable {
            var part: String
            var message: String
        }

        struct Sync: Encodable {
            struct Remote: Encodable {
                var name: String
                var lastSuccess: String?
                var failure: String?
            }

            var off: Bool
            var remotes: [Remote]

            init(_ sync: StoreInformation.Sync) {
                off = sync.isOff
                remotes = sync.remotes.map { remote in
                    Remote(
                        name: remote.name, lastSuccess: remote.lastSuccess.map { UTCText.milliseconds($0) },
                        failure: remote.failure)
                }
            }
        }

        var store: String
        var log: String?
        var replica: String?
        var events: UInt64
        var position: UInt64?
        var checkpoint: UInt64?
        var replicas: Int
        var devices: [Replica]
        var qsos: Int
        var hidden: Int
        var sessions: Int
        var settings: Int
        var meters: Int
        var traces: Int
        var archived: UInt64?
        var unread: Int
        var derived: [Derived]
        var bytes: Sizes
        var lookedAt: String?
        var sync: Sync?
        var format: UInt32
        var program: String
        var liblmdb: String
        var damage: [Trouble]
    }

    func run() async throws {
        let information =
            options.at == nil
            ? try StoreInformation(at: options.url, components: .all) : try StoreInformation(of: await options.open())
        let result = Self.result(information, store: options.url.standardizedFileURL.path)
        if options.json { try Terminal.print(json: result) } else { try describe(result, information) }
        if information.isDamaged { throw ExitCode(StoreError.Code.damaged.exitCode) }
    }

    private static func result(_ information: StoreInformation, store: String) -> Result {
        let qsos = information.records["qso"] ?? (0, 0)
        return Result(
            store: store, log: information.logID.map { "\($0)" }, replica: information.replica.map { "\($0)" },
            events: information.events, position: information.position, checkpoint: information.checkpoint,
            replicas: information.vector?.entries.count ?? 0,
            devices: (information.vector?.entries ?? []).map { entry in
                Result.Replica(
                    replica: "\(entry.replica)", device: information.devices[entry.replica], events: entry.sequence,
                    isThisDevice: entry.replica == information.replica)
            },
            qsos: qsos.shown, hidden: qsos.hidden, sessions: information.records["session"]?.shown ?? 0,
            settings: information.records["setting"]?.shown ?? 0, meters: information.records["meter"]?.shown ?? 0,
            traces: information.records["trace"]?.shown ?? 0, archived: information.archived?.eventCount,
            unread: information.unread.count,
            derived: information.derived.map { .init(name: $0.name, kinds: $0.kinds, behind: $0.behind) },
            bytes: .init(
                log: information.bytes.log, views: information.bytes.views, snapshots: information.bytes.snapshots),
            lookedAt: information.lastChecked.map { UTCText.milliseconds($0) },
            sync: information.sync.map(Result.Sync.init), format: information.format, program: Store.libraryVersion,
            liblmdb: information.lmdbVersion,
            damage: information.troubles.map { .init(part: $0.part, message: $0.message) })
    }

    /// A line for each remote: whether all have the same is for `sync status` to say.
    private static func lines(of sync: StoreInformation.Sync?) -> [String] {
        guard let sync else { return [] }
        if sync.isOff { return ["off on this device"] }
        return sync.remotes.map { remote in
            let last = remote.lastSuccess.map { "last synced \(TimeText.milliseconds($0))" } ?? "not synced yet"
            return "\(remote.name): \(last)" + (remote.failure == nil ? "" : "; the last attempt failed")
        }
    }

    private static func words(for derived: [Result.Derived]) -> String {
        derived.map { table in
            table.behind == 0 ? table.name : "\(table.name), \(NumberText.count(table.behind, "record")) behind"
        }.joined(separator: "; ")
    }

    private func describe(_ result: Result, _ information: StoreInformation) throws {
        var table = TextTable(["Store", result.store])
        table.append(["Log", result.log ?? "not readable"])
        for replica in result.devices {
            let device = replica.device ?? "a device without a name"
            let mark = replica.isThisDevice ? ", this device" : ""
            table.append([
                "Replica",
                "\(replica.replica.prefix(8))  \(device)\(mark): \(NumberText.count(replica.events, "event"))",
            ])
        }
        if let position = result.position {
            let checkpoint =
                result.checkpoint == position ? "all in the views" : "\(result.checkpoint ?? 0) in the views"
            table.append(["Events", "\(result.events), \(checkpoint)"])
        }
        if !result.derived.isEmpty {
            table.append(["Derived", Self.words(for: result.derived)])
        }
        if let archived = result.archived {
            table.append(["Archived", "the values of the first \(NumberText.count(archived, "event"))"])
        }
        if result.checkpoint != nil {
            let hidden = result.hidden == 0 ? "" : ", \(result.hidden) hidden"
            table.append(["Contacts", "\(result.qsos)\(hidden)"])
            table.append(["Sessions", "\(result.sessions)"])
            table.append(["Settings", "\(result.settings)"])
            if result.meters > 0 || result.traces > 0 {
                table.append([
                    "Traces",
                    "\(result.traces) of \(NumberText.count(result.meters, "meter"))",
                ])
            }
        }
        table.append([
            "Size",
            [(result.bytes.log, "log"), (result.bytes.views, "views"), (result.bytes.snapshots, "snapshots")]
                .filter { $0.0 > 0 || $0.1 != "snapshots" }.map { "\(NumberText.bytes($0.0)) \($0.1)" }
                .joined(separator: ", "),
        ])
        if let looked = information.lastChecked {
            table.append(["Pages", "checked, and all intact, at \(TimeText.milliseconds(looked))"])
        }
        for line in Self.lines(of: information.sync) { table.append(["Sync", line]) }
        table.append([
            "Version", "Groundwave \(result.program), log format \(result.format), liblmdb \(result.liblmdb)",
        ])
        try table.print()
        if result.unread > 0 {
            let unknown = information.unread.count(where: \.isUnknown)
            try Terminal.print(
                "\(NumberText.count(result.unread, "event")) kept but not shown: \(unknown) of a type that this "
                    + "version does not know, \(result.unread - unknown) malformed.")
        }
        for trouble in result.damage { Terminal.remark("! \(trouble.part): \(trouble.message)") }
        if information.isDamaged { Terminal.remark("  To see what can be done: groundwave recover status") }
    }
}
