import Events

/// What was seen of one replica's events so far.
struct ReplicaCheck {
    let replica: ReplicaID
    var tree: ReplicaTree
    /// How many whole events were seen.
    private(set) var count: UInt64 = 0
    /// The last event that was seen.
    private(set) var last: HeadRow?
    private(set) var gaps: [Gap] = []
    /// How many events of the last one's batch follow; `nil` where that is not known.
    private var rest: Int?

    init(_ replica: ReplicaID, tree: MerkleEdge?) {
        self.replica = replica
        self.tree = ReplicaTree(replica, stored: tree)
    }

    /// The number that the replica's next event has.
    var expected: SequenceNumber { (last?.sequence ?? 0) + 1 }

    /// Takes an event of the replica, whose number is ``expected`` or above it.
    mutating func take(_ event: CheckedEvent, at position: Position, _ damage: inout DamageList) {
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

    /// Takes what holds the place of a lost event, whose number is ``expected`` or above it.
    mutating func takePlace(of event: CheckedEvent, at position: Position) {
        if event.id.sequence > expected { miss(through: event.id.sequence - 1, before: position) }
        last = HeadRow(sequence: event.id.sequence, position: position, stamp: event.stamp)
        tree.skip(to: event.id.sequence + 1)
        rest = nil
    }

    /// A batch counts down to 0 with one stamp. It may be cut off at the end of what the log has, where it was copied
    /// from another store in pieces; and then other replicas' events may stand between its own.
    private func checkBatch(_ event: CheckedEvent, at position: Position, _ damage: inout DamageList) {
        let goesOn = rest.map { $0 > 0 } ?? false
        let isBroken = goesOn && (event.rest + 1 != rest || event.stamp != last?.stamp)
        if isBroken || event.rest >= EventLimits.batchCount {
            damage.append(
                LogDamage(
                    .batch, replica, first: event.id.sequence, position: position,
                    "the event does not continue the batch of the previous event"))
        }
    }

    /// The events up to `sequence` are not there.
    mutating func miss(through sequence: SequenceNumber, before position: Position) {
        let first = (last?.sequence ?? 0) + 1
        gaps.append(
            Gap(range: EventRange(replica, first, through: sequence), after: last?.position ?? 0, before: position))
        tree.skip(to: sequence + 1)
        rest = nil
    }

    /// What the row of `heads` says, held against what was seen up to position `end`, with what is lost in `loss`.
    ///
    /// A row that names events which may well have stood in a hole is believed: then they are lost. One that cannot be
    /// right is itself the damage.
    ///
    /// - Parameter implied: What the runs say where there is no such row.
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
