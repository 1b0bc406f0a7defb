import GroundwaveEvents
import GroundwaveLogFormat

/// Who belongs to a log, and which events count: the same for the same statements, in whatever order these arrived.
///
/// Members are looked at in order of seniority, and only seniors revoke: nobody who is looked at later has a say about somebody who
/// was looked at before ([decision 51](../../Docs/Decisions/0051-who-belongs-is-decided-from-the-top-down.md)).
package struct Roster: Hashable, Sendable {
    /// All that were approved, the most senior first: the key of the recovery phrase, the device that sealed the log, then
    /// each device by the rank of its approver and the number of the approval. Those whose approval was revoked stay.
    package private(set) var order: [ReplicaID] = []
    /// The revocations that count, by device, in order of the rank of their authors; also of devices that nobody has approved.
    package private(set) var revocations: [ReplicaID: [EventID]] = [:]
    /// Of devices that were revoked, the events that all their revokers had seen.
    private var seen: [ReplicaID: EventSet] = [:]
    /// What was admitted, and what was there when the log was sealed.
    private var admitted: EventSet
    private var ranks: [ReplicaID: Int] = [:]
    /// The rank of the most senior device that has approved each one.
    private var approvers: [ReplicaID: Int] = [:]
    private let streams: Streams

    /// Nobody belongs to the log, and nothing counts.
    package init() { (admitted, streams) = (EventSet(), Streams()) }

    /// Decides about `statements`. Cost: O(statements of each member × log of their number), and the ranges that they name.
    ///
    /// - Parameters:
    ///   - phrase: The replica whose key the recovery phrase is.
    ///   - founder: The replica of the device that sealed the log.
    ///   - before: The events that were there when the log was sealed.
    ///   - streams: The branches by which the statements name events.
    package init(
        _ statements: some Sequence<RosterStatement>, phrase: ReplicaID, founder: ReplicaID,
        before: EventSet = EventSet(),
        _ streams: Streams
    ) {
        (admitted, self.streams) = (before, streams)
        var decision = Decision(statements, streams)
        add(phrase)
        add(founder)
        var next = 0
        while next < order.count {
            let member = order[next]
            decide(about: member, &decision)
            for statement in decision.statements(of: member) where counts(statement.event, of: member) {
                switch statement.word {
                case .approve(let device, _):
                    decision.about[device, default: []].append(statement)
                    if approvers[device] == nil { approvers[device] = next }
                    add(device)
                case .revoke(let device, _): decision.about[device, default: []].append(statement)
                // By number it may name what is not written yet, so it ends with whoever said it.
                case .admit(let events):
                    if revocations[member] == nil { admitted.formUnion(decision.histories(of: events)) }
                case .seal, .epoch: continue
                }
            }
            next += 1
        }
        // Whoever approves one of these later has to end what was said of it before.
        for device in decision.about.keys where ranks[device] == nil { decide(about: device, &decision) }
    }

    private mutating func add(_ device: ReplicaID) {
        guard ranks[device] == nil else { return }
        ranks[device] = order.count
        order.append(device)
    }

    /// Takes the revocations of `member` by its seniors, which have all been decided about.
    private mutating func decide(about member: ReplicaID, _ decision: inout Decision) {
        let said = decision.about[member] ?? []
        // The rank of the most senior device that ends a revocation: statements about a device are in order of rank.
        var ends: [EventID: Int] = [:]
        for statement in said {
            guard case .approve(_, let ending) = statement.word else { continue }
            for revocation in ending where ends[revocation] == nil { ends[revocation] = rank(of: statement.event) }
        }
        for statement in said {
            guard case .revoke(_, let events) = statement.word else { continue }
            if let end = ends[statement.event], end <= rank(of: statement.event) { continue }
            revocations[member, default: []].append(statement.event)
            let histories = decision.histories(of: events)
            seen[member] = seen[member]?.intersection(histories) ?? histories
        }
    }

    private func rank(of event: EventID) -> Int { ranks[streams.origin(of: event.replica)] ?? .max }

    private func counts(_ event: EventID, of member: ReplicaID) -> Bool { seen[member]?.contains(event) ?? true }

    /// Whether `device` belongs to the log now.
    package func isMember(_ device: ReplicaID) -> Bool { ranks[device] != nil && revocations[device] == nil }

    /// Whether `author`, or a device that is senior to it, has approved `device`: what juniors have said may stop counting. The
    /// device that has sealed the log needs no approval.
    package func isApproved(_ device: ReplicaID, by author: ReplicaID) -> Bool {
        ranks[device] ?? .max < 2 || approvers[device] ?? .max <= ranks[author] ?? -1
    }

    /// Whether `author`, or a device that is senior to it, has excluded `device`: what juniors have said may stop counting.
    package func isExcluded(_ device: ReplicaID, by author: ReplicaID) -> Bool {
        (revocations[device] ?? []).contains { rank(of: $0) <= ranks[author] ?? .max }
    }

    /// Whether `event` counts for records. Those that do not are stored, passed on and listed.
    package func counts(_ event: EventID) -> Bool {
        let device = streams.origin(of: event.replica)
        return (ranks[device] != nil && counts(event, of: device)) || admitted.contains(event)
    }

    /// Whether `event`, which writes to this record, is folded: it counts, or says who belongs, or is the first one of its
    /// author and introduces it.
    package func folds(_ event: EventID, kind: String, record: RecordID) -> Bool {
        if counts(event) || kind == RosterKind.name { return true }
        let device = streams.origin(of: event.replica)
        return kind == ClockDeclaration.kind && record == RecordID(high: device.high, low: device.low)
            && streams.base(of: event.replica) + event.sequence == 1
    }

    /// Returns the events among `ranges` that do not count. Cost: O(ranges × ranges that are named).
    package func uncounted(among ranges: [EventRange]) -> EventSet {
        var rest = EventSet()
        for range in ranges {
            let device = streams.origin(of: range.replica)
            let all = EventSet([range])
            guard ranks[device] != nil else {
                rest.formUnion(all)
                continue
            }
            if let seen = seen[device] { rest.formUnion(all.subtracting(seen)) }
        }
        return rest.subtracting(admitted)
    }
}

/// What is looked up while a roster is decided.
private struct Decision {
    /// What members that were decided about say of each device, in order of their ranks.
    var about: [ReplicaID: [RosterStatement]] = [:]
    private var byAuthor: [ReplicaID: [RosterStatement]] = [:]
    private let streams: Streams

    init(_ statements: some Sequence<RosterStatement>, _ streams: Streams) {
        self.streams = streams
        for statement in statements {
            byAuthor[streams.origin(of: statement.event.replica), default: []].append(statement)
        }
    }

    /// Returns what a member says, by number; in histories that have forked, then by the branches that lead there.
    func statements(of member: ReplicaID) -> [RosterStatement] {
        let keyed = (byAuthor[member] ?? []).map { statement in
            let stream = statement.event.replica
            return (
                number: streams.base(of: stream) + statement.event.sequence, path: streams.path(to: stream), statement
            )
        }
        return keyed.sorted { one, other in
            one.number == other.number
                ? one.path.lexicographicallyPrecedes(other.path) : one.number < other.number
        }.map { $0.2 }
    }

    /// Returns these events and all before them in their histories.
    func histories(of events: [EventID]) -> EventSet {
        EventSet(
            events.flatMap { streams.heads(upTo: $0) }.map { EventRange($0.replica, 1, through: $0.sequence) })
    }
}
