import GroundwaveEvents

/// The contents of a remote, by store.
public struct RemoteInventory: Sendable {
    /// The log of the remote; `nil` if there is none.
    public let log: LogID?
    /// The number of segments and bytes that each store has pushed, in order of store.
    public private(set) var stores: [(store: ReplicaID, segments: Int, bytes: Int)] = []

    /// Lists the contents of the remote at `transport`. Reads every segment, unless its listing has their sizes.
    public init(at transport: any Transport) async throws(TransportError) {
        log = try await transport.get(RemoteLayout.log, range: nil, limit: 64).flatMap { RemoteLayout.log(reading: $0) }
        for name in try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            var (segments, bytes) = (0, 0)
            if let transport = transport as? any SizedListing {
                let counts = try await transport.byteCounts(below: RemoteLayout.segments(of: store))
                (segments, bytes) = (counts.count, counts.reduce(0, +))
            } else {
                for name in try await Self.names(in: RemoteLayout.segments(of: store), at: transport) {
                    segments += 1
                    bytes += try await transport.get(name, range: nil, limit: Segment.byteLimit)?.count ?? 0
                }
            }
            stores.append((store, segments, bytes))
        }
    }

    /// Deletes everything that stores have pushed to `transport`, the log mark last. Returns the number of objects
    /// deleted.
    public static func delete(at transport: any Transport) async throws(TransportError) -> Int {
        var count = 0
        for name in try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            // Begins with the last one, so that an interruption leaves consecutive numbers.
            for name in try await names(in: RemoteLayout.segments(of: store), at: transport).reversed() {
                try await transport.delete(name)
                count += 1
            }
        }
        try await transport.delete(RemoteLayout.log)
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
