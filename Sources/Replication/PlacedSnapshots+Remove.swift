import GroundwaveEvents

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

    /// Deletes all objects of snapshots at `transport`, also those that nobody can read. Returns their number.
    ///
    /// - Throws: ``TransportError``.
    static func deleteAll(at transport: any Transport) async throws(TransportError) -> Int {
        var count = 0
        for prefix in [PlacedSnapshotName.heads, PlacedSnapshotName.parts] {
            for name in try await RemoteInventory.names(in: prefix, at: transport) {
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
