import GroundwaveEventLog
import GroundwaveEvents

extension SyncPass {
    /// Reads the catalog of each store, and what is new according to it.
    ///
    /// - Throws: ``RemoteWasRefilled`` if the remote has lost objects of a store.
    mutating func pull(mayPull: Bool) async throws {
        try beginRequest()
        let names = try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLayout.storeLimit)
        var stores = Set(names.compactMap { ReplicaID(text: $0) }.filter { names.contains("\($0)") })
        stores.formUnion(cache.catalogs.keys)
        if !isFull {
            for (store, log) in cache.strangers { note(log, asLogOf: store) }
            stores.subtract(cache.strangers.keys)
        }
        // Its own first.
        let ordered = [identity.replica] + stores.subtracting([identity.replica]).sorted()
        var missing = try await look(at: ordered, mayPull: mayPull)
        if !areTakenOver(missing) {
            // Another store may have taken them over, and told so after its catalog was read.
            missing = try await look(at: ordered, mayPull: mayPull)
        }
        guard areTakenOver(missing) else {
            beginsAnew = beginsAnew || missing.contains(identity.replica)
            throw RemoteWasRefilled()
        }
        for store in missing {
            cache.catalogs[store] = nil
            cache.next[store] = nil
            cache.unread[store] = nil
        }
    }

    /// Whether what these stores had at the remote is in objects of others now.
    private func areTakenOver(_ stores: [ReplicaID]) -> Bool {
        stores.allSatisfy { store in cache.catalogs[store].map { cache.takenOver[store] == $0.history } ?? true }
    }

    /// Looks at the catalogs of stores, and reads what is new. Returns those that had a catalog and have none now.
    private mutating func look(at stores: [ReplicaID], mayPull: Bool) async throws -> [ReplicaID] {
        var missing: [ReplicaID] = []
        var rest = stores[...]
        while !rest.isEmpty {
            let group = rest.prefix(max(1, transport.requestsAtOnce))
            rest.removeFirst(group.count)
            var ahead = ObjectsAhead()
            for _ in group { try beginRequest() }
            await ahead.ask(group.map(RemoteLayout.catalog), limit: Catalog.byteLimit, at: transport)
            for store in group {
                let name = RemoteLayout.catalog(of: store)
                do {
                    let bytes: [UInt8]?
                    do throws(TransportError) { bytes = try ahead.take(name) } catch {
                        throw Self.isolated(error, name)
                    }
                    if try await !look(at: store, catalog: bytes, mayPull: mayPull) { missing.append(store) }
                } catch let failure as QuarantineReason {
                    report.quarantined[store] = failure.text
                } catch let odd as OddObject {
                    report.quarantined[store] = odd.text
                    try await readWithoutCatalog(store, mayPull: mayPull)
                }
            }
        }
        return missing
    }

    /// Looks at the catalog of one store. Returns `false` if it had one and has none now.
    private mutating func look(at store: ReplicaID, catalog bytes: [UInt8]?, mayPull: Bool) async throws -> Bool {
        guard let bytes else {
            if cache.catalogs[store] != nil { return false }
            try await readWithoutCatalog(store, mayPull: mayPull)
            return true
        }
        var catalog: Catalog
        do throws(Catalog.Failure) { catalog = try Catalog(reading: bytes, of: log.id, isValid: isValid) } catch {
            if case .otherLog(let other) = error, store != identity.replica {
                note(other, asLogOf: store)
                return true
            }
            if store == identity.replica {
                // It is written again, and everything that it named is looked at as if the remote were new.
                if cache.catalogs[store] != nil { return false }
            }
            report.quarantined[store] = "Its catalog is not valid: \(error)."
            try await readWithoutCatalog(store, mayPull: mayPull)
            return true
        }
        guard catalog.manifest.store == store else {
            throw QuarantineReason("Its folder has the catalog of the store \(catalog.manifest.store.short).")
        }
        cache.strangers[store] = nil
        if store == identity.replica, cache.catalogs[store] == nil, cache.next[store] != nil {
            // What this store has pushed while it could not read its catalog has numbers that may be in packs.
            cache = RemoteCache()
        }
        let found = KnownCatalog(catalog, bytes)
        let isCurrent = try await isCurrent(found, catalog, of: store)
        if store == identity.replica { own = catalog }
        guard isCurrent else { return true }
        cache.takenOver.merge(catalog.takenOver) { $1 }
        if cache.catalogs[store] == found, !isFull { return true }
        cache.manifests[store] = catalog.manifest
        if isFull { try await checkObjects(of: store, catalog) }
        if cache.catalogs[store] == nil, mayPull {
            // Where a pass ends that is interrupted, it must be known of which history the segments were that it has read.
            cache.catalogs[store] = KnownCatalog(history: catalog.history, number: 0, mark: 0)
        }
        var intake = Intake(store: store, mayPull: mayPull, isNew: cache.lastFullPass != 0)
        intake.isOpenEnded = isFull || store == identity.replica && cache.catalogs[store] != found
        let isWhole = try await pull(&catalog, &intake)
        if isWhole, mayPull || store == identity.replica { cache.catalogs[store] = found }
        return true
    }

    /// Whether a catalog is the latest one that this store knows, or a later one.
    ///
    /// An older one alone means nothing: a request that was late may have written it. But if the last object that was read
    /// is gone as well, the remote was put back to an earlier state.
    ///
    /// - Throws: ``RemoteWasRefilled`` if the remote has lost objects of the store.
    private mutating func isCurrent(
        _ found: KnownCatalog, _ catalog: Catalog, of store: ReplicaID
    ) async throws -> Bool {
        guard let known = cache.catalogs[store], found != known else { return true }
        let isOwn = store == identity.replica
        guard found.history == known.history else {
            beginsAnew = beginsAnew || isOwn
            throw RemoteWasRefilled()
        }
        if found.number > known.number { return true }
        let last = (cache.next[store] ?? 1) - 1
        let isUnread = cache.unread[store]?.contains(last) ?? false
        if last >= 1, !isUnread, try await !exists(name(of: last, of: store, catalog)) {
            beginsAnew = beginsAnew || isOwn
            throw RemoteWasRefilled()
        }
        isCatalogOutdated = isCatalogOutdated || isOwn
        return false
    }

    /// The name of the object that has a segment.
    func name(of number: UInt64, of store: ReplicaID, _ catalog: Catalog) -> ObjectName {
        catalog.pack(with: number).map { RemoteLayout.pack($0.pack.hash, of: store) }
            ?? RemoteLayout.segment(number, of: store)
    }

    /// Checks that the objects that were read of a store are still there.
    ///
    /// - Throws: ``RemoteWasRefilled`` if one is not.
    private mutating func checkObjects(of store: ReplicaID, _ catalog: Catalog) async throws {
        let last = min((cache.next[store] ?? 1) - 1, catalog.last)
        guard cache.catalogs[store] != nil, last >= 1 else { return }
        let objects = try await objects(of: store)
        if store == identity.replica { ownObjects = objects }
        let listed = Set(objects.map(\.name))
        let segments = catalog.packedThrough < last ? Array((catalog.packedThrough + 1...last).suffix(1000)) : []
        for number in catalog.packs.map(\.last) + segments
        where number <= last && !(cache.unread[store]?.contains(number) ?? false) {
            let name = name(of: number, of: store, catalog)
            // A listing may be outdated.
            if !listed.contains(name), try await !exists(name) {
                beginsAnew = beginsAnew || store == identity.replica
                throw RemoteWasRefilled()
            }
        }
    }
}
