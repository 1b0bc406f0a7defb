import Events
import Projections
import Radio

/// What a store is, in two hashes that are all read from one state.
public struct StoreDigest: Hashable, Sendable {
    /// Of the views with ids, heads and provenance: the same in every store that has the same events.
    public let views: Hash256
    /// Of the visible fields of contacts alone: the same after export and import.
    public let content: Hash256
    /// How many contacts are in ``content``.
    public let contacts: Int
    /// How many events are folded.
    public let events: Position
    /// Which events these are.
    public let vector: VersionVector
}

extension Store {
    /// The digests of the store as it is. Cost: reads every record.
    public func digest() throws -> StoreDigest {
        // The log may grow between the reads: then once more, until all tell of the same events.
        for _ in 0..<100 {
            let (views, content, position) = try read { view in
                (try view.digest(), try view.contentDigest(), view.position)
            }
            let vector = try describing { try log.vector() }
            guard try describing({ try log.lastPosition() }) == position else { continue }
            return StoreDigest(
                views: views.hash, content: content.hash, contacts: content.contacts, events: position, vector: vector)
        }
        throw StoreError(
            .busy, "Somebody writes to \(files.folder.path) faster than it can be read.", hint: "Try again later.")
    }
}
