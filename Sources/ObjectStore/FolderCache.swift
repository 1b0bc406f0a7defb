import GroundwaveReplication
import Synchronization

/// The folders that were listed a moment ago.
final class FolderCache: Sendable {
    /// How long a listing is used.
    static let milliseconds: Int64 = 30_000

    private struct State {
        var generation: UInt64 = 0
        var listed: [ObjectPrefix: (names: [String], milliseconds: Int64)] = [:]
    }

    private let state = Mutex(State())

    /// A number that changes with ``forget()``.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// The folders below a prefix; `nil` if they must be listed.
    func value(of prefix: ObjectPrefix, milliseconds: Int64) -> [String]? {
        state.withLock { state in
            guard let listed = state.listed[prefix],
                (0..<Self.milliseconds).contains(milliseconds - listed.milliseconds)
            else { return nil }
            return listed.names
        }
    }

    /// Keeps a listing, unless something was forgotten since `generation`.
    func keep(_ names: [String], of prefix: ObjectPrefix, milliseconds: Int64, since generation: UInt64) {
        state.withLock { state in
            if state.generation == generation { state.listed = [prefix: (names, milliseconds)] }
        }
    }

    /// Forgets all listings, unless they have the folders that an object stored just now is in.
    func forget(without name: ObjectName) {
        let isListed = state.withLock { state in
            state.listed.allSatisfy { prefix, listed in
                guard prefix.contains(name) else { return true }
                let parts = name.description.dropFirst(prefix.description.count).split(separator: "/")
                return parts.count < 2 || listed.names.contains { $0 == parts[0] }
            }
        }
        if !isListed { forget() }
    }

    /// Forgets all listings.
    func forget() {
        state.withLock { state in
            state.generation &+= 1
            state.listed = [:]
        }
    }
}
