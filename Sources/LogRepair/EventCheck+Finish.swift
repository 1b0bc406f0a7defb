import GroundwaveEvents
import GroundwaveLogFormat

extension EventCheck {
    /// Compares the rows of the log with the events, after all events were processed, and returns the report.
    ///
    /// - Parameter entries: The number of events according to the table's record.
    mutating func finish(entries: UInt64) -> LogReport {
        let end = end(entries: entries)
        miss(through: end)
        checkState(end: end)
        finishReplicas(end: end)
        let missing = MissingEvents(replicas.flatMap(\.gaps).map(\.range))
        finishTrees(missing)
        finishRuns(missing)
        finishHoles()
        finishLate()
        var report = LogReport()
        report.events = count
        for replica in replicas where replica.count > 0 {
            report.replicas.append(
                LogReport.Replica(replica: replica.replica, events: replica.count, root: root(of: replica)))
        }
        report.replicas.sort { $0.replica < $1.replica }
        report.missing =
            MissingEvents(missing.ranges + rows.lostRanges.subtracting(EventSet(missing.ranges)).ranges).ranges
        report.damage = losses() + declared() + damage.entries
        if damage.omitted > 0 { report.damage.append(LogDamage(.file, "and \(damage.omitted) more like these")) }
        return report
    }

    /// The last event, after ``finish(entries:)``: its position, its checksum, and the last number of each replica. If
    /// that event is lost, the checksum is that of the state.
    var tip: (position: Position, checksum: UInt32, heads: [ReplicaID: SequenceNumber])? {
        guard let checksum = lastChecksum ?? rows.state?.lastChecksum else { return nil }
        let heads = replicas.map { ($0.replica, Swift.max($0.expected - 1, $0.gaps.last?.range.last ?? 0)) }
        return (next - 1, checksum, Dictionary(heads) { first, _ in first })
    }

    /// Returns the last position that the log once had. There are four sources: the state, the heads, the count of the
    /// table, and the last event found. One of the first three may be damaged, so their median is used.
    private func end(entries: UInt64) -> Position {
        var witnesses = [entries]
        if let state = rows.state, state.nextPosition >= 1 { witnesses.append(state.nextPosition - 1) }
        if let last = rows.heads.values.map(\.position).max() { witnesses.append(last) }
        witnesses.sort(by: >)
        return Swift.max(next - 1, Swift.min(witnesses[witnesses.count / 2], .max - 1))
    }

    private mutating func checkState(end: Position) {
        guard let state = rows.state else {
            damage.append(LogDamage(.meta, "the row with the next position of the log is missing"))
            return
        }
        if state.nextPosition != end + 1 {
            damage.append(
                LogDamage(.meta, "the log records its next position as \(state.nextPosition), but it is \(end + 1)"))
        } else if let lastChecksum, lastChecksum != state.lastChecksum {
            damage.append(
                LogDamage(
                    .chain, position: end > 0 ? end : nil,
                    "the last event is not the one that the log records as its last"))
        }
        // The clock equals the stamp of an event, or 0, or its value when the log was cleared. That event may be a lost
        // one.
        if !sawClock, loss.lostRanges.isEmpty, rows.lostRanges.isEmpty {
            damage.append(LogDamage(.meta, "the clock of the log is at a time that no event has"))
        }
    }

    private mutating func finishReplicas(end: Position) {
        let implied = impliedHeads(end: end)
        for replica in Set(rows.heads.keys).union(implied.keys).sorted() { _ = index(of: replica) }
        for index in replicas.indices {
            let replica = replicas[index].replica
            replicas[index].finish(
                rows.heads[replica], implied: implied[replica], end: end, loss, &damage)
        }
    }

    /// Returns the last event of each replica according to the runs: a replica's last run extends to the next run of
    /// any replica.
    private func impliedHeads(end: Position) -> [ReplicaID: HeadRow] {
        var heads: [ReplicaID: HeadRow] = [:]
        var after = end + 1
        for run in rows.runs.sorted(by: { $0.position > $1.position }) where run.position < after && run.position > 0 {
            let sequence = run.first.addingReportingOverflow(after - run.position - 1)
            after = run.position
            guard heads[run.replica] == nil, !sequence.overflow else { continue }
            heads[run.replica] = HeadRow(
                sequence: sequence.partialValue, position: run.position + (sequence.partialValue - run.first),
                stamp: Stamp(rawValue: .max))
        }
        return heads
    }

