import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension MemoryLog {
    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        if frames.isEmpty { return Received() }
        var received = Received()
        var (coming, replicas, isFirst) = (frames, Set(frames.map(\.range.replica)), true)
        while !replicas.isEmpty {
            var forkPoint: ForkPoint?
            (coming, replicas, forkPoint) = try enter(coming, of: replicas, arrival, isFirst: isFirst, &received)
            isFirst = false
            if let forkPoint { try fork(at: forkPoint) }
        }
        if rows.isUncertain, received.appendedCount > 0, received.replicas.contains(where: rows.streams.isForked) {
            try resolveNames(rows.streams, vector()) { $0 }
        }
        if received.repeatedCount > 0 { received.filledCount = try fill(from: frames) }
        return received
    }

    /// Takes in what fits; returns what is to be looked at again, and which stream has to part before.
    private func enter(
        _ frames: [RangeFrame], of replicas: Set<ReplicaID>, _ arrival: Arrival, isFirst: Bool,
        _ received: inout Received
    ) throws -> (coming: [RangeFrame], replicas: Set<ReplicaID>, forkPoint: ForkPoint?) {
        var clock = HybridClock(last: rows.clock)
        let (first, known) = (lastPosition(), known())
        var again: (coming: [RangeFrame], replicas: Set<ReplicaID>, forkPoint: ForkPoint?) = ([], [], nil)
        for replica in replicas.sorted() {
            let own = frames.filter { $0.range.replica == replica }
            let pending = rows.waiting.filter { $0.range.replica == replica }
            let arrivals = try ArrivalTable(of: replica, own, pending: pending, known)
            for entry in arrivals.entries { try enter(entry, arrival, &clock) }
            let released = Set(arrivals.released)
            let change = RetentionChange(arrivals.retained, beside: pending.filter { !released.contains($0) })
            apply(change, releasing: released)
            let stillPending = Set(arrivals.stillPending)
            let hasAccepted = arrivals.entries.contains { !$0.ingest.accepted.isEmpty }
            if hasAccepted || arrivals.forkPoint != nil || change.retained.contains(where: stillPending.contains) {
                received.replicas.insert(replica)
            }
            if isFirst {
                received.repeatedCount += arrivals.repeatedCount
                received.apart += arrivals.apart.map(\.range)
            }
            received.present += arrivals.present
            received.refused += arrivals.refused.map(\.range)
            if arrivals.needsAnotherPass {
                again.coming += arrivals.unplaced
                again.replicas.insert(replica)
                again.forkPoint = again.forkPoint ?? arrivals.forkPoint
            } else {
                received.pending += arrivals.stillPending.map(\.range)
            }
        }
        received.appendedCount += Int(lastPosition() - first)
        rows.clock = clock.last
        return again
    }

    private func known() -> ArrivalTable.Known {
        ArrivalTable.Known(
            from: self, streams: rows.streams, counts: vector(), proven: { self.rows.signed[$0]?.sequence ?? 0 },
            canFork: { event in
                guard event.sequence > 0, let tree = self.trees[event.replica] else { return true }
                var isEnd = false
                try self.withEvent(at: tree.positions[Int(event.sequence) - 1]) { frame, _ in isEnd = frame.rest == 0 }
                return isEnd
            }, erased: rows.erased, leaf: leaf)
    }

    private func enter(_ entry: ArrivalTable.Entry, _ arrival: Arrival, _ clock: inout HybridClock) throws {
        let stream = entry.path[entry.path.count - 1]
        if let begins = entry.begins {
            rows.streams.add(stream, to: begins.stream, after: begins.after)
            rows.isUncertain = true
        }
        if let head = entry.ingest.head { keep(head, of: stream) }
        let base = rows.streams.base(of: stream)
        var finder = rows.streams.isEmpty ? nil : finder(rows.streams, vector())
        if let last = rows.streams.predecessor(of: EventID(stream, (trees[stream]?.count ?? 0) + 1)),
            let tree = trees[last.replica]
        {
            try withEvent(at: tree.positions[Int(last.sequence) - 1]) { frame, bytes in
                finder?.advance(in: stream, behind: frame.names(in: bytes).resolutions)
            }
        }
        for piece in entry.ingest.accepted {
            for sequence in piece.first...piece.last {
                var writer = ByteWriter(capacity: 256)
                let leaf = piece.frame.leaves[Int(sequence - piece.frame.range.first)]
                try piece.frame.withEvent(sequence) { frame, bytes in
                    let resolutions = try finder?.resolutions(for: frame, in: bytes, of: stream) ?? []
                    rows.lastChecksum = writer.append(frame, in: bytes, readAs: resolutions, after: rows.lastChecksum)
                    if frame.isWithheld {
                        rows.mayLackValues = true
                    } else if rows.erased.contains(EventID(stream, sequence - base)) {
                        let whole = writer.bytes
                        writer.removeAll()
                        let frame = try Frame(parsing: whole.span.bytes)
                        rows.lastChecksum = writer.append(
                            withholding: frame, in: whole.span.bytes, after: frame.previousChecksum)
                    }
                    clock.observe(frame.stamp, wallMilliseconds: arrival.wallMilliseconds)
                }
                try put(writer.bytes, try Frame(parsing: writer.bytes.span.bytes), leaf: leaf)
            }
        }
        if finder?.isUncertain == true { rows.isUncertain = true }
    }

    private func apply(_ change: RetentionChange, releasing released: Set<RangeFrame>) {
        let gone = released.union(change.released)
        rows.waiting.removeAll { gone.contains($0) }
        rows.waiting += change.retained
        rows.waiting.sort { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// The leaf of an event that is here.
    func leaf(of event: EventID) -> Hash256? {
        guard let tree = trees[event.replica], event.sequence >= 1, event.sequence <= tree.count else { return nil }
        return tree.leaves[Int(event.sequence) - 1]
    }

    func erase(_ events: EventSet) throws {
        rows.erased.formUnion(events)
        let erased = rows.erased
        try rewrite { frame, bytes, writer, checksum in
            erased.contains(frame.id)
                ? writer.append(withholding: frame, in: bytes, after: checksum)
                : writer.append(rechaining: bytes, after: checksum)
        }
        rows.waiting = rows.waiting.map { $0.withholding(erased, rows.streams, leaf: leaf) }
    }

    /// Puts the values in that `frames` have and this log lacks; returns of how many events.
    private func fill(from frames: [RangeFrame]) throws -> Int {
        let lacking = try missingValues()
        let found = try RangeFrame.values(of: lacking, from: frames, streams: rows.streams, leaf: leaf)
        if found.isEmpty { return 0 }
        made = [:]
        for (event, whole) in found {
            guard let tree = trees[event.replica] else { continue }
            let position = tree.positions[Int(event.sequence) - 1]
            var writer = ByteWriter(capacity: 256)
            try withEvent(at: position) { frame, bytes in
                let resolutions = frame.names(in: bytes).resolutions
                try whole.withSpan {
                    _ = writer.append(try Frame($0, at: 0), in: $0, readAs: resolutions, after: frame.previousChecksum)
                }
            }
            rows.late[position] = writer.bytes
        }
        return found.count
    }

    /// Writes all events anew, each with the checksum of the one before it; what came late stands in its place then.
    private func rewrite(
        _ body: (_ frame: Frame, _ bytes: RawSpan, _ writer: inout ByteWriter, _ checksum: UInt32) throws -> UInt32
    ) throws {
        made = [:]
        rows.lastChecksum = 0
        for place in rows.events.indices {
            var writer = ByteWriter(capacity: 256)
            try present(at: Position(place) + 1).withSpan { bytes in
                rows.lastChecksum = try body(try Frame(parsing: bytes), bytes, &writer, rows.lastChecksum)
            }
            rows.events[place] = writer.bytes
        }
        rows.late = [:]
    }
}
