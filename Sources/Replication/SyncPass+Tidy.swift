import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// How the segments of a store become packs.
package struct Packing: Sendable {
    /// The number of segments that are left as they are: a device that looks often reads these.
    package var keptSegments: UInt64 = 32
    /// The number of segments beyond these at which they are packed.
    package var segments: UInt64 = 32
    /// The size of the ranges in a pack at which another one begins, in bytes, before they are made anew.
    package var preferredBytes = 3 << 20

    /// The usual one.
    package init() {}

    /// Returns the number of the first segment to pack: the packs at the end become part of the new one while they are not
    /// much larger than what follows them. So few packs remain, and each event is packed again only as often as the packs
    /// double in size.
    ///
    /// - Parameter byteCount: The size of the segments that are to be packed behind `packs`.
    func first(after packs: [Catalog.Pack], packing byteCount: Int) -> UInt64 {
        var (rest, byteCount) = (packs[...], byteCount)
        while let pack = rest.last, pack.byteCount <= 2 * byteCount, pack.byteCount + byteCount <= preferredBytes {
            byteCount += pack.byteCount
            rest.removeLast()
        }
        return (rest.last?.last ?? 0) + 1
    }
}

extension SyncPass {
    /// Packs old segments of this store, writes objects that have erased values anew, and deletes what the catalog no longer
    /// names.
    ///
    /// A pack is stored, then the catalog that names it, then what it replaces is deleted: stopped anywhere, a later pass goes
    /// on, and a reader that misses an object reads the catalog again.
    mutating func tidy() async throws {
        guard var catalog = own, catalog.last >= 1 else { return }
        let erased = try log.erased()
        let before = catalog
        if erased.count != catalog.erasedCount {
            try await rewriteErased(erased, in: &catalog)
            try await deleteSnapshots()
            catalog.erasedCount = erased.count
        }
        let unpacked = catalog.last - catalog.packedThrough
        if unpacked >= packing.keptSegments + packing.segments {
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

    /// Packs the segments through `last`.
    private mutating func pack(through last: UInt64, _ catalog: inout Catalog, _ erased: EventSet) async throws {
        var material: [(last: UInt64, ranges: [[UInt8]])] = []
        var number = catalog.packedThrough + 1
        while number <= last {
            guard let segment = try await ownObject(with: number, catalog) else { return }
            material.append((segment.numbers.upperBound, segment.ranges))
            number = segment.numbers.upperBound + 1
        }
        let byteCount = material.reduce(0) { $0 + $1.ranges.reduce(0) { $0 + $1.count } }
        let first = packing.first(after: catalog.packs, packing: byteCount)
        var packed: [(last: UInt64, ranges: [[UInt8]])] = []
        number = first
        while number <= catalog.packedThrough {
            guard let segment = try await ownObject(with: number, catalog) else { return }
            packed.append((segment.numbers.upperBound, segment.ranges))
            number = segment.numbers.upperBound + 1
        }
        try await store((packed + material)[...], from: first, &catalog, erased)
    }

    /// Stores packs of the segments from `first` on, in place of all packs from there on.
    private mutating func store(
        _ material: ArraySlice<(last: UInt64, ranges: [[UInt8]])>, from first: UInt64, _ catalog: inout Catalog,
        _ erased: EventSet
    ) async throws {
        var (rest, first) = (material, first)
        var packs = catalog.packs.filter { $0.last < first }
        while !rest.isEmpty {
            var (ranges, byteCount): ([[UInt8]], Int) = ([], 0)
            var last = first
            while let next = rest.first {
                let size = next.ranges.reduce(0) { $0 + $1.count }
                if byteCount > 0, byteCount + size > packing.preferredBytes { break }
                rest.removeFirst()
                (last, byteCount) = (next.last, byteCount + size)
                ranges += next.ranges
            }
            guard let pack = try await storePack(of: ranges, first...last, erased) else { return }
            packs.append(pack)
            first = last + 1
        }
        guard packs.count <= Catalog.packLimit else { return }
        catalog.packs = packs
    }

    private mutating func storePack(
        of ranges: [[UInt8]], _ numbers: ClosedRange<UInt64>, _ erased: EventSet
    ) async throws -> Catalog.Pack? {
        guard let frames = try maker(erased).frames(of: ranges) else {
            return nil
        }
        let bytes = Segment.bytes(log: log.id, of: identity.replica, numbers, frames)
        let hash = bytes.withSpan { Hash256(hashing: $0) }
        try beginRequest()
        _ = try await transport.putIfAbsent(RemoteLayout.pack(hash, of: identity.replica), bytes)
        report.sentBytes += bytes.count
        return Catalog.Pack(last: numbers.upperBound, byteCount: bytes.count, hash: hash)
    }

    /// Returns the object of this store with a segment; `nil` if it is not there, or not valid.
    private mutating func ownObject(with number: UInt64, _ catalog: Catalog) async throws -> Segment? {
        let bytes: [UInt8]?
        do { bytes = try await object(name(of: number, of: identity.replica, catalog)) } catch is OddObject {
            return nil
        }
        return bytes.flatMap { try? Segment(reading: $0, of: log.id) }
    }

    /// Writes the packs of this store that have erased values anew, and packs its segments through the last one that has any.
    private mutating func rewriteErased(_ erased: EventSet, in catalog: inout Catalog) async throws {
        let maker = maker(erased)
        for (index, pack) in catalog.packs.enumerated() {
            guard let segment = try await ownObject(with: pack.last, catalog),
                try maker.haveErasedValues(segment.ranges),
                let clean = try await storePack(of: segment.ranges, segment.numbers, erased)
            else { continue }
            catalog.packs[index] = clean
        }
        var last: UInt64 = 0
        for number in stride(from: catalog.last, to: catalog.packedThrough, by: -1) {
            guard let segment = try await ownObject(with: number, catalog) else { continue }
            if try maker.haveErasedValues(segment.ranges) {
                last = number
                break
            }
        }
        if last > catalog.packedThrough { try await pack(through: last, &catalog, erased) }
    }
}
