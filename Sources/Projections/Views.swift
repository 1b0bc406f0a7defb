import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords
import Synchronization

/// The views of one store: read by all callers, written only by the replay.
///
/// They are stored in one LMDB file, which may be deleted at any time. Every defect of the file (missing, damaged, of
/// another log or of another version) is handled the same way: a new file is built from the log and replaces it.
public final class Views: Sendable {
    /// The log that the views are folded from.
    public let log: EventLog
    /// The known kinds.
    public let kinds: Kinds

    /// Whether the file is never written, not even to bring it up to date.
    public var isReadOnly: Bool { place.withLock { $0.isReadOnly } }

    /// Folds single records from their events.
    public let history: RecordHistory

    private let place: Mutex<Place>
    private let aside: (@Sendable () throws -> Aside)?
    /// The boot ID of the machine; zeros if unknown.
    private let boot: [UInt8]
    private let file = Mutex<OpenFile?>(nil)
    /// The file that this object built last, and hence during the current boot.
    private let built = Mutex<FileID?>(nil)
    private let rebuilds = Mutex<[Rebuild]>([])
    private let didRebuild: @Sendable (Rebuild) -> Void

    /// The location of the file.
    private struct Place {
        var path: String
        var isReadOnly: Bool
        /// Keeps the folder of `path` alive.
        var keeper: (any Sendable)?
    }

    /// A location for private views: a path in a temporary folder, and the object that keeps the folder alive.
    public typealias Aside = (path: String, keeper: any Sendable)

    private var path: String { place.withLock { $0.path } }

    private struct OpenFile {
        var environment: Environment
        var identity: FileID
    }

    /// Why the views were rebuilt, and from how many events.
    public struct Rebuild: Hashable, Sendable {
        /// The defect of the previous views.
        public let reason: String
        /// The number of events folded.
        public let events: Int
        /// Whether views existed and were damaged.
        public let isRepair: Bool
    }

    /// Creates the views of `log` in the file at `path`, which need not exist. Reads and builds nothing yet.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether the file is never written; by default, as for the log. Views of a read-only log may be
    ///     writable if no other process uses the file.
    ///   - boot: The boot ID of the machine, as in an ``EventLog/Arrival``. Views of another or an unknown boot are
    ///     not used.
    ///   - aside: Makes a location for writable views, for use if those at `path` are unusable and read-only: see
    ///     ``moveAside()``.
    ///   - didRebuild: Called after each rebuild, on the thread that did it.
    public init(
        of log: EventLog, kinds: Kinds, at path: String, isReadOnly: Bool? = nil, boot: [UInt8] = Arrival.now().boot,
        aside: (@Sendable () throws -> Aside)? = nil, didRebuild: @escaping @Sendable (Rebuild) -> Void = { _ in }
    ) {
        self.didRebuild = didRebuild
        self.log = log
        self.kinds = kinds
        self.boot = boot
        self.aside = aside
        history = RecordHistory(of: log, kinds: kinds)
        place = Mutex(Place(path: path, isReadOnly: isReadOnly ?? log.isReadOnly))
    }

    /// The rebuilds since this object was created.
    public var rebuildsSoFar: [Rebuild] { rebuilds.withLock { $0 } }

    /// The reason reported if the file does not exist.
    private static let missing = "they are missing"

    /// The reason reported for views that may have been written before the machine started: see ``ViewsBoot``.
    private static let unclean = "they may be from before the last start of the machine"

    // MARK: - Reading

    /// Lends one consistent state of the views to `body`.
    ///
    /// The state is that of the last ``catchUp()`` of any process. Late events since then are first folded into the
    /// views. If the log was rewritten or a row is damaged, the views are rebuilt. In both cases `body` runs again.
    /// Read-only views are not brought up to date first.
    ///
    /// - Parameter kinds: The kinds, with other merge policies for reading records; by default those of the views.
    public func read<Result>(
        kinds: Kinds? = nil, _ body: (borrowing ViewReader) throws -> Result
    ) throws -> Result {
        var folded = 0
        return try log.usage.using { try repairing(&folded) { try readOnce(kinds: kinds, body) } }
    }

    /// As ``read(kinds:_:)``, but throws if the views are damaged or stale, and does not rebuild them.
    package func readOnce<Result>(
        kinds: Kinds? = nil, _ body: (borrowing ViewReader) throws -> Result
    ) throws -> Result {
        try environment().read { transaction in
            try ViewReader.lend(transaction, kinds: kinds ?? self.kinds) { view in
                if !isReadOnly {
                    // Read after the views: their content is never newer than that of the log.
                    let content = try log.content()
                    guard view.content.generation == content.generation else { throw ViewError.stale }
                    guard view.content.late >= content.late else { throw ViewError.behind }
                }
                return try body(view)
            }
        }
    }

    // MARK: - Catching up

