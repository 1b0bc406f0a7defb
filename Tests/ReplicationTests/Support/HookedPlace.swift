import GroundwaveReplication

/// A place in memory, of which something happens before each request.
struct HookedPlace: Transport {
    let place: MemoryTransport
    var requestsAtOnce = 1
    /// Gets the request, and whether it asks for part of an object only.
    let before: @Sendable (_ request: MemoryTransport.Request, _ isPart: Bool) async throws(TransportError) -> Void

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try await before(.put(name), false)
        return try place.putIfAbsent(name, bytes)
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        try await before(.replace(name), false)
        try place.replace(name, bytes)
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try await before(.get(name), range != nil)
        return try place.get(name, range: range, limit: limit)
    }

    func list(prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int) async throws(TransportError) -> [ObjectName] {
        try await before(.list(prefix), false)
        return try place.list(prefix: prefix, startAfter: startAfter, limit: limit)
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try await before(.folders(prefix), false)
        return try place.folders(prefix: prefix, limit: limit)
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        try await before(.delete(name), false)
        try place.delete(name)
    }
}
