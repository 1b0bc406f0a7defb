import GroundwaveCLMDB
import Synchronization

/// An LMDB environment: one file with named, sorted tables, read by any number of threads and processes at once and
/// written by one at a time.
///
/// Transactions are lent to synchronous closures: they cannot be kept, copied, sent to another thread or held across
/// an `await`. A write belongs to the thread that began it, since LMDB locks by thread. A read never waits for a
/// writer; only a growing map and ``close()`` wait for the reads that are open, so reads are short, and a closure
/// never waits for another thread that uses the same environment.
///
/// A process holds one environment per file: ``open(_:options:)`` returns the living one. A process that forks must
/// not use the environment in the child (LMDB documentation, "Caveats").
public final class Environment: Sendable {
    /// The options with which an environment is opened.
    public struct Options: Sendable {
        /// The maximum number of tables open at once.
        public var tables: Int
        /// The minimum size of the map, in bytes.
        ///
        /// It is address space, not disk; the map grows by itself when it is full.
        public var initialMapSizeBytes: Int
        /// Refuses writes, and opens files on read-only media.
        public var isReadOnly: Bool
        /// Whether a commit is on disk when it returns.
        ///
        /// False (`MDB_NOSYNC`) only for files that may be deleted: a power cut may leave the file unreadable.
        public var synchronous: Bool
        /// The maximum number of reads open at once, over all processes.
        ///
        /// Set by the process that creates the lock file, for all processes that use it.
        public var maximumReaders: Int
        /// How long a write waits for other writers, over all processes; nil if nothing else writes to the file,
        /// which then has no ``WriterLock``.
        public var patience: WriterLock.Patience?
        /// Checks the file at a path, page by page, and throws if it is damaged. Called before a write if the file
        /// has been changed by a writer that did not hold the ``WriterLock``, because liblmdb trusts the pages that
        /// it follows.
        public var check: (@Sendable (_ path: String) throws(LMDBError) -> Void)?

        /// Creates options; the defaults are those of a durable environment.
        public init(
            tables: Int = 16, initialMapSizeBytes: Int = 1 << 30, isReadOnly: Bool = false, synchronous: Bool = true,
            maximumReaders: Int = 126, patience: WriterLock.Patience? = WriterLock.Patience()
        ) {
            self.tables = tables
            self.initialMapSizeBytes = initialMapSizeBytes
            self.isReadOnly = isReadOnly
            self.synchronous = synchronous
            self.maximumReaders = maximumReaders
            self.patience = patience
        }
    }

    /// The file, as it was first opened in this process, with symbolic links resolved.
    public let path: String
    /// The options it was first opened with in this process.
    public let options: Options
    /// The page size of the file in bytes, chosen by the machine that created it.
    public let pageSize: Int

    /// The transactions that are open.
    let gate = Gate()
    /// The tables that are open.
    let tables: TableHandles
    /// The key of this file in the registry; nil while the file is being created.
    let identity: FileIdentity?
    /// Held during every write; nil if read-only, or if nothing else writes to the file.
    let writerLock: WriterLock?
    /// The C environment.
    ///
    /// Freed by `close()` with the gate held exclusively; everything else uses it inside the gate only.
    let resources: Resources

    /// The C environment and the state of its one write transaction.
    @safe
    struct Resources: @unchecked Sendable {
        // Why @unchecked holds: liblmdb's environment calls are thread-safe except for resizing and closing, which
        // happen with the gate held exclusively; only the thread that holds LMDB's writer lock uses `writer`; and
        // what `mapStart` points to is atomic.
        let handle: OpaquePointer
        let writer: UnsafeMutablePointer<WriterState>
        /// The start of the map: see ``PageGuard``.
        let mapStart: UnsafeMutablePointer<Atomic<UInt>>
    }

    /// Whether the environment was opened read-only.
    public var isReadOnly: Bool { options.isReadOnly }

    /// Takes over `handle`, an open environment.
    init(opened handle: OpaquePointer, path: String, options: Options, identity: FileIdentity?) {
        self.path = path
        self.options = options
        var statistics = MDB_stat()
        // Cannot fail with an open environment.
        _ = unsafe mdb_env_stat(handle, &statistics)
        pageSize = Int(statistics.ms_psize)
        self.identity = identity
        writerLock = identity != nil && !options.isReadOnly && options.patience != nil ? WriterLock.at(path) : nil
        tables = TableHandles(capacity: options.tables)
        let writer = UnsafeMutablePointer<WriterState>.allocate(capacity: 1)
        unsafe writer.initialize(to: WriterState())
        let mapStart = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 1)
        unsafe mapStart.initialize(to: Atomic(0))
        resources = unsafe Resources(handle: handle, writer: writer, mapStart: mapStart)
    }

    deinit {
        close()
        // Closed, so no transaction is left to use it.
        unsafe resources.writer.deinitialize(count: 1)
        unsafe resources.writer.deallocate()
        unsafe resources.mapStart.deinitialize(count: 1)
        unsafe resources.mapStart.deallocate()
    }

    /// Closes the file, and that of its writer lock, once all transactions of this process have ended; every later use
    /// throws ``LMDBError/Reason/closed``.
    ///
    /// Closing twice does nothing. An environment without references closes by itself. With `synchronous` false, call
    /// ``synchronise()`` first if the contents are to survive a power cut.
    ///
    /// - Precondition: This thread is not inside a transaction of this environment.
    public func close() {
        precondition(close(waits: true), "An environment is closed outside of its transactions.")
    }

    /// Closes the file like ``close()``; inside a transaction of this thread, does nothing and returns false.
    ///
    /// - Parameter waits: Whether to wait for transactions of other threads; if not, they also keep the file open.
    func close(waits: Bool) -> Bool {
        let done: Void? = gate.exclusively(waits: waits) { isClosed in
            guard !isClosed else { return }
            isClosed = true
            release()
        }
        return done != nil
    }

    /// Frees the C environment.
    ///
    /// The caller holds the gate exclusively and keeps it shut.
    func release() {
        gate.endIdleReaders()
        // The gate is empty and stays shut, so nobody uses the handle now or later.
        if let identity { EnvironmentRegistry.shared.beginClosing(identity) }
        unsafe mdb_env_close(resources.handle)
        writerLock?.closeFile()
        if let identity { EnvironmentRegistry.shared.remove(identity) }
    }

    /// An error of this environment.
    func error(_ reason: LMDBError.Reason, during operation: LMDBError.Operation) -> LMDBError {
        LMDBError(reason, path: path, during: operation)
    }

    /// Runs `body` inside the gate, so that the environment stays open and its map in place.
    func inside<R>(
        during operation: LMDBError.Operation, _ body: () throws(LMDBError) -> R
    ) throws(LMDBError) -> R {
        guard gate.enter() else { throw error(.closed, during: operation) }
        defer { gate.leave() }
        return try body()
    }
}
