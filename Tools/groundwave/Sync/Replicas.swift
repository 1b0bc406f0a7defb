import ArgumentParser
import Groundwave
import GroundwaveWording

struct Replicas: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The devices of this log: list, rename, retire; say that the clock of one was wrong.",
        subcommands: [ReplicasList.self, ReplicasRename.self, ReplicasRetire.self, ReplicasClock.self],
        defaultSubcommand: ReplicasList.self
    )
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

struct ReplicasRetire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Stop waiting for a device that is gone for ever, on all devices.",
        discussion: """
            What it wrote stays. What it is missing, and what is missing of its events, no longer counts. If it is not \
            gone, its next event or sync ends this.

              groundwave replicas retire "Summit phone"
              groundwave replicas retire 6HZZCXME
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var replica: String
        var device: String
        var changed: Bool
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        let replica = try store.otherReplica(named: device)
        let written = try await store.retire(replica, note: writing.note ?? "", author: writing.author)
        let name = try store.deviceNames()[replica] ?? replica.short
        if options.json {
            return try Terminal.print(json: Result(replica: "\(replica)", device: name, changed: written.value))
        }
        try Terminal.print(
            written.value
                ? "\(name) (\(replica.short)) is retired: nothing waits for it any more. If it comes back, it counts again."
                : "No change: it is retired already.")
    }
}

struct ReplicasList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the devices, and which replica each was before its store was copied, or its clock was wrong.",
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
            var clockWasAheadSeconds: Int64?
            var clockSeemsAheadSeconds: Int64?
            var lastSaid: String?
            var former: String?
            var successors: [String]
            var isThisDevice: Bool
            var retired: Bool
            var returned: Bool
        }

        var complete: Bool
        var replicas: [Item]
    }

    func run() async throws {
        let store = try await options.openForReading()
        let (replicas, status) = (try store.replicas(), try store.syncStatus())
        if options.json {
            return try Terminal.print(
                json: Result(
                    complete: status.isComplete,
                    replicas: replicas.map {
                        .init(
                            replica: "\($0.id)", device: $0.device, events: $0.events,
                            lastWritten: $0.lastWritten.map { UTCText.milliseconds($0) },
                            clockWasAheadSeconds: $0.clockWasAhead.map { $0 / 1000 },
                            clockSeemsAheadSeconds: $0.clockSeemsAhead.map { $0 / 1000 },
                            lastSaid: $0.lastManifest.map { UTCText.milliseconds($0) },
                            former: $0.former.map { "\($0)" },
                            successors: $0.successors.map { "\($0)" }, isThisDevice: $0.isThisDevice,
                            retired: $0.isRetired, returned: $0.hasReturned)
                    }))
        }
        var table = TextTable(
            ["DEVICE", "REPLICA", "EVENTS", "LAST WRITTEN (UTC)", "LAST SEEN (UTC)", ""], numbersFrom: 2, to: 2)
        for replica in replicas {
            table.append([
                replica.device ?? "unknown", replica.id.short, "\(replica.events)",
                replica.lastWritten.map { TimeText.milliseconds($0) } ?? "",
                replica.lastManifest.map { TimeText.milliseconds($0) } ?? "", Self.remark(on: replica),
            ])
        }
        try table.print()
        if !status.remotes.isEmpty, !status.isComplete {
            Terminal.remark("Not complete. To see what is missing: groundwave sync status")
        }
    }

    private static func remark(on replica: ReplicaInformation) -> String {
        var remarks: [String] = []
        if replica.isThisDevice { remarks.append("this device") }
        if replica.isRetired { remarks.append("retired") }
        if replica.hasReturned { remarks.append("was retired, and is back") }
        if replica.successors.isEmpty || replica.isThisDevice {
            if let former = replica.former { remarks.append("continues \(former.short)") }
        } else {
            let successors = replica.successors.map(\.short).joined(separator: ", ")
            let isReason = replica.clockWasAhead != nil
            remarks.append("\(isReason ? "continued" : "continues") as \(successors)")
        }
        if let ahead = replica.clockWasAhead {
            let words = "its clock was ahead by \(UTCText.span(milliseconds: ahead))"
            if replica.successors.isEmpty {
                remarks.append(words)
            } else {
                remarks[remarks.count - 1] += " because \(words)"
            }
        }
        if let ahead = replica.clockSeemsAhead {
            remarks.append("its clock seems to be ahead by \(UTCText.span(milliseconds: ahead))")
        }
        return remarks.joined(separator: "; ")
    }
}
