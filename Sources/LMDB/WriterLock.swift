#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The lock that every writer to the environment at a path holds, from before its transaction until after its commit.
///
/// LMDB has a writer lock too. That one belongs to one pair of data file and lock file, does not identify its holder,
/// and is waited for without a limit. This one belongs to the path, whatever file is there: a process that replaces
/// or removes the file holds it too, so that no other process commits meanwhile. The kernel releases it when a
/// process ends.
///
/// It is a `flock` on the file `path` + `-writer`, which is never replaced:
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 16 | see ``LastWriter`` |
/// | 16 | 8 | process that holds the lock, or held it last |
/// | 24 | 8 | since when, in milliseconds since 1970 |
/// | 32 | 32 | name of its program, UTF-8, filled up with zeros |
/// | 64 | 48 | the data file as it was when the lock was given back: see ``FileState`` |
///
/// Numbers are in host byte order, since the file never leaves its machine.
public final class WriterLock: Sendable {
    /// The process that holds the lock.
    public struct Holder: Sendable, Hashable {
        /// The number of the process.
        public let process: Int32
        /// The name of its program.
        public let program: String
        /// Since when, in milliseconds since 1970.
        public let sinceMilliseconds: Int64
    }

    /// How long a thread waits for the lock.
    public struct Patience: Sendable {
        /// The number of milliseconds after which the wait ends with ``LMDBError/Reason/locked(by:)``.
        public var limitMilliseconds: Int64
        /// Called once, on the waiting thread, after two seconds.
        public var report: @Sendable (Holder) -> Void

        /// Creates a limit; the default is one minute, without a call of `report`.
        public init(limitMilliseconds: Int64 = 60_000, report: @escaping @Sendable (Holder) -> Void = { _ in }) {
            self.limitMilliseconds = limitMilliseconds
            self.report = report
        }
    }

    private struct State {
        /// The thread of this process that has the lock, and the number of times that it has taken it.
        var owner: ThreadIdentity?
        var depth = 0
        /// The open file; nil before the lock is first taken, and after the file was removed.
        var handle: Handle?
    }

    /// An open file with several owners; closed when the last one releases it.
    private final class Handle: Sendable {
        let file: OpenFile

        init(_ path: String) throws(SystemError) { file = try OpenFile(path, O_RDWR | O_CREAT) }
    }

    /// The data file, without symbolic links.
    let path: String
    private let file: String
    private let monitor = Monitor(State())

    static let holderOffset = 16
    static let stateOffset = 64
    private static let nameByteCount = 32
    /// The number of milliseconds after which ``Patience/report`` is called.
    private static let reportMilliseconds: Int64 = 2_000

    private init(of path: String) {
        self.path = path
        file = path + "-writer"
    }

    /// The locks of this process by path, so that each path has one lock.
    private static let locks = Monitor([String: WeakLock]())

    private struct WeakLock {
        weak var lock: WriterLock?
    }

