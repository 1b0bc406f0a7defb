import ArgumentParser
import Groundwave
import GroundwaveProjections
import GroundwaveWording

struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Saved states of the records: viewing an earlier time starts from the nearest one.",
        discussion: """
            Snapshots are made automatically, if something changed and the newest is six hours old. They are pruned so \
            that they take at most half as much space as the log and are spread evenly over its history. You may \
            delete them at any time: a replay then starts earlier.
            """,
        subcommands: [SnapshotCreate.self, SnapshotList.self, SnapshotVerify.self, SnapshotPrune.self])
}

/// A snapshot as JSON.
struct SnapshotResult: Encodable {
    struct Kind: Encodable {
        var kind: String
        var records: Int
        var visible: Int
    }

    var file: String
    var id: String?
    var events: UInt64?
    var bytes: Int?
    var created: String?
    var vector: [String: UInt64]?
    var kinds: [Kind]?
    var trouble: String?

    init(_ snapshot: StoredSnapshot) {
        file = snapshot.file
        trouble = snapshot.trouble
        guard let information = snapshot.information else { return }
        id = "\(information.id)"
        events = information.vector.eventCount
        bytes = information.byteCount
        created = UTCText.milliseconds(information.created)
        vector = Dictionary(uniqueKeysWithValues: information.vector.entries.map { ("\($0.replica)", $0.sequence) })
        kinds = information.kinds.map { Kind(kind: $0.name, records: $0.records, visible: $0.visible) }
    }
}

/// Snapshots as a table.
struct SnapshotTable {
    private var table = TextTable(["SNAPSHOT", "UTC", "EVENTS", "CONTACTS", "BYTES", ""], numbersFrom: 2, to: 4)

    mutating func append(_ snapshot: StoredSnapshot, _ remark: String = "") {
        guard let information = snapshot.information else {
            return table.append([snapshot.file, "", "", "", "", snapshot.trouble ?? ""])
        }
        let contacts = information.kinds.first { $0.name == "qso" }?.visible ?? 0
        table.append([
            information.id.short, TimeText.milliseconds(information.created), "\(information.vector.eventCount)",
            "\(contacts)", NumberText.bytes(information.byteCount), remark,
        ])
    }

    func print() throws { try table.print() }
}
