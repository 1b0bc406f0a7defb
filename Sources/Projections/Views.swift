import ByteCoding
import EventLog
import Events
import Foundation
import LMDB
import Records
import Synchronization

/// The views of one store: what everyone reads, and nobody but the replay writes.
///
/// They live in one LMDB file that may be deleted at any time. Whatever is wrong with it (missing, damaged, of another
/// log or another version) ends in the same way: a new one is built aside from the log and takes its place.
public final class Views: Sendable {
    /// The log that these are a fold of.
    public let log: EventLog
    /// The kinds that are known.
    public let kinds: Kinds

    /// Whether the file is never written, not even to bring it up to date.
    public let isReadOnly: Bool

    /// Folds single records anew from their events.
    public let history: RecordHistory

    private let path: String
    private let file: Mutex<OpenFile?>
    private let rebuilds = Mutex<[Rebuild]>([])
    private let didRebuild: @Sendable (Rebuild) -> Void

    private struct OpenFile {
        var environment: Environment
        var identity: FileID
    }

    /// Why and when the views were built anew.
    public struct Rebuild: Hashable, Sendable {
        /// What was wrong with the ones before.
        public let reason: String
        /// How many events were folded.
        public let events: Int
        /// Whether there were views, and they were damaged.
        public let isRepair: Bool
    }

    /// The views of `log` in the file at `path`, which need not exist. Nothing is read or built yet.
    ///
    /// - Parameter isReadOnly: Whether the file is never written; as the log, where it is not given. Views of a
    ///   read-only log may be written where the file is nobody else's: see ``isCurrent()``.
    /// - Parameter didRebuild: Called after each rebuild, on the thread that did it.
    public init(
        of log: EventLog, kinds: Kinds, at path: String, isReadOnly: Bool? = nil,
        didRebuild: @escaping @Sendable (Rebuild) -> Void = { _ in }
    ) {
        self.didRebuild = didRebuild
        self.log = log
        self.kinds = kinds
        history = RecordHistory(of: log, kinds: kinds)
        self.path = path
        self.isReadOnly = isReadOnly ?? log.isReadOnly
        file = Mutex(nil)
    }

    /// What was built anew since this object was made.
    public var rebuildsSoFar: [Rebuild] { rebuilds.withLock { $0 } }

    /// What is said of views that are not there yet.
    private static let missing = "they are not there"

    /// What is said of views that were written before the machine started: see ``ViewsBoot``.
    private static let unclean = "the machine was started anew since they were written"

    // MARK: - Reading

    /// Lends one state of the views to `body`: all its answers belong together.
    ///
    /// The state is that of the last ``catchUp()`` of any process. Where the log was rewritten since, or rows turn out
    /// damaged, the views are rebuilt, and `body` runs once more; those that can only be read are read as they are.
    ///
    /// - Parameter kinds: The kinds, where records are to be read by other policies; otherwise they are the same.
    public func read<Result>(
        kinds: Kinds? = nil, _ body: (borrowing ViewReader) throws -> Result
    ) throws -> Result {
        var folded = 0
        return try mending(&folded) { try readOnce(kinds: kinds, body) }
    }

    /// As ``read(kinds:_:)``, but what is damaged or stale is thrown and not built anew.
    package func readOnce<Result>(
        kinds: Kinds? = nil, _ body: (borrowing ViewReader) throws -> Result
    ) throws -> Result {
        try environment().read { transaction in
            try ViewReader.lend(transaction, kinds: kinds ?? self.kinds) { view in
                // Asked behind the views: they are never of a later generation than the log.
                guard try isReadOnly || view.generation == log.generation() else { throw ViewError.stale }
                return try body(view)
            }
        }
    }

    // MARK: - Catching up

    /// Folds what the log has and the views have not, by whichever process it was written.
    @discardableResult
    public func catchUp() throws -> Int {
        var folded = 0
        let rest = try mending(&folded) { try replayer.catchUp(environment()).events }
        return folded + rest
    }

    /// What `body` gives, which runs once more where what made it fail could be set right; damage is repaired once.
    ///
    /// Where another process replaces the log meanwhile, what was built anew is stale again: then it runs a few times more.
    ///
    /// - Parameter folded: How many events were folded to set it right is added here.
    private func mending<Result>(_ folded: inout Int, _ body: () throws -> Result) throws -> Result {
        var isRepaired = false
        for _ in 1..<Self.attemptLimit {
            do { return try body() } catch {
                if case ViewError.stale = error {} else if isRepaired { throw error } else { isRepaired = true }
                folded += try mend(after: error)
            }
        }
        return try body()
    }

