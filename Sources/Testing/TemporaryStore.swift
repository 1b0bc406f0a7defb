import Foundation
import Groundwave
import GroundwavePeering

/// A store in a new temporary folder, which is deleted with this object: keep it as long as the store is used. An
/// optimised build releases an array of such objects after its last use: `withExtendedLifetime` keeps them.
///
/// ```swift
/// let temporary = try await TemporaryStore(Configuration(author: "N0CALL"))
/// let saved = try await temporary.store.write { try $0.add(Contact("W1AW")) }
/// ```
public final class TemporaryStore: Sendable {
    /// Creates a store that joins the log at `address`.
    ///
    /// - Parameters:
    ///   - address: The address of the log.
    ///   - configuration: The settings with which the store is opened.
    ///   - unlocking: What opens the remote if it is sealed.
    /// - Throws: As ``Store/join(_:at:_:unlocking:progress:)``.
    public convenience init(
        joining address: RemoteAddress, _ configuration: Configuration = Configuration(), unlocking: Unlocking? = nil
    ) async throws {
        try await self.init(configuration) { try await Store.join(address, at: $0, $1, unlocking: unlocking).store }
    }

    /// Creates a store that joins the log of a transport, under which name it has this remote.
    ///
    /// ```swift
    /// let cloud = MemoryTransport()
    /// let shack = try await TemporaryStore(Configuration(author: "N0CALL"))
    /// try await shack.store.sync(with: cloud, as: "cloud")
    /// let portable = try await TemporaryStore(joining: cloud, as: "cloud")
    /// ```
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - name: The name of the remote.
    ///   - configuration: The settings with which the store is opened.
    ///   - unlocking: What opens the remote if it is sealed.
    /// - Throws: As ``Store/join(through:as:at:_:unlocking:progress:)``.
    public convenience init(
        joining transport: any Transport, as name: String, _ configuration: Configuration = Configuration(),
        unlocking: Unlocking? = nil
    ) async throws {
        try await self.init(configuration) {
            try await Store.join(through: transport, as: name, at: $0, $1, unlocking: unlocking).store
        }
    }

    /// Creates a store that joins the log of the device at the other end of a stream.
    ///
    /// - Throws: As ``Store/join(over:as:at:_:unlocking:)``.
    public convenience init(
        joining stream: any ByteStream, as name: String = "stream", _ configuration: Configuration = Configuration(),
        unlocking: Unlocking? = nil
    ) async throws {
        try await self.init(configuration) {
            try await Store.join(over: stream, as: name, at: $0, $1, unlocking: unlocking).store
        }
    }

    /// The store.
    public let store: Store
    private let folder: TemporaryFolder

    /// Creates a store with its first replica.
    ///
    /// - Throws: As ``Store/create(at:_:)``.
    public convenience init(_ configuration: Configuration = Configuration()) async throws {
        try await self.init(configuration) { try await Store.create(at: $0, $1) }
    }

    private init(
        _ configuration: Configuration, _ make: (URL, Configuration) async throws -> Store
    ) async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        var configuration = configuration
        configuration.stateFolder = folder.url.appending(path: "state")
        store = try await make(folder.url.appending(path: "store"), configuration)
    }

    /// The folder in which the device keeps its half of the ownership token.
    public var stateFolder: URL { folder.url.appending(path: "state") }

    /// The folder of the store.
    public var url: URL { store.url }

    /// Opens the same folder again, as another part of the program would.
    ///
    /// - Throws: As ``Store/open(at:_:)``; with code `recovering` if the store is damaged.
    public func reopened(_ configuration: Configuration = Configuration()) async throws -> Store {
        var configuration = configuration
        configuration.stateFolder = stateFolder
        return try await Store.open(at: url, configuration).whole
    }

    /// Makes a copy that cannot be distinguished from the original, as when the image of a whole machine is restored:
    /// both continue as the same replica until they meet. Close the store first.
    ///
    /// - Throws: As ``copy(_:stateFolder:to:stateFolder:)`` and ``Store/open(at:_:)``.
    public func twin(_ configuration: Configuration = Configuration()) async throws -> TemporaryStore {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "store")
        try Self.copy(url, stateFolder: stateFolder, to: target, stateFolder: folder.url.appending(path: "state"))
        var configuration = configuration
        configuration.stateFolder = folder.url.appending(path: "state")
        return TemporaryStore(try await Store.open(at: target, configuration).whole, in: folder)
    }

    /// Copies the folder of a closed store together with the device half of its ownership token.
    ///
    /// - Throws: `CocoaError` if a file cannot be copied.
    public static func copy(_ store: URL, stateFolder: URL, to target: URL, stateFolder targetState: URL) throws {
        try FileManager.default.copyItem(at: store, to: target)
        func name(_ store: URL) throws -> String {
            var status = stat()
            guard stat(store.appending(path: "identity").path, &status) == 0 else {
                throw CocoaError(.fileReadNoSuchFile)
            }
            return "\(status.st_dev)-\(status.st_ino)"
        }
        let tokens = stateFolder.appending(path: "tokens")
        for log in try FileManager.default.contentsOfDirectory(atPath: tokens.path) {
            let token = tokens.appending(path: "\(log)/\(try name(store))")
            guard FileManager.default.fileExists(atPath: token.path) else { continue }
            let copies = targetState.appending(path: "tokens/\(log)")
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: token, to: copies.appending(path: try name(target)))
        }
    }

    private init(_ store: Store, in folder: TemporaryFolder) {
        self.store = store
        self.folder = folder
    }

    deinit { try? store.close() }
}

/// A new temporary folder, which is deleted with this object.
public final class TemporaryFolder: Sendable {
    /// The folder.
    public let url: URL

    /// Makes an empty folder.
    ///
    /// - Throws: `CocoaError` if the folder cannot be made.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of the file called `name` in it.
    public func path(_ name: String) -> String { url.appending(path: name).path }

    deinit { try? FileManager.default.removeItem(at: url) }
}
