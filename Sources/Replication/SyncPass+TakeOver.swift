import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension SyncPass {
    /// Takes over what stores that write nothing more have left at the remote: their events become segments of this store, its
    /// catalog says so, and then their objects are deleted.
    mutating func takeOver(_ stores: Set<ReplicaID>) async throws {
        for store in stores.sorted() where store != identity.replica {
            guard let catalog = own, catalog.takenOver.count < Catalog.takenOverLimit else { return }
            if let known = cache.catalogs[store] {
                guard cache.unread[store] == nil, report.quarantined[store] == nil else { continue }
                guard try await takeOver(store, known) else { continue }
            }
            // What an interrupted pass has left.
            if catalog.takenOver[store] != nil || own?.takenOver[store] != nil, cache.catalogs[store] == nil {
                for (name, _) in try await objects(of: store) { try await delete(name) }
            }
        }
    }

    /// Pushes the events of `store` again, and deletes its catalog. Returns `false` if its objects are not those that were read.
    private mutating func takeOver(_ store: ReplicaID, _ known: KnownCatalog) async throws -> Bool {
        let name = RemoteLayout.catalog(of: store)
        guard let bytes = try await object(name, limit: Catalog.byteLimit),
            let catalog = try? Catalog(reading: bytes, of: log.id, isValid: isValid),
            KnownCatalog(catalog, bytes) == known
        else { return false }
        let maker = maker(try log.erased())
        var number: UInt64 = 1
        while number <= catalog.last {
            guard let bytes = try await object(self.name(of: number, of: store, catalog)),
                let segment = try? Segment(reading: bytes, of: log.id)
            else { return false }
            guard let ranges = try maker.made(from: segment.ranges), try await pushAgain(ranges) else { return false }
            number = max(number, segment.numbers.upperBound) + 1
        }
        guard var mine = own else { return false }
        mine.last = max(mine.last, (cache.next[identity.replica] ?? 1) - 1)
        mine.takenOver.merge(catalog.takenOver) { $1 }
        mine.takenOver[store] = known.history
        guard try await write(mine) else { return false }
        cache.takenOver[store] = known.history
        try await delete(name)
        (cache.catalogs[store], cache.next[store]) = (nil, nil)
        return true
    }

    /// Stores ranges as the next segment of this store. Its catalog does not name it yet.
    private mutating func pushAgain(_ ranges: [[UInt8]]) async throws -> Bool {
        let me = identity.replica
        if ranges.isEmpty { return true }
        let number = cache.next[me] ?? 1
        let bytes = Segment.bytes(log: log.id, of: me, number...number, ranges)
        try beginRequest()
        guard try await transport.putIfAbsent(RemoteLayout.segment(number, of: me), bytes) == .stored else {
            return false
        }
        cache.next[me] = number + 1
        report.sentBytes += bytes.count
        return true
    }
}
