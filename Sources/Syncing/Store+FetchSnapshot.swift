import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveReplication
import GroundwaveStore

extension Store {
    /// What happens while the newest snapshot at a remote is fetched.
    package enum SnapshotFetch: Sendable {
        /// A part is about to be fetched.
        case part(Int, of: Int)
        /// A snapshot that was made at that time cannot be used, and an older one is tried.
        case unusable(created: Int64, reason: String)
    }

    /// Fetches the newest snapshot at a remote that can be used, to be shown until all events are here. One that is here
    /// already is not fetched again, and of one that was begun only the parts that are missing.
    ///
    /// Everything is checked against the signed head before it is used. A remote that cannot be reached hinders nobody here:
    /// the sync pass says so.
    ///
    /// - Returns: What the snapshot has; `nil` if there is none.
    /// - Throws: ``StoreError`` if it cannot be written; `CancellationError`. What was fetched stays.
    package func fetchSnapshot(
        at transport: any Transport, _ report: (SnapshotFetch) -> Void
    ) async throws -> SnapshotInformation? {
        let joined = JoinedSnapshot(files)
        if joined.isThere {
            if let information = try? Snapshot.verify(at: joined.path) { return information }
            joined.remove()
        }
        let placed = PlacedSnapshots(of: log.id, at: transport)
        let now = surroundings.now().wallMilliseconds
        do {
            // A clock that is ahead says nothing about what is newest: such a snapshot is tried last.
            let names = try await placed.names().sorted { left, right in
                let isLeft = PlacedSnapshotRule.isBelievable(left.created, now: now)
                let isRight = PlacedSnapshotRule.isBelievable(right.created, now: now)
                return isLeft == isRight ? left > right : isLeft
            }
            for name in names.prefix(PlacedSnapshots.tries) {
                try Task.checkCancellation()
                do { return try await fetch(name, placed, into: joined, report) } catch {
                    guard let reason = Self.reason(unusable: error) else { throw error }
                    report(.unusable(created: name.created, reason: reason))
                }
            }
        } catch let error as TransportError {
            try Task.checkCancellation()
            Subsystem.replication.logger.debug("no snapshot was fetched", metadata: ["reason": "\(error)"])
        }
        return nil
    }

    private func fetch(
        _ name: PlacedSnapshotName, _ placed: PlacedSnapshots, into joined: JoinedSnapshot,
        _ report: (SnapshotFetch) -> Void
    ) async throws -> SnapshotInformation {
        let head = try await placed.head(name)
        guard head.layout == Snapshot.layout else { throw PlacedSnapshotError.otherVersion }
        try await joined.write(
            parts: (head.parts.count, head.size(ofPart:)),
            isPart: { number, bytes in bytes.withSpan { Hash256(hashing: $0) } == head.parts[number - 1] },
            fetch: { number in
                try Task.checkCancellation()
                report(.part(number, of: head.parts.count))
                return try await placed.part(number, of: head)
            },
            check: { path in
                let found = try Snapshot.information(at: path)
                guard found.log == head.log, found.vector == head.vector, found.hash == head.hash else {
                    throw PlacedSnapshotError.changed("content")
                }
            })
        return try Snapshot.information(at: joined.path)
    }

    /// Returns why a snapshot cannot be used, in words that continue "it cannot be used: "; `nil` for another error.
    private static func reason(unusable error: any Error) -> String? {
        switch error {
        case let error as PlacedSnapshotError: "\(error)"
        case is SnapshotError: "it is \(words(for: error))"
        default: nil
        }
    }
}
