import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension SyncPass {
    /// The segments of a store that are being read.
    struct Intake {
        let store: ReplicaID
        let mayPull: Bool
        /// Whether the segments were pushed since the last pass, so that events in them that are here already were pushed
        /// again.
        let isNew: Bool
        /// Whether a catalog names the segments. If not, nothing tells whether they are still there tomorrow, and others do
        /// not find them: their events are received, and do not count as those of the remote.
        var isNamed = true
        /// Whether segments behind the last one of the catalog are asked for: its store may have been stopped before it
        /// wrote its catalog.
        var isOpenEnded = false
        var group = SegmentGroup()
        /// The number of the segment after the last one that was read or skipped.
        var next: UInt64 = 1
    }

    /// Pulls the new segments of one store. Those that follow one another are one commit, up to a limit of bytes.
    ///
    /// If this throws, what was read before is in the log.
    ///
    /// - Parameter catalog: The catalog; a later one if the store has packed segments meanwhile.
    /// - Returns: Whether all segments of the catalog were read, or skipped for good.
    mutating func pull(_ catalog: inout Catalog, _ intake: inout Intake) async throws -> Bool {
        let store = intake.store
        if isFull { try await readAgain(catalog, mayPull: intake.mayPull) }
        intake.next = cache.next[store] ?? 1
        let isWhole: Bool
        do { isWhole = try await read(&catalog, into: &intake) } catch {
            try receive(&intake)
            throw error
        }
        try receive(&intake)
        if store == identity.replica { cache.next[store] = max(intake.next, catalog.last + 1) }
        return isWhole
    }

    private mutating func read(_ catalog: inout Catalog, into intake: inout Intake) async throws -> Bool {
        let store = intake.store
        var ahead = ObjectsAhead()
        var isCatalogNew = true
        while intake.next <= catalog.last || intake.isOpenEnded {
            let number = intake.next
            let last = catalog.pack(with: number)?.pack.last ?? number
            do {
                guard let segment = try await segment(number, of: store, catalog, &ahead) else {
                    if number > catalog.last { return true }
                    if isCatalogNew, let later = try await later(catalog, of: store) {
                        (catalog, isCatalogNew) = (later, false)
                        continue
                    }
                    guard isFull, let later = try await laterNumber(than: last, of: store, catalog) else {
                        return false
                    }
                    // Objects are missing: their events are requested from other stores.
                    report.quarantined[store] =
                        "Its object \(fileName(number, catalog)) is missing, but later ones are there."
                    for missing in last..<later { noteUnread(missing, of: store) }
                    intake.next = later
                    continue
                }
                try collect(segment, into: &intake)
                intake.next = last + 1
            } catch let odd as OddObject {
                try skip(through: last, because: odd.text, catalog, &intake)
            }
        }
        return true
    }

    /// Returns the segment `number`, or the pack that has it; `nil` if it is not there.
    ///
    /// - Throws: ``OddObject`` if it is not valid.
    private mutating func segment(
        _ number: UInt64, of store: ReplicaID, _ catalog: Catalog, _ ahead: inout ObjectsAhead
    ) async throws -> Segment? {
        guard let (pack, first) = catalog.pack(with: number) else {
            guard let bytes = try await segment(number, of: store, through: catalog.last, &ahead) else { return nil }
            return try valid(bytes, number...number, of: store)
        }
        guard let bytes = try await object(RemoteLayout.pack(pack.hash, of: store), limit: pack.byteCount) else {
            return nil
        }
        guard bytes.withSpan({ Hash256(hashing: $0) }) == pack.hash else {
            throw OddObject(
                text: "Its pack of the segments \(first) to \(pack.last) is not the one that its catalog names.")
        }
        return try valid(bytes, first...pack.last, of: store)
    }

    private mutating func valid(
        _ bytes: [UInt8], _ numbers: ClosedRange<UInt64>, of store: ReplicaID
    ) throws -> Segment {
        report.receivedBytes += bytes.count
        let what =
            numbers.count == 1 ? "segment \(numbers.lowerBound)" : "pack of the segments up to \(numbers.upperBound)"
        let segment: Segment
        do throws(Segment.Failure) { segment = try Segment(reading: bytes, of: log.id) } catch {
            throw OddObject(text: "Its \(what) is not valid: \(error).")
        }
        guard segment.store == store, segment.numbers == numbers else {
            throw OddObject(text: "Its \(what) is another object.")
        }
        return segment
    }

    /// Skips an unreadable object if later ones are named; otherwise it may still become complete.
    private mutating func skip(
        through last: UInt64, because text: String, _ catalog: Catalog, _ intake: inout Intake
    ) throws {
        report.quarantined[intake.store] = text
        guard last < catalog.last else { throw QuarantineReason(text) }
        noteUnread(last, of: intake.store)
        intake.next = last + 1
    }

    /// Returns the catalog of a store if it is another one now: it has packed its segments, and deleted them.
    private mutating func later(_ catalog: Catalog, of store: ReplicaID) async throws -> Catalog? {
        guard let bytes = try await object(RemoteLayout.catalog(of: store), limit: Catalog.byteLimit),
            let found = try? Catalog(reading: bytes, of: log.id, isValid: isValid),
            found.manifest.store == store, found.history == catalog.history, found.number > catalog.number
        else { return nil }
        return found
    }

    /// Returns the number of the first segment behind `number` whose object is there.
    private mutating func laterNumber(
        than number: UInt64, of store: ReplicaID, _ catalog: Catalog
    ) async throws -> UInt64? {
        if number < catalog.packedThrough { return number + 1 }
        return try await objects(of: store).compactMap { object in
            if case .segment(let listed) = object.kind, listed > number, listed <= catalog.last { return listed }
            return nil
        }.min()
    }

    private func fileName(_ number: UInt64, _ catalog: Catalog) -> String {
        name(of: number, of: catalog.manifest.store, catalog).parts.last ?? ""
    }

    /// Retries the objects that could not be read before: they may have been incomplete.
    private mutating func readAgain(_ catalog: Catalog, mayPull: Bool) async throws {
        let store = catalog.manifest.store
        var ahead = ObjectsAhead()
        for number in (cache.unread[store] ?? []).sorted() where cache.unread[store]?.contains(number) ?? false {
            let segment: Segment?
            do { segment = try await self.segment(number, of: store, catalog, &ahead) } catch is OddObject { continue }
            guard let segment else { continue }
            var intake = Intake(store: store, mayPull: mayPull, isNew: false)
            try collect(segment, into: &intake)
            try receive(&intake)
            let rest = Set(cache.unread[store] ?? []).filter { !segment.numbers.contains($0) }
            cache.unread[store] = rest.isEmpty ? nil : rest
        }
    }

    /// Reads all objects in the folder of a store whose catalog is missing or cannot be read, if this pass reads everything.
    ///
    /// This store pushes again what its catalog does not name.
    mutating func readWithoutCatalog(_ store: ReplicaID, mayPull: Bool) async throws {
        guard isFull, mayPull, store != identity.replica else { return }
        for (name, _) in try await objects(of: store) {
            let bytes: [UInt8]?
            do { bytes = try await object(name) } catch is OddObject { continue }
            guard let bytes else { continue }
            let segment: Segment
            do throws(Segment.Failure) { segment = try Segment(reading: bytes, of: log.id) } catch {
                if case .otherLog(let other) = error, store != identity.replica { return note(other, asLogOf: store) }
                report.quarantined[store] = "Its object \(name.parts.last ?? "") is not valid: \(error)."
                continue
            }
            guard segment.store == store else { continue }
            report.receivedBytes += bytes.count
            var intake = Intake(store: store, mayPull: true, isNew: false)
            intake.isNamed = false
            do {
                try collect(segment, into: &intake)
                try receive(&intake)
            } catch let failure as QuarantineReason { report.quarantined[store] = failure.text }
        }
    }

    /// Adds the ranges of a segment to those that are to be received, and receives them when they are many.
    private mutating func collect(_ segment: Segment, into intake: inout Intake) throws {
        for bytes in segment.ranges {
            if intake.group.isComplete { try receive(&intake) }
            do throws(RangeError) {
                intake.group.append(try RangeFrame(reading: bytes, of: log.id, checkSignature: checkSignature))
            } catch { throw QuarantineReason("It has pushed a range that does not match its signature: \(error).") }
        }
        intake.group.end(segment.numbers)
    }

    /// Receives the ranges that were collected, in one commit, and notes which segments were read.
    private mutating func receive(_ intake: inout Intake) throws {
        let group = intake.group
        if group.isEmpty { return }
        intake.group = SegmentGroup()
        var refused: EventRange?
        if intake.mayPull, !group.frames.isEmpty {
            if intake.isNew, intake.store != identity.replica { try noteRepeated(group.newFrames) }
            let received = try log.receive(group.frames, arrival: now())
            report.received.add(received)
            if intake.isNamed { count(group.frames, received) }
            refused = received.refused.first
        } else {
            cache.pending.formUnion(group.frames.map(RetainedRange.init))
        }
        for member in refused.map(group.members(before:)) ?? group.members[...] {
            // A segment that was read without pulling must be read again; one that could not be read before is not the last.
            if intake.isNamed, intake.mayPull || intake.store == identity.replica {
                cache.next[intake.store] = max(cache.next[intake.store] ?? 1, member.numbers.upperBound + 1)
            }
        }
        try didCommit(cache)
        if let refused {
            throw QuarantineReason("It makes false statements about the events \(refused.first) to \(refused.last).")
        }
    }

    /// Records that ranges are at the remote.
    private mutating func count(_ frames: [RangeFrame], _ received: Received) {
        for range in received.present { cache.add(range) }
        // Recorded with their roots: other branches may have other events with these numbers at the remote.
        for frame in frames where received.pending.contains(frame.range) { cache.pending.insert(RetainedRange(frame)) }
    }
}
