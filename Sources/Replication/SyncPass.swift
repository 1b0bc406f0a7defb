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
    /// Whether this pass reads everything.
    var isFull = false
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
    ///   - checkSignature: The check of signed heads, if not the usual one.
    ///   - isValid: The check of the signature of a whole segment.
    public init(
        _ log: Log, as identity: Identity, at transport: any Transport, cache: RemoteCache,
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
        let isDue = isFull || abs(wall - cache.lastFullPass) >= Self.fullPassMilliseconds
        self.isFull = isDue
        if isDue { try await checkCache() }
        // The contents of the remote must be known before anything is pushed.
        do { try await pull(isFull: isDue, mayPull: isPulling) } catch is RemoteWasRefilled {
            forget()
            try await pull(isFull: isDue, mayPull: isPulling)
        }
        // A store that finds out that it was restored from a backup pushes nothing under its old replica ID.
        if isPushing, !report.received.isOfOwn(identity.replica) { try await push() }
        cache.pulled = try log.provenVector(signedBy: identity)
        if isDue { cache.lastFullPass = wall }
        report.manifests = cache.manifests.values.sorted { $0.store < $1.store }
    }

    /// Counts a request that is about to be made.
    ///
    /// - Throws: `CancellationError` if the task was cancelled: nothing more is asked of the remote then.
    mutating func beginRequest() throws {
        try Task.checkCancellation()
        report.requestCount += 1
    }

    /// Discards the remote cache if the remote no longer has the segments listed in it.
    private mutating func checkCache() async throws {
        for store in cache.next.keys.sorted() where try await !isThere(lastOf: store) {
            forget()
            return
        }
    }

    /// Returns whether the last segment of `store` in the remote cache is still there, unchanged.
    mutating func isThere(lastOf store: ReplicaID) async throws -> Bool {
        guard let next = cache.next[store], next > 1 else { return true }
        let bytes: [UInt8]?
        do {
            bytes = try await segment(next - 1, of: store, range: Segment.markRange, limit: Segment.markRange.count)
        } catch is OddObject { bytes = nil } catch is QuarantineReason {
            // Nothing of the store can be looked at now: that says nothing about what is there.
            return true
        }
        guard let bytes else { return cache.unread[store]?.contains(next - 1) ?? false }
        // A truncated segment cannot be identified, and counts as changed.
        return cache.marks[store].map { $0 == Segment.mark(bytes) } ?? true
    }

    /// Discards the remote cache after a loss at the remote, so that everything is read and pushed again.
    mutating func forget() {
        report.wasEmptied = true
        cache = RemoteCache()
    }

    /// Returns the numbers of the listed segments after `startAfter`, at most 1000.
    mutating func segments(of store: ReplicaID, startAfter: UInt64?) async throws -> [UInt64] {
        try beginRequest()
        let names = try await transport.list(
            prefix: RemoteLayout.segments(of: store),
            startAfter: startAfter.map { RemoteLayout.segment($0, of: store) }, limit: 1000)
        return names.compactMap { RemoteLayout.number(of: $0, of: store) }
    }

    private mutating func pull(isFull: Bool, mayPull: Bool) async throws {
        try beginRequest()
        let names = try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLimits.storeCount)
        var stores = Set(names.compactMap { ReplicaID(text: $0) }.filter { names.contains("\($0)") })
        stores.formUnion(cache.next.keys)
        for store in stores.sorted() {
            do {
                if isFull { try await readAgain(store, mayPull: mayPull) }
                try await pull(store, isFull: isFull, mayPull: mayPull)
            } catch let failure as QuarantineReason { report.quarantined[store] = failure.text }
        }
    }

    /// Records that the folder of a store has segments of another log. It is read again once a day.
    mutating func note(_ other: LogID, asLogOf store: ReplicaID) {
        cache.strangers[store] = other
        report.strangers[store] = "Its folder has segments of another log, \(other.short)."
    }

    /// Skips an unreadable segment if the next one exists; otherwise it may still become complete.
    mutating func skip(_ number: inout UInt64, of store: ReplicaID, because text: String) async throws {
        report.quarantined[store] = text
        let isFollowed: Bool
        do { isFollowed = try await segment(number + 1, of: store, range: 0..<1, limit: 1) != nil } catch is OddObject {
            isFollowed = true
        }
        guard isFollowed else { throw QuarantineReason(text) }
        noteUnread(number, of: store)
        number += 1
    }

    mutating func noteUnread(_ number: UInt64, of store: ReplicaID) {
        if cache.unread[store]?.count ?? 0 < Self.unreadCount { cache.unread[store, default: []].insert(number) }
    }

    /// Retries the segments that could not be read before: they may have been incomplete.
    private mutating func readAgain(_ store: ReplicaID, mayPull: Bool) async throws {
        for number in (cache.unread[store] ?? []).sorted() {
            let bytes: [UInt8]?
            do { bytes = try await segment(number, of: store) } catch is OddObject { continue }
            guard let bytes, let segment = try? Segment(reading: bytes, of: log.id, isValid: isValid) else { continue }
            report.receivedBytes += bytes.count
            var intake = Intake(store: store, mayPull: mayPull, isNew: false)
            try collect(segment, number, mark: Segment.mark(of: bytes), into: &intake)
            try receive(&intake)
            cache.unread[store]?.remove(number)
            if cache.unread[store]?.isEmpty == true { cache.unread[store] = nil }
        }
    }

    mutating func firstSegment(of store: ReplicaID, behind number: UInt64) async throws -> UInt64? {
        try await segments(of: store, startAfter: number).first
    }
}

/// Limits of a remote.
enum RemoteLimits {
    /// The maximum number of stores; further ones are ignored.
    static let storeCount = 1024
}

/// Why a remote cannot be used.
public enum RemoteError: Error, Hashable, Sendable {
    /// The object with the name of the log mark is not a log mark.
    case notARemote
    /// The remote is of another log.
    case otherLog(LogID)
    /// The log mark is empty or cut short; a store of the log that pushes writes it again.
    case notReady
}

/// The last segment read of a store has changed or is gone, and a later one exists.
struct RemoteWasRefilled: Error {}

/// Why the objects of one store are skipped; those of all other stores are still read.
struct QuarantineReason: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
