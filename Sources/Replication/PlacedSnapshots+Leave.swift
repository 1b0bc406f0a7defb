import GroundwaveEvents

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
