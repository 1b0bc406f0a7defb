import GroundwaveEvents

/// The contents of a remote, by store.
public struct RemoteInventory: Sendable {
    /// The objects of one store.
    public struct Item: Sendable {
        /// The replica that the store writes as.
        public let store: ReplicaID
        /// The number of its objects: its catalog, packs and segments.
        public fileprivate(set) var objects = 0
        /// The size of all of them in bytes.
        public fileprivate(set) var bytes = 0
        /// The log that they are of, if that is another one.
        public fileprivate(set) var otherLog: LogID?
    }

    /// The log of the remote; `nil` if there is none.
    public let log: LogID?
    /// The stores that have objects there, in order of store.
    public private(set) var stores: [Item] = []

    /// Lists the contents of the remote at `transport`. Reads every object, unless its listing has their sizes: then only the
    /// beginning of one of each store.
    ///
    /// - Throws: ``TransportError``; ``RemoteError/notReady`` if the log mark was cut short.
    public init(at transport: any Transport) async throws {
        log = try await RemoteLayout.log(at: transport)
        for store in try await Self.stores(at: transport) {
            var item = Item(store: store)
            if let transport = transport as? any SizedListing {
                let sizes = try await transport.sizes(below: RemoteLayout.folder(of: store))
                for (name, byteCount) in sizes { item.count(name, byteCount: byteCount) }
                if let last = sizes.last {
                    let start = try await transport.get(
                        last.name, range: Segment.logRange, limit: Segment.logRange.count)
                    if let found = Segment.log(start ?? []), found != log { item.otherLog = found }
                }
            } else {
                for name in try await Self.names(of: store, at: transport) {
                    do throws(TransportError) {
                        let bytes = try await transport.get(name, range: nil, limit: Segment.byteLimit) ?? []
                        item.count(name, byteCount: bytes.count)
                        let found = Segment.log(Array(bytes.prefix(Segment.logRange.count)))
                        if let found, found != log { item.otherLog = found }
                    } catch {
                        switch error {
                        case .tooLarge(_, let count): item.count(name, byteCount: count)
                        // Its size is not known: it was changed, or is of another form.
                        case .refused: item.count(name, byteCount: 0)
                        default: throw error
                        }
                    }
                }
            }
            stores.append(item)
        }
    }

    /// Deletes everything that stores have pushed to `transport`, the log mark last. Returns the number of objects
    /// deleted.
    ///
    /// - Parameter isOther: Whether an object stays, since it is of the other form, sealed or open.
    public static func delete(
        at transport: any Transport, unless isOther: (ObjectName) async throws(TransportError) -> Bool = { _ in false }
    ) async throws(TransportError) -> Int {
        var count = try await PlacedSnapshots.deleteAll(at: transport, unless: isOther)
        for store in try await stores(at: transport) {
            // Begins with the catalog, which names the others, and ends with the first segment, so that an interruption leaves
            // consecutive numbers.
            let names = try await names(of: store, at: transport)
            let catalog = RemoteLayout.catalog(of: store)
            for name in names.filter({ $0 == catalog }) + names.filter({ $0 != catalog }).reversed() {
                if try await isOther(name) { continue }
                try await transport.delete(name)
                count += 1
            }
        }
        try await transport.delete(RemoteLayout.logAgain)
        try await transport.delete(RemoteLayout.log)
        return count + 1
    }

    /// Returns whether a store has objects at `transport`, apart from those of the other form. Reads the beginning of each, until
    /// there is one.
    ///
    /// - Throws: ``TransportError``.
    public static func holdsObjects(
        of store: ReplicaID, at transport: any Transport,
        unless isOther: (ObjectName) async throws(TransportError) -> Bool
    ) async throws(TransportError) -> Bool {
        for name in try await names(of: store, at: transport) where try await !isOther(name) { return true }
        return false
    }

    /// The stores that have a folder, in order.
    static func stores(at transport: any Transport) async throws(TransportError) -> [ReplicaID] {
        let names = try await transport.folders(prefix: RemoteLayout.stores, limit: RemoteLayout.storeLimit)
        return names.compactMap { name in ReplicaID(text: name).flatMap { "\($0)" == name ? $0 : nil } }
    }

    /// The names of the objects of a store, in order.
    static func names(
        of store: ReplicaID, at transport: any Transport
    ) async throws(TransportError) -> [ObjectName] {
        try await names(in: RemoteLayout.folder(of: store), at: transport).filter {
            RemoteLayout.kind(of: $0, of: store) != nil
        }
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

extension RemoteInventory.Item {
    fileprivate init(store: ReplicaID) { self.store = store }

    /// Adds an object, if it is one of a store.
    fileprivate mutating func count(_ name: ObjectName, byteCount: Int) {
        guard RemoteLayout.kind(of: name, of: store) != nil else { return }
        objects += 1
        bytes += byteCount
    }
}

/// A transport whose listings have the sizes of objects, so that they need not be read to be counted.
package protocol SizedListing: Transport {
    /// Returns all objects below a folder in byte order of their names, with their sizes as the remote says.
    ///
    /// - Throws: ``TransportError``.
    func sizes(below prefix: ObjectPrefix) async throws(TransportError) -> [(name: ObjectName, byteCount: Int)]
}
