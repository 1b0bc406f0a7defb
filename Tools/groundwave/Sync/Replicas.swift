import ArgumentParser
import Groundwave

struct Replicas: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The devices of this log: list, rename.",
        subcommands: [ReplicasList.self, ReplicasRename.self], defaultSubcommand: ReplicasList.self)
}

struct ReplicasRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a device, on all devices.",
        discussion: """
            Specify the device by its present name, or by the first letters of its replica id. What it wrote before \
            shows the new name too. groundwave undo does not revert a rename: rename the device again.

              groundwave replicas rename shack.local Shack
              groundwave replicas rename 6HZZCXME "Summit phone"
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String
    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var name: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var replica: String
        var device: String
        var changed: Bool
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        let replica = try store.replica(named: device)
        let written = try await store.rename(replica, to: name, note: writing.note ?? "", author: writing.author)
        let now = try store.deviceNames()[replica] ?? name
        if options.json {
            return try Terminal.print(json: Result(replica: "\(replica)", device: now, changed: written.value))
        }
        try Terminal.print(
            written.value
                ? "\(replica.short) is now called \(now)."
                : "No change: it already has this name.")
    }
}

struct ReplicasList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the devices, and which replica each was before its store was copied or restored from a backup.",
        discussion: """
              groundwave replicas list
            """)

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Item: Encodable {
            var replica: String
            var device: String?
            var events: UInt64
            var lastWritten: String?
            var lastSaid: String?
            var former: String?
            var successors: [String]
            var isThisDevice: Bool
        }

        var replicas: [Item]
    }

    func run() async throws {
        let replicas = try await options.openForReading().replicas()
        if options.json {
            return try Terminal.print(
                json: Result(
                    replicas: replicas.map {
                        .init(
                            replica: "\($0.id)", device: $0.device, events: $0.events,
                            lastWritten: $0.lastWritten.map { UTCText.milliseconds($0) },
                            lastSaid: $0.lastManifest.map { UTCText.milliseconds($0) },
                            former: $0.former.map { "\($0)" },
                            successors: $0.successors.map { "\($0)" }, isThisDevice: $0.isThisDevice)
                    }))
        }
        var table = TextTable(
            ["DEVICE", "REPLICA", "EVENTS", "LAST WRITTEN (UTC)", "LAST SEEN (UTC)", ""], numbersFrom: 2, to: 2)
        for replica in replicas {
            let remark =
                if replica.isThisDevice {
                    replica.former.map { "this device; continues \($0.short)" } ?? "this device"
                } else if !replica.successors.isEmpty {
                    "continues as \(replica.successors.map(\.short).joined(separator: ", "))"
                } else {
                    replica.former.map { "continues \($0.short)" } ?? ""
                }
            table.append([
                replica.device ?? "unknown", replica.id.short, "\(replica.events)",
                replica.lastWritten.map { TimeText.milliseconds($0) } ?? "",
                replica.lastManifest.map { TimeText.milliseconds($0) } ?? "", remark,
            ])
        }
        try table.print()
    }
}
