import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension SyncPass {
    /// Packs old segments of this store, writes objects that have erased values anew, and deletes what the catalog no longer
    /// names.
    ///
    /// A pack is stored, then the catalog that names it, then what it replaces is deleted: stopped anywhere, a later pass goes
    /// on, and a reader that misses an object reads the catalog again.
    mutating func tidy() async throws {
        guard let catalog = own, catalog.last >= 1 else { return }
        do { try await tidy(catalog) } catch is OwnObjectLost {
            // The next pass reads everything, and pushes again what was in it.
            forget()
        }
    }

    private mutating func tidy(_ before: Catalog) async throws {
        var catalog = before
        let erased = try log.erased()
        if erased.mark != catalog.erasedMark {
            try await rewriteErased(erased, in: &catalog)
            try await deleteSnapshots()
            catalog.erasedMark = erased.mark
        }
        let unpacked = catalog.last - catalog.packedThrough
        if unpacked >= packing.keptSegments + packing.segments, catalog.packs.count < Catalog.packLimit / 2 {
            try await pack(through: catalog.last - packing.keptSegments, &catalog, erased)
        }
        if catalog != before {
            guard try await write(catalog) else { return }
            try await delete(replacedBy: catalog, before)
        }
        try await sweep(catalog)
    }

    /// Deletes all snapshots: each has the values of everybody. The next one is made without those that are erased.
    private func deleteSnapshots() async throws {
        do { _ = try await PlacedSnapshots.deleteAll(at: transport) } catch TransportError.notPermitted {}
    }

    func maker(_ erased: EventSet) -> RangesMadeAnew<Log> {
        RangesMadeAnew(of: log, signedBy: identity, erased, checkSignature: checkSignature)
    }

    /// Deletes the objects that `before` names and `catalog` does not.
    private mutating func delete(replacedBy catalog: Catalog, _ before: Catalog) async throws {
        let me = identity.replica
        let kept = Set(catalog.packs.map(\.hash))
        for pack in before.packs where !kept.contains(pack.hash) {
            try await delete(RemoteLayout.pack(pack.hash, of: me))
        }
        guard before.packedThrough < catalog.packedThrough else { return }
        for number in before.packedThrough + 1...catalog.packedThrough {
            try await delete(RemoteLayout.segment(number, of: me))
        }
    }

    /// Deletes what interrupted passes have left in the folder of this store.
    private mutating func sweep(_ catalog: Catalog) async throws {
        let named = Set(catalog.packs.map { RemoteLayout.pack($0.hash, of: identity.replica) })
        for (name, kind) in ownObjects {
            switch kind {
            case .segment(let number) where number <= catalog.packedThrough: try await delete(name)
            case .pack where !named.contains(name): try await delete(name)
            default: continue
            }
        }
    }

    mutating func delete(_ name: ObjectName) async throws {
        try beginRequest()
        do throws(TransportError) { try await transport.delete(name) } catch {
            // What cannot be deleted stays: keys to a bucket may not allow it.
            switch error {
            case .refused, .notPermitted: return
            default: throw error
            }
        }
    }

    /// Packs the segments through `last`. What one pack takes is in memory, and no more.
    private mutating func pack(through last: UInt64, _ catalog: inout Catalog, _ erased: EventSet) async throws {
        let first = catalog.packedThrough + 1
        var packs = catalog.packs
        var next = first
        while next <= last {
            var (ranges, start, end) = ([[UInt8]](), next, next - 1)
            var byteCount = 0
            while end < last {
                let more = try await ownRanges(with: end + 1, catalog)
                let size = more.reduce(0) { $0 + $1.count }
                if byteCount > 0, byteCount + size > packing.preferredBytes { break }
                (ranges, byteCount, end) = (ranges + more, byteCount + size, end + 1)
            }
            if start == first, end == last {
                start = packing.first(after: packs, packing: byteCount)
                var before: [[UInt8]] = []
                for pack in packs where pack.last >= start { before += try await ownRanges(with: pack.last, catalog) }
                packs.removeAll { $0.last >= start }
                ranges = before + ranges
            }
            guard let pack = try await storePack(of: ranges, start...end, erased) else { return }
            packs.append(pack)
            next = end + 1
        }
        catalog.packs = packs
    }

    private mutating func storePack(
        of ranges: [[UInt8]], _ numbers: ClosedRange<UInt64>, _ erased: EventSet
    ) async throws -> Catalog.Pack? {
        guard let made = try maker(erased).made(from: ranges) else { return nil }
        let bytes = Segment.bytes(log: log.id, of: identity.replica, numbers, made)
        let hash = bytes.withSpan { Hash256(hashing: $0) }
        try beginRequest()
        _ = try await transport.putIfAbsent(RemoteLayout.pack(hash, of: identity.replica), bytes)
        report.sentBytes += bytes.count
        return Catalog.Pack(last: numbers.upperBound, byteCount: bytes.count, hash: hash)
    }

    /// Returns the ranges of the object of this store that has a segment; none if it is known that it cannot be read, since
    /// then its events were pushed again.
    ///
    /// - Throws: ``OwnObjectLost`` if that was not known.
    private mutating func ownRanges(with number: UInt64, _ catalog: Catalog) async throws -> [[UInt8]] {
        let me = identity.replica
        let bytes: [UInt8]?
        do { bytes = try await object(name(of: number, of: me, catalog)) } catch is OddObject { bytes = nil }
        if let segment = bytes.flatMap({ try? Segment(reading: $0, of: log.id) }) { return segment.ranges }
        guard cache.unread[me]?.contains(number) ?? false else { throw OwnObjectLost() }
        return []
    }

    /// Writes the packs of this store that have erased values anew, and packs its segments through the last one that has any.
    private mutating func rewriteErased(_ erased: EventSet, in catalog: inout Catalog) async throws {
        let maker = maker(erased)
        var first: UInt64 = 1
        for (index, pack) in catalog.packs.enumerated() {
            let ranges = try await ownRanges(with: pack.last, catalog)
            if try maker.haveErasedValues(ranges),
                let clean = try await storePack(of: ranges, first...pack.last, erased)
            {
                catalog.packs[index] = clean
            }
            first = pack.last + 1
        }
        for number in stride(from: catalog.last, to: catalog.packedThrough, by: -1) {
            let ranges = try await ownRanges(with: number, catalog)
            if try maker.haveErasedValues(ranges) { return try await pack(through: number, &catalog, erased) }
        }
    }
}

/// An object that this store has pushed is gone or damaged.
private struct OwnObjectLost: Error {}
