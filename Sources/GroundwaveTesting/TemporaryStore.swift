import Foundation
import Groundwave

/// A store in a folder of its own among the system's temporary ones, gone with this object.
///
/// ```swift
/// let temporary = try await TemporaryStore(Configuration(author: "N0CALL"))
/// let saved = try await temporary.store.write { try $0.add(Contact("W1AW")) }
/// ```
public final class TemporaryStore: Sendable {
    /// The store.
    public let store: Store
    private let folder: TemporaryFolder

    /// Makes a new store with its first replica.
    public init(_ configuration: Configuration = Configuration()) async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        var configuration = configuration
        configuration.stateFolder = folder.url.appending(path: "state")
        store = try await Store.create(at: folder.url.appending(path: "store"), configuration)
    }

    /// The folder of the store.
    public var url: URL { store.url }

    /// Opens the same folder once more, as another part of the program would.
    public func reopened(_ configuration: Configuration = Configuration()) async throws -> Store {
        var configuration = configuration
        configuration.stateFolder = folder.url.appending(path: "state")
        switch try await Store.open(at: url, configuration) {
        case .ready(let store): return store
        }
    }

    /// A copy that nothing tells from the original, as when the image of a whole machine is restored: both go on as one
    /// replica, until they meet. Close the store before.
    public func twin(_ configuration: Configuration = Configuration()) async throws -> TemporaryStore {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "store")
        try FileManager.default.copyItem(at: url, to: target)
        var status = stat()
        guard stat(target.appending(path: "identity").path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        let tokens = self.folder.url.appending(path: "state/tokens")
        for log in try FileManager.default.contentsOfDirectory(atPath: tokens.path) {
            let copies = folder.url.appending(path: "state/tokens/\(log)")
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            for name in try FileManager.default.contentsOfDirectory(atPath: tokens.appending(path: log).path) {
                try FileManager.default.copyItem(
                    at: tokens.appending(path: "\(log)/\(name)"),
                    to: copies.appending(path: "\(status.st_dev)-\(status.st_ino)"))
            }
        }
        var configuration = configuration
        configuration.stateFolder = folder.url.appending(path: "state")
        switch try await Store.open(at: target, configuration) {
        case .ready(let store): return TemporaryStore(store, in: folder)
        }
    }

    private init(_ store: Store, in folder: TemporaryFolder) {
        self.store = store
        self.folder = folder
    }

    deinit { try? store.close() }
}

/// A folder of its own among the system's temporary ones, gone with this object.
public final class TemporaryFolder: Sendable {
    /// The folder.
    public let url: URL

    /// Makes an empty folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of the file called `name` in it.
    public func path(_ name: String) -> String { url.appending(path: name).path }

    deinit { try? FileManager.default.removeItem(at: url) }
}
