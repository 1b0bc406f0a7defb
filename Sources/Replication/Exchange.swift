import EventLog
import Events

/// One look at a place: takes what others have left there, leaves what it lacks.
///
/// Whoever looks reads first, so it never leaves what is there already. Each step is safe to break off: what was taken
/// is in the log, what was left is whole, and the next look goes on. Nothing that the place says or fails to say ever
/// takes anything away here.
public struct Exchange<Log: ReplicatedLog> {
    private let log: Log
    private let identity: Identity
    private let transport: any Transport
    private let now: () -> Arrival
    private let checkSignature: @Sendable (SignedHead) throws(SignedHeadError) -> Void
    private let isValid: SignatureCheck
    /// What is to be remembered until the next look, also where this one fails.
    public private(set) var notes: PlaceNotes
    /// What came of it so far.
    public private(set) var report = ExchangeReport()
    /// Whether this look is at everything.
    private var isFull = false
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
        try await pull(isFull: isDue, mayTake: isPulling)
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
        guard let known = notes.marks[store], let found = Segment.mark(bytes) else { return true }
        return known == found
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

    // MARK: Taking

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
    private mutating func pull(_ store: ReplicaID, isFull: Bool, mayTake: Bool) async throws {
        var number = notes.next[store] ?? 1
        while true {
            report.requestCount += 1
            let found = try await transport.get(
                Place.segment(number, of: store), range: nil, limit: Segment.byteLimit)
            guard let bytes = found else {
                guard isFull, let later = try await firstSegment(of: store, behind: number) else { break }
                // A hole: what it brought is wanted from whoever has it.
                report.quarantined[store] = "Its segment \(number) is not there, and later ones are."
                while number < later {
                    noteUnread(number, of: store)
                    number += 1
                }
                continue
            }
            report.receivedBytes += bytes.count
            let segment: Segment
            do throws(Segment.Failure) { segment = try Segment(reading: bytes, of: log.id, isValid: isValid) } catch {
                try await skip(&number, of: store, because: "Its segment \(number) is not to be believed: \(error).")
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
            } catch { throw QuarantineReason("It has left a range that is not what was signed: \(error).") }
        }
        if mayTake, !frames.isEmpty {
            let received = try log.receive(frames, arrival: now())
            report.received.add(received)
            if let refused = received.refused.first {
                throw QuarantineReason("It says of the events \(refused.first) to \(refused.last) what is not so.")
            }
        }
        for frame in frames { notes.add(frame.range) }
        // Segments may be read again; what a store has said never goes down.
        let known = notes.statements[store]
        if known.map({ segment.statement.vector.covers($0.vector) }) ?? true {
            notes.statements[store] = segment.statement
        }
    }

    // MARK: Leaving

    private mutating func push() async throws {
        let me = identity.replica
        var statement = try Statement(of: log, as: identity, milliseconds: now().wallMilliseconds)
        if !notes.unread.isEmpty { statement.wanted += wanted(beyond: statement.vector) }
        // The answer may not have been readable either.
        var asksAgain = isFull && !statement.wanted.isEmpty
        var wantedByOthers = try rangesWantedByOthers(of: statement)
        while true {
            let frames = try nextFrames(of: statement, &wantedByOthers)
            let said = notes.statements[me]
            let isSaid =
                said?.heads == statement.heads && said?.wanted == statement.wanted && said?.kept == statement.kept
            if frames.isEmpty, isSaid && !asksAgain || statement.heads.isEmpty { return }
            let number = notes.next[me] ?? 1
            let bytes = Segment.bytes(log: log.id, statement, frames, by: identity)
            report.requestCount += 1
            switch try await transport.putIfAbsent(Place.segment(number, of: me), bytes) {
            case .stored:
                asksAgain = false
                notes.next[me] = number + 1
                notes.marks[me] = Segment.mark(of: bytes)
                for frame in frames { notes.add(frame.range) }
                notes.statements[me] = statement
                report.sentEvents += frames.reduce(0) { $0 + $1.range.count }
                report.sentBytes += bytes.count
            case .exists:
                // A medium without links may have kept part of what this store wrote when it was stopped.
                if try await removeOwnRemains(number) { continue }
                // This store wrote it and was stopped before it could note so; or somebody else writes under its name.
                do { try await pull(me, isFull: false, mayTake: true) } catch let failure as QuarantineReason {
                    // What cannot be read is not counted on, and the next segment stands behind it.
                    report.quarantined[me] = failure.text
                    notes.next[me] = (notes.next[me] ?? 1) + 1
                    notes.marks[me] = nil
                }
                guard !report.received.isOfOwn(me), (notes.next[me] ?? 1) > number else { return }
            }
        }
    }

