import Foundation

/// A place that is a folder: on a stick, on a share, or one that a program keeps the same on several machines.
///
/// Objects are files with their names. A file gets its name when it is whole and on the medium, by `link(2)`, which
/// never replaces anything: of several writers of one name exactly one succeeds, and no reader sees part of an object.
/// Programs that copy folders between machines know nothing of this. What two machines stored under one name meanwhile
/// they keep as two files, of which one gets a name that ``foreignNames(limit:)`` recognises.
///
/// Where a file system has no second names for a file (FAT, exFAT, many shares), the file is made with its name and
/// then written. There a reader can see part of an object, and after a crash or a power cut part of it is all that will
/// ever be there: readers notice by its checksum, and its writer, which finds its name taken, has to compare, delete
/// and store it once more.
///
/// The folder itself is never made by the way: a stick that is not plugged in is `unreachable`, not an empty folder. So
/// name a folder on the stick; the place where sticks appear may be there without one.
///
/// Whatever stands below the folder is taken for hostile. Symbolic links are not followed, and devices and FIFOs not
/// opened. The folder itself may be reached through links: a person has named it.
///
/// File systems that take `a` and `A` for one name hold only the first of two such objects; see ``ObjectName``.
///
/// Each call does its work on threads of its own, since shares and sticks let one wait, and clouds that first download
/// what is read. Cancelling a task does not end a call that has begun.
public struct FolderTransport: Transport {
    /// The folder.
    public let root: URL
    let objects: FolderObjects
    private let interval: Duration

    /// A place in the folder `root`, which need not be there yet.
    ///
    /// - Parameters:
    ///   - root: A `file` URL.
    ///   - interval: How long ``watch()`` waits between two looks.
    public init(_ root: URL, interval: Duration = .milliseconds(200)) {
        self.init(root, interval: interval, hasLinks: true)
    }

    /// As above; without links where a test wants it so.
    package init(_ root: URL, interval: Duration = .milliseconds(200), hasLinks: Bool) {
        precondition(root.isFileURL, "A folder has a file URL.")
        self.root = root.standardizedFileURL
        self.interval = interval
        objects = FolderObjects(self.root.path, hasLinks: hasLinks)
    }

    /// Makes the folder, for a first use: only its last part. Nothing happens where it is there already.
    ///
    /// - Throws: ``TransportError``: `unreachable` where the folder that it is to be in is not there.
    public func create() async throws(TransportError) {
        try await perform { (objects) throws(TransportError) in try objects.makeRoot() }
    }

    /// A folder can be watched, and takes objects of up to 4 GiB less one byte, as FAT does.
    public var capabilities: TransportCapabilities {
        TransportCapabilities(canWatch: true, objectBytes: FolderObjects.largest)
    }

    private static let queue = DispatchQueue(label: "groundwave.folders", qos: .utility, attributes: .concurrent)

    /// Does what takes time where it keeps nobody else waiting.
    private func perform<Outcome: Sendable>(
        _ body: @escaping @Sendable (FolderObjects) throws(TransportError) -> Outcome
    ) async throws(TransportError) -> Outcome {
        let result: Result<Outcome, TransportError> = await withCheckedContinuation { continuation in
            Self.queue.async { [objects] in
                continuation.resume(
                    returning: Result { () throws(TransportError) -> Outcome in try body(objects) })
            }
        }
        return try result.get()
    }

    /// Stores an object; see ``Transport``. Folders on its way are made. Takes three flushes of the disk.
    ///
    /// - Throws: ``TransportError``: `refused` where something that is no object has the name, or is on the way.
    public func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try await perform { (objects) throws(TransportError) in try objects.put(name, bytes) }
    }

    /// The bytes of an object; see ``Transport``.
    ///
    /// - Throws: ``TransportError``: `unreachable` also where a cloud has the object and this machine does not yet;
    ///   `refused` where something that is no object has the name, or is on the way.
    public func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try await perform { (objects) throws(TransportError) in try objects.get(name, range: range, limit: limit) }
    }

    /// The names of objects; see ``Transport``. Left out is what ``foreignNames(limit:)`` tells of.
    ///
    /// - Throws: ``TransportError``: `refused` where something other than a folder is on the way to `prefix`.
    /// - Complexity: For each folder on the way O(*n* log *n*) for the *n* names in it; one look at each name returned.
    public func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        try await perform { (objects) throws(TransportError) in
            try objects.list(prefix: prefix, startAfter: startAfter, limit: limit)
        }
    }

    /// The names of folders; see ``Transport``. A folder stays when the last object in it is deleted.
    ///
    /// - Throws: ``TransportError``: `refused` where something other than a folder is on the way to `prefix`.
    public func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try await perform { (objects) throws(TransportError) in try objects.folders(prefix: prefix, limit: limit) }
    }

    /// Deletes an object; see ``Transport``. After a power cut it may be there again.
    ///
    /// - Throws: ``TransportError``: `refused` where something that is no object has the name, or is on the way.
    public func delete(_ name: ObjectName) async throws(TransportError) {
        try await perform { (objects) throws(TransportError) in try objects.delete(name) }
    }

    /// What is below the folder and was not put there by a store, in order of its path.
    ///
    /// Blocks the calling thread for as long as it takes to look at every name there is.
    ///
    /// - Parameter limit: The most of them.
    /// - Throws: ``TransportError``: `unreachable` where the folder is not there.
    public func foreignNames(limit: Int = 1_000) throws(TransportError) -> [ForeignName] {
        try objects.foreignNames(limit: limit)
    }

    /// Tells when something was stored or deleted below the folder, by whomever. Of what is there already, it tells at once.
    ///
    /// It looks every interval whether a folder was changed, at folders alone and not at the files in them. It goes on
    /// while the folder is not there, and tells when it is there again. A share may show its changes some seconds later.
    /// Ends when nobody takes the hints any more; works on without this value.
    public func watch() -> AsyncStream<Void>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task.detached(priority: .utility) { [self] in
            var watch = FolderWatch(of: objects)
            while !Task.isCancelled {
                let before = watch
                let look = try? await perform { (_) throws(TransportError) in before.looked() }
                if let look {
                    watch = look.watch
                    if look.hasChanged { continuation.yield() }
                }
                try? await Task.sleep(for: interval)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
