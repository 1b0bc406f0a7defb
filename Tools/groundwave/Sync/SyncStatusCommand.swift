import ArgumentParser
import Groundwave
import GroundwaveEvents

struct SyncStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether all devices have the same events; if not, what is missing where, and why.",
        discussion: """
            This is based on what each device last reported; it does not connect to a remote. Run groundwave sync \
            first for the latest state.
            """)

    @Flag(help: "Exit with status 1 unless all devices have the same events.")
    var exitCode = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let status = try await options.openForReading().syncStatus()
        if options.json {
            try Terminal.print(json: SyncStatusResult(status))
        } else {
            try self.print(status)
        }
        if exitCode, !status.isComplete { throw Answer.no }
    }

    private func print(_ status: SyncStatus) throws {
        let now = Clock.now
        if status.isOff { try Terminal.print("Synchronising is off on this device. To resume: groundwave sync on") }
        if status.remotes.isEmpty {
            try Terminal.print("No remotes yet.")
            return Terminal.remark("Add one: groundwave remote add NAME file:///path/to/folder")
        }
        for remoteStatus in status.remotes {
            try Terminal.print("\(remoteStatus.remote.name)  \(remoteStatus.remote.address)")
            try Terminal.print("  \(remoteStatus.sentence(now: now))")
            if let time = remoteStatus.lastSuccess {
                try Terminal.print("  Last synchronised \(TimeText.milliseconds(time)).")
            }
            if let failure = remoteStatus.failure { try Terminal.print("  The last attempt failed: \(failure)") }
            if let time = remoteStatus.emptied {
                try Terminal.print(
                    "  On \(TimeText.milliseconds(time)) the remote had lost its data; it was pushed again.")
            }
            for (replica, reason) in remoteStatus.quarantined.sorted(by: { $0.key < $1.key }) {
                try Terminal.print("  Quarantined: \(replica.short). \(reason)")
            }
            let devices = remoteStatus.devices.filter { !$0.isFormer }
            if devices.isEmpty { continue }
            var table = TextTable(
                ["  DEVICE", "REPLICA", "LAST SEEN (UTC)", "MISSING THERE", "MISSING HERE", ""], numbersFrom: 3, to: 4)
            for device in devices {
                table.append([
                    "  " + device.name, device.replica.short, TimeText.milliseconds(device.lastManifest),
                    "\(device.missing.reduce(0) { $0 + $1.count })", "\(device.has.reduce(0) { $0 + $1.count })",
                    device.differs.isEmpty
                        ? "" : "a different history of \(device.differs.map(\.short).joined(separator: ", "))",
                ])
            }
            try table.print()
        }
        for waiting in status.pending {
            let range = waiting.range
            try Terminal.print(
                "Pending: \(range.replica.short).\(range.first)-\(range.last), until \(waiting.expected) arrives.")
        }
        if status.valuesMissing > 0 {
            try Terminal.print(
                "\(NumberText.count(status.valuesMissing, "event")) arrived without values: the sender archived or erased "
                    + "them. They are requested again.")
        }
        if status.unclearErasures > 0 {
            try Terminal.print(
                "\(NumberText.count(status.unclearErasures, "event")) may have been erased elsewhere. That will be "
                    + "clear when the events that were seen there have arrived.")
        }
        if !status.forked.isEmpty {
            try Terminal.print(
                "Forked histories: \(NumberText.count(status.forked.count, "device")). To see them: groundwave forks")
        }
    }
}

/// The status as JSON.
struct SyncStatusResult: Encodable {
    struct Range: Encodable {
        var replica: String
        var first: UInt64
        var last: UInt64

        init(_ range: EventRange) {
            replica = "\(range.replica)"
            first = range.first
            last = range.last
        }
    }

    struct Device: Encodable {
        var replica: String
        var device: String
        var lastSaid: String
        var lacks: [Range]
        var has: [Range]
        var wants: [Range]
        var differs: [String]
        var former: Bool
    }

    struct RemoteStatus: Encodable {
        var name: String
        var url: String
        var complete: Bool
        var lastSuccess: String?
        var lastTry: String?
        var failure: String?
        var emptied: String?
        var unsent: [Range]
        var quarantined: [String: String]
        var devices: [Device]
    }

    var complete: Bool
    var off: Bool
    var vector: [String: UInt64]
    var waiting: [Range]
    var parted: [String]
    var lacking: UInt64
    var unclearErasures: UInt64
    var remotes: [RemoteStatus]

    init(_ status: SyncStatus) {
        complete = status.isComplete
        off = status.isOff
        vector = Dictionary(uniqueKeysWithValues: status.vector.entries.map { ("\($0.replica)", $0.sequence) })
        waiting = status.pending.map { Range($0.range) }
        parted = status.forked.map { "\($0)" }
        lacking = status.valuesMissing
        unclearErasures = status.unclearErasures
        remotes = status.remotes.map { remoteStatus in
            RemoteStatus(
                name: remoteStatus.remote.name, url: "\(remoteStatus.remote.address)",
                complete: remoteStatus.isComplete,
                lastSuccess: remoteStatus.lastSuccess.map { UTCText.milliseconds($0) },
                lastTry: remoteStatus.lastTry.map { UTCText.milliseconds($0) }, failure: remoteStatus.failure,
                emptied: remoteStatus.emptied.map { UTCText.milliseconds($0) },
                unsent: remoteStatus.unsent.map { Range($0) },
                quarantined: Dictionary(uniqueKeysWithValues: remoteStatus.quarantined.map { ("\($0.key)", $0.value) }),
                devices: remoteStatus.devices.map { device in
                    Device(
                        replica: "\(device.replica)", device: device.name,
                        lastSaid: UTCText.milliseconds(device.lastManifest), lacks: device.missing.map { Range($0) },
                        has: device.has.map { Range($0) }, wants: device.wanted.map { Range($0) },
                        differs: device.differs.map { "\($0)" }, former: device.isFormer)
                })
        }
    }
}

extension SyncStatus.RemoteStatus {
    /// How it stands, in a sentence.
    func sentence(now: Int64) -> String {
        guard lastSuccess != nil else { return "Not synchronised yet." }
        let current = devices.filter { !$0.isFormer }
        if isComplete {
            return current.isEmpty
                ? "Everything is pushed; no other device has synced here yet."
                : "Complete: \(current.count == 1 ? "both" : "all \(current.count + 1)") devices have the same events."
        }
        var parts: [String] = []
        let here = Set(current.flatMap(\.has)).reduce(0) { $0 + $1.count }
        if here > 0 {
            parts.append("\(NumberText.count(here, "event")) of other devices \(here == 1 ? "is" : "are") not here yet")
        }
        let unsent = unsent.reduce(0) { $0 + $1.count }
        if unsent > 0 {
            parts.append("\(NumberText.count(unsent, "event")) \(unsent == 1 ? "was" : "were") not pushed yet")
        }
        for device in current where !device.missing.isEmpty {
            parts.append(
                "\(device.name) is missing \(NumberText.count(device.missing.reduce(0) { $0 + $1.count }, "event"))")
        }
        for device in current where !device.wanted.isEmpty {
            let count = device.wanted.reduce(0) { $0 + $1.count }
            parts.append("\(device.name) waits for the values of \(NumberText.count(count, "event"))")
        }
        for device in current where !device.differs.isEmpty { parts.append("\(device.name) has a different history") }
        if !quarantined.isEmpty {
            parts.append("\(NumberText.count(quarantined.count, "device")) quarantined")
        }
        if failure != nil { parts.append("the last attempt failed") }
        return "Not complete: \(parts.joined(separator: "; "))."
    }
}