    /// Folds the events that the log has and the views have not, whichever process wrote them.
    @discardableResult
    public func catchUp() throws -> Int {
        var folded = 0
        let rest = try log.usage.using { try repairing(&folded) { try replayer.catchUp(environment()).events } }
        return folded + rest
    }

    /// Runs `body`, and runs it again after a failure that could be repaired. Damage is repaired only once.
    ///
    /// Another process may replace the log again, or receive late events, after a repair. So failures caused by
    /// others are retried a few times.
    ///
    /// - Parameter folded: Increased by the number of events folded for repairs.
    private func repairing<Result>(_ folded: inout Int, _ body: () throws -> Result) throws -> Result {
        var isRepaired = false
        for _ in 1..<Self.attemptLimit {
            do { return try body() } catch {
                if !isOfOthers(error) {
                    if isRepaired { throw error }
                    isRepaired = true
                }
                folded += try repair(after: error)
            }
        }
        return try body()
    }

    /// Repairs the cause of `error`, or rethrows it if that is impossible.
    ///
    /// - Returns: The number of events folded.
    private func repair(after error: any Error) throws -> Int {
        switch error {
        // Rows that this program derives and another one has left behind are made elsewhere, if they cannot be made here.
        case ViewError.behind where isReadOnly: return try rebuild(because: "behind, and read-only", isRepair: false)
        case ViewError.behind: return try replayer.catchUp(environment()).events
        case let error as ViewError: return try rebuild(because: error)
        case let error as LMDBError where error.meansDamage && isOurs(error):
            return try rebuild(because: .damaged("\(error.reason)"))
        case let error as LMDBError where error.reason == .mustReopen && isOurs(error):
            // After a failed write LMDB refuses every operation until the file is closed.
            close()
            return 0
        case let error as LMDBError where error.reason == .closed && isOurs(error):
            close()
            return 0
        default: throw error
        }
    }

    /// Whether another process or object caused `error`: it replaced the log, received late events, or (in this
    /// process) closed the file to replace it.
    private func isOfOthers(_ error: any Error) -> Bool {
        switch error {
        case ViewError.stale, ViewError.behind: true
        case let error as LMDBError: error.reason == .closed && isOurs(error)
        default: false
        }
    }

    /// Whether `error` concerns the file of these views, not the log beside it.
    private func isOurs(_ error: LMDBError) -> Bool {
        error.path.split(separator: "/").last == path.split(separator: "/").last
    }

    /// Rebuilds the views in a new file, which then replaces the present one.
    ///
    /// - Returns: The number of events folded.
    @discardableResult
    public func rebuild() throws -> Int {
        guard !isReadOnly else { throw ViewError.readOnly }
        return try rebuild(because: "requested", isRepair: false)
    }

    /// Switches read-only views to a private, writable location, where the next use builds them from the log. The
    /// file at the old path is left unchanged. Does nothing if the views are writable.
    ///
    /// - Throws: ``ViewError/readOnly`` if there is no such location.
    public func moveAside() throws {
        try place.withLock { place in
            guard place.isReadOnly else { return }
            guard let aside else { throw ViewError.readOnly }
            let (path, keeper) = try aside()
            place = Place(path: path, isReadOnly: false, keeper: keeper)
        }
    }

    private func rebuild(because error: ViewError) throws -> Int {
        switch error {
        case .damaged(let what):
            try rebuild(because: what, isRepair: what != Self.missing && what != Self.unclean)
        case .stale: try rebuild(because: "from another version or history", isRepair: false)
        case .behind, .readOnly: throw error
        }
    }

    private func rebuild(because reason: String, isRepair: Bool) throws -> Int {
        try moveAside()
        return try replaceFile { aside in
            let (environment, events) = try Self.build(at: aside, of: log, kinds: kinds)
            defer { environment.close() }
            try environment.synchronise()
            let checkpoint = try environment.read { try Replayer.checkpoint(in: $0, ViewTables(in: $0)) }
            return (events, Rebuild(reason: reason, events: events, isRepair: isRepair), checkpoint)
        }
    }

    /// Has `build` write a new file and return its checkpoint, then replaces the present file with it.
    ///
    /// Starts over if values were erased from the log meanwhile, since the new file may still contain them. Also
    /// starts over if the process that erases has deleted the new file, taking it for the leftover of a crashed
    /// process: the file is then missing, or LMDB, which was about to open it, has created an empty one.
    func replaceFile<Result>(_ build: (_ aside: String) throws -> (Result, Rebuild, Checkpoint)) throws -> Result {
        for _ in 1..<Self.attemptLimit {
            do { return try replaceFileOnce(build) } catch ViewError.stale { continue }
        }
        return try replaceFileOnce(build)
    }

    private static let attemptLimit = 5

