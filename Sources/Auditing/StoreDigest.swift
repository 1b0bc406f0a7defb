import GroundwaveEvents
import GroundwaveProjections
import GroundwaveStore

/// What a store is, in two hashes that are all read from one state.
public struct StoreDigest: Hashable, Sendable {
    /// Of the views with ids, heads and provenance: the same in every store that has the same events.
    public let views: Hash256
    /// Of what a component calls its content, such as the visible fields of contacts: the same after export and import.
    /// The hash of nothing if no component does.
    public let content: Hash256
    /// How many records are in ``content``.
    public let contentCount: Int
    /// How many events count.
    public let events: UInt64
    /// Which events these are.
    public let vector: VersionVector
}

extension Reading {
    /// The digests of what is read. Cost: reads every record.
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
