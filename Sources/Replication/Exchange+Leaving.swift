import GroundwaveEventLog
import GroundwaveEvents

extension Exchange {
    /// Leaves what is not there yet.
    mutating func push() async throws {
        let me = identity.replica
        var statement = try Statement(of: log, as: identity, milliseconds: now().wallMilliseconds)
        if !notes.unread.isEmpty { statement.wanted += wanted(beyond: statement) }
        try notes.settle(with: log, statement)
        // The answer may not have been readable either.
        var asksAgain = isFull && !statement.wanted.isEmpty
        var wantedByOthers = try rangesWantedByOthers(of: statement)
        while true {
            let segment = try nextSegment(of: statement, &wantedByOthers)
            let frames = segment.frames
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
                for range in segment.ranges { notes.add(range) }
                notes.waiting.formUnion(segment.kept.map(KeptRange.init))
                notes.statements[me] = statement.said
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

    /// The ranges of one segment; none where everything lies there.
    private func nextSegment(of statement: Statement, _ wanted: inout [Wanted]) throws -> SegmentFrames<Log> {
        var known = notes.vector
        var segment = SegmentFrames(of: log, signedBy: identity)
        try segment.append(of: statement.vector, missingFrom: &known)
        while segment.hasRoom, let next = wanted.first {
            let range = next.range
            let frame = try segment.frame(of: range)
            wanted.removeFirst()
            guard let frame else { continue }
            if frame.range.count < range.count {
                let rest = EventRange(range.replica, range.first + frame.range.count, through: range.last)
                wanted.insert(Wanted(range: rest, hasEvents: next.hasEvents), at: 0)
            }
            // Who has the events and lacks their values is not helped by who lacks them too.
            if frame.hasValues || !next.hasEvents { segment.append(frame, of: range) }
        }
        let kept = statement.kept.filter { kept in
            if notes.waiting.contains(kept) { return false }
            let isByNumber = notes.kept.contains(kept.range) || kept.range.last <= known[kept.range.replica]
            return statement.apart.contains(kept) || !isByNumber
        }
        if !kept.isEmpty {
            for frame in try log.keptFrames() where segment.hasRoom && kept.contains(KeptRange(frame)) {
                segment.append(kept: frame)
            }
        }
        return segment
    }

    /// What others say that they have and this store lacks.
    private func wanted(beyond statement: Statement) -> [EventRange] {
        var all = VersionVector()
        for (store, statement) in notes.statements where store != identity.replica { all.join(statement.vector) }
        return statement.streams.ranges(of: all, missingFrom: statement.vector).map { range in
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
