import Events

/// The contents of a remote, by store.
public struct PlaceContents: Sendable {
    /// The log of the remote; `nil` if there is none.
    public let log: LogID?
    /// The number of segments and bytes that each store has pushed, in order of store.
    public private(set) var stores: [(store: ReplicaID, segments: Int, bytes: Int)] = []

    /// Lists the contents of the remote at `transport`. Reads every segment.
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

    /// Deletes everything that stores have pushed to `transport`, the log mark last. Returns the number of objects
    /// deleted.
    public static func delete(at transport: any Transport) async throws(TransportError) -> Int {
        var count = 0
        for name in try await transport.folders(prefix: Place.stores, limit: PlaceLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            // Begins with the last one, so that an interruption leaves consecutive numbers.
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
