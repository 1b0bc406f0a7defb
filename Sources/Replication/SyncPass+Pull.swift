import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension SyncPass {
    /// Pulls the new segments of one store. Those that follow one another are one commit, up to a limit of bytes.
    ///
    /// If this throws, what was read before is in the log.
    mutating func pull(_ store: ReplicaID, isFull: Bool, mayPull: Bool) async throws {
        if let other = cache.strangers[store], !isFull { return note(other, asLogOf: store) }
        var intake = Intake(store: store, mayPull: mayPull, isNew: cache.lastFullPass != 0)
        do { try await read(isFull: isFull, into: &intake) } catch {
            try receive(&intake)
            throw error
        }
        try receive(&intake)
        if store == identity.replica { cache.next[store] = intake.next }
    }

    /// The segments of a store that are being read.
    struct Intake {
        let store: ReplicaID
        let mayPull: Bool
        /// Whether the segments were pushed since the last pass, so that events in them that are here already were pushed
        /// again.
        let isNew: Bool
        var group = SegmentGroup()
        /// The number of the segment after the last one that was read or skipped.
        var next: UInt64 = 1
    }

    private mutating func read(isFull: Bool, into intake: inout Intake) async throws {
        let store = intake.store
        intake.next = cache.next[store] ?? 1
        // The last own segment was already checked at the start of the pass.
        var isBehindTheLast = store == identity.replica
        var ahead = SegmentsAhead()
        while true {
            let number = intake.next
            let found: [UInt8]?
            do { found = try await segment(number, of: store, &ahead) } catch let odd as OddObject {
                try await skip(&intake.next, of: store, because: odd.text)
                continue
            }
            guard let bytes = found else {
                guard isFull, let later = try await firstSegment(of: store, behind: number) else { return }
                // Segments are missing: their events are requested from other stores.
                report.quarantined[store] = "Its segment \(number) is missing, but later segments are there."
                for missing in number..<later { noteUnread(missing, of: store) }
                intake.next = later
                continue
            }
            report.receivedBytes += bytes.count
            if !isBehindTheLast {
                // If the remote was emptied and filled again, this is not the first new segment. Storing its mark in
                // the remote cache would hide that from later passes.
                guard try await isThere(lastOf: store) else { throw RemoteWasRefilled() }
                isBehindTheLast = true
            }
            let segment: Segment
            do throws(Segment.Failure) { segment = try Segment(reading: bytes, of: log.id, isValid: isValid) } catch {
                let isFirst = cache.next[store] == nil && intake.group.isEmpty
                if case .otherLog(let other) = error, isFirst, store != identity.replica {
                    return note(other, asLogOf: store)
                }
                try await skip(&intake.next, of: store, because: "Its segment \(number) is not valid: \(error).")
                continue
            }
            try collect(segment, number, mark: Segment.mark(of: bytes), into: &intake)
            intake.next += 1
            cache.strangers[store] = nil
        }
    }

    /// Adds the ranges of a segment to those that are to be received, and receives them when they are many.
    mutating func collect(_ segment: Segment, _ number: UInt64, mark: UInt64?, into intake: inout Intake) throws {
        guard segment.manifest.store == intake.store else {
            throw QuarantineReason("Its folder has a segment of the store \(segment.manifest.store.short).")
        }
        for bytes in segment.ranges {
            if intake.group.isComplete { try receive(&intake) }
            do throws(RangeError) {
                intake.group.append(try RangeFrame(reading: bytes, of: log.id, checkSignature: checkSignature))
            } catch { throw QuarantineReason("It has pushed a range that does not match its signature: \(error).") }
        }
        intake.group.end(number, mark: mark, segment.manifest)
    }

    /// Receives the ranges that were collected, in one commit, and notes which segments were read.
    mutating func receive(_ intake: inout Intake) throws {
        let group = intake.group
        if group.isEmpty { return }
        intake.group = SegmentGroup()
        var refused: EventRange?
        if intake.mayPull, !group.frames.isEmpty {
            if intake.isNew, intake.store != identity.replica { try noteRepeated(group.frames) }
            let received = try log.receive(group.frames, arrival: now())
            report.received.add(received)
            for range in received.present { cache.add(range) }
            // Recorded with their roots: other branches may have other events with these numbers at the remote.
            for frame in group.frames where received.pending.contains(frame.range) {
                cache.pending.insert(RetainedRange(frame))
            }
            refused = received.refused.first
        } else {
            cache.pending.formUnion(group.frames.map(RetainedRange.init))
        }
        let streams = try log.streams()
        for member in refused.map(group.members(before:)) ?? group.members[...] {
            // Segments may be read again, so an older manifest must not replace a newer one.
            let known = cache.manifests[intake.store]?.vector ?? VersionVector()
            if streams.ranges(of: known, missingFrom: member.manifest.vector).isEmpty {
                cache.manifests[intake.store] = member.manifest
            }
            // A segment that was read without pulling must be read again; one that could not be read before is not the last.
            guard intake.mayPull || intake.store == identity.replica, member.number >= cache.next[intake.store] ?? 1
            else {
                continue
            }
            cache.next[intake.store] = member.number + 1
            cache.marks[intake.store] = member.mark
        }
        try didCommit(cache)
        if let refused {
            throw QuarantineReason("It makes false statements about the events \(refused.first) to \(refused.last).")
        }
    }
}
