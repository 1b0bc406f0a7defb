import EventLog
import Events

/// One conversation of two stores, from one side: vectors and ranges both ways.
///
/// A value without I/O, clock or log: something happens, it says what to do, and whoever drives it does that. Nothing is
/// kept between two conversations; each begins with what both have then, so a cut at any byte costs what was on its
/// way and nothing else.
///
/// Both sides say hello with what they have. Each sends what the other lacks, a few ranges ahead of what the other has
/// confirmed; each confirms what is on its disk. Who has nothing more to send says so, and the connection stays for
/// what comes later.
public struct Session: Sendable {
    /// What to do next, in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// Make a frame of the beginning of this range, then call ``provide(_:of:)``.
        case make(EventRange)
        /// As ``make(_:)``, of events that the peer has and whose values it lacks; `nil` where they are lacking here too.
        case makeAgain(EventRange)
        /// Find the frame of this range among those that are kept as they came, then call ``provide(_:of:)``.
        case find(KeptRange)
        /// Take this range into the log, durably, then call ``took(_:now:)``.
        case take(RangeFrame)
        /// The conversation is over.
        case end(Ending)
    }

    /// How a conversation ended.
    public enum Ending: Hashable, Sendable {
        /// One side said goodbye; with a sentence where it had a reason.
        case goodbye(String)
        /// The peer is not to be believed.
        case quarantine(ProtocolError)
    }

    /// Why a store ends a conversation in which it has learnt that it was put back to an earlier state: whoever talked with
    /// it connects again.
    public static let newName = "this store goes on under a new name"

    /// How many ranges are sent before the first is confirmed.
    static let window = 4
    /// So many bytes that a peer sends for nothing are forgiven.
    static let forgivenBytes = 16 << 20
    /// So many times a peer may say for nothing that it is idle.
    static let forgivenIdles = 2 * Statement.rangeCount

    private let log: LogID
    private let checkSignature: @Sendable (SignedHead) throws(SignedHeadError) -> Void
    /// What is here.
    private var local: Statement
    /// The heads that the peer was told are here.
    private var told: [ReplicaID: ObservedHead] = [:]
    /// What the peer has said that it has, and what it must have since it has sent it, by the names that are known here.
    public private(set) var remote: Statement?
    /// The heads that the peer itself has said that it has, by the names that are known there.
    private var said: [ReplicaID: ObservedHead] = [:]
    private var reader = MessageReader()
    /// Of each stream the last event that was sent, or need not be.
    private var sent = VersionVector()
    /// What the peer has sent and can prove.
    private var came = VersionVector()
    private var sentKept: Set<KeptRange> = []
    /// What the peer lacks the values of and has not been answered.
    private var wanted: [EventRange] = []
    /// Replicas of which the peer has another history: all of theirs was sent again.
    private var parted: Set<ReplicaID> = []
    private var inFlight = 0
    private var making: Action?
    /// Whether it turned out meanwhile that all events of its replica go again: then it is no step on the way.
    private var isMakingStale = false
    private var taking: RangeFrame?
    private var arrived: [RangeFrame] = []
    private var saidIdle = false
    private var isRemoteIdle = false
    private var wastedBytes = 0
    private var wastedIdles = 0
    private var isOver = false
    /// What went over the connection.
    public private(set) var traffic = Traffic()

    /// What went over a connection.
    public struct Traffic: Hashable, Sendable {
        /// Bytes sent.
        public var sentBytes = 0
        /// Bytes received.
        public var receivedBytes = 0
        /// Events that were sent and confirmed, or are on their way.
        public var sentEvents: UInt64 = 0
        /// Events that came, new or not.
        public var receivedEvents: UInt64 = 0

        /// Nothing.
        public init() {}
    }

    /// A conversation about `log` for the side that has `local`.
    ///
    /// - Parameter checkSignature: What to ask about heads, where it is not the usual check.
    public init(
        log: LogID, local: Statement,
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void = {
            head throws(SignedHeadError) in try head.check()
        }
    ) {
        self.log = log
        self.local = local
        self.checkSignature = checkSignature
    }

    /// Whether both sides have the same events, as far as both have said, and nothing is on its way.
    public var isComplete: Bool {
        guard let remote, isQuiet, isRemoteIdle else { return false }
        return remote.hasSame(as: local)
    }

    /// Whether nothing is left to do on either side until something new is written.
    public var isQuiet: Bool {
        remote != nil && inFlight == 0 && making == nil && taking == nil && arrived.isEmpty && saidIdle
    }

    /// Whether nothing is left to do, and the other side has said so too.
    public var isDone: Bool { isQuiet && isRemoteIdle }

    /// Bytes that came and are kept: the beginning of a message, and ranges that wait to be taken.
    public var bufferedBytes: Int { arrived.reduce(reader.byteCount) { $0 + $1.bytes.count } }

    /// Begins: says hello.
    public mutating func start() -> [Action] {
        for head in local.heads { told[head.event.replica] = head }
        return [send(.hello(log, local))]
    }

    /// Bytes have come.
    public mutating func received(_ bytes: [UInt8]) -> [Action] {
        guard !isOver else { return [] }
        traffic.receivedBytes += bytes.count
        var messages: [Message] = []
        var actions: [Action] = []
        do throws(ProtocolError) {
            var failure: ProtocolError?
            do throws(ProtocolError) { try reader.read(bytes, into: &messages) } catch { failure = error }
            for message in messages { actions += try handle(message) }
            if let failure { throw failure }
        } catch {
            return actions + quarantine(error)
        }
        return actions + goOn()
    }

    /// Something was written here, or came from elsewhere.
    public mutating func changed(to now: Statement) -> [Action] {
        guard !isOver else { return [] }
        moveOn(to: now)
        return goOn()
    }

    /// The frame that was asked for; `nil` where there is none any more.
    public mutating func provide(_ frame: RangeFrame?, of range: EventRange) -> [Action] {
        guard !isOver else { return [] }
        let isStep = making == .make(range) && !isMakingStale
        // The frame has the replica's own numbers, and the range may be of a stream.
        let last = frame.map { range.first + $0.range.count - 1 } ?? range.last
        if making == .makeAgain(range), last < range.last {
            wanted.insert(EventRange(range.replica, last + 1, through: range.last), at: 0)
        }
        making = nil
        if isStep { sent[range.replica] = last }
        guard let frame else { return goOn() }
        inFlight += 1
        traffic.sentEvents += frame.range.count
        return [send(.range(frame.bytes))] + goOn()
    }

    /// A range was taken into the log, which now has `now`.
    public mutating func took(_ received: Received, now: Statement) -> [Action] {
        guard !isOver else { return [] }
        moveOn(to: now)
        if let refused = received.refused.first { return quarantine(.madeUp(refused)) }
        if let taking, received.replicas.isEmpty, received.filledCount == 0, !isAskedFor(taking.range) {
            wastedBytes += taking.bytes.count
            guard wastedBytes <= Self.forgivenBytes else { return quarantine(.repeats(bytes: wastedBytes)) }
        }
        // Who sends events has them, and can prove them where their head is theirs alone; what it only keeps it has not.
        let isOnlyKept = taking.map { remote?.kept.contains(KeptRange($0)) ?? false } ?? false
        if let taking, taking.head.sequence == taking.range.last, !isOnlyKept {
            for range in received.present { has(range) }
        }
        taking = nil
        for range in received.apart { part(range.replica) }
        let moved = now.heads.filter { told[$0.event.replica] != $0 }
        for head in moved { told[head.event.replica] = head }
        return [send(.took(count: 1, heads: moved))] + goOn()
    }

    /// Whether events that are here may come again: they are wanted, or the peer tells another history of their replica.
    private func isAskedFor(_ range: EventRange) -> Bool {
        if parted.contains(range.replica) || local.streams.isParted(range.replica) { return true }
        return local.wanted.contains {
            $0.replica == range.replica && $0.first <= range.last && range.first <= $0.last
        }
    }

    /// What is here is this from now on.
    private mutating func moveOn(to now: Statement) {
        let before = local.streams
        local = now
        guard now.streams != before else { return }
        // What the peer must have was counted by names of which some end earlier now.
        for head in said.values where now.streams.isParted(head.event.replica) { remote?.advance(head) }
    }

    /// The peer has these events, and can prove them.
    private mutating func has(_ range: EventRange) {
        let known = max(came[range.replica], remote?.vector[range.replica] ?? 0)
        // What the peer knows is what it says: nothing may be added to that.
        guard range.first - 1 <= known, range.last > known else { return }
        came[range.replica] = range.last
        if let head = local.heads.first(where: { $0.event == EventID(range.replica, range.last) }) {
            remote?.advance(head)
        }
    }

    /// Ends the conversation from this side.
    public mutating func stop(reason: String = "") -> [Action] {
        guard !isOver else { return [] }
        isOver = true
        return [send(.goodbye(reason)), .end(.goodbye(reason))]
    }

    private mutating func quarantine(_ error: ProtocolError) -> [Action] {
        isOver = true
        arrived = []
        return [send(.goodbye("not understood")), .end(.quarantine(error))]
    }

    private mutating func send(_ message: Message) -> Action {
        let bytes = message.bytes
        traffic.sentBytes += bytes.count
        return .send(bytes)
    }

    private mutating func handle(_ message: Message) throws(ProtocolError) -> [Action] {
        if isOver { return [] }
        if case .goodbye(let reason) = message {
            isOver = true
            return [.end(.goodbye(reason))]
        }
        if case .hello(let log, let statement) = message {
            guard remote == nil else { throw .unexpected("a second greeting") }
            guard log == self.log else { throw .otherLog(log) }
            remote = statement
            for head in statement.heads { said[head.event.replica] = head }
            wanted = statement.wanted.filter { $0.last <= min(statement.vector[$0.replica], local.vector[$0.replica]) }
            for head in statement.heads { notice(head) }
            return []
        }
        guard remote != nil else { throw .unexpected("a message before the greeting") }
        switch message {
        case .range(let bytes):
            isRemoteIdle = false
            let frame: RangeFrame
            do throws(RangeError) {
                frame = try RangeFrame(reading: bytes, of: log, checkSignature: checkSignature)
            } catch { throw .badRange(error) }
            guard arrived.count < Self.window else { throw .unexpected("more ranges than allowed at a time") }
            traffic.receivedEvents += frame.range.count
            arrived.append(frame)
        case .took(let count, let heads):
            guard count >= 1, count <= inFlight else { throw .unexpected(
                "a confirmation of a range that was not sent") }
            inFlight -= count
            // Where the peer has learnt that a stream parts, that has fewer events, and the rest a name that is new there.
            // It need not be new here: who had the other history may have named the rest before.
            let mayPart = heads.contains { said[$0.event.replica] == nil }
            for head in heads {
                let replica = head.event.replica
                let before = said.updateValue(head, forKey: replica)?.event.sequence ?? 0
                guard head.event.sequence >= before || mayPart else { throw .goesBack(replica) }
                remote?.advance(head)
                notice(head)
            }
        case .idle:
            if isRemoteIdle { wastedIdles += 1 }
            guard wastedIdles <= Self.forgivenIdles else { throw .unexpected("repeated messages that it is idle") }
            isRemoteIdle = true
            if let claimed = unfulfilled { throw .claims(claimed) }
        case .hello, .goodbye: break
        }
        return []
    }

    /// What the peer says that it has and has not sent, although it has nothing more to send.
    private var unfulfilled: EventRange? {
        guard let remote, arrived.isEmpty, taking == nil else { return nil }
        // Where histories have parted the two sides may name the same events differently until both have learnt of it.
        guard parted.isEmpty, local.streams.isEmpty else { return nil }
        return remote.vector.ranges(missingFrom: local.vector).first
    }

    /// Looks whether a head of the peer is of another history than the one that is here: then all of the replica's
    /// events go again, and the other side sees where they part.
    private mutating func notice(_ head: ObservedHead) {
        let replica = head.event.replica
        let own = local.heads.first { $0.event == head.event }
        if let own, own.rootPrefix != head.rootPrefix { part(replica) }
    }

    private mutating func part(_ stream: ReplicaID) {
        let replica = local.streams.origin(of: stream)
        guard parted.insert(replica).inserted else { return }
        for stream in streams(of: replica) { sent[stream] = 0 }
        if case .make(let range) = making, streams(of: replica).contains(range.replica) { isMakingStale = true }
    }

    /// The replica, and what goes on from it.
    private func streams(of replica: ReplicaID) -> [ReplicaID] {
        [replica] + local.streams.branches.keys.filter { local.streams.origin(of: $0) == replica }
    }

    /// What can be done now.
    private mutating func goOn() -> [Action] {
        guard !isOver, let remote else { return [] }
        var actions: [Action] = []
        if taking == nil, !arrived.isEmpty {
            let frame = arrived.removeFirst()
            taking = frame
            actions.append(.take(frame))
        }
        if making == nil, inFlight < Self.window {
            if let next = nextRange(for: remote) {
                making = next
                isMakingStale = false
                saidIdle = false
                actions.append(next)
            } else if !saidIdle, inFlight == 0, taking == nil, arrived.isEmpty {
                saidIdle = true
                actions.append(send(.idle))
            }
        }
        return actions
    }

    private mutating func nextRange(for remote: Statement) -> Action? {
        var known = remote.vector
        known.join(came)
        for replica in parted { for stream in streams(of: replica) { known[stream] = 0 } }
        known.join(sent)
        if let range = local.vector.ranges(missingFrom: known).first { return .make(range) }
        let kept = local.kept.first { kept in
            // A range of another history has numbers that the peer may have too.
            (kept.range.last > remote.vector[kept.range.replica] || local.apart.contains(kept))
                && !remote.kept.contains(kept) && !sentKept.contains(kept)
        }
        if let kept {
            sentKept.insert(kept)
            return .find(kept)
        }
        return wanted.isEmpty ? nil : .makeAgain(wanted.removeFirst())
    }
}
