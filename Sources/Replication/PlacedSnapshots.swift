import GroundwaveEvents

/// The snapshots of a log at a remote: new devices begin with the newest one, and read the history behind it.
///
/// The objects of one are described at ``PlacedSnapshotName``. Each is written once. An upload that was interrupted leaves
/// parts without a head, and the next one goes on behind them.
package struct PlacedSnapshots: Sendable {
    let transport: any Transport
    let log: LogID

    /// The maximum number of heads, and of parts, that are listed: a remote may have any number that are of no use.
    private static let listLimit = 100_000

    /// The snapshots of `log` at `transport`. Makes no request.
    package init(of log: LogID, at transport: any Transport) {
        self.log = log
        self.transport = transport
    }

    /// Returns the names of the heads, oldest first. Nothing is said about what they contain.
    ///
    /// - Throws: ``TransportError``.
    /// - Complexity: A request for each thousand.
    package func names() async throws(TransportError) -> [PlacedSnapshotName] {
        try await objects(in: PlacedSnapshotName.heads).compactMap(PlacedSnapshotName.init(ofHead:))
    }

    /// Returns the parts that are there, by snapshot, whether or not that has a head.
    ///
    /// - Throws: ``TransportError``.
    /// - Complexity: A request for each thousand.
    package func parts() async throws(TransportError) -> [PlacedSnapshotName: Set<ObjectName>] {
        var parts: [PlacedSnapshotName: Set<ObjectName>] = [:]
        for object in try await objects(in: PlacedSnapshotName.parts) {
            if let name = PlacedSnapshotName(ofPart: object) { parts[name, default: []].insert(object) }
        }
        return parts
    }

    private func objects(in prefix: ObjectPrefix) async throws(TransportError) -> [ObjectName] {
        var objects: [ObjectName] = []
        while objects.count < Self.listLimit {
            let page = try await transport.list(prefix: prefix, startAfter: objects.last, limit: 1000)
            objects += page
            if page.count < 1000 { break }
        }
        return objects
    }

    /// Returns the head called `name`, checked.
    ///
    /// - Throws: ``TransportError``; ``PlacedSnapshotError`` if it is not valid.
    package func head(_ name: PlacedSnapshotName) async throws -> PlacedSnapshotHead {
        guard let bytes = try await object(name.head, limit: PlacedSnapshotHead.byteLimit) else {
            throw PlacedSnapshotError.gone("head")
        }
        return try PlacedSnapshotHead(reading: bytes, as: name, of: log)
    }

    /// Returns the part `number`, counted from 1, of the snapshot that `head` describes, with the bytes that it states.
    ///
    /// - Throws: ``TransportError``; ``PlacedSnapshotError`` if it is gone or differs.
    package func part(_ number: Int, of head: PlacedSnapshotHead) async throws -> [UInt8] {
        let size = head.size(ofPart: number)
        guard let bytes = try await object(head.name.part(number), limit: size) else {
            throw PlacedSnapshotError.gone("part \(number)")
        }
        guard bytes.count == size, bytes.withSpan({ Hash256(hashing: $0) }) == head.parts[number - 1] else {
            throw PlacedSnapshotError.changed("part \(number)")
        }
        return bytes
    }

    /// The number of snapshots that are tried before it is said that there is none.
    package static let tries = 20

    /// Returns the newest head that is valid and whose time can be believed; `nil` if there is none among the newest
    /// ``tries``.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Throws: ``TransportError``.
    package func newest(now: Int64) async throws -> PlacedSnapshotHead? {
        let names = try await names().filter { PlacedSnapshotRule.isBelievable($0.created, now: now) }
        for name in names.suffix(Self.tries).reversed() {
            do { return try await head(name) } catch is PlacedSnapshotError {}
        }
        return nil
    }

    /// Reads an object; something else under its name, or one that is too large, counts as damage of the snapshot.
    private func object(_ name: ObjectName, limit: Int) async throws -> [UInt8]? {
        do { return try await transport.get(name, range: nil, limit: limit) } catch TransportError.tooLarge {
            throw PlacedSnapshotError.changed("object \(name)")
        } catch TransportError.refused {
            throw PlacedSnapshotError.changed("object \(name)")
        }
    }
}
