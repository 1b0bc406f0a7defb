import EventLog
import Events

/// One look at a place: takes what others have left there, leaves what it lacks.
///
/// Whoever looks reads first, so it never leaves what is there already. Each step is safe to break off: what was taken
/// is in the log, what was left is whole, and the next look goes on. Nothing that the place says or fails to say ever
/// takes anything away here.
public struct Exchange<Log: ReplicatedLog> {
    let log: Log
    let identity: Identity
    let transport: any Transport
    let now: () -> Arrival
    let checkSignature: @Sendable (SignedHead) throws(SignedHeadError) -> Void
    let isValid: SignatureCheck
    /// What is to be remembered until the next look, also where this one fails.
    public internal(set) var notes: PlaceNotes
    /// What came of it so far.
    public internal(set) var report = ExchangeReport()
    /// Whether this look is at everything.
    var isFull = false
    /// The most segments of one store that are noted as unread.
    private static var unreadCount: Int { 1000 }

    /// How often everything is looked at, whatever the notes say: once a day.
    public static var fullLookMilliseconds: Int64 { 24 * 3600 * 1000 }

    /// Whether a signature is one of a message by a public key.
    public typealias SignatureCheck =
        @Sendable (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool

    /// A look by the store that has `log` and signs as `identity`.
    ///
    /// - Parameters:
    ///   - checkSignature: What to ask about heads, where it is not the usual check.
    ///   - isValid: The same for what signs a whole segment.
    public init(
        _ log: Log, as identity: Identity, at transport: any Transport, notes: PlaceNotes,
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void = {
            head throws(SignedHeadError) in try head.check()
        },
        isValid: @escaping SignatureCheck = { Identity.isValid($0, of: $1, by: $2) },
        now: @escaping () -> Arrival
    ) {
        self.log = log
        self.identity = identity
        self.transport = transport
        self.notes = notes
        self.checkSignature = checkSignature
        self.isValid = isValid
        self.now = now
    }

    /// Looks.
    ///
    /// - Parameters:
    ///   - isPulling: Whether to take what is there.
    ///   - isPushing: Whether to leave what is not.
    ///   - isFull: Whether to look at everything even if the notes are fresh.
    /// - Throws: ``TransportError``; ``PlaceError``; errors of the log. What was done before it stays done.
    public mutating func run(isPulling: Bool = true, isPushing: Bool = true, isFull: Bool = false) async throws {
        // A log that was put back to an earlier state has not read what the notes say.
        if try !log.provenVector(signedBy: identity).covers(notes.taken) { notes = PlaceNotes() }
        try await checkLog(mayCreate: isPushing)
        let wall = now().wallMilliseconds
        let isDue = isFull || abs(wall - notes.lastFullLook) >= Self.fullLookMilliseconds
        self.isFull = isDue
        if isDue { try await checkNotes() }
        // What lies there must be known before anything is left there.
        do { try await pull(isFull: isDue, mayTake: isPulling) } catch is PlaceWasFilledAgain {
            forget()
            try await pull(isFull: isDue, mayTake: isPulling)
        }
        // Who learns that it is an earlier state of itself leaves nothing under its old name.
        if isPushing, !report.received.isOfOwn(identity.replica) { try await push() }
        notes.taken = try log.provenVector(signedBy: identity)
        if isDue { notes.lastFullLook = wall }
        report.statements = notes.statements.values.sorted { $0.store < $1.store }
    }

    /// Makes sure that the place is of this log; says so where it was emptied.
    private mutating func checkLog(mayCreate: Bool) async throws {
        report.requestCount += 1
        if let bytes = try await transport.get(Place.log, range: nil, limit: 64) {
            guard let found = Place.log(reading: bytes) else { throw PlaceError.notAPlace }
            guard found == log.id else { throw PlaceError.otherLog(found) }
            // The last thing that was left here is still here, unless somebody has taken it away.
            if try await !isThere(lastOf: identity.replica) { forget() }
            return
        }
        if !notes.next.isEmpty { forget() }
        guard mayCreate else { return }
        report.requestCount += 1
        let outcome = try await transport.putIfAbsent(Place.log, Place.logBytes(log.id))
        // Somebody else was faster, and may have another log.
        if outcome == .exists { try await checkLog(mayCreate: false) }
    }

    /// Forgets the notes where the place no longer has what they say.
    private mutating func checkNotes() async throws {
        for store in notes.next.keys.sorted() where try await !isThere(lastOf: store) {
            forget()
            return
        }
    }

    /// Whether the last segment of `store` that the notes say is still there, and still the same.
    private mutating func isThere(lastOf store: ReplicaID) async throws -> Bool {
        guard let next = notes.next[store], next > 1 else { return true }
        report.requestCount += 1
        let bytes = try await transport.get(
            Place.segment(next - 1, of: store), range: Segment.markPlace, limit: Segment.markPlace.count)
        guard let bytes else { return notes.unread[store]?.contains(next - 1) ?? false }
        // Where it is cut short nobody knows which one it is.
        return notes.marks[store].map { $0 == Segment.mark(bytes) } ?? true
    }

    /// The place has lost something: everything is looked at again, and what is here left there again.
    private mutating func forget() {
        report.wasEmptied = true
        notes = PlaceNotes()
    }

    /// The numbers of listed segments behind one.
    private mutating func lastSegments(of store: ReplicaID, startAfter: UInt64?) async throws -> [UInt64] {
        report.requestCount += 1
        let names = try await transport.list(
            prefix: Place.segments(of: store), startAfter: startAfter.map { Place.segment($0, of: store) }, limit: 1000)
        return names.compactMap { Place.number(of: $0, of: store) }
    }

    private mutating func pull(isFull: Bool, mayTake: Bool) async throws {
        report.requestCount += 1
        let names = try await transport.folders(prefix: Place.stores, limit: PlaceLimits.storeCount)
        var stores = Set(names.compactMap { ReplicaID(text: $0) }.filter { names.contains("\($0)") })
        stores.formUnion(notes.next.keys)
        for store in stores.sorted() {
            do {
                if isFull { try await readAgain(store, mayTake: mayTake) }
                try await pull(store, isFull: isFull, mayTake: mayTake)
            } catch let failure as QuarantineReason { report.quarantined[store] = failure.text }
        }
    }

    /// Reads the segments of one store that were not read yet.
    mutating func pull(_ store: ReplicaID, isFull: Bool, mayTake: Bool) async throws {
        var number = notes.next[store] ?? 1
        // A look begins with this store's own segments: it has seen to the last of them.
        var isBehindTheLast = store == identity.replica
        while true {
            report.requestCount += 1
            let found = try await transport.get(
                Place.segment(number, of: store), range: nil, limit: Segment.byteLimit)
            guard let bytes = found else {
                guard isFull, let later = try await firstSegment(of: store, behind: number) else { break }
                // A hole: what it brought is wanted from whoever has it.
                report.quarantined[store] = "Its segment \(number) is missing, but later segments are there."
                while number < later {
                    noteUnread(number, of: store)
                    number += 1
                }
                continue
            }
            report.receivedBytes += bytes.count
            if !isBehindTheLast {
                // At a place that was filled again this is not the first that is new, and with its mark in the notes
                // no later look could tell.
                guard try await isThere(lastOf: store) else { throw PlaceWasFilledAgain() }
                isBehindTheLast = true
            }
            let segment: Segment
            do throws(Segment.Failure) { segment = try Segment(reading: bytes, of: log.id, isValid: isValid) } catch {
                try await skip(&number, of: store, because: "Its segment \(number) is not valid: \(error).")
                continue
            }
            try take(segment, of: store, mayTake: mayTake)
            number += 1
            // What was only looked at is still to be taken.
            guard mayTake || store == identity.replica else { continue }
            notes.next[store] = number
            notes.marks[store] = Segment.mark(of: bytes)
        }
        if store == identity.replica { notes.next[store] = number }
    }

    /// Passes over a segment that cannot be read, once the one after it is there; until then it may still become whole.
    private mutating func skip(_ number: inout UInt64, of store: ReplicaID, because text: String) async throws {
        report.quarantined[store] = text
        report.requestCount += 1
        let after = try await transport.get(Place.segment(number + 1, of: store), range: 0..<1, limit: 1)
        guard after != nil else { throw QuarantineReason(text) }
        noteUnread(number, of: store)
        number += 1
    }

    private mutating func noteUnread(_ number: UInt64, of store: ReplicaID) {
        if notes.unread[store]?.count ?? 0 < Self.unreadCount { notes.unread[store, default: []].insert(number) }
    }

    /// Tries once more to read what could not be read: it may have been on its way.
    private mutating func readAgain(_ store: ReplicaID, mayTake: Bool) async throws {
        for number in (notes.unread[store] ?? []).sorted() {
            report.requestCount += 1
            let bytes = try await transport.get(Place.segment(number, of: store), range: nil, limit: Segment.byteLimit)
            guard let bytes, let segment = try? Segment(reading: bytes, of: log.id, isValid: isValid) else { continue }
            report.receivedBytes += bytes.count
            try take(segment, of: store, mayTake: mayTake)
            notes.unread[store]?.remove(number)
            if notes.unread[store]?.isEmpty == true { notes.unread[store] = nil }
        }
    }

    private mutating func firstSegment(of store: ReplicaID, behind number: UInt64) async throws -> UInt64? {
        try await lastSegments(of: store, startAfter: number).first
    }

    private mutating func take(_ segment: Segment, of store: ReplicaID, mayTake: Bool) throws {
        guard segment.statement.store == store else {
            throw QuarantineReason("Its folder has a segment of the store \(segment.statement.store.short).")
        }
        var frames: [RangeFrame] = []
        for bytes in segment.ranges {
            do throws(RangeError) {
                frames.append(try RangeFrame(reading: bytes, of: log.id, checkSignature: checkSignature))
            } catch { throw QuarantineReason("It has pushed a range that does not match its signature: \(error).") }
        }
        if mayTake, !frames.isEmpty {
            let received = try log.receive(frames, arrival: now())
            report.received.add(received)
            if let refused = received.refused.first {
                throw QuarantineReason(
                    "It makes false statements about the events \(refused.first) to \(refused.last).")
            }
            for range in received.present { notes.add(range) }
            // A range of another history has numbers of which others may lie there too.
            for frame in frames where received.parked.contains(frame.range) { notes.waiting.insert(KeptRange(frame)) }
        } else {
            notes.waiting.formUnion(frames.map(KeptRange.init))
        }
        // Segments may be read again; what a store has said never goes down.
        let (known, streams) = (notes.statements[store]?.vector ?? VersionVector(), try log.streams())
        if streams.ranges(of: known, missingFrom: segment.statement.vector).isEmpty {
            notes.statements[store] = segment.statement
        }
    }
}

/// How many of something there may be at a place.
enum PlaceLimits {
    /// The most stores; more are not looked at.
    static let storeCount = 1024
}

/// Why a place is not the right one.
public enum PlaceError: Error, Hashable, Sendable {
    /// There is something under the name of our mark that is none.
    case notAPlace
    /// Another log lies there.
    case otherLog(LogID)
}

/// The segment of a store that was read last is another one now, or gone, and a later one is there.
private struct PlaceWasFilledAgain: Error {}

/// Why one store's objects are left alone; everybody else's are read all the same.
struct QuarantineReason: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
