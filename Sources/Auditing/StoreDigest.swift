import GroundwaveEvents
import GroundwaveProjections
import GroundwaveStore

/// The digests of a store, all computed from one state.
public struct StoreDigest: Hashable, Sendable {
    /// The digest of the views with IDs, heads and provenance: the same in every store that has the same events.
    public let views: Hash256
    /// Of what a component calls its content, such as the visible fields of contacts: the same after export and import.
    /// The hash of nothing if no component does.
    public let content: Hash256
    /// How many records are in ``content``.
    public let contentCount: Int
    /// The number of events that count.
    public let events: UInt64
    /// The vector of these events.
    public let vector: VersionVector
}

extension Reading {
    /// Returns the digests of this state. Cost: reads every record.
    ///
    /// - Throws: As ``read(_:)``.
    public func digest() throws -> StoreDigest {
        var content = (hash: Hash256(hashing: [UInt8]().span.bytes), count: 0)
        let digest = components.lazy.compactMap { $0.contentDigest }.first
        let (views, position) = try read { view in
            if let digest { content = try digest(view) }
            return (try view.digest(), view.position)
        }
        let vector = try describing { try audit.filter.vector ?? log.vector(through: position) }
        return StoreDigest(
            views: views.hash, content: content.hash, contentCount: content.count, events: vector.eventCount,
            vector: vector)
    }
}
