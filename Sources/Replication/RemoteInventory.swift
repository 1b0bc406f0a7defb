import GroundwaveEvents

/// The contents of a remote, by store.
public struct RemoteInventory: Sendable {
    /// The log of the remote; `nil` if there is none.
    public let log: LogID?
    /// The number of segments and bytes that each store has pushed, in order of store; and the log that a segment of its
    /// folder is of, if that is another one.
    public private(set) var stores: [(store: ReplicaID, segments: Int, bytes: Int, otherLog: LogID?)] = []

    /// Lists the contents of the remote at `transport`. Reads every segment, unless its listing has their sizes: then only the
    /// beginning of the last one of each store.
    ///
    /// - Throws: ``TransportError``; ``RemoteError/notReady`` if the log mark was cut short.
    public init(at transport: any Transport) async throws {
        log = try await RemoteLayout.log(at: transport)
        for name in try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            var (segments, bytes, otherLog) = (0, 0, LogID?.none)
            if let transport = transport as? any SizedListing {
                let sizes = try await transport.sizes(below: RemoteLayout.segments(of: store))
                (segments, bytes) = (sizes.count, sizes.reduce(0) { $0 + $1.byteCount })
                if let last = sizes.last {
                    let start = try await transport.get(
                        last.name, range: 0..<Segment.logRange.count, limit: Segment.logRange.count)
                    if let found = Segment.log(start ?? []), found != log { otherLog = found }
                }
                stores.append((store, segments, bytes, otherLog))
                continue
            }
            for name in try await Self.names(in: RemoteLayout.segments(of: store), at: transport) {
                segments += 1
                do throws(TransportError) {
                    let segment = try await transport.get(name, range: nil, limit: Segment.byteLimit) ?? []
                    bytes += segment.count
                    if let found = Segment.log(Array(segment.prefix(Segment.logRange.count))), found != log {
                        otherLog = found
                    }
                } catch {
                    guard case .tooLarge(_, let count) = error else { throw error }
                    bytes += count
                }
            }
            stores.append((store, segments, bytes, otherLog))
        }
    }

    /// Deletes everything that stores have pushed to `transport`, the log mark last. Returns the number of objects
    /// deleted.
    public static func delete(at transport: any Transport) async throws(TransportError) -> Int {
        var count = try await PlacedSnapshots.deleteAll(at: transport)
        for name in try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLimits.storeCount) {
            guard let store = ReplicaID(text: name), "\(store)" == name else { continue }
            // Begins with the last one, so that an interruption leaves consecutive numbers.
            for name in try await names(in: RemoteLayout.segments(of: store), at: transport).reversed() {
                try await transport.delete(name)
                count += 1
            }
        }
        try await transport.delete(RemoteLayout.logAgain)
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
