import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

/// The replication protocol of one peer connection, from one side: exchanges manifests and ranges in both directions.
///
/// A value without I/O, clock or log: it turns events into actions, which its driver executes. No state outlives the
/// connection: each one begins with what both sides have then. So a cut at any byte loses only what was in transit.
///
/// Each side begins with a hello that contains its manifest. Each then sends the ranges that the other is missing, a
/// few ahead of the acknowledgements, and acknowledges the ranges that are on its disk. A side with nothing more to
/// send reports that it is caught up, and the connection stays open for later events.
public struct Session: Sendable {
    /// What the driver must do next, in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// Make a frame of the beginning of this range, then call ``provide(_:of:)``.
        case make(EventRange)
        /// As ``make(_:)``, of events whose values the peer is missing. Provide `nil` if they are missing here too.
        case makeAgain(EventRange)
        /// Find the frame of this retained range, then call ``provide(_:of:)``.
        case find(RetainedRange)
        /// Store this range in the log durably, then call ``stored(_:now:)``.
        case store(RangeFrame)
        /// The connection is over.
        case end(Ending)
    }

    /// How a connection ended.
    public enum Ending: Hashable, Sendable {
        /// One side closed it; with a sentence if there was a reason.
        case close(String)
        /// The peer violated the protocol.
        case quarantine(ProtocolError)
    }

    /// The reason for closing a connection in which this store found out that it was restored from a backup. The peer
    /// then connects again.
    public static let newName = "this store goes on under a new name"

    /// The maximum number of unacknowledged ranges.
    static let window = 4
    /// The redundant bytes tolerated before the peer is quarantined.
    static let toleratedBytes = 16 << 20
    /// The redundant caught-up messages tolerated before the peer is quarantined.
    static let toleratedCaughtUpCount = 2 * Manifest.rangeCount

    private let log: LogID
    private let peer: ReplicaID?
    private let checkSignature: @Sendable (SignedHead) throws(SignedHeadError) -> Void
    /// The manifest of this store.
    private var local: Manifest
    /// The heads that this side has sent to the peer.
    private var sentHeads: [ReplicaID: ObservedHead] = [:]
    /// The peer's manifest, and the events that the peer must have since it sent them, in the branches known here.
    public private(set) var remote: Manifest?
    /// The heads that the peer has reported, in the branches known to the peer.
    private var reportedHeads: [ReplicaID: ObservedHead] = [:]
    private var reader = MessageReader()
    /// The last event of each branch that was sent, or need not be sent.
    private var sent = VersionVector()
    /// The events that the peer has sent and can prove.
    private var receivedVector = VersionVector()
    private var sentKept: Set<RetainedRange> = []
    /// The ranges that the peer has requested again and that were not sent yet.
    private var wanted: [EventRange] = []
    /// The replicas of which the peer has another history: all of their events are sent again.
    private var forkedReplicas: Set<ReplicaID> = []
    private var inFlight = 0
    private var making: Action?
    /// Whether all events of the replica must be sent again, so that the range being made no longer counts as
    /// progress.
    private var isMakingStale = false
    private var storing: RangeFrame?
    private var arrived: [RangeFrame] = []
    private var hasSentCaughtUp = false
    private var isRemoteCaughtUp = false
    private var redundantBytes = 0
    private var redundantCaughtUpCount = 0
    private var isOver = false
    /// The traffic of the connection.
    public private(set) var traffic = Traffic()

    /// The traffic of a connection.
    public struct Traffic: Hashable, Sendable {
        /// The bytes sent.
        public var sentBytes = 0
        /// The bytes received.
        public var receivedBytes = 0
        /// The events sent, acknowledged or not.
        public var sentEvents: UInt64 = 0
        /// The events received, new or not.
        public var receivedEvents: UInt64 = 0

        /// No traffic.
        public init() {}
    }

    /// Creates a session about `log` for the side with the manifest `local`.
    ///
    /// - Parameter peer: The replica that the other side has proved to be; `nil` if it need not prove anything.
    /// - Parameter checkSignature: The check of signed heads, if not the usual one.
    public init(
        log: LogID, local: Manifest, peer: ReplicaID? = nil,
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void = {
            head throws(SignedHeadError) in try head.check()
        }
    ) {
        self.log = log
        self.local = local
        self.peer = peer
        self.checkSignature = checkSignature
    }

    /// Whether both sides have the same events, as far as both have reported, and nothing is in transit.
    public var isComplete: Bool {
        guard let remote, isQuiet, isRemoteCaughtUp else { return false }
        return remote.hasSame(as: local)
    }

    /// Whether this side has nothing left to do until something new is written.
    public var isQuiet: Bool {
        remote != nil && inFlight == 0 && making == nil && storing == nil && arrived.isEmpty && hasSentCaughtUp
    }

    /// Whether nothing is left to do, and the peer has reported the same.
    public var isDone: Bool { isQuiet && isRemoteCaughtUp }

    /// The bytes held in memory: an incomplete message, and ranges that wait to be stored.
    public var bufferedBytes: Int { arrived.reduce(reader.byteCount) { $0 + $1.bytes.count } }

    /// Starts the session with a hello.
    public mutating func start() -> [Action] {
        for head in local.heads { sentHeads[head.event.replica] = head }
        return [send(.hello(log, local))]
    }

    /// Handles received bytes.
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
        return actions + nextActions()
    }

    /// Handles a change of the log, whose manifest is now `now`.
    public mutating func changed(to now: Manifest) -> [Action] {
        guard !isOver else { return [] }
        adopt(now)
        return nextActions()
    }

    /// Handles the requested frame; `nil` if it no longer exists.
    public mutating func provide(_ frame: RangeFrame?, of range: EventRange) -> [Action] {
        guard !isOver else { return [] }
        let isStep = making == .make(range) && !isMakingStale
        // The frame uses the numbers of the replica; the range may use those of a branch.
        let last = frame.map { range.first + $0.range.count - 1 } ?? range.last
        if making == .makeAgain(range), last < range.last {
            wanted.insert(EventRange(range.replica, last + 1, through: range.last), at: 0)
        }
        making = nil
        if isStep { sent[range.replica] = last }
        guard let frame else { return nextActions() }
        inFlight += 1
        traffic.sentEvents += frame.range.count
        return [send(.range(frame.bytes))] + nextActions()
    }

    /// Handles that a range was stored in the log, whose manifest is now `now`.
    public mutating func stored(_ received: Received, now: Manifest) -> [Action] {
        guard !isOver else { return [] }
        adopt(now)
        if let refused = received.refused.first { return quarantine(.madeUp(refused)) }
        if let storing, received.replicas.isEmpty, received.filledCount == 0, !isAskedFor(storing.range) {
            redundantBytes += storing.bytes.count
            guard redundantBytes <= Self.toleratedBytes else { return quarantine(.repeats(bytes: redundantBytes)) }
        }
        // A peer has the events that it sends, unless it only retains them. It can prove them if the range ends with
        // its head.
        let isOnlyKept = storing.map { remote?.kept.contains(RetainedRange($0)) ?? false } ?? false
        if let storing, storing.head.sequence == storing.range.last, !isOnlyKept {
            for range in received.present { markReceived(range) }
        }
        storing = nil
        for range in received.apart { markForked(range.replica) }
        let moved = now.heads.filter { sentHeads[$0.event.replica] != $0 }
        for head in moved { sentHeads[head.event.replica] = head }
        return [send(.ack(count: 1, heads: moved))] + nextActions()
    }

    /// Returns whether the peer may send events that are already here: they were requested, or the replica has
    /// several histories.
    private func isAskedFor(_ range: EventRange) -> Bool {
        if forkedReplicas.contains(range.replica) || local.streams.isForked(range.replica) { return true }
        return local.wanted.contains {
            $0.replica == range.replica && $0.first <= range.last && range.first <= $0.last
        }
    }

    /// Replaces the local manifest.
    private mutating func adopt(_ now: Manifest) {
        let before = local.streams
        local = now
        guard now.streams != before else { return }
        // The peer's vector was counted in branches of which some now end at an earlier event.
        for head in reportedHeads.values where now.streams.isForked(head.event.replica) { remote?.advance(head) }
    }

    /// Records that the peer has these events and can prove them.
    private mutating func markReceived(_ range: EventRange) {
        let known = max(receivedVector[range.replica], remote?.vector[range.replica] ?? 0)
        // `known` comes from the peer and may be the maximum: adding to it could overflow.
        guard range.first - 1 <= known, range.last > known else { return }
        receivedVector[range.replica] = range.last
        if let head = local.heads.first(where: { $0.event == EventID(range.replica, range.last) }) {
            remote?.advance(head)
        }
    }

    /// Closes the connection from this side.
    public mutating func stop(reason: String = "") -> [Action] {
        guard !isOver else { return [] }
        isOver = true
        return [send(.close(reason)), .end(.close(reason))]
    }

    private mutating func quarantine(_ error: ProtocolError) -> [Action] {
        isOver = true
        arrived = []
        return [send(.close("not understood")), .end(.quarantine(error))]
    }

    private mutating func send(_ message: Message) -> Action {
        let bytes = message.bytes
        traffic.sentBytes += bytes.count
        return .send(bytes)
    }

    private mutating func handle(_ message: Message) throws(ProtocolError) -> [Action] {
        if isOver { return [] }
        if case .close(let reason) = message {
            isOver = true
            return [.end(.close(reason))]
        }
        if case .hello(let log, let manifest) = message {
            guard remote == nil else { throw .unexpected("a second greeting") }
            guard log == self.log else { throw .otherLog(log) }
            if let peer, manifest.store != peer { throw .unexpected("the greeting of another device than it is") }
            remote = manifest
            for head in manifest.heads { reportedHeads[head.event.replica] = head }
            wanted = manifest.wanted.filter { $0.last <= min(manifest.vector[$0.replica], local.vector[$0.replica]) }
            for head in manifest.heads { notice(head) }
            return []
        }
        guard remote != nil else { throw .unexpected("a message before the greeting") }
        switch message {
        case .range(let bytes):
            isRemoteCaughtUp = false
            let frame: RangeFrame
            do throws(RangeError) {
                frame = try RangeFrame(reading: bytes, of: log, checkSignature: checkSignature)
            } catch { throw .badRange(error) }
            guard arrived.count < Self.window else { throw .unexpected("more ranges than allowed at a time") }
            traffic.receivedEvents += frame.range.count
            arrived.append(frame)
        case .ack(let count, let heads):
            guard count >= 1, count <= inFlight else {
                throw .unexpected(
                    "a confirmation of a range that was not sent")
            }
            inFlight -= count
            // If the peer has learnt of a fork, the forked branch has fewer events there, and the rest has a branch
            // ID new to the peer. That ID need not be new here: a store that had the other history may have used it
            // before.
            let mayFork = heads.contains { reportedHeads[$0.event.replica] == nil }
            for head in heads {
                let replica = head.event.replica
                let before = reportedHeads.updateValue(head, forKey: replica)?.event.sequence ?? 0
                guard head.event.sequence >= before || mayFork else { throw .rewound(replica) }
                remote?.advance(head)
                notice(head)
            }
        case .caughtUp:
            if isRemoteCaughtUp { redundantCaughtUpCount += 1 }
            guard redundantCaughtUpCount <= Self.toleratedCaughtUpCount else {
                throw .unexpected("repeated messages that it is caught up")
            }
            isRemoteCaughtUp = true
            if let claimed = unfulfilled { throw .claims(claimed) }
        case .hello, .close: break
        }
        return []
    }

    /// The events that the peer reports but has not sent, although it reports that it is caught up.
    private var unfulfilled: EventRange? {
        guard let remote, arrived.isEmpty, storing == nil else { return nil }
        // After a fork, the two sides may name the same events differently until both have learnt of it.
        guard forkedReplicas.isEmpty, local.streams.isEmpty else { return nil }
        return remote.vector.ranges(missingFrom: local.vector).first
    }

    /// Compares a head of the peer with the local history. If they differ, all of the replica's events are sent
    /// again, so that the peer finds the fork point.
    private mutating func notice(_ head: ObservedHead) {
        let replica = head.event.replica
        let own = local.heads.first { $0.event == head.event }
        if let own, own.rootPrefix != head.rootPrefix { markForked(replica) }
    }

    private mutating func markForked(_ stream: ReplicaID) {
        let replica = local.streams.origin(of: stream)
        guard forkedReplicas.insert(replica).inserted else { return }
        for stream in streams(of: replica) { sent[stream] = 0 }
        if case .make(let range) = making, streams(of: replica).contains(range.replica) { isMakingStale = true }
    }

    /// Returns the replica and its branches.
    private func streams(of replica: ReplicaID) -> [ReplicaID] {
        [replica] + local.streams.branches.keys.filter { local.streams.origin(of: $0) == replica }
    }

    /// Returns the actions that are possible now.
    private mutating func nextActions() -> [Action] {
        guard !isOver, let remote else { return [] }
        var actions: [Action] = []
        if storing == nil, !arrived.isEmpty {
            let frame = arrived.removeFirst()
            storing = frame
            actions.append(.store(frame))
        }
        if making == nil, inFlight < Self.window {
            if let next = nextRange(for: remote) {
                making = next
                isMakingStale = false
                hasSentCaughtUp = false
                actions.append(next)
            } else if !hasSentCaughtUp, inFlight == 0, storing == nil, arrived.isEmpty {
                hasSentCaughtUp = true
                actions.append(send(.caughtUp))
            }
        }
        return actions
    }

    private mutating func nextRange(for remote: Manifest) -> Action? {
        var known = remote.vector
        known.join(receivedVector)
        for replica in forkedReplicas { for stream in streams(of: replica) { known[stream] = 0 } }
        known.join(sent)
        if let range = local.vector.ranges(missingFrom: known).first { return .make(range) }
        let kept = local.kept.first { kept in
            // In another branch the same numbers mean other events, so the peer's vector does not show whether it has
            // them.
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
