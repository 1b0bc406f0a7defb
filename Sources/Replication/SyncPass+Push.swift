import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension SyncPass {
    /// Pushes what the remote is missing.
    mutating func push() async throws {
        var manifest = try Manifest(of: log, as: identity, milliseconds: now().wallMilliseconds)
        if !cache.unread.isEmpty { manifest.want(wanted(beyond: manifest)) }
        try cache.settle(with: log, manifest)
        // A full pass repeats the request: the previous answer may have been unreadable too.
        let asksAgain = isFull && !manifest.wanted.isEmpty
        var answers = answers(of: manifest)
        try await push(manifest, &answers, asksAgain: asksAgain)
        for (store, milliseconds) in answers.finished { cache.answered[store] = milliseconds }
    }

    private mutating func push(_ manifest: Manifest, _ answers: inout Answers, asksAgain: Bool) async throws {
        let me = identity.replica
        var isWritten = false
        while true {
            let before = answers
            let segment = try nextSegment(of: manifest, &answers)
            let frames = segment.frames
            if frames.isEmpty { break }
            let number = cache.next[me] ?? 1
            let bytes = Segment.bytes(log: log.id, of: me, number...number, frames.map(\.bytes))
            switch try await put(bytes, as: number) {
            case nil: return
            case .stored:
                for range in answers.takePushed() { cache.repeated.insert(range) }
                cache.next[me] = number + 1
                for range in segment.ranges { cache.add(range) }
                cache.pending.formUnion(segment.kept.map(RetainedRange.init))
                report.sentEvents += frames.reduce(0) { $0 + $1.range.count }
                report.sentBytes += bytes.count
                guard try await publish(manifest) else { return }
                isWritten = true
            case .exists:
                answers = before
                // A folder, or something else that cannot be deleted, is passed by.
                if (cache.next[me] ?? 1) > number { continue }
                // On a medium without hard links, an interrupted write of this store may have left part of a segment.
                if try await removeOwnRemains(number) { continue }
                // Either this store wrote it and was stopped before it wrote its catalog, or another one uses its replica ID.
                try await pullOwn(manifest)
                guard !report.received.isOfOwn(me), (cache.next[me] ?? 1) > number else { return }
            }
        }
        // A store without events that has pushed nothing says nothing.
        if isWritten || own == nil && manifest.heads.isEmpty { return }
        let said = own?.manifest
        let isSaid = said?.heads == manifest.heads && said?.wanted == manifest.wanted && said?.kept == manifest.kept
        let isBehind = beginsAnew || isCatalogOutdated || own.map { $0.last + 1 < cache.next[me] ?? 1 } ?? true
        if !isSaid || asksAgain || isBehind { _ = try await publish(manifest) }
    }

    /// Reads the segments of this store that its catalog does not name.
    private mutating func pullOwn(_ manifest: Manifest) async throws {
        let me = identity.replica
        var catalog = own ?? Catalog(of: manifest.published, history: 0)
        catalog.last = max(catalog.last, (cache.next[me] ?? 1) - 1)
        var intake = Intake(store: me, mayPull: true, isNew: false)
        intake.isOpenEnded = true
        do { _ = try await pull(&catalog, &intake) } catch let failure as QuarantineReason {
            // An unreadable segment does not count as pushed; the next one is written after it.
            report.quarantined[me] = failure.text
            cache.next[me] = (cache.next[me] ?? 1) + 1
        }
    }

    /// Writes the catalog of this store. Returns `false` if something else has its name.
    mutating func publish(_ manifest: Manifest) async throws -> Bool {
        var catalog = try own ?? newCatalog(of: manifest)
        if beginsAnew, own != nil {
            catalog.history = newHistory()
            catalog.number = 0
        }
        catalog.manifest = manifest.published
        catalog.last = max(catalog.last, (cache.next[identity.replica] ?? 1) - 1)
        return try await write(catalog)
    }

    /// The catalog of a store whose first objects were made from its log, without what was erased before.
    private func newCatalog(of manifest: Manifest) throws -> Catalog {
        var catalog = Catalog(of: manifest, history: newHistory())
        catalog.erasedMark = try log.erased().mark
        return catalog
    }

    /// A number that no catalog of this store has had: the beginning of a signature of this moment.
    private func newHistory() -> UInt64 {
        let moment = now()
        var message = ByteWriter()
        message.append(contentsOf: Array("groundwave history".utf8) + moment.boot)
        message.append(littleEndian: moment.wallMilliseconds)
        message.append(littleEndian: moment.monotonicMilliseconds)
        message.append(littleEndian: own?.history ?? 0)
        return identity.sign(message.bytes).span.bytes.uint64(at: 0)
    }

    /// Writes `catalog` as the next one of this store. Returns `false` if something else has its name.
    mutating func write(_ catalog: Catalog) async throws -> Bool {
        let me = identity.replica
        var catalog = catalog
        // What a late request has written over may have had a greater number.
        if let known = cache.catalogs[me], known.history == catalog.history {
            catalog.number = max(catalog.number, known.number)
        }
        catalog.number += 1
        let bytes = catalog.bytes(log: log.id, by: identity)
        let name = RemoteLayout.catalog(of: me)
        try beginRequest()
        do throws(TransportError) { try await transport.replace(name, bytes) } catch {
            switch Self.isolated(error, name) {
            case let odd as OddObject: report.quarantined[me] = odd.text
            case let reason as QuarantineReason: report.quarantined[me] = reason.text
            default: throw error
            }
            return false
        }
        (own, beginsAnew, isCatalogOutdated) = (catalog, false, false)
        cache.catalogs[me] = KnownCatalog(catalog, bytes)
        cache.manifests[me] = catalog.manifest
        report.sentBytes += bytes.count
        return true
    }

    /// Stores a segment of this store; `nil` if nothing can be stored in its folder.
    ///
    /// If its name is taken by something that is no file, the next number is used.
    private mutating func put(_ bytes: [UInt8], as number: UInt64) async throws -> PutOutcome? {
        let (me, name) = (identity.replica, RemoteLayout.segment(number, of: identity.replica))
        try beginRequest()
        do throws(TransportError) { return try await transport.putIfAbsent(name, bytes) } catch {
            guard case .refused(let refused, _) = error else { throw error }
            switch Self.isolated(error, name) {
            case let odd as OddObject: report.quarantined[me] = odd.text
            case let reason as QuarantineReason: report.quarantined[me] = reason.text
            default: throw error
            }
            guard refused == name else { return nil }
            cache.next[me] = number + 1
            return .exists
        }
    }

    /// Deletes an object with the name of this store's segment if it is not a valid segment. Returns whether the name
    /// is free.
    private mutating func removeOwnRemains(_ number: UInt64) async throws -> Bool {
        let name = RemoteLayout.segment(number, of: identity.replica)
        let found: [UInt8]?
        do { found = try await object(name) } catch is OddObject {
            try await transport.delete(name)
            return true
        }
        guard let bytes = found else { return true }
        do throws(Segment.Failure) {
            _ = try Segment(reading: bytes, of: log.id)
            return false
        } catch {
            try await transport.delete(name)
            return true
        }
    }

    /// Collects the ranges of one segment; empty if the remote has everything.
    private func nextSegment(of manifest: Manifest, _ answers: inout Answers) throws -> SegmentFrames<Log> {
        var known = cache.vector
        var segment = SegmentFrames(of: log, signedBy: identity)
        try segment.append(of: manifest.vector, missingFrom: &known)
        while segment.hasRoom, let next = answers.next {
            let frame = try segment.frame(of: next.range)
            // Do not send frames without values to a store that already has the events.
            let isOfUse = frame.map { $0.hasValues || !next.hasEvents } ?? false
            if let frame, isOfUse { segment.append(frame, of: next.range) }
            answers.advance(by: frame, isPushed: isOfUse)
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
        return manifest.streams.ranges(of: all, missingFrom: manifest.vector)
    }
}
