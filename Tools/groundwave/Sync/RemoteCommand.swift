import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveWording

struct RemoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote",
        abstract: "Remotes: where this device exchanges events with the other devices of its log.",
        discussion: """
            A remote is a folder that the devices can reach, at the same time or not: a share, a stick, a folder that \
            a cloud service copies. Each device pushes what it has logged to a folder of its own there, and pulls what \
            the others have pushed. Or it is a device that runs groundwave serve; then both devices must be reachable \
            at the same time. Or it is a bucket of an object store that speaks the S3 protocol, used like a folder; its \
            keys come from the environment or a file, never from the command line. What lies in a folder or a bucket is \
            encrypted if the log is sealed: see groundwave seal.

              groundwave remote add stick file:///mnt/stick/log
              groundwave remote add shack groundwave://shack.local:7373
              groundwave remote add cloud s3://shack-log/2026 --endpoint https://s3.example.org
              groundwave sync
            """,
        subcommands: [
            RemoteAdd.self, RemoteList.self, RemoteShow.self, RemoteProbeCommand.self, RemoteSeal.self,
            RemoteUnseal.self, RemoteRemove.self,
        ],
        defaultSubcommand: RemoteList.self)
}

struct RemoteAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a remote; the next sync uses it.",
        discussion: """
            The folder is created if only its last part is missing. A device need not be reachable now. A bucket must \
            exist; a probe shows that its server refuses to overwrite, and one that does not is no remote.

            A bucket is kept by others, so it needs a sealed log (groundwave seal) or --open. Before a folder is added that \
            would lie open, somebody at a terminal is asked.
            """)

    @Argument(help: "The name of the remote on this device.")
    var name: String
    @Argument(
        help: ArgumentHelp(
            "Its address: file:///path/to/folder, or the path; groundwave://host:port; or s3://bucket/prefix.",
            valueName: "url"))
    var url: String
    @Flag(help: "Add it although the log is not sealed: whoever can read the remote can read the log.")
    var open = false
    @OptionGroup var bucket: BucketOptions
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var name: String
        var url: String
    }

    /// Has a person know that the log would lie open there.
    private func askWhetherOpen(_ address: RemoteAddress, _ store: Store) throws {
        if try open || store.isSealed() { return }
        switch address {
        case .bucket:
            throw StoreError(
                .usage, "The log is not sealed, and whoever keeps \(address) could read it.",
                hint: "Nothing was added. Seal the log first: groundwave seal. Or add --open.")
        case .folder where Terminal.canAsk:
            try Confirmation.ask(
                "The log is not sealed: whoever can read \(address) can read it. Add it?", orElse: "Nothing was added.")
        default: break
        }
    }

    func run() async throws {
        let store = try await options.openWhole()
        let address = try bucket.address(url)
        try askWhetherOpen(address, store)
        try await store.add(remote: name, at: address)
        if options.json { return try Terminal.print(json: Result(name: name, url: "\(address)")) }
        try Terminal.print("\(name) is \(address). Nothing was pushed yet: groundwave sync does that.")
    }
}

struct RemoteList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the remotes.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Item: Encodable {
            var name: String
            var url: String
        }

        var remotes: [Item]
    }

    func run() async throws {
        let remotes = try await options.openForReading().remotes()
        if options.json {
            return try Terminal.print(json: Result(remotes: remotes.map { .init(name: $0.name, url: "\($0.address)") }))
        }
        if remotes.isEmpty {
            try Terminal.print("No remotes yet.")
            return Terminal.remark("Add one: groundwave remote add NAME file:///path/to/folder")
        }
        var table = TextTable(["REMOTE", "WHERE"])
        for remote in remotes { table.append([remote.name, "\(remote.address)"]) }
        try table.print()
    }
}

