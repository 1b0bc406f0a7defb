import ByteCoding
import EventLog
import Events

extension MemoryLog {
    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        if frames.isEmpty { return Received() }
        var received = Received()
        var clock = HybridClock(last: rows.clock)
        let first = lastPosition()
        let frames = rows.erased.isEmpty ? frames : frames.map { $0.withholding(rows.erased) }
        for replica in Set(frames.map(\.range.replica)).sorted() {
            let known = streams[replica]?.count ?? 0
            let own = frames.filter { $0.range.replica == replica }
            let waiting = rows.waiting.filter { $0.range.replica == replica }
            let intake = try Intake(
                of: own, waiting: waiting, known: known, proven: rows.signed[replica]?.sequence ?? 0,
                edge: { sequence in
                    guard let edge = edge(of: replica, through: sequence) else {
                        throw EventLogError.damaged("the last event of a replica")
                    }
                    return edge
                }, observed: { try observedHeads(before: EventID(replica, $0)) })
            try enter(intake, arrival, &clock)
            if let head = intake.head { keepInCommit(head) }
            let released = Set(intake.released)
            let present = waiting.filter { !released.contains($0) }
            let parking = Parking(intake.parked, beside: present)
            park(parking, releasing: released)
            let newForks = keepForks(intake.forked, of: replica)
            let last = intake.last ?? known
            let parked = intake.parked.map(\.range).filter { $0.last > last }
            received.parked += parked
            let isWaitNew = parking.coming.contains { $0.range.last > last }
            if !intake.entering.isEmpty || !newForks.isEmpty || isWaitNew { received.replicas.insert(replica) }
            received.repeatedCount += intake.repeatedCount
            received.forked += intake.forked.map(\.range)
            received.refused += intake.refused.map(\.range)
        }
        received.appendedCount = Int(lastPosition() - first)
        rows.clock = clock.last
        flush()
        return received
    }

    private func enter(_ intake: Intake, _ arrival: Arrival, _ clock: inout HybridClock) throws {
        for piece in intake.entering {
            for sequence in piece.first...piece.last {
                var writer = ByteWriter(capacity: 256)
                let leaf = piece.frame.leaves[Int(sequence - piece.frame.range.first)]
                try piece.frame.withEvent(sequence) { frame, bytes in
                    rows.lastChecksum = writer.append(rechaining: bytes, after: rows.lastChecksum)
                    try put(writer.bytes, frame, leaf: leaf)
                    clock.observe(frame.stamp, wallMilliseconds: arrival.wallMilliseconds)
                }
            }
        }
    }

    private func park(_ parking: Parking, releasing released: Set<RangeFrame>) {
        let gone = released.union(parking.leaving)
        rows.waiting.removeAll { gone.contains($0) }
        rows.waiting += parking.coming
        rows.waiting.sort(by: Self.isBefore)
    }

    /// Keeps ranges of other histories aside; returns those that were not kept already.
    private func keepForks(_ forked: [RangeFrame], of replica: ReplicaID) -> [RangeFrame] {
        if forked.isEmpty { return [] }
        let present = rows.forked.filter { $0.range.replica == replica }
        let parking = Parking(forked, beside: present, byteLimit: .max)
        let leaving = Set(parking.leaving)
        rows.forked = (rows.forked.filter { !leaving.contains($0) } + parking.coming).sorted(by: Self.isBefore)
        return parking.coming
    }

    /// The order of rows of ranges.
    private static func isBefore(_ left: RangeFrame, _ right: RangeFrame) -> Bool {
        left.key.lexicographicallyPrecedes(right.key)
    }

    func erase(_ events: EventSet) throws {
        flush()
        made = [:]
        rows.erased.formUnion(events)
        let erased = rows.erased
        rows.lastChecksum = 0
        for place in rows.events.indices {
            var writer = ByteWriter(capacity: 256)
            try rows.events[place].withSpan { bytes in
                let frame = try Frame(parsing: bytes)
                rows.lastChecksum =
                    erased.contains(frame.id)
                    ? writer.append(withholding: frame, in: bytes, after: rows.lastChecksum)
                    : writer.append(rechaining: bytes, after: rows.lastChecksum)
            }
            rows.events[place] = writer.bytes
        }
        rows.waiting = rows.waiting.map { $0.withholding(erased) }
        rows.forked = rows.forked.map { $0.withholding(erased) }
    }
}
