import GroundwaveReplication

/// A storage of some kind, of which requests fail as those of a `MemoryTransport` do.
struct FaultyStorage: Transport {
    let storage: any Transport
    let faultsOfRequest: MemoryTransport.FaultsOfRequest

    private func faults(of request: MemoryTransport.Request) throws(TransportError) -> MemoryTransport.Faults {
        let faults = faultsOfRequest(request, MemoryTransport.Faults())
        if faults.isUnreachable { throw .unreachable("The request was lost.") }
        return faults
    }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        let faults = try faults(of: .put(name))
        if faults.roomBytes != nil { throw .full("There is no room.") }
        let outcome = try await storage.putIfAbsent(name, bytes)
        if faults.putsFailAfterwards { throw .unreachable("The answer was lost.") }
        return outcome
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        let faults = try faults(of: .replace(name))
        if faults.roomBytes != nil { throw .full("There is no room.") }
        try await storage.replace(name, bytes)
        if faults.putsFailAfterwards { throw .unreachable("The answer was lost.") }
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        let faults = try faults(of: .get(name))
        let bytes = try await storage.get(name, range: range, limit: limit)
        guard let end = faults.getsEndAfterBytes else { return bytes }
        return bytes.map { Array($0.prefix(end)) }
    }

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        let faults = try faults(of: .list(prefix))
        let names = try await storage.list(prefix: prefix, startAfter: startAfter, limit: limit)
        return names.dropLast(faults.listingsLackObjects)
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        let faults = try faults(of: .folders(prefix))
        let names = try await storage.folders(prefix: prefix, limit: limit)
        return names.dropLast(faults.listingsLackObjects)
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        _ = try faults(of: .delete(name))
        try await storage.delete(name)
    }
}