struct RemoteShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Connect to a remote and show what is stored there, by device, or what a device has.")

    @Argument(help: "The remote.")
    var name: String
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Item: Encodable {
            var replica: String
            var device: String?
            var objects: Int
            var bytes: Int
            var otherLog: String?
        }

        struct Snapshots: Encodable {
            var count: Int
            var bytes: Int
        }

        struct Foreign: Encodable {
            var name: String
            var what: String
        }

        struct Estimate: Encodable {
            var reads: Int
            var writes: Int
            var microdollars: Int
            var pricesOf: String
        }

        struct Peer: Encodable {
            var replica: String
            var device: String?
            var vector: [String: UInt64]
            var has: UInt64
            var lacks: UInt64
        }

        var name: String
        var url: String
        var log: String?
        var sealed: Bool?
        var peer: Peer?
        var stores: [Item]
        var objects: Int
        var bytes: Int
        var snapshots: Snapshots
        var foreign: [Foreign]
        var estimate: Estimate?
    }

    func run() async throws {
        let store = try await options.openForReading()
        let remote = try store.remote(name)
        let contents = try await store.contents(of: remote)
        if options.json {
            return try Terminal.print(
                json: Result(
                    name: name, url: "\(remote.address)", log: contents.log.map { "\($0)" },
                    sealed: contents.peer == nil ? try store.isSealed(remote: name) : nil,
                    peer: contents.peer.map { Result.Peer($0) },
                    stores: contents.stores.map {
                        .init(
                            replica: "\($0.replica)", device: $0.device, objects: $0.objects, bytes: $0.bytes,
                            otherLog: $0.otherLog.map { "\($0)" })
                    },
                    objects: contents.objectCount, bytes: contents.byteCount,
                    snapshots: .init(count: contents.snapshotCount, bytes: contents.snapshotBytes),
                    foreign: contents.foreign.map { .init(name: $0.name, what: $0.what) },
                    estimate: contents.estimate.map { .init($0) }))
        }
        guard contents.log != nil else { return try Terminal.print("There is nothing at \(remote.address) yet.") }
        if let peer = contents.peer { return try self.print(peer, of: contents.log, in: store) }
        let remedy = try store.isSealed() ? "groundwave remote seal \(name)" : "groundwave seal"
        Terminal.remark(
            try store.isSealed(remote: name)
                ? "Everything there is sealed."
                : "It lies open: whoever can read it can read the log. To seal it: \(remedy)")
        var table = TextTable(["DEVICE", "REPLICA", "OBJECTS", "BYTES"], numbersFrom: 2)
        for item in contents.stores {
            table.append([
                item.device ?? "unknown", item.replica.short, "\(item.objects)", NumberText.bytes(item.bytes),
            ])
        }
        try table.print()
        if contents.snapshotCount > 0 {
            try Terminal.print(
                "For new devices: \(NumberText.count(contents.snapshotCount, "snapshot")), "
                    + "\(NumberText.bytes(contents.snapshotBytes)).")
        }
        if let estimate = contents.estimate { try self.print(estimate, of: contents) }
        for item in contents.stores {
            guard let log = item.otherLog else { continue }
            Terminal.remark("\(item.replica.short) has objects of another log, \(log.short). They are not read.")
        }
        for foreign in contents.foreign {
            Terminal.remark("\(foreign.name): \(foreign.what). It is ignored.")
        }
    }
}

extension RemoteShow {
    private func print(_ peer: RemoteContents.Peer, of log: LogID?, in store: Store) throws {
        let name = peer.device ?? peer.replica.short
        if log != store.logID, let log { return try Terminal.print("\(name) has a different log, \(log.short).") }
        let (has, lacks) = (peer.has.reduce(0) { $0 + $1.count }, peer.missing.reduce(0) { $0 + $1.count })
        try Terminal.print("\(name) has \(NumberText.count(peer.vector.eventCount, "event")).")
        try Terminal.print(
            has == 0 && lacks == 0
                ? "They are the same events as here."
                : "Missing here: \(has). Missing there: \(lacks). To synchronise: groundwave sync \(self.name)")
    }
}

extension RemoteShow {
    private func print(_ estimate: RequestEstimate, of contents: RemoteContents) throws {
        let cents = (estimate.microdollars + 9_999) / 10_000
        try Terminal.print(
            "In all \(NumberText.count(contents.objectCount, "object")), \(NumberText.bytes(contents.byteCount)).")
        try Terminal.print(
            "A month of sync --watch on these devices: about \(NumberText.count(estimate.reads, "read")) and "
                + "\(NumberText.count(estimate.writes, "write or listing", "writes and listings")), "
                + "up to $\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) at Amazon's prices of "
                + "\(RequestEstimate.pricesOf).")
    }
}

extension RemoteShow.Result.Estimate {
    fileprivate init(_ estimate: RequestEstimate) {
        self.init(
            reads: estimate.reads, writes: estimate.writes, microdollars: estimate.microdollars,
            pricesOf: RequestEstimate.pricesOf)
    }
}

extension RemoteShow.Result.Peer {
    fileprivate init(_ peer: RemoteContents.Peer) {
        replica = "\(peer.replica)"
        device = peer.device
        vector = Dictionary(uniqueKeysWithValues: peer.vector.entries.map { ("\($0.replica)", $0.sequence) })
        has = peer.has.reduce(0) { $0 + $1.count }
        lacks = peer.missing.reduce(0) { $0 + $1.count }
    }
}

struct RemoteRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a remote; its data stays there.",
        discussion: """
            With --delete-data, what all devices have pushed there is deleted too. No device loses anything by that: \
            each keeps all its events, and pushes them again if it still uses the remote.
            """)

    @Argument(help: "The remote.")
    var name: String
    @Flag(help: "Delete the data at the remote too.")
    var deleteData = false
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var removed: String
        var deleted: Int
    }

    func run() async throws {
        let store = try await options.openWhole()
        let remote = try store.remote(name)
        var deleted = 0
        if deleteData {
            if !yes {
                try Confirmation.ask(
                    "Delete all data at \(remote.address)?",
                    orElse: "This would delete all data at \(remote.address).")
            }
            deleted = try await store.deleteContents(of: remote)
        }
        try store.remove(remote: name)
        if options.json { return try Terminal.print(json: Result(removed: name, deleted: deleted)) }
        try Terminal.print(
            deleteData
                ? "\(name) is forgotten. Deleted there: \(NumberText.count(deleted, "object"))."
                : "\(name) is forgotten. Its data stays there.")
    }
}
