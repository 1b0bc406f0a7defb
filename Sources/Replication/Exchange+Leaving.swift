import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension Exchange {
    /// Pushes what the remote is missing.
    mutating func push() async throws {
        let me = identity.replica
        var statement = try Statement(of: log, as: identity, milliseconds: now().wallMilliseconds)
        if !notes.unread.isEmpty { statement.wanted += wanted(beyond: statement) }
        try notes.settle(with: log, statement)
        // A full pass repeats the request: the previous answer may have been unreadable too.
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
                // On a medium without hard links, an interrupted write of this store may have left part of a segment.
                if try await removeOwnRemains(number) { continue }
                // Either this store wrote it and was stopped before it saved the remote cache, or another one uses
                // its replica ID.
                do { try await pull(me, isFull: false, mayTake: true) } catch let failure as QuarantineReason {
                    // An unreadable segment does not count as pushed; the next one is written after it.
                    report.quarantined[me] = failure.text
                    notes.next[me] = (notes.next[me] ?? 1) + 1
                    notes.marks[me] = nil
                }
                guard !report.received.isOfOwn(me), (notes.next[me] ?? 1) > number else { return }
            }
        }
    }

    /// Deletes an object with the name of this store's segment if it is not a valid segment. Returns whether the name
    /// is free.
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

    /// Collects the ranges of one segment; empty if the remote has everything.
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
            // Do not send frames without values to a store that already has the events.
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

    /// Returns the events that other stores have and this store is missing.
    private func wanted(beyond statement: Statement) -> [EventRange] {
        var all = VersionVector()
        for (store, statement) in notes.statements where store != identity.replica { all.join(statement.vector) }
        return statement.streams.ranges(of: all, missingFrom: statement.vector).map { range in
            EventRange(range.replica, range.first, through: min(range.last, range.first + UInt64(UInt32.max - 1)))
        }
    }

    /// Returns the events that other stores request again and this store has: they were unreadable, or without
    /// values.
    private mutating func rangesWantedByOthers(of statement: Statement) throws -> [Wanted] {
        var ranges: [Wanted] = []
        for other in notes.statements.values.sorted(by: { $0.store < $1.store }) where other.store != identity.replica {
            // Each request is answered only once.
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

/// A range that another store requests again.
private struct Wanted {
    let range: EventRange
    /// Whether that store has the events, and so requests their values.
    let hasEvents: Bool
}
