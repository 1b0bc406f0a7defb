import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveMembership
import Synchronization

/// The log: every event of this store, in order of arrival, in one LMDB file.
///
/// Only the log is written; everything else is folded from it. Any number of threads and processes may read and
/// append: LMDB allows one writer at a time, and numbers, stamps and positions are assigned inside its transaction.
public final class EventLog: Sendable {
    /// The format of the file; other formats are refused.
    public static let format = LogTables.format

    /// The id of the log, the same in every store that shares it.
    public let id: LogID
    /// A number that changes whenever the log is rebuilt: positions and tokens of another epoch are invalid here.
    public let epoch: UInt64

    let path: String
    let options: Environment.Options
    /// The environment; replaced when the file was replaced, or when a failed commit has been checked.
    let holder: Mutex<Environment>
    /// Held while a replaced file is closed and the new one opened.
    let reopening = Mutex(())
    let isClosed = Atomic(false)
    /// Who is using the file: see ``suspend()``.
    package let usage = Usage()
    /// The state before a commit that failed; nothing is appended until the end of the log has been checked.
    let suspect = Mutex<LogState?>(nil)
    /// The state that the last failed commit would have produced: see ``wasStored()``.
    let attempted = Mutex<LogState?>(nil)
    /// Whether this log object has stored in the file that a commit may trail.
    let hasTrailed = Atomic(false)
    /// Tells whether another process has begun to write since this one did: see ``bringBackTrailing()``.
    let lastWriter: LastWriter
    /// Held while the end of the log is checked after a failed commit.
    let checking = Mutex(())
    let sealer = Mutex(Sealer())
    /// The roster as it was last decided, so that it is decided once.
    let knownRoster = Mutex<KnownRoster?>(nil)

    /// Creates a new, empty log at `path` and opens it. The file is written under another name and then renamed.
    ///
    /// - Throws: ``LMDBError`` if the file exists already or cannot be written; then nothing is left behind.
    public static func create(
        at path: String, id: LogID, epoch: UInt64, options: Environment.Options = Environment.Options()
    ) throws -> EventLog {
        try Environment.create(at: path, options: options) { transaction in
            try LogTables.create(in: transaction, after: nil)
            let tables = try LogTables(in: transaction)
            try tables.putNames(log: id, epoch: epoch, in: transaction)
            let state = LogState(nextPosition: 1, lastChecksum: 0, clock: Stamp(rawValue: 0))
            try transaction.put(state.bytes.span.bytes, for: LogState.key, in: tables.meta)
            try transaction.put(RosterRow().bytes.span.bytes, for: RosterRow.key, in: tables.meta)
        }
        if let state = FileState(of: path) { WriterLock.note(state, of: path) }
        return try EventLog(opening: path, options: options)
    }

    /// Opens the log at `path`, and restores commits that a power cut left without a meta page: see
    /// ``bringBackTrailing()``.
    ///
    /// - Throws: `LMDBError` if the file cannot be opened; ``EventLogError/notALog``,
    ///   ``EventLogError/unknownFormat(_:)``; ``EventLogError/damaged(_:)`` if its rows contradict each other.
    public init(opening path: String, options: Environment.Options = Environment.Options()) throws {
        var options = options
        options.check = LogCheck.check
        let environment = try Environment.open(path, options: options)
        (id, epoch) = try Self.names(in: environment)
        try Self.checkAgreement(in: environment)
        self.path = path
        self.options = options
        holder = Mutex(environment)
        lastWriter = LastWriter(of: path)
        if !options.isReadOnly {
            try bringBackTrailing()
            try writeMissingRoster()
        }
    }

    /// The id and the epoch that are stored in `environment`.
    static func names(in environment: Environment) throws -> (id: LogID, epoch: UInt64) {
        try environment.read { transaction in
            try checkFormat(in: transaction)
            let meta = try CheckedTable<[UInt8]>(.meta, in: transaction)
            let id = LogID(try Self.row("log", 16, in: transaction, meta))
            return (id, try Self.row("epoch", 8, in: transaction, meta).withSpan { $0.uint64(at: 0) })
        }
    }

    /// Throws unless the log has the format of this version. Rows of format 1 had no checksums.
    private static func checkFormat(in transaction: borrowing ReadTransaction) throws {
        guard let table = try transaction.table("meta", of: [UInt8].self) else { throw EventLogError.notALog }
        let name = [UInt8]("format".utf8)
        if let old = try transaction.value(name, in: table), old.count == 4 {
            throw EventLogError.unknownFormat(old.withSpan { $0.uint32(at: 0) })
        }
        let meta = try CheckedTable<[UInt8]>(.meta, in: transaction)
        let format = try row("format", 4, in: transaction, meta).withSpan { $0.uint32(at: 0) }
        guard format == LogTables.format else { throw EventLogError.unknownFormat(format) }
    }

    private static func row(
        _ name: String, _ length: Int, in transaction: borrowing ReadTransaction, _ meta: CheckedTable<[UInt8]>
    ) throws -> [UInt8] {
        guard let row = try transaction.value([UInt8](name.utf8), in: meta), row.count == length else {
            throw EventLogError.notALog
        }
        return row
    }

    /// Whether the log can only be read.
    public var isReadOnly: Bool { options.isReadOnly }

    /// How long a write waits for other writers.
    public var patience: WriterLock.Patience? { options.patience }

    /// The size of the file in bytes.
    public func fileSizeBytes() throws -> Int { try read { _ in try environment().fileSizeBytes } }

    /// A number that changes with every commit of any process, and when the file is replaced. Cheap enough to poll
    /// for changes.
    public func changeNumber() throws -> UInt64 {
        try read { _ in
            let environment = environment()
            return try environment.info().lastTransaction &+ environment.fileNumber &* 0x9E37_79B9_7F4A_7C15
        }
    }

    /// The position of the last event; 0 in an empty log.
    public func lastPosition() throws -> Position { try state().nextPosition - 1 }

    /// The checksum of the frame at the last position. With the position it identifies one history in a checkpoint.
    public func lastChecksum() throws -> UInt32 { try state().lastChecksum }

    func state() throws -> LogState {
        try read { transaction in try LogTables(in: transaction).state(in: transaction) }
    }

    /// The last event of every replica in this log.
    public func vector() throws -> VersionVector {
        try read { transaction in try LogTables(in: transaction).vector(in: transaction) }
    }

    /// Writes everything that is still in memory and closes the file. Later calls throw.
    public func close() throws {
        if closeSuspended() { return }
        if !isReadOnly {
            try endTrailing()
            try writeSeals()
        }
        isClosed.store(true, ordering: .releasing)
        holder.withLock { $0 }.close()
        lastWriter.forget()
    }
}

extension EventLog {
    /// Runs `body` while no process appends, for work that needs exclusive access, such as replacing a file beside
    /// the log.
    public func withWriterLock<Result>(_ body: () throws -> Result) throws -> Result {
        try write { _ in try body() }
    }

    /// Runs `body`, which may append, while no other process appends: its commits follow each other without a foreign
    /// one.
    public func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        try usage.using { try environment().withWriterLock(body) }
    }
}
