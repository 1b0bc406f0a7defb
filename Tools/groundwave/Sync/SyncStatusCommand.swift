import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveWording

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

    private static func remark(on device: SyncStatus.Device) -> String {
        var remarks: [String] = []
        if device.hasReturned { remarks.append("was retired, and is back") }
        if !device.differs.isEmpty {
            remarks.append("a different history of \(device.differs.map(\.short).joined(separator: ", "))")
        }
        if !device.omitted.isEmpty {
            let count = device.omitted.reduce(0) { $0 + $1.count }
            remarks.append("has hidden \(NumberText.count(count, "event")) here that it had")
        }
        return remarks.joined(separator: "; ")
    }

    private func print(_ status: SyncStatus) throws {
        if status.isOff { try Terminal.print("Synchronising is off on this device. To resume: groundwave sync on") }
        if status.remotes.isEmpty {
            try Terminal.print("No remotes yet.")
            return Terminal.remark("Add one: groundwave remote add NAME file:///path/to/folder")
        }
        for remoteStatus in status.remotes {
            try Terminal.print("\(remoteStatus.remote.name)  \(remoteStatus.remote.address)")
            try Terminal.print("  \(remoteStatus.sentence)")
            if let time = remoteStatus.lastSuccess {
                try Terminal.print("  Last synchronised \(TimeText.milliseconds(time)).")
            }
            if let failure = remoteStatus.failure { try Terminal.print("  The last attempt failed: \(failure)") }
            if let time = remoteStatus.emptied {
                try Terminal.print(
                    "  On \(TimeText.milliseconds(time)) the remote had lost data; it was pushed again.")
            }
            for (replica, reason) in remoteStatus.quarantined.sorted(by: { $0.key < $1.key }) {
                try Terminal.print("  Quarantined: \(replica.short). \(reason)")
            }
            for (replica, reason) in remoteStatus.strangers.sorted(by: { $0.key < $1.key }) {
                try Terminal.print("  Not read: \(replica.short). \(reason)")
            }
            let devices = remoteStatus.living
            if devices.isEmpty { continue }
            var table = TextTable(
                ["  DEVICE", "REPLICA", "LAST SEEN (UTC)", "MISSING THERE", "MISSING HERE", ""], numbersFrom: 3, to: 4)
            for device in devices {
                table.append([
                    "  " + device.name, device.replica.short, TimeText.milliseconds(device.lastManifest),
                    "\(EventSet(device.missing).count)", "\(EventSet(device.has).count)", Self.remark(on: device),
                ])
            }
            try table.print()
        }
        let open = status.remotes.filter(\.isOpen).map(\.remote.name)
        if !open.isEmpty {
            try Terminal.print(
                "Lying open, so that whoever can read it can read the log: \(open.joined(separator: ", ")). To encrypt it: "
                    + (status.isSealed ? "groundwave remote seal NAME" : "groundwave seal"))
        }
        let retired = Set(status.remotes.flatMap(\.devices).filter(\.isRetired).map(\.name)).sorted()
        if !retired.isEmpty { try Terminal.print("Retired, and not counted: \(retired.joined(separator: ", ")).") }
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
        var omits: [Range]
        var former: Bool
        var retired: Bool
        var returned: Bool
    }

    struct RemoteStatus: Encodable {
        var name: String
        var url: String
        var complete: Bool
        var open: Bool
        var lastSuccess: String?
        var lastTry: String?
        var failure: String?
        var emptied: String?
        var unsent: [Range]
        var quarantined: [String: String]
        var strangers: [String: String]
        var devices: [Device]
    }

    var complete: Bool
    var off: Bool
    var vector: [String: UInt64]
    var missing: [Range]
    var waiting: [Range]
    var parted: [String]
    var lacking: UInt64
    var unclearErasures: UInt64
    var remotes: [RemoteStatus]

    init(_ status: SyncStatus) {
        complete = status.isComplete
        off = status.isOff
        vector = Dictionary(uniqueKeysWithValues: status.vector.entries.map { ("\($0.replica)", $0.sequence) })
        missing = status.here.events.ranges.map { Range($0) }
        waiting = status.pending.map { Range($0.range) }
        parted = status.forked.map { "\($0)" }
        lacking = status.valuesMissing
        unclearErasures = status.unclearErasures
        remotes = status.remotes.map { remoteStatus in
            RemoteStatus(
                name: remoteStatus.remote.name, url: "\(remoteStatus.remote.address)",
                complete: remoteStatus.isComplete, open: remoteStatus.isOpen,
                lastSuccess: remoteStatus.lastSuccess.map { UTCText.milliseconds($0) },
                lastTry: remoteStatus.lastTry.map { UTCText.milliseconds($0) }, failure: remoteStatus.failure,
                emptied: remoteStatus.emptied.map { UTCText.milliseconds($0) },
                unsent: remoteStatus.unsent.map { Range($0) },
                quarantined: Dictionary(uniqueKeysWithValues: remoteStatus.quarantined.map { ("\($0.key)", $0.value) }),
                strangers: Dictionary(uniqueKeysWithValues: remoteStatus.strangers.map { ("\($0.key)", $0.value) }),
                devices: remoteStatus.devices.map { device in
                    Device(
                        replica: "\(device.replica)", device: device.name,
                        lastSaid: UTCText.milliseconds(device.lastManifest), lacks: device.missing.map { Range($0) },
                        has: device.has.map { Range($0) }, wants: device.wanted.map { Range($0) },
                        differs: device.differs.map { "\($0)" }, omits: device.omitted.map { Range($0) },
                        former: device.isFormer, retired: device.isRetired, returned: device.hasReturned)
                })
        }
    }
}
