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
    /// How many events count.
    public let events: UInt64
    /// Which events these are.
    public let vector: VersionVector
}

extension Reading {
    /// The digests of what is read. Cost: reads every record.
    public func digest() throws -> StoreDigest {
        let (views, content, position) = try read { view in
            (try view.digest(), try view.contentDigest(), view.position)
        }
        let vector = try describing { try audit.filter.vector ?? log.vector(through: position) }
        return StoreDigest(
            views: views.hash, content: content.hash, contacts: content.contacts, events: vector.eventCount,
            vector: vector)
    }
}
