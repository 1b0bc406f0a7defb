import Events
import Projections
import Radio

/// The digests of a store, all computed from one state.
public struct StoreDigest: Hashable, Sendable {
    /// The digest of the views with IDs, heads and provenance: the same in every store that has the same events.
    public let views: Hash256
    /// The digest of the visible fields of contacts only: the same after export and import.
    public let content: Hash256
    /// The number of contacts in ``content``.
    public let contacts: Int
    /// The number of events that count.
    public let events: UInt64
    /// The vector of these events.
    public let vector: VersionVector
}

extension Reading {
    /// Returns the digests of this state. Cost: reads every record.
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