    private func replaceFileOnce<Result>(
        _ build: (_ aside: String) throws -> (Result, Rebuild, Checkpoint)
    ) throws -> Result {
        let path = path
        let aside = "\(path).new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { Self.remove(aside) }
        do {
            let (result, rebuild, checkpoint) = try build(aside)
            try exclusively {
                try replayer.check(checkpoint)
                guard FileID(path: aside) != nil else { throw ViewError.stale }
                file.withLock { $0 = nil }
                Self.removeLock(path)
                guard rename(aside, path) == 0 else { throw ViewError.damaged("its new file cannot be renamed") }
                ViewsBoot.mark(path, boot)
                if let state = FileState(of: path) { WriterLock.note(state, of: path) }
                built.withLock { $0 = FileID(path: path) }
            }
            rebuilds.withLock { $0.append(rebuild) }
            didRebuild(rebuild)
            return result
        } catch let error as LMDBError where error.reason == .missing && error.path.hasPrefix(aside) {
            throw ViewError.stale
        }
    }

    /// Runs `body` under the log's writer lock, so that no process opens or replaces the views meanwhile. Takes no
    /// lock if the log is read-only: its writable views are private.
    private func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        log.isReadOnly ? try body() : try log.withWriterLock(body)
    }

    /// Counts the file at `path` as built by this object, and hence during the current boot.
    func adopt(_ path: String) { built.withLock { $0 = FileID(path: path) } }

    /// Whether the file exists, is of this log and layout, and is behind in nothing that this program asks it for. Detects only damage that is
    /// visible without reading the whole file.
    public func isCurrent() throws -> Bool {
        do {
            let (checkpoint, directory) = try environment().read { transaction in
                let tables = try ViewTables(in: transaction)
                return (
                    try Replayer.checkpoint(in: transaction, tables),
                    try SliceWriter.directory(in: transaction, tables)
                )
            }
            try replayer.check(checkpoint)
            return try checkpoint.position == log.lastPosition() && checkpoint.content == log.content()
                && KnownDerivations(directory, kinds).isComplete
        } catch is ViewError {
            return false
        } catch let error as LMDBError where error.meansDamage {
            return false
        }
    }

    var replayer: Replayer { Replayer(log: log, kinds: kinds, history: history) }

    // MARK: - The file

    /// Returns the environment of the file that is at the path now; another process may have replaced it since the
    /// last call.
    func environment() throws -> Environment {
        let path = path
        let identity = FileID(path: path)
        let known = file.withLock { open in open?.identity == identity ? open?.environment : nil }
        if let known { return known }
        // Locking order: the log's writer lock, then ours, as when the file is replaced.
        return try exclusively { try file.withLock { try reopen(path, &$0) } }
    }

    private func reopen(_ path: String, _ open: inout OpenFile?) throws -> Environment {
        guard let identity = FileID(path: path) else {
            open = nil
            throw ViewError.damaged(Self.missing)
        }
        if let open, open.identity == identity { return open.environment }
        guard built.withLock({ $0 == identity }) || ViewsBoot.isPresent(path, boot) else {
            open = nil
            throw ViewError.damaged(Self.unclean)
        }
        // A running read keeps the previous file open, and LMDB opens only one environment of a path at a time.
        let before = open.map { ReplacedFile(environment: $0.environment, identity: $0.identity) }
        open = nil
        var options = Self.options
        options.isReadOnly = isReadOnly
        options.patience = log.patience
        options.check = { (path: String) throws(LMDBError) in
            guard let damage = Views.damage(at: path) else { return }
            throw LMDBError(.damaged(code: 0, text: damage), path: path, during: .write)
        }
        let environment: Environment
        do { environment = try Environment.open(path, options: options) } catch {
            if error.meansDamage { throw ViewError.damaged("\(error)") }
            // Until that read ends, use its environment: its state is older, but consistent.
            guard error.reason == .inUse, let before, let running = before.environment else { throw error }
            open = OpenFile(environment: running, identity: before.identity)
            return running
        }
        open = OpenFile(environment: environment, identity: identity)
        return environment
    }

    /// A replaced file, and its environment while a read still uses it.
    private struct ReplacedFile {
        weak var environment: Environment?
        let identity: FileID
    }

    /// Flushes the views to the disk, so that they survive a power cut.
    public func synchronise() throws { try environment().synchronise() }

    /// Returns the size of the file in bytes.
    public func fileSizeBytes() throws -> Int { try environment().fileSizeBytes }

    /// Closes the file; the next use opens it again.
    public func close() {
        file.withLock { open in
            open?.environment.close()
            open = nil
        }
    }

    private static func remove(_ path: String) {
        unlink(path)
        removeLock(path)
    }

    private static func removeLock(_ path: String) { unlink("\(path)-lock") }
}

/// The identity of a file, independent of its name.
struct FileID: Hashable {
    var device: UInt64
    var inode: UInt64

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
