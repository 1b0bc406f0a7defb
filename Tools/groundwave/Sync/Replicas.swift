import ArgumentParser
import Groundwave
import GroundwaveWording

struct Replicas: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "The devices of this log: list, rename, retire, invite, approve, revoke, admit; say that a clock was wrong.",
        subcommands: [
            ReplicasList.self, ReplicasRename.self, ReplicasRetire.self, ReplicasInvite.self, ReplicasApprove.self,
            ReplicasRevoke.self, ReplicasAdmit.self, ReplicasClock.self,
        ],
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
            var membership: String?
            var uncounted: UInt64?
            var fingerprint: String?
        }

        var complete: Bool
        var replicas: [Item]
        var codes: [String]
    }

    func run() async throws {
        let store = try await options.openForReading()
        let (replicas, status) = (try store.replicas(), try store.syncStatus())
        let isSealed = try store.isSealed()
        if options.json {
            return try Terminal.print(
                json: Result(
                    complete: status.isComplete,
                    replicas: try replicas.map {
                        .init(
                            replica: "\($0.id)", device: $0.device, events: $0.events,
                            lastWritten: $0.lastWritten.map { UTCText.milliseconds($0) },
                            clockWasAheadSeconds: $0.clockWasAhead.map { $0 / 1000 },
                            clockSeemsAheadSeconds: $0.clockSeemsAhead.map { $0 / 1000 },
                            lastSaid: $0.lastManifest.map { UTCText.milliseconds($0) },
                            former: $0.former.map { "\($0)" },
                            successors: $0.successors.map { "\($0)" }, isThisDevice: $0.isThisDevice,
                            retired: $0.isRetired, returned: $0.hasReturned,
                            membership: try store.membership(of: $0.id).map(Self.word),
                            uncounted: isSealed ? try store.uncountedEvents(of: $0.id) : nil,
                            fingerprint: isSealed ? try store.fingerprint(of: $0.id) : nil)
                    }, codes: try store.openInvitations().values.sorted().map { UTCText.milliseconds($0) }))
        }
        var table = TextTable(
            ["DEVICE", "REPLICA", "EVENTS", "LAST WRITTEN (UTC)", "LAST SEEN (UTC)", ""], numbersFrom: 2, to: 2)
        for replica in replicas {
            table.append([
                replica.device ?? "unknown", replica.id.short, "\(replica.events)",
                replica.lastWritten.map { TimeText.milliseconds($0) } ?? "",
                replica.lastManifest.map { TimeText.milliseconds($0) } ?? "", try remark(on: replica, store),
            ])
        }
        try table.print()
        if isSealed { try printFingerprints(of: replicas, store) }
        for device in try store.claimedSeals() {
            let name = replicas.first { $0.id == device }?.device ?? device.short
            Terminal.remark(
                "\(name) (\(device.short)) says that it has sealed the log"
                    + (isSealed
                        ? ", and so does the device that this one believes. Its word counts for nothing here."
                        : ". Its words: \(try store.fingerprint(of: device) ?? "none yet"). To accept that: groundwave seal accept "
                            + "\"\(name)\""))
        }
        if !status.remotes.isEmpty, !status.isComplete {
            Terminal.remark("Not complete. To see what is missing: groundwave sync status")
        }
    }

    private static func word(for membership: Membership) -> String {
        switch membership {
        case .member: "member"
        case .waiting: "waiting"
        case .revoked: "revoked"
        }
    }

    /// Prints the fingerprints of this device and of those that wait, for people to compare.
    private func printFingerprints(of replicas: [ReplicaInformation], _ store: Store) throws {
        for replica in replicas {
            let isWaiting = try store.membership(of: replica.id) == .waiting
            guard replica.isThisDevice || isWaiting, let words = try store.fingerprint(of: replica.id) else { continue }
            Terminal.remark("The words of \(replica.device ?? replica.id.short): \(words)")
        }
    }

    private func remark(on replica: ReplicaInformation, _ store: Store) throws -> String {
        var remarks: [String] = []
        if replica.isThisDevice { remarks.append("this device") }
        switch try store.membership(of: replica.id) {
        case nil: break
        case .member:
            if let end = try store.openInvitations()[replica.id] {
                remarks.append("a code of this device for a new one, until \(TimeText.milliseconds(end))")
            } else if replica.events == 0, !replica.isThisDevice {
                remarks.append("nothing of it has arrived: a device, or a code for one")
            }
        case .waiting: remarks.append("waits for approval")
        case .revoked:
            let count = try store.uncountedEvents(of: replica.id)
            remarks.append(
                "revoked" + (count == 0 ? "" : ", \(NumberText.count(Int(count), "event")) of it kept apart"))
        }
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
