/// The environments that are open in this process, by file.
///
/// LMDB forbids opening a file twice in one process (lmdb.h, "Caveats"): closing one would drop the file locks of the
/// other. A file is one device and inode, whatever its path; a path is also refused while an environment that was
/// opened under it lives on with another (deleted) file, since both would use one lock file.
final class EnvironmentRegistry: Sendable {
    static let shared = EnvironmentRegistry()

    private struct Entry {
        weak var environment: Environment?
        let path: String
    }

    private struct State {
        var entries: [FileIdentity: Entry] = [:]
        /// Files between the check below and the end of `mdb_env_open`.
        var opening: Set<FileIdentity> = []
    }

    private let monitor = Monitor(State())

    /// The result of claiming a file.
    enum Claim {
        case living(Environment)
        /// The path's lock file belongs to another file that is still open, by this environment.
        case pathInUse(Environment)
        /// No environment has it open; the caller opens it and calls `finish`.
        case claimed
    }

    /// Looks `identity` up and claims it for opening if it is free.
    ///
    /// Waits for another thread that opens or closes it.
    func claim(_ identity: FileIdentity, path: String) -> Claim {
        // Return the environment that is found, and do not release it here: the last release closes it, which takes
        // the lock.
        monitor.wait { state in
            if state.opening.contains(identity) { return nil }
            if let entry = state.entries[identity] {
                // An entry without environment belongs to a thread that is just closing it.
                return entry.environment.map { .living($0) }
            }
            if let other = state.entries.values.first(where: { $0.path == path }) {
                return other.environment.map { .pathInUse($0) }
            }
            state.opening.insert(identity)
            return .claimed
        }
    }

    /// Ends a claim, with the environment if opening succeeded.
    func finish(_ identity: FileIdentity, _ environment: Environment?) {
        monitor.withLock { state in
            state.opening.remove(identity)
            if let environment {
                state.entries[identity] = Entry(environment: environment, path: environment.path)
            }
        }
        monitor.wakeAll()
    }

    /// Marks an environment as about to close: a claim of its file waits until `remove`.
    ///
    /// As soon as LMDB closes a deleted file, the file system may give its inode number to a new one.
    func beginClosing(_ identity: FileIdentity) {
        monitor.withLock { $0.entries[identity]?.environment = nil }
    }

    /// Forgets an environment that has closed.
    func remove(_ identity: FileIdentity) {
        monitor.withLock { $0.entries[identity] = nil }
        monitor.wakeAll()
    }
}