    /// Sets right what made a use of the views fail, where that can be done, or throws `error` on.
    ///
    /// - Returns: How many events were folded.
    private func mend(after error: any Error) throws -> Int {
        switch error {
        case let error as ViewError: return try rebuild(because: error)
        case let error as LMDBError where error.meansDamage && isOurs(error):
            return try rebuild(because: .damaged("\(error.reason)"))
        case let error as LMDBError where error.reason == .mustReopen && isOurs(error):
            // A failed write has left LMDB refusing everything until the file was closed.
            close()
            return 0
        default: throw error
        }
    }

    /// Whether `error` is of the file of these views, and not of the log beside it.
    private func isOurs(_ error: LMDBError) -> Bool {
        error.path.split(separator: "/").last == path.split(separator: "/").last
    }

    /// Builds the views anew beside the present ones, and lets them take their place.
    ///
    /// - Returns: How many events were folded.
    @discardableResult
    public func rebuild() throws -> Int { try rebuild(because: "asked for", isRepair: false) }

    private func rebuild(because error: ViewError) throws -> Int {
        switch error {
        case .damaged(let what):
            try rebuild(because: what, isRepair: what != Self.missing && what != Self.unclean)
        case .stale: try rebuild(because: "of another version or history", isRepair: false)
        case .readOnly: throw error
        }
    }

    private func rebuild(because reason: String, isRepair: Bool) throws -> Int {
        guard !isReadOnly else { throw ViewError.readOnly }
        return try replaceFile { aside in
            let (environment, events) = try Self.build(at: aside, of: log, kinds: kinds)
            defer { environment.close() }
            try environment.synchronise()
            let checkpoint = try environment.read { try Replayer.checkpoint(in: $0, ViewTables(in: $0)) }
            return (events, Rebuild(reason: reason, events: events, isRepair: isRepair), checkpoint)
        }
    }

