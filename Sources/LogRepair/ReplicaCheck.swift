import GroundwaveEvents
import GroundwaveLogFormat

/// The state of checking one replica's events.
struct ReplicaCheck {
    let replica: ReplicaID
    var tree: ReplicaTree
    /// The number of undamaged events.
    private(set) var count: UInt64 = 0
    /// The last event so far.
    private(set) var last: HeadRow?
    private(set) var gaps: [Gap] = []
    /// The number of events that follow in the last one's batch; `nil` if unknown.
    private var rest: Int?

    init(_ replica: ReplicaID, tree: MerkleEdge?) {
        self.replica = replica
        self.tree = ReplicaTree(replica, stored: tree)
    }

    /// The number of the replica's next event.
    var expected: SequenceNumber { (last?.sequence ?? 0) + 1 }

    /// Processes an event of the replica, whose number is ``expected`` or higher.
    mutating func verify(_ event: CheckedEvent, at position: Position, _ damage: inout DamageList) {
        let sequence = event.id.sequence
        if sequence > expected { miss(through: sequence - 1, before: position) }
        checkBatch(event, at: position, &damage)
        if let last, event.stamp < last.stamp {
            damage.append(
                LogDamage(
                    .stamp, replica, first: sequence, position: position,
                    "the stamp is earlier than that of the previous event"
                ))
        }
        count += 1
        last = HeadRow(sequence: sequence, position: position, stamp: event.stamp)
        rest = event.rest
    }

    /// Processes the placeholder of a lost event, whose number is ``expected`` or higher.
    mutating func verifyPlaceholder(of event: CheckedEvent, at position: Position) {
        if event.id.sequence > expected { miss(through: event.id.sequence - 1, before: position) }
        last = HeadRow(sequence: event.id.sequence, position: position, stamp: event.stamp)
        tree.skip(to: event.id.sequence + 1)
        rest = nil
    }

    /// Checks that a batch counts down to 0 with one stamp. A batch may be incomplete at the end of the log, if it was
    /// copied from another store in pieces; then events of other replicas may be in between.
    private func checkBatch(_ event: CheckedEvent, at position: Position, _ damage: inout DamageList) {
        let continues = rest.map { $0 > 0 } ?? false
        let isBroken = continues && (event.rest + 1 != rest || event.stamp != last?.stamp)
        if isBroken || event.rest >= EventLimits.batchCount {
            damage.append(
                LogDamage(
                    .batch, replica, first: event.id.sequence, position: position,
                    "the event does not continue the batch of the previous event"))
        }
    }

    /// Records that the events up to `sequence` are missing.
    mutating func miss(through sequence: SequenceNumber, before position: Position) {
        let first = (last?.sequence ?? 0) + 1
        gaps.append(
            Gap(range: EventRange(replica, first, through: sequence), after: last?.position ?? 0, before: position))
        tree.skip(to: sequence + 1)
        rest = nil
    }

    /// Compares the row of `heads` with the events found up to position `end`, with the lost positions in `loss`.
    ///
    /// If the row names later events that fit into lost positions, it is believed, and these events are missing. If it
    /// cannot be right, the row itself is reported as damaged.
    ///
    /// - Parameter implied: The head according to the runs, used if there is no such row.
    mutating func finish(
        _ head: HeadRow?, implied: HeadRow?, end: Position, _ loss: Loss, _ damage: inout DamageList
    ) {
        let seen = last?.sequence ?? 0
        let after = last?.position ?? 0
        if let head, head == last { return }
        if let claim = head ?? implied, claim.sequence > seen, claim.position > after, loss.contains(claim.position),
            claim.sequence - seen <= loss.count(from: after + 1), last.map({ $0.stamp <= claim.stamp }) ?? true
        {
            miss(through: claim.sequence, before: end + 1)
            if head != nil { return }
        }
        let first = seen > 0 ? seen : nil
        guard let head else {
            damage.append(LogDamage(.head, replica, first: first, "the row of the last event is missing"))
            return
        }
        let detail =
            "the row of the last event has event \(head.sequence) at position \(head.position), but it is event "
            + "\(seen) at position \(after)"
        damage.append(LogDamage(.head, replica, first: first, position: last?.position, detail))
    }
}