    /// Deletes what has the name of this store's segment and is none; returns whether it was so.
    private mutating func removeOwnRemains(_ number: UInt64) async throws -> Bool {
        let name = Place.segment(number, of: identity.replica)
        report.requestCount += 1
        guard let bytes = try await transport.get(name, range: nil, limit: Segment.byteLimit) else { return true }
        do throws(Segment.Failure) {
            _ = try Segment(reading: bytes, of: log.id, isValid: isValid)
            return false
        } catch {
            try await transport.delete(name)
            return true
        }
    }

    /// Ranges for one segment; none where everything lies there.
    private func nextFrames(of statement: Statement, _ wanted: inout [Wanted]) throws -> [RangeFrame] {
        var known = notes.vector
        var frames: [RangeFrame] = []
        var byteCount = 0
        func hasRoom() -> Bool { byteCount < Segment.preferredBytes - RangeLimits.preferredBytes }
        while hasRoom(), let range = statement.vector.ranges(missingFrom: known).first {
            let frame = try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
            known[range.replica] = frame?.range.last ?? range.last
            guard let frame else { continue }
            frames.append(frame)
            byteCount += frame.bytes.count
        }
        while hasRoom(), let next = wanted.first {
            let range = next.range
            let frame = try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
            wanted.removeFirst()
            guard let frame else { continue }
            if frame.range.last < range.last {
                let rest = EventRange(range.replica, frame.range.last + 1, through: range.last)
                wanted.insert(Wanted(range: rest, hasEvents: next.hasEvents), at: 0)
            }
            // Who has the events and lacks their values is not helped by who lacks them too.
            if next.hasEvents, !frame.hasValues { continue }
            frames.append(frame)
            byteCount += frame.bytes.count
        }
        let isKeptThere = statement.kept.allSatisfy { notes.kept.contains($0) || $0.last <= notes.vector[$0.replica] }
        if !isKeptThere {
            for frame in try log.keptFrames() where hasRoom() {
                let range = frame.range
                if notes.kept.contains(range) || range.last <= known[range.replica] { continue }
                frames.append(frame)
                byteCount += frame.bytes.count
            }
        }
        return frames
    }

    /// What others say that they have and this store lacks.
    private func wanted(beyond vector: VersionVector) -> [EventRange] {
        var all = VersionVector()
        for (store, statement) in notes.statements where store != identity.replica { all.join(statement.vector) }
        return all.ranges(missingFrom: vector).map { range in
            EventRange(range.replica, range.first, through: min(range.last, range.first + UInt64(UInt32.max - 1)))
        }
    }

    /// What others want again and this store has and lies there by its notes: whoever wants it could not read it there.
    private mutating func rangesWantedByOthers(of statement: Statement) throws -> [Wanted] {
        var ranges: [Wanted] = []
        for other in notes.statements.values.sorted(by: { $0.store < $1.store }) where other.store != identity.replica {
            // Once for each time that it asks.
            guard !other.wanted.isEmpty, notes.answered[other.store] != other.milliseconds else { continue }
            notes.answered[other.store] = other.milliseconds
            for range in other.wanted {
                let last = min(range.last, statement.vector[range.replica])
                guard range.first <= last else { continue }
                ranges.append(
                    Wanted(
                        range: EventRange(range.replica, range.first, through: last),
                        hasEvents: last <= other.vector[range.replica]))
            }
        }
        return ranges
    }
}

/// A range that another store wants again.
private struct Wanted {
    let range: EventRange
    /// Whether it has the events, and so wants their values.
    let hasEvents: Bool
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

/// Why one store's objects are left alone; everybody else's are read all the same.
private struct QuarantineReason: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// What came of a look at a place.
public struct ExchangeReport: Hashable, Sendable {
    /// What became of the ranges that were taken.
    public internal(set) var received = Received()
    /// Events that were left there.
    public internal(set) var sentEvents: UInt64 = 0
    /// Bytes that were left there.
    public internal(set) var sentBytes = 0
    /// Bytes that were taken.
    public internal(set) var receivedBytes = 0
    /// How often the place was asked something.
    public internal(set) var requestCount = 0
    /// What each store said last, this one's own included; in order of store.
    public internal(set) var statements: [Statement] = []
    /// Stores of which something could not be believed or read, with a sentence.
    public internal(set) var quarantined: [ReplicaID: String] = [:]
    /// Whether the place no longer has what it had; what is here was left there again.
    public internal(set) var wasEmptied = false

    /// Nothing yet.
    public init() {}
}
