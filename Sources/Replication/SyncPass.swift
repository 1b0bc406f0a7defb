import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// One sync pass with a remote: pulls what other stores have pushed there, then pushes what the remote is missing.
///
/// A pass reads before it writes, so it never pushes what is already there. It can be interrupted at any step: pulled
/// events are in the log, pushed objects are complete, and the next pass resumes. Nothing that the remote returns, or
/// fails to return, removes anything from the log.
public struct SyncPass<Log: ReplicatedLog> {
    let log: Log
    let identity: Identity
    let transport: any Transport
    let now: () -> Arrival
    let checkSignature: @Sendable (SignedHead) throws(SignedHeadError) -> Void
    let isValid: SignatureCheck
    /// The remote cache, to be saved for the next pass, even if this one fails.
    public internal(set) var cache: RemoteCache
    /// The results so far.
    public internal(set) var report = SyncPassReport()
    /// Called after each commit of pulled events, with what was learnt so far: a pass that is killed then goes on there.
    package var didCommit: (RemoteCache) throws -> Void = { _ in }
    /// How segments become packs.
    package var packing = Packing()
    /// Whether this pass reads everything.
    var isFull = false
    /// The catalog of this store at the remote; `nil` if there is none.
    var own: Catalog?
    /// The packs and segments in the folder of this store when this pass began, if it reads everything.
    var ownObjects: [(name: ObjectName, kind: RemoteLayout.Kind)] = []
    /// Whether the remote has lost objects of this store, so that it begins a new history there.
    var beginsAnew = false
    /// Whether the catalog at the remote is older than the last one that this store has written there.
    var isCatalogOutdated = false
    /// Returns the stores that write nothing more: this one takes over what they have left at the remote.
    private let abandoned: () throws -> Set<ReplicaID>
    /// The maximum number of segments of one store recorded as unread.
    private static var unreadCount: Int { 1000 }

    /// The interval between passes that read everything, whatever the remote cache contains: one day.
    public static var fullPassMilliseconds: Int64 { 24 * 3600 * 1000 }

    /// Returns whether a signature of a message by a public key is valid.
    public typealias SignatureCheck =
        @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool

    /// Creates a sync pass for the store that has `log` and signs as `identity`.
    ///
    /// - Parameters:
    ///   - abandoned: Returns the stores that write nothing more: this one takes over what they have left at the remote.
    ///     Called once in a pass that reads everything and pushes.
    ///   - checkSignature: The check of signed heads, if not the usual one.
    ///   - isValid: The check of the signature of a catalog.
    public init(
        _ log: Log, as identity: Identity, at transport: any Transport, cache: RemoteCache,
        abandoned: @escaping () throws -> Set<ReplicaID> = { [] },
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void = {
            head throws(SignedHeadError) in try head.check()
        },
        isValid: @escaping SignatureCheck = { Identity.isValid($0, of: $1, by: $2) },
        now: @escaping () -> Arrival
    ) {
        self.log = log
        self.identity = identity
        self.transport = transport
        self.cache = cache
        self.abandoned = abandoned
        self.checkSignature = checkSignature
        self.isValid = isValid
        self.now = now
    }

    /// Runs the pass.
    ///
    /// - Parameters:
    ///   - isPulling: Whether to pull.
    ///   - isPushing: Whether to push.
    ///   - isFull: Whether to read everything even if the remote cache is fresh.
    /// - Throws: ``TransportError``; ``RemoteError``; errors of the log; `CancellationError` between two requests, if
    ///   the task was cancelled. Steps completed before the error stay in effect.
    public mutating func run(isPulling: Bool = true, isPushing: Bool = true, isFull: Bool = false) async throws {
        // A log restored from a backup may be missing events that the remote cache counts as pulled.
        if try !log.provenVector(signedBy: identity).covers(cache.pulled) { cache = RemoteCache() }
        try await checkLog(mayWrite: isPushing)
        let wall = now().wallMilliseconds
        let last = cache.lastFullPass
        let isDue = isFull || last == 0 || abs(wall - last) >= Self.fullPassMilliseconds
        self.isFull = isDue
        // The contents of the remote must be known before anything is pushed.
        do { try await pull(mayPull: isPulling) } catch is RemoteWasRefilled {
            forget()
            try await pull(mayPull: isPulling)
        }
        // A store that finds out that it was restored from a backup pushes nothing under its old replica ID.
        if isPushing, !report.received.isOfOwn(identity.replica) {
            try await push()
            if isDue { try await takeOver(abandoned()) }
        }
        cache.pulled = try log.provenVector(signedBy: identity)
        if isDue { cache.lastFullPass = wall }
        if isPushing, !report.received.isOfOwn(identity.replica) { try await tidy() }
        report.manifests = cache.manifests.values.sorted { $0.store < $1.store }
    }

    /// Counts a request that is about to be made.
    ///
    /// - Throws: `CancellationError` if the task was cancelled: nothing more is asked of the remote then.
    mutating func beginRequest() throws {
        try Task.checkCancellation()
        report.requestCount += 1
    }

    /// Discards the remote cache after a loss at the remote, so that everything is read and pushed again.
    mutating func forget() {
        report.wasEmptied = true
        cache = RemoteCache()
    }

    /// Records that the folder of a store has segments of another log. It is read again once a day.
    mutating func note(_ other: LogID, asLogOf store: ReplicaID) {
        cache.strangers[store] = other
        report.strangers[store] = "Its folder has objects of another log, \(other.short)."
    }

    mutating func noteUnread(_ number: UInt64, of store: ReplicaID) {
        if cache.unread[store]?.count ?? 0 < Self.unreadCount { cache.unread[store, default: []].insert(number) }
    }
}

/// Why a remote cannot be used.
public enum RemoteError: Error, Hashable, Sendable {
    /// The object with the name of the log mark is not a log mark.
    case notARemote
    /// The remote is of another log.
    case otherLog(LogID)
    /// What is there is sealed, and was expected to lie open; or the other way round.
    case otherForm(isSealed: Bool)
    /// The log mark is empty or cut short; a store of the log that pushes writes it again.
    case notReady
}

/// The remote has lost objects: it was emptied, or put back to an earlier state.
struct RemoteWasRefilled: Error {}

/// Why the objects of one store are skipped; those of all other stores are still read.
struct QuarantineReason: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
