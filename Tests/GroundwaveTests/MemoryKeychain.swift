import Everything
import Foundation
import Groundwave
import GroundwaveStore
import GroundwaveTesting
import Synchronization

/// A keychain in memory, which can be out of use, as while a device is locked.
final class MemoryKeychain: Keychain {
    struct OutOfUse: Error {}

    struct State {
        var secrets: [String: [UInt8]] = [:]
        var isInUse = true
        /// What another process adds just before this one does.
        var fromElsewhere: [UInt8]?
        var isForgetful = false
    }
    private let state: Mutex<State>

    init(_ secrets: [String: [UInt8]] = [:]) { state = Mutex(State(secrets: secrets)) }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    var secrets: [String: [UInt8]] { state.withLock { $0.secrets } }

    func secret(named name: String) throws -> [UInt8]? {
        try state.withLock { state in
            guard state.isInUse else { throw OutOfUse() }
            return state.secrets[name]
        }
    }

    func add(_ secret: [UInt8], named name: String) throws -> Bool {
        try state.withLock { state in
            guard state.isInUse else { throw OutOfUse() }
            if let other = state.fromElsewhere { state.secrets[name] = other }
            guard state.secrets[name] == nil else { return false }
            if !state.isForgetful { state.secrets[name] = secret }
            return true
        }
    }
}

extension Configuration {
    static func kept(
        in keychain: MemoryKeychain, named name: String = "shack", isReadOnly: Bool = false
    ) -> Configuration {
        var configuration = Configuration.full(named: name)
        configuration.keychain = keychain
        configuration.isReadOnly = isReadOnly
        return configuration
    }
}

/// A file as it lies there: not only its bytes, also which file it is.
struct FileOnDisk: Equatable {
    let bytes: Data
    let inode: UInt64
    let mode: UInt32

    init(_ url: URL) throws {
        bytes = try Data(contentsOf: url)
        var status = stat()
        guard stat(url.path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        (inode, mode) = (UInt64(status.st_ino), UInt32(status.st_mode) & 0o777)
    }
}

/// The files with secrets of a store.
extension TemporaryStore {
    var identity: URL { url.appending(path: "identity") }
    var keys: URL { url.appending(path: "keys") }

    /// The names of the files of the store and of the state folder that have `secret` in them.
    func files(holding secret: [UInt8]) throws -> [String] {
        let folder = url.deletingLastPathComponent()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return paths.filter { path in
            let data = try? Data(contentsOf: folder.appending(path: path))
            return data?.range(of: Data(secret)) != nil
        }.map { URL(filePath: $0).lastPathComponent }.sorted()
    }
}
