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

extension PlacedSnapshots {
    /// Stores the snapshot that `head` describes, its head last. Parts that are there already are read and not sent again,
    /// unless they differ.
    ///
    /// If this throws, what was stored stays, and the next call goes on behind it.
    ///
    /// - Parameters:
    ///   - part: Returns the bytes of a part, counted from 1.
    ///   - mayFinish: Whether the snapshot is still what may be shown to new devices, asked before the head is stored.
    /// - Returns: The number of parts that were sent; `nil` if it may not be finished any more.
    /// - Throws: ``TransportError``; ``PlacedSnapshotError`` if a part is not as stated; what `part` throws;
    ///   `CancellationError` between two requests.
    @discardableResult
    package func leave(
        _ head: PlacedSnapshotHead, signedBy identity: Identity, mayFinish: () throws -> Bool = { true },
        part: (_ number: Int) throws -> [UInt8]
    ) async throws -> Int? {
        let there = try await parts()[head.name] ?? []
        var sent = 0
        for number in 1...head.parts.count {
            try Task.checkCancellation()
            let (name, bytes) = (head.name.part(number), try part(number))
            guard bytes.withSpan({ Hash256(hashing: $0) }) == head.parts[number - 1] else {
                throw PlacedSnapshotError.changedHere
            }
            if there.contains(name) {
                do {
                    _ = try await self.part(number, of: head)
                    continue
                } catch is PlacedSnapshotError {
                    // Where a folder cannot make whole objects appear, a writer that was killed has left a piece.
                    try await transport.delete(name)
                }
            }
            if try await transport.putIfAbsent(name, bytes) == .stored { sent += 1 }
        }
        try Task.checkCancellation()
        guard try mayFinish() else { return nil }
        _ = try await transport.putIfAbsent(head.name.head, head.bytes(signedBy: identity))
        return sent
    }
}

extension PlacedSnapshots {
    /// Deletes the snapshots that are not kept: see ``PlacedSnapshotRule``. The head goes first, so that nobody begins to
    /// read one that is being deleted. What a store has begun to leave there and not finished within a day goes too.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The number of snapshots deleted.
    /// - Throws: ``TransportError``; the next call goes on.
    /// - Complexity: A request for each head, and for each object that is deleted.
    @discardableResult
    package func prune(now: Int64) async throws -> Int {
        let names = try await names()
        var valid: [PlacedSnapshotName] = []
        var dropped: [PlacedSnapshotName] = []
        // One that states a time to come is left alone: here it pushes no other one out.
        for name in names where PlacedSnapshotRule.isBelievable(name.created, now: now) {
            do {
                _ = try await head(name)
                valid.append(name)
            } catch is PlacedSnapshotError {
                if PlacedSnapshotRule.isRemains(name.created, now: now) { dropped.append(name) }
            }
        }
        dropped += PlacedSnapshotRule.superfluous(valid)
        let parts = try await parts()
        let withoutHead = Set(parts.keys).subtracting(names)
        let remains = withoutHead.filter { PlacedSnapshotRule.isRemains($0.created, now: now) }.sorted()
        for name in dropped { try await transport.delete(name.head) }
        for name in dropped + remains {
            for part in (parts[name] ?? []).sorted() { try await transport.delete(part) }
        }
        return dropped.count
    }

    /// Deletes all objects of snapshots at `transport`, also those that nobody can read, unless `isOther` says that one stays.
    /// Returns their number.
    ///
    /// - Throws: ``TransportError``.
    static func deleteAll(
        at transport: any Transport, unless isOther: (ObjectName) async throws(TransportError) -> Bool = { _ in false }
    ) async throws(TransportError) -> Int {
        var count = 0
        for prefix in [PlacedSnapshotName.heads, PlacedSnapshotName.parts] {
            for name in try await RemoteInventory.names(in: prefix, at: transport) {
                if try await isOther(name) { continue }
                try await transport.delete(name)
                count += 1
            }
        }
        return count
    }

    /// Returns how many snapshots have a head, and the bytes that their heads state; what has no valid head counts nothing.
    ///
    /// - Throws: ``TransportError``.
    /// - Complexity: A request for each.
    package func usage() async throws -> (count: Int, bytes: Int) {
        var (count, bytes) = (0, 0)
        for name in try await names() {
            do {
                bytes += try await head(name).byteCount
                count += 1
            } catch is PlacedSnapshotError {}
        }
        return (count, bytes)
    }
}
