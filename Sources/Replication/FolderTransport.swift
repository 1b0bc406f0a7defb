import Foundation

/// A remote that is a folder: on a USB stick, on a share, or synchronised between machines by another program.
///
/// Objects are files. A file gets its name when it is complete and flushed, by `link(2)`, which never replaces a
/// file: of several writers of one name exactly one succeeds, and no reader sees a partial object. Programs that
/// synchronise folders between machines do not know this. If two machines stored different objects under one name,
/// such a program keeps both files, and gives one of them a name that ``foreignNames(limit:)`` recognises.
///
/// On a file system without hard links (FAT, exFAT, many shares), the file is created under its name and then
/// written. There a reader can see a partial object, which a crash or a power cut makes permanent. Readers detect it
/// by its checksum. Its writer, which finds the name taken, must compare, delete and store it again.
///
/// The folder itself is only created by ``create()``: a stick that is not plugged in is `unreachable`, not an empty
/// folder. So name a folder on the stick, since the mount point may exist without the stick.
///
/// Everything below the folder is treated as hostile. Symbolic links are not followed, and devices and FIFOs are not
/// opened. The folder itself may be reached through links, since the user has named it.
///
/// On a file system that ignores case, only the first of the objects `a` and `A` can be stored; see ``ObjectName``.
///
/// Calls run on a separate queue, since shares and sticks are slow, and clouds download a file before it can be
/// read. If the task is cancelled, a call throws `unreachable` at once; what it has begun there ends by itself.
public struct FolderTransport: Transport {
    /// The folder.
    public let root: URL
    let objects: FolderObjects
    private let interval: Duration

    /// Creates a remote for the folder `root`, which need not exist yet.
    ///
    /// - Parameters:
    ///   - root: A `file` URL.
    ///   - interval: The time between two checks of ``watch()``.
    public init(_ root: URL, interval: Duration = .milliseconds(200)) {
        self.init(root, interval: interval, hasLinks: true)
    }

    /// As above; a test may disable hard links.
    package init(_ root: URL, interval: Duration = .milliseconds(200), hasLinks: Bool) {
        precondition(root.isFileURL, "A folder has a file URL.")
        self.root = root.standardizedFileURL
        self.interval = interval
        objects = FolderObjects(self.root.path, hasLinks: hasLinks)
    }

    /// Creates the last part of the folder, for the first use. Does nothing if it exists.
    ///
    /// - Throws: ``TransportError``: `unreachable` if the parent folder does not exist.
    public func create() async throws(TransportError) {
        try await perform { (objects) throws(TransportError) in try objects.makeRoot() }
    }

    private static let queue = DispatchQueue(label: "groundwave.folders", qos: .utility, attributes: .concurrent)

    /// Runs a slow operation on a separate queue.
    private func perform<Outcome: Sendable>(
        _ body: @escaping @Sendable (FolderObjects) throws(TransportError) -> Outcome
    ) async throws(TransportError) -> Outcome {
        let awaited = Awaited<Result<Outcome, TransportError>>()
        Self.queue.async { [objects] in
            awaited.provide(Result { () throws(TransportError) -> Outcome in try body(objects) })
        }
        guard let result = await awaited.value() else { throw .unreachable("The task was cancelled.") }
        return try result.get()
    }

    /// Stores an object of up to 4 GiB less one byte, as FAT does; see ``Transport``. Creates missing folders. Flushes
    /// the disk three times.
    ///
    /// - Throws: ``TransportError``: `refused` if the name is not a file, or a part of its path is not a folder.
    public func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try await perform { (objects) throws(TransportError) in try objects.put(name, bytes) }
    }

    /// Replaces an object; see ``Transport``. The new file is renamed over the old one when it is complete and flushed.
    ///
    /// - Throws: ``TransportError``: `refused` if the name is not a file, or a part of its path is not a folder.
    public func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        try await perform { (objects) throws(TransportError) in try objects.replace(name, bytes) }
    }

    /// Returns the bytes of an object; see ``Transport``.
    ///
    /// - Throws: ``TransportError``: `unreachable` also if a cloud has the object but this machine has not downloaded
    ///   it; `refused` if the name is not a file, or a part of its path is not a folder.
    public func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try await perform { (objects) throws(TransportError) in try objects.get(name, range: range, limit: limit) }
    }

    /// Returns the names of objects; see ``Transport``. Leaves out those that ``foreignNames(limit:)`` returns.
    ///
    /// - Throws: ``TransportError``: `refused` if a part of the path to `prefix` is not a folder.
    /// - Complexity: For each folder on the way O(*n* log *n*) for the *n* names in it; one `stat` call per name
    ///   returned.
    public func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        try await perform { (objects) throws(TransportError) in
            try objects.list(prefix: prefix, startAfter: startAfter, limit: limit)
        }
    }

    /// Returns the names of folders; see ``Transport``. A folder remains when its last object is deleted.
    ///
    /// - Throws: ``TransportError``: `refused` if a part of the path to `prefix` is not a folder.
    public func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try await perform { (objects) throws(TransportError) in try objects.folders(prefix: prefix, limit: limit) }
    }

    /// Deletes an object; see ``Transport``. It may reappear after a power cut.
    ///
    /// - Throws: ``TransportError``: `refused` if the name is not a file, or a part of its path is not a folder.
    public func delete(_ name: ObjectName) async throws(TransportError) {
        try await perform { (objects) throws(TransportError) in try objects.delete(name) }
    }

    /// Returns what is below the folder and was not put there by a store, in order of path.
    ///
    /// Blocks the calling thread until every name was checked.
    ///
    /// - Parameter limit: The maximum number of results.
    /// - Throws: ``TransportError``: `unreachable` if the folder does not exist.
    public func foreignNames(limit: Int = 1_000) throws(TransportError) -> [ForeignName] {
        try objects.foreignNames(limit: limit)
    }

    /// Notifies when an object was stored or deleted below the folder, by any process. The first hint, for existing
    /// objects, comes immediately.
    ///
    /// Checks every interval whether a folder has changed; does not check files. Continues while the folder is
    /// missing, and notifies when it is back. Changes on a share may appear some seconds late. Ends when the stream
    /// is no longer consumed; does not depend on this value.
    public func watch() -> AsyncStream<Void>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task.detached(priority: .utility) { [self] in
            var watch = FolderWatch(of: objects)
            while !Task.isCancelled {
                let before = watch
                let result = try? await perform { (_) throws(TransportError) in before.checked() }
                if let result {
                    watch = result.watch
                    if result.hasChanged { continuation.yield() }
                }
                try? await Task.sleep(for: interval)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