    /// Has `build` make a file aside and say how far it goes, and puts it in the place of the present one.
    ///
    /// Where values were erased from the log meanwhile, it is made anew: they must not come back. So it is where whoever
    /// erases has deleted it, as the remains of somebody who does not go on: then it is missing, or LMDB, which was about
    /// to open it, has made an empty one in its place.
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
        let aside = "\(path).new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { Self.remove(aside) }
        do {
            let (result, rebuild, checkpoint) = try build(aside)
            try alone {
                try replayer.check(checkpoint)
                guard FileID(path: aside) != nil else { throw ViewError.stale }
                file.withLock { $0 = nil }
                Self.removeLock(path)
                guard rename(aside, path) == 0 else { throw ViewError.damaged("its new file cannot be renamed") }
                ViewsBoot.mark(path)
            }
            rebuilds.withLock { $0.append(rebuild) }
            didRebuild(rebuild)
            return result
        } catch let error as LMDBError where error.reason == .missing && error.path.hasPrefix(aside) {
            throw ViewError.stale
        }
    }

    /// Runs `body` while no process opens or replaces the views: under the log's writer lock. Views that are written
    /// beside a read-only log are nobody else's.
    private func alone<Result>(_ body: () throws -> Result) throws -> Result {
        log.isReadOnly ? try body() : try log.withWriterLock(body)
    }

    /// Whether the file is there, whole as far as can be seen without reading all of it, of this log and version, and
    /// not behind the log.
    public func isCurrent() throws -> Bool {
        do {
            let checkpoint = try environment().read { try Replayer.checkpoint(in: $0, ViewTables(in: $0)) }
            try replayer.check(checkpoint)
            return try checkpoint.position == log.lastPosition()
        } catch is ViewError {
            return false
        } catch let error as LMDBError where error.meansDamage {
            return false
        }
    }

    var replayer: Replayer { Replayer(log: log, kinds: kinds) }

    /// Builds the views of `log` up to `end` in a new file at `path`: for another store, or another point in time.
    ///
    /// Where history was archived, the fold begins with the log's base.
    ///
    /// - Throws: ``EventLog/EventLogError/archived(_:)`` where the values of an event are archived that would have to be
    ///   folded, or left out.
    static func build(
        at path: String, of log: EventLog, kinds: Kinds, through end: Position = .max,
        _ filter: EventFilter = EventFilter()
    ) throws -> (environment: Environment, events: Int) {
        let archived = try log.base()?.vector ?? VersionVector()
        let generation = try log.generation()
        var counted = filter
        if end < (try log.lastPosition()), counted.vector == nil { counted.vector = try log.vector(through: end) }
        if let range = counted.altered(of: archived).first {
            throw EventLogError.archived(EventID(range.replica, range.first))
        }
        let environment = try beginning(at: path, of: log, kinds: kinds, generation)
        let replayer = Replayer(log: log, kinds: kinds, filter: filter, folded: archived)
        return (environment, try replayer.catchUp(environment, through: end).events)
    }

    // MARK: - The file

    static var options: Environment.Options {
        var options = Environment.Options()
        options.tables = ViewTables.count
        // A commit of the views is not flushed. After a power cut nothing of the file is believed: see ViewsBoot.
        options.synchronous = false
        return options
    }

    static func create(
        at path: String, log: EventLog, kinds: Kinds, _ generation: LogGeneration
    ) throws -> Environment {
        try Environment.create(at: path, options: options) { transaction in
            try ViewTables.create(in: transaction)
            let checkpoint = Checkpoint(
                log: log.id, epoch: log.epoch, signature: kinds.signature, generation: generation)
            let meta = try transaction.openOrCreate("meta", of: [UInt8].self)
            try transaction.put(CheckedRow.seal(checkpoint.bytes).span.bytes, for: Checkpoint.key, in: meta)
            // From the start, so that names which are not there are known to be lost.
            try transaction.put(CheckedRow.seal(Names().encode()).span.bytes, for: SliceWriter.namesKey, in: meta)
        }
        return try openNew(path)
    }

    /// Opens views that were made just now.
    ///
    /// - Throws: ``ViewError/stale`` where they are empty: then they were deleted in between, and LMDB, which was about to
    ///   open them, has made a file of its own.
    static func openNew(_ path: String) throws -> Environment {
        let environment = try Environment.open(path, options: options)
        do { try environment.read { _ = try ViewTables(in: $0) } } catch is ViewError {
            environment.close()
            throw ViewError.stale
        }
        return environment
    }

    /// The environment of the file at the path now; another process may have replaced it since the last call.
    func environment() throws -> Environment {
        let identity = FileID(path: path)
        let known = file.withLock { open in open?.identity == identity ? open?.environment : nil }
        if let known { return known }
        // The log's writer lock comes before ours, as it does where the file is replaced.
        return try alone { try file.withLock { try reopen(&$0) } }
    }

    private func reopen(_ open: inout OpenFile?) throws -> Environment {
        guard let identity = FileID(path: path) else {
            open = nil
            if isReadOnly { throw ViewError.readOnly }
            throw ViewError.damaged(Self.missing)
        }
        if let open, open.identity == identity { return open.environment }
        guard ViewsBoot.isPresent(path) else {
            open = nil
            throw isReadOnly ? ViewError.readOnly : ViewError.damaged(Self.unclean)
        }
        // A read that is still running keeps the file before this one open, and LMDB allows one of a name.
        let before = open.map { FormerFile(environment: $0.environment, identity: $0.identity) }
        open = nil
        var options = Self.options
        options.isReadOnly = isReadOnly
        let environment: Environment
        do { environment = try Environment.open(path, options: options) } catch {
            if error.meansDamage { throw ViewError.damaged("\(error)") }
            // Until that read ends, its state, whole though older, is answered from.
            guard error.reason == .inUse, let before, let running = before.environment else { throw error }
            open = OpenFile(environment: running, identity: before.identity)
            return running
        }
        open = OpenFile(environment: environment, identity: identity)
        return environment
    }

    /// A file that was replaced, and its environment for as long as somebody reads it.
    private struct FormerFile {
        weak var environment: Environment?
        let identity: FileID
    }

    /// Puts on the disk what was folded so far: a power cut then takes nothing of it.
    public func synchronise() throws { try environment().synchronise() }

    /// Bytes of the file.
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

/// Which file it is, whatever it is called.
struct FileID: Hashable {
    var device: UInt64
    var inode: UInt64

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