    /// Returns the lock of the environment at `path`, whether or not there is one. Changes no file.
    public static func at(_ path: String) -> WriterLock {
        let folder = FileSystem.folder(of: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let resolved = FileSystem.resolved(path) ?? FileSystem.resolved(folder).map { "\($0)/\(name)" } ?? path
        return locks.withLock { locks in
            if let lock = locks[resolved]?.lock { return lock }
            let lock = WriterLock(of: resolved)
            locks[resolved] = WeakLock(lock: lock)
            return lock
        }
    }

    deinit {
        let path = path
        Self.locks.withLock { locks in
            // Another lock may have been registered for the path meanwhile.
            if locks[path]?.lock == nil { locks[path] = nil }
        }
    }

    /// Runs `body` while no other thread or process writes to the environment at the path: for replacing or removing
    /// the file.
    ///
    /// A thread that has the lock may take it again. Afterwards the state of the file is stored as the one that we
    /// left.
    ///
    /// - Throws: ``LMDBError/Reason/locked(by:)`` after the limit of `patience`; errors of `body`.
    public func withLock<Result>(_ patience: Patience = Patience(), _ body: () throws -> Result) throws -> Result {
        try acquire(patience)
        defer { release(FileState(of: path)) }
        return try body()
    }

    /// Stores `state`, in which the whole file at `path` was checked, as the one that we left. Does nothing if the
    /// file has changed since, if a writer is active, or if the folder cannot be written.
    ///
    /// - Returns: Whether it is stored.
    @discardableResult
    public static func note(_ state: FileState, of path: String) -> Bool {
        let lock = at(path)
        do throws(LMDBError) { try lock.acquire(Patience(limitMilliseconds: 0)) } catch { return false }
        let isSame = FileState(of: path) == state
        lock.release(isSame ? state : nil)
        return isSame && noted(of: path) == state
    }

    /// Waits for the lock.
    func acquire(_ patience: Patience) throws(LMDBError) {
        // Threads of one process take turns first: to the kernel they are one, since they share the open file.
        let me = ThreadIdentity.current
        let mayWait = patience.limitMilliseconds > 0
        let depth = monitor.wait(until: { $0.owner == nil || $0.owner == me || !mayWait }) { state in
            guard state.owner == nil || state.owner == me else { return 0 }
            state.owner = me
            state.depth += 1
            return state.depth
        }
        guard depth > 0 else { throw LMDBError(.locked(by: holder), path: path, during: .write) }
        guard depth == 1 else { return }
        do { try lockFile(patience) } catch {
            letGo()
            throw error
        }
    }

    /// The state in which the last writer left the data file, if it is stored; the caller has the lock.
    var noted: FileState? { monitor.withLock { $0.handle }.flatMap { Self.state(in: $0.file) } }

    /// Releases the lock, and stores the state in which the data file was left, if it is known.
    func release(_ state: FileState?) {
        let (handle, depth) = monitor.withLock { ($0.handle, $0.depth) }
        if let handle {
            // If this fails, the next opening checks every page again.
            if let state, Self.state(in: handle.file) != state {
                try? handle.file.write(state.bytes, at: Self.stateOffset)
            }
            if depth == 1 { flock(handle.file.descriptor, LOCK_UN) }
        }
        letGo()
    }

    /// Closes the file of the lock, unless a thread has the lock; the next one opens it again.
    func closeFile() {
        // Released, and so closed, outside of the lock.
        _ = monitor.withLock { state in
            defer { if state.owner == nil { state.handle = nil } }
            return state.owner == nil ? state.handle : nil
        }
    }

    private func letGo() {
        monitor.withLock { state in
            state.depth -= 1
            if state.depth == 0 { state.owner = nil }
        }
        monitor.wakeAll()
    }

    /// Takes the kernel's lock; this thread has that of the process.
    private func lockFile(_ patience: Patience) throws(LMDBError) {
        let start = Clock.monotonicMilliseconds
        var pause: UInt32 = 50
        var hasReported = false
        while true {
            do {
                if try tryLock() { return }
            } catch {
                throw LMDBError(.init(code: error.code, at: path, during: .write), path: path, during: .write)
            }
            let waited = Clock.monotonicMilliseconds - start
            if waited >= Self.reportMilliseconds, !hasReported {
                hasReported = true
                if let holder { patience.report(holder) }
            }
            guard waited < patience.limitMilliseconds else {
                throw LMDBError(.locked(by: holder), path: path, during: .write)
            }
            usleep(pause)
            pause = min(pause * 2, 1_000)
        }
    }

    /// Takes the lock if it is free, and stores this process as its holder.
    private func tryLock() throws(SystemError) -> Bool {
        let handle = try openHandle()
        guard flock(handle.file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemError.last }
            return false
        }
        // A file that was removed meanwhile locks nothing: other processes create a new one.
        guard isFile(handle.file.descriptor) else {
            monitor.withLock { $0.handle = nil }
            return false
        }
        // Waiting processes read it; if it cannot be written, they cannot name the holder.
        try? handle.file.write(Self.ownName, at: Self.holderOffset)
        return true
    }

    private func openHandle() throws(SystemError) -> Handle {
        if let handle = monitor.withLock({ $0.handle }), isFile(handle.file.descriptor) { return handle }
        let handle = try Handle(file)
        monitor.withLock { $0.handle = handle }
        return handle
    }

    /// Whether the open file `descriptor` is the one at the lock's name.
    private func isFile(_ descriptor: Int32) -> Bool {
        var (own, present) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0 else { return false }
        guard unsafe stat(file, &present) == 0 else { return false }
        return FileIdentity(own) == FileIdentity(present)
    }

    /// The current or last holder of the lock; nil if the file does not name it.
    public var holder: Holder? {
        guard let bytes = try? OpenFile(file, O_RDONLY).read(48, at: Self.holderOffset), bytes.count == 48 else {
            return nil
        }
        let process = bytes.integer(at: 0, as: Int64.self)
        guard process > 0, process <= Int64(Int32.max) else { return nil }
        let name = bytes[16...].prefix { $0 != 0 }
        return Holder(
            process: Int32(process), program: String(decoding: name, as: UTF8.self),
            sinceMilliseconds: bytes.integer(at: 8, as: Int64.self))
    }

    /// The holder entry of this process.
    private static var ownName: [UInt8] {
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "a program"
        let name = Array(program.utf8.prefix(nameByteCount))
        return hostBytes(of: Int64(getpid())) + hostBytes(of: Clock.wallMilliseconds) + name
            + [UInt8](repeating: 0, count: nameByteCount - name.count)
    }

    private static func state(in file: borrowing OpenFile) -> FileState? {
        (try? file.read(FileState.storedByteCount, at: stateOffset)).flatMap { FileState($0) }
    }

    /// Returns the state in which the last writer left the file at `path`; nil if none is stored.
    ///
    /// Waits up to `milliseconds` for a writer that is active now: until it ends, the file has neither the old nor
    /// the new state. Changes nothing.
    public static func noted(of path: String, waitingMilliseconds milliseconds: Int64 = 1_000) -> FileState? {
        guard let file = try? OpenFile(path + "-writer", O_RDONLY) else { return nil }
        let start = Clock.monotonicMilliseconds
        while flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, Clock.monotonicMilliseconds - start < milliseconds else {
                break
            }
            usleep(500)
        }
        // Closing the file releases the lock.
        return state(in: file)
    }
}

private enum Clock {
    static var monotonicMilliseconds: Int64 { milliseconds(of: CLOCK_MONOTONIC) }
    static var wallMilliseconds: Int64 { milliseconds(of: CLOCK_REALTIME) }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
