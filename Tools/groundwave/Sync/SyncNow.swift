import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveWording

struct SyncNow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Synchronise once, or with --watch until it is stopped.")

    @Argument(help: ArgumentHelp("The remote; default: all remotes.", valueName: "name"))
    var name: String?
    @Flag(help: "Keep running: pull and push changes as they happen.")
    var watch = false
    @Flag(help: "Only push what this device has.")
    var push = false
    @Flag(help: "Only pull what other devices have pushed.")
    var pull = false
    @Flag(help: "Synchronise over standard input and output, as in: ssh host groundwave sync --stdio.")
    var stdio = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Behind: Encodable {
            var replica: String
            var first: UInt64
            var last: UInt64
        }

        var remote: String
        var sent: UInt64
        var received: Int
        var returned: Int
        var parked: Int
        var vector: [String: UInt64]
        var behind: [Behind]
        var quarantined: [String: String]
        var emptied: Bool
        var yielded: Int
        var newReplica: String?
        var admitted: [String]
        var refused: [String]
        var snapshot: String?
        var complete: Bool
    }

    func validate() throws {
        if push, pull { throw ValidationError("--push and --pull cannot be combined. Without them, sync does both.") }
        if stdio, push || pull || name != nil {
            throw ValidationError(
                "--stdio always pushes and pulls, and needs no name: leave out --push, --pull and the name.")
        }
    }

    func run() async throws {
        if stdio { return try await SyncStdio.run(options, stays: watch) }
        let store = try await openOrJoin()
        let remotes = try name.map { [try store.remote($0)] } ?? Self.reachable(store.remotes())
        guard !remotes.isEmpty else {
            throw StoreError(
                .notFound, "There is no remote to synchronise with.",
                hint: "Add one: groundwave remote add NAME file:///path/to/folder")
        }
        if watch { return try await follow(remotes, in: store) }
        var isInPart = false
        var failure: StoreError?
        for remote in remotes {
            do {
                let summary = try await store.sync(remote, isPulling: !push, isPushing: !pull)
                let status = try store.syncStatus()
                try printReport(summary, status, store.deviceNames())
                // With --push nothing was to come here.
                let isWhole = push || status.here.isEmpty
                isInPart = isInPart || !isWhole || status.quarantined(at: remote)
            } catch let error as StoreError {
                // Where it is switched off, each would say the same. One that cannot be reached keeps no other waiting.
                if remotes.count == 1 || error.code == .syncOff { throw error }
                Terminal.report(error)
                failure = error
            }
        }
        if let failure { throw Answer.failed(failure.code) }
        if isInPart { throw Answer.inPart }
    }

    /// Opens the store; one that is being joined is fetched first, as `join` does.
    private func openOrJoin() async throws -> Store {
        do { return try await options.openWhole() } catch let error as StoreError where error.code == .joining && !push
        {
            guard let address = try Store.addressJoined(at: options.url), !address.isOfApplication else { throw error }
            return try await Join.join(address, at: options.url, options.configuration()).store
        }
    }

    /// Leaves out the remotes that only an application can open, and says so.
    private static func reachable(_ remotes: [Remote]) -> [Remote] {
        remotes.filter { remote in
            guard case .application = remote.address else { return true }
            Terminal.remark("\(remote.name) is left out: only the application that has named it can open it.")
            return false
        }
    }

    private func follow(_ remotes: [Remote], in store: Store) async throws {
        let syncing = try store.startSyncing(with: remotes)
        defer { syncing.stop() }
        Terminal.remark("Watching \(remotes.map(\.name).joined(separator: ", ")); Ctrl-C ends it.")
        for await event in syncing.events {
            switch event {
            case .synced(let summary):
                if summary.sentEvents > 0 || summary.receivedEvents > 0 || !summary.quarantined.isEmpty
                    || summary.leftSnapshot != nil
                {
                    try printReport(summary, try store.syncStatus(), store.deviceNames())
                }
            case .failed(let remote, let error):
                // Nothing is sent from a damaged log, however often it is tried.
                if [.damaged, .recovering].contains(error.code), try store.recoveryStatus().state.isDamaged {
                    throw error
                }
                Terminal.remark("\(remote.name): \(error.message) Trying again.")
            }
        }
    }

    private func printReport(_ summary: SyncSummary, _ status: SyncStatus, _ names: [ReplicaID: String]) throws {
        let remoteStatus = status.remotes.first { $0.remote == summary.remote }
        if options.json {
            return try Terminal.print(
                json: Result(
                    remote: summary.remote.name, sent: summary.sentEvents, received: summary.receivedEvents,
                    returned: summary.returnedEvents, parked: status.pending.count,
                    vector: Dictionary(
                        uniqueKeysWithValues: status.vector.entries.map { ("\($0.replica)", $0.sequence) }),
                    behind: status.here.events.ranges.map {
                        .init(replica: "\($0.replica)", first: $0.first, last: $0.last)
                    },
                    quarantined: Dictionary(
                        uniqueKeysWithValues: summary.quarantined.map { ("\($0.key)", $0.value) }),
                    emptied: summary.wasEmptied, yielded: summary.yieldedFields,
                    newReplica: summary.newReplica.map { "\($0)" }, admitted: summary.admitted.map { "\($0)" },
                    refused: summary.refused.map { "\($0)" },
                    snapshot: summary.leftSnapshot.map { "\($0.id)" }, complete: remoteStatus?.isComplete ?? false))
        }
        let sent = NumberText.count(summary.sentEvents, "event")
        let received = NumberText.received(summary.receivedEvents, returned: summary.returnedEvents)
        try Terminal.print(
            "\(summary.remote.name): sent \(sent), received \(received). \(remoteStatus?.sentence ?? "")"
        )
        if let snapshot = summary.leftSnapshot {
            Terminal.remark(
                "Left a snapshot for new devices: \(NumberText.bytes(snapshot.byteCount)), "
                    + "\(NumberText.count(snapshot.recordCount, "record")).")
        }
        if summary.wasEmptied {
            Terminal.remark(
                "The remote had lost data. Nothing is lost here: whatever is missing there is pushed again.")
        }
        if summary.yieldedFields > 0 {
            Terminal.remark(
                "Overwritten by another device: \(NumberText.count(summary.yieldedFields, "field")). The change "
                    + "made here had not been pushed yet. groundwave history shows which.")
        }
        if let replica = summary.newReplica {
            Terminal.remark(
                "This store had been restored to an earlier state. Its later events were pulled again, and it "
                    + "continues as replica \(replica.short).")
        }
        for replica in summary.admitted {
            let name = names[replica] ?? replica.short
            Terminal.remark(
                "\(name) (\(replica.short)) has joined with the code of this device, and belongs to the log.")
        }
        if !summary.refused.isEmpty {
            let devices = summary.refused.map { "\(names[$0] ?? "a device") (\($0.short))" }
            Terminal.remark(
                "Not let in by a code of this device: \(devices.joined(separator: ", ")). Either several devices have used it, or "
                    + "somebody has excluded the one that did. Somebody else may have seen the code. To let one in: groundwave "
                    + "replicas approve DEVICE")
        }
        for (replica, reason) in summary.quarantined.sorted(by: { $0.key < $1.key }) {
            Terminal.remark("Quarantined: \(replica.short). \(reason)")
        }
    }
}

extension SyncStatus {
    /// Whether a store at a remote is quarantined.
    fileprivate func quarantined(at remote: Remote) -> Bool {
        remotes.contains { $0.remote == remote && !$0.quarantined.isEmpty }
    }
}