    private mutating func finishTrees(_ missing: MissingEvents) {
        for replica in replicas {
            for found in replica.tree.finish(last: replica.expected - 1) { damage.append(found) }
        }
        let known = Set(replicas.map(\.replica))
        for replica in rows.trees.keys.sorted() where !known.contains(replica) {
            damage.append(LogDamage(.tree, replica, "there is a tree of a replica that has no events"))
        }
        for key in rows.nodes.keys.sorted(by: { ($0.replica, $0.number) < ($1.replica, $1.number) }) {
            let (first, overflow) = key.number.multipliedReportingOverflow(by: TreeBlock.leafCount)
            if overflow || !missing.intersects(key.replica, first &+ 1, through: first &+ TreeBlock.leafCount) {
                damage.append(LogDamage(.tree, key.replica, "there is a hash of a block of events that do not exist"))
            }
        }
    }

    /// Compares the placeholders of lost events with the rows of lost ranges. Lost events behind a replica's last event
    /// have no placeholders.
    private mutating func finishHoles() {
        for range in places.subtracting(rows.lostRanges).ranges {
            damage.append(
                LogDamage(
                    .sequence, range.replica, first: range.first, last: range.last,
                    "a position is reserved for events that the log does not record as lost"))
        }
        let last = Dictionary(replicas.map { ($0.replica, $0.expected - 1) }) { first, _ in first }
        for range in rows.lostRanges.subtracting(places).ranges where range.first <= last[range.replica] ?? 0 {
            damage.append(
                LogDamage(
                    .sequence, range.replica, first: range.first, last: range.last,
                    "the log records events as lost, but has them"))
        }
    }

    /// Reports late events at positions without an event. If the event at the position was lost, the late one is lost
    /// with it and is not reported here.
    private mutating func finishLate() {
        for position in Set(rows.late.keys).union(rows.filled.keys).sorted() where !loss.contains(position) {
            let event = rows.late[position]?.event.id
            damage.append(
                LogDamage(
                    .late, event?.replica, first: event?.sequence, position: position,
                    "an event that arrived late is assigned to a position that has no event"))
        }
    }

    /// Returns the losses that the log declares.
    private func declared() -> [LogDamage] {
        rows.lostRanges.ranges.map { range in
            LogDamage(
                .lostRange, range.replica, first: range.first, last: range.last,
                "lost with a damaged file, and not restored from another device yet")
        }
    }

    /// Reports the runs that no event has confirmed, unless their event is lost.
    private mutating func finishRuns(_ missing: MissingEvents) {
        for (key, position) in unconfirmedRuns.sorted(by: { ($0.value, $0.key.number) < ($1.value, $1.key.number) })
        where !missing.intersects(key.replica, key.number, through: key.number) || !loss.contains(position) {
            damage.append(
                LogDamage(
                    .run, key.replica, first: key.number, position: position,
                    "the row of a run refers to an event that does not exist"))
        }
    }

    private func losses() -> [LogDamage] {
        var list = DamageList()
        var named: UInt64 = 0
        var runs: [ReplicaID: [Run]] = [:]
        for run in rows.runs { runs[run.replica, default: []].append(run) }
        for replica in replicas.sorted(by: { $0.replica < $1.replica }) {
            for gap in replica.gaps {
                named &+= gap.range.count
                for piece in loss.damage(of: gap, runs: runs[replica.replica] ?? []) { list.append(piece) }
            }
        }
        let lost = loss.count
        if lost > named {
            list.append(
                LogDamage(
                    .position, position: loss.lostRanges.first?.positions.lowerBound,
                    "positions without an event, of unknown replicas: \(lost - named)"))
        }
        if list.omitted > 0 { list.append(LogDamage(.file, "and \(list.omitted) more like these")) }
        return list.entries
    }
}
