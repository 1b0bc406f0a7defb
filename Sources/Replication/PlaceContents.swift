import GroundwaveEvents

/// What lies at a place, by store.
public struct PlaceContents: Sendable {
    /// The log that lies there; `nil` where none does.
    public let log: LogID?
    /// What each store has left, in order of store.
    public private(set) var stores: [(store: ReplicaID, segments: Int, bytes: Int)] = []

    /// Looks what lies at `transport`, reading every segment.
    public init(at transport: any Transport) async throws(TransportError) {
        log = try await transport.get(Place.log, range: nil, limit: 64).flatMap { Place.log(reading: $0) }
        for name in try await transport.folders(prefix: Place.stores, limit: PlaceLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            var (segments, bytes) = (0, 0)
            for name in try await Self.names(in: Place.segments(of: store), at: transport) {
                segments += 1
                bytes += try await transport.get(name, range: nil, limit: Segment.byteLimit)?.count ?? 0
            }
            stores.append((store, segments, bytes))
        }
    }

    /// Deletes all that stores have left at `transport`, the mark of the log last; returns how many objects.
    public static func delete(at transport: any Transport) async throws(TransportError) -> Int {
        var count = 0
        for name in try await transport.folders(prefix: Place.stores, limit: PlaceLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            // From the last one, so that what is left, where this is broken off, has no holes.
            for name in try await names(in: Place.segments(of: store), at: transport).reversed() {
                try await transport.delete(name)
                count += 1
            }
        }
        try await transport.delete(Place.log)
        return count + 1
    }

    static func names(
        in prefix: ObjectPrefix, at transport: any Transport
    ) async throws(TransportError) -> [ObjectName] {
        var names: [ObjectName] = []
        while true {
            let page = try await transport.list(prefix: prefix, startAfter: names.last, limit: 1000)
            names += page
            if page.count < 1000 { return names }
        }
    }
}
