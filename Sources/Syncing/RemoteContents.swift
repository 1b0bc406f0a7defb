import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveStore

/// The contents of a remote.
public struct RemoteContents: Hashable, Sendable {
    /// The data that one store has pushed there.
    public struct Item: Hashable, Sendable {
        /// The replica that the store writes as.
        public let replica: ReplicaID
        /// The name of its device; `nil` if it is not known here.
        public let device: String?
        /// The number of its objects: its catalog, packs and segments.
        public let objects: Int
        /// The size of all of them in bytes.
        public let bytes: Int
        /// The log of its objects, if that is not the one of the remote: then it is not read.
        public let otherLog: LogID?
    }

    /// An object that no store has pushed there.
    public struct Foreign: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// A description, as a sentence.
        public let what: String
    }

    /// The manifest of a device that was connected to.
    public struct Peer: Hashable, Sendable {
        /// The replica that it writes as.
        public let replica: ReplicaID
        /// The name of the device; `nil` if it is not known here.
        public let device: String?
        /// The vector of its events.
        public let vector: VersionVector
        /// Events that it has and this store does not.
        public let has: [EventRange]
        /// Events that this store has and it does not.
        public let missing: [EventRange]
    }

    /// The log at the remote; `nil` if there is none.
    public var log: LogID?
    /// The data that each store has pushed there, in order of replica.
    public var stores: [Item] = []
    /// The number of snapshots that were left there for new devices.
    public var snapshotCount = 0
    /// The size of these in bytes.
    public var snapshotBytes = 0
    /// Objects that are ignored: conflict copies of a cloud service, links, files of others.
    public var foreign: [Foreign] = []

    /// The device that listens there; `nil` for a folder.
    public var peer: Peer?

    /// The likely cost of a month; `nil` where requests cost nothing.
    public var estimate: RequestEstimate?

    /// The number of all objects of stores.
    public var objectCount: Int { stores.reduce(0) { $0 + $1.objects } }
    /// The size of them all in bytes.
    public var byteCount: Int { stores.reduce(0) { $0 + $1.bytes } }
}

extension Store {
    /// Returns the contents of `remote`. Reads every object of a folder to determine its size, and lists a bucket: for people,
    /// not for loops.
    ///
    /// - Throws: ``StoreError`` with code `unreachable`.
    public func contents(of remote: Remote) async throws -> RemoteContents {
        let names = try deviceNames()
        return try await reaching(remote) {
            let transport: any Transport
            switch try access(to: remote) {
            case .storage(let storage): transport = storage
            case .device(let host, let port):
                return try self.contents(of: try await greeting(of: remote, host, port).greeting, names)
            }
            let inventory = try await RemoteInventory(at: transport)
            var contents = RemoteContents(log: inventory.log)
            contents.stores = inventory.stores.map {
                .init(
                    replica: $0.store, device: names[$0.store], objects: $0.objects, bytes: $0.bytes,
                    otherLog: $0.otherLog)
            }
            if let log = inventory.log {
                let usage = try await PlacedSnapshots(of: log, at: transport).usage()
                (contents.snapshotCount, contents.snapshotBytes) = usage
            }
            if remote.address.isMetered {
                contents.estimate = RequestEstimate(devices: contents.stores.count, bytes: contents.byteCount)
            }
            if let folder = transport as? FolderTransport { contents.foreign = try Self.foreignNames(at: folder) }
            return contents
        }
    }

    private func contents(of greeting: Greeting, _ names: [ReplicaID: String]) throws -> RemoteContents {
        var contents = RemoteContents(log: greeting.log)
        let (vector, here) = (greeting.manifest.vector, greeting.log == logID ? try log.vector() : VersionVector())
        contents.peer = .init(
            replica: greeting.manifest.store, device: names[greeting.manifest.store], vector: vector,
            has: try log.streams().ranges(of: vector, missingFrom: here), missing: here.ranges(missingFrom: vector))
        return contents
    }

    private static func foreignNames(at folder: FolderTransport) throws -> [RemoteContents.Foreign] {
        try folder.foreignNames().map { .init(name: $0.path, what: $0.kind.sentence) }
    }

    /// Converts an error of a remote to one that names the remote.
    private func reaching<Result: Sendable>(
        _ remote: Remote, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch { throw Self.describe(error, at: remote, file: files.log) }
    }

    /// Deletes everything that stores have pushed to `remote`. Nothing is removed from any store.
    ///
    /// - Returns: The number of objects deleted.
    /// - Throws: ``StoreError`` with code `exists` if there is another log or none, `usage` if `remote` is a device;
    ///   then nothing is deleted.
    public func deleteContents(of remote: Remote) async throws -> Int {
        try requireWritable()
        guard case .storage(let transport) = try access(to: remote) else {
            throw StoreError(
                .usage, "\(remote.address) is a device: its data cannot be deleted from here.",
                hint: "Nothing was deleted.")
        }
        return try await reaching(remote) { [logID, files] in
            let found = try await RemoteLayout.log(at: transport)
            guard found == logID else {
                throw StoreError(
                    .exists,
                    found == nil
                        ? "There is no log at \(remote.address)."
                        : "There is a different log at \(remote.address).",
                    hint: "Nothing was deleted.")
            }
            var count = try await RemoteInventory.delete(at: transport)
            if let sealed = transport as? SealedTransport {
                count += try await PlacedKeys(at: sealed.storage).delete(Set(sealed.keyring.epochs))
            }
            try? files.write(RemoteCache(), of: remote.name)
            return count
        }
    }
}

extension ForeignName.Kind {
    /// A description for people.
    fileprivate var sentence: String {
        switch self {
        case .conflictCopy(of: let name): "a copy that a cloud service has made of \(name)"
        case .notDownloaded(let name): "\(name), which is in the cloud and not downloaded to this machine yet"
        case .symbolicLink: "a symbolic link"
        case .special: "a device or pipe"
        case .other: "not a file of groundwave"
        }
    }
}
