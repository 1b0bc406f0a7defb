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
    public var isReadOnly: Bool { place.withLock { $0.isReadOnly } }

    /// Folds single records anew from their events.
    public let history: RecordHistory

    private let place: Mutex<Place>
    private let aside: (@Sendable () throws -> Aside)?
    /// Which start of the machine it is; zeros where that is not known.
    private let boot: [UInt8]
    private let file = Mutex<OpenFile?>(nil)
    /// The file that was built last by this object, and so by the present start of the machine.
    private let built = Mutex<FileID?>(nil)
    private let rebuilds = Mutex<[Rebuild]>([])
    private let didRebuild: @Sendable (Rebuild) -> Void

    /// Where the file lies.
    private struct Place {
        var path: String
        var isReadOnly: Bool
        /// What keeps that place there.
        var keeper: (any Sendable)?
    }

    /// A place for views that are nobody else's: a path in a temporary folder, and what keeps that folder there.
    public typealias Aside = (path: String, keeper: any Sendable)

    private var path: String { place.withLock { $0.path } }

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
    /// - Parameters:
    ///   - isReadOnly: Whether the file is never written; as the log, where it is not given. Views of a read-only log may
    ///     be written where the file is nobody else's.
    ///   - boot: Which start of the machine it is, as an ``EventLog/Arrival`` says it. Views of another start, or of an
    ///     unknown one, are not believed.
    ///   - aside: Makes a place where views may be written instead, once those at `path` cannot be used and are never
    ///     written: see ``moveAside()``.
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

    /// What was built anew since this object was made.
    public var rebuildsSoFar: [Rebuild] { rebuilds.withLock { $0 } }

    /// What is said of views that are not there yet.
    private static let missing = "they are missing"

    /// What is said of views that were written before the machine started, for all that is known: see ``ViewsBoot``.
    private static let unclean = "they may be from before the last start of the machine"

    // MARK: - Reading

    /// Lends one state of the views to `body`: all its answers belong together.
    ///
    /// The state is that of the last ``catchUp()`` of any process. Where events came late since, they are folded into the
    /// views; where the log was rewritten, or rows turn out damaged, these are rebuilt; then `body` runs once more. Views
    /// that can only be read are read as they are.
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
                if !isReadOnly {
                    // Asked behind the views: they are never of a later content than the log.
                    let content = try log.content()
                    guard view.content.generation == content.generation else { throw ViewError.stale }
                    guard view.content.late >= content.late else { throw ViewError.behind }
                }
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
    /// Where another process replaces the log meanwhile, or events come late, what was set right is not any more: then it
    /// runs a few times more.
    ///
    /// - Parameter folded: How many events were folded to set it right is added here.
    private func mending<Result>(_ folded: inout Int, _ body: () throws -> Result) throws -> Result {
        var isRepaired = false
        for _ in 1..<Self.attemptLimit {
            do { return try body() } catch {
                if !isOfOthers(error) {
                    if isRepaired { throw error }
                    isRepaired = true
                }
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
        case ViewError.behind: return try replayer.catchUp(environment()).events
        case let error as ViewError: return try rebuild(because: error)
        case let error as LMDBError where error.meansDamage && isOurs(error):
            return try rebuild(because: .damaged("\(error.reason)"))
        case let error as LMDBError where error.reason == .mustReopen && isOurs(error):
            // A failed write has left LMDB refusing everything until the file was closed.
            close()
            return 0
        case let error as LMDBError where error.reason == .closed && isOurs(error):
            close()
            return 0
        default: throw error
        }
    }

    /// Whether what others did meanwhile has made a use of the views fail: they replaced the log, or took in what came late;
    /// or another object of this process has closed the file, for the one that took its place.
    private func isOfOthers(_ error: any Error) -> Bool {
        switch error {
        case ViewError.stale, ViewError.behind: true
        case let error as LMDBError: error.reason == .closed && isOurs(error)
        default: false
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
    public func rebuild() throws -> Int {
        guard !isReadOnly else { throw ViewError.readOnly }
        return try rebuild(because: "requested", isRepair: false)
    }

    /// Leaves views that are never written, and whatever is wrong with them, as they are: from here on these are others, in
    /// a place of their own, which the next use builds from the log. Does nothing where the views may be written.
    ///
    /// - Throws: ``ViewError/readOnly`` where there is no such place.
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
        let path = path
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
            return try checkpoint.position == log.lastPosition() && checkpoint.content == log.content()
        } catch is ViewError {
            return false
        } catch let error as LMDBError where error.meansDamage {
            return false
        }
    }

    var replayer: Replayer { Replayer(log: log, kinds: kinds, history: history) }

    // MARK: - The file

    /// The environment of the file at the path now; another process may have replaced it since the last call.
    func environment() throws -> Environment {
        let path = path
        let identity = FileID(path: path)
        let known = file.withLock { open in open?.identity == identity ? open?.environment : nil }
        if let known { return known }
        // The log's writer lock comes before ours, as it does where the file is replaced.
        return try alone { try file.withLock { try reopen(path, &$0) } }
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
        // A read that is still running keeps the file before this one open, and LMDB allows one of a name.
        let before = open.map { FormerFile(environment: $0.environment, identity: $0.identity) }
        open = nil
        var options = Self.options
        options.isReadOnly = isReadOnly
        options.patience = log.patience
        options.look = { (path: String) throws(LMDBError) in
            guard let damage = Views.damage(at: path) else { return }
            throw LMDBError(.damaged(code: 0, text: damage), path: path, during: .write)
        }
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
