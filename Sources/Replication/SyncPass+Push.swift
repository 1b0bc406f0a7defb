import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension SyncPass {
    /// Pushes what the remote is missing.
    mutating func push() async throws {
        let me = identity.replica
        var manifest = try Manifest(of: log, as: identity, milliseconds: now().wallMilliseconds)
        if !cache.unread.isEmpty { manifest.wanted += wanted(beyond: manifest) }
        try cache.settle(with: log, manifest)
        // A full pass repeats the request: the previous answer may have been unreadable too.
        var asksAgain = isFull && !manifest.wanted.isEmpty
        var wantedByOthers = try rangesWantedByOthers(of: manifest)
        while true {
            let segment = try nextSegment(of: manifest, &wantedByOthers)
            let frames = segment.frames
            let pushed = cache.manifests[me]
            let isPushed =
                pushed?.heads == manifest.heads && pushed?.wanted == manifest.wanted && pushed?.kept == manifest.kept
            if frames.isEmpty, isPushed && !asksAgain || manifest.heads.isEmpty { return }
            let number = cache.next[me] ?? 1
            let bytes = Segment.bytes(log: log.id, manifest, frames, by: identity)
            try beginRequest()
            switch try await transport.putIfAbsent(RemoteLayout.segment(number, of: me), bytes) {
            case .stored:
                asksAgain = false
                cache.next[me] = number + 1
                cache.marks[me] = Segment.mark(of: bytes)
                for range in segment.ranges { cache.add(range) }
                cache.pending.formUnion(segment.kept.map(RetainedRange.init))
                cache.manifests[me] = manifest.published
                report.sentEvents += frames.reduce(0) { $0 + $1.range.count }
                report.sentBytes += bytes.count
            case .exists:
                // On a medium without hard links, an interrupted write of this store may have left part of a segment.
                if try await removeOwnRemains(number) { continue }
                // Either this store wrote it and was stopped before it saved the remote cache, or another one uses
                // its replica ID.
                do { try await pull(me, isFull: false, mayPull: true) } catch let failure as QuarantineReason {
                    // An unreadable segment does not count as pushed; the next one is written after it.
                    report.quarantined[me] = failure.text
                    cache.next[me] = (cache.next[me] ?? 1) + 1
                    cache.marks[me] = nil
                }
                guard !report.received.isOfOwn(me), (cache.next[me] ?? 1) > number else { return }
            }
        }
    }

    /// Deletes an object with the name of this store's segment if it is not a valid segment. Returns whether the name
    /// is free.
    private mutating func removeOwnRemains(_ number: UInt64) async throws -> Bool {
        let name = RemoteLayout.segment(number, of: identity.replica)
        try beginRequest()
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
    private func nextSegment(of manifest: Manifest, _ wanted: inout [Wanted]) throws -> SegmentFrames<Log> {
        var known = cache.vector
        var segment = SegmentFrames(of: log, signedBy: identity)
        try segment.append(of: manifest.vector, missingFrom: &known)
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
        let kept = manifest.kept.filter { kept in
            if cache.pending.contains(kept) { return false }
            let isByNumber = cache.kept.contains(kept.range) || kept.range.last <= known[kept.range.replica]
            return manifest.apart.contains(kept) || !isByNumber
        }
        if !kept.isEmpty {
            for frame in try log.retainedFrames() where segment.hasRoom && kept.contains(RetainedRange(frame)) {
                segment.append(kept: frame)
            }
        }
        return segment
    }

    /// Returns the events that other stores have and this store is missing.
    private func wanted(beyond manifest: Manifest) -> [EventRange] {
        var all = VersionVector()
        for (store, manifest) in cache.manifests where store != identity.replica { all.join(manifest.vector) }
        return manifest.streams.ranges(of: all, missingFrom: manifest.vector).map { range in
            EventRange(range.replica, range.first, through: min(range.last, range.first + UInt64(UInt32.max - 1)))
        }
    }

    /// Returns the events that other stores request again and this store has: they were unreadable, or without
    /// values.
    private mutating func rangesWantedByOthers(of manifest: Manifest) throws -> [Wanted] {
        var ranges: [Wanted] = []
        for other in cache.manifests.values.sorted(by: { $0.store < $1.store }) where other.store != identity.replica {
            // Each request is answered only once.
            guard !other.wanted.isEmpty, cache.answered[other.store] != other.milliseconds else { continue }
            cache.answered[other.store] = other.milliseconds
            for range in other.wanted {
                let last = min(range.last, manifest.vector[range.replica])
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
