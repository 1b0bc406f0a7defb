import GroundwaveEventLog
import GroundwaveEvents

/// The results of a sync pass.
public struct SyncPassReport: Hashable, Sendable {
    /// The outcome of the pulled ranges.
    public internal(set) var received = Received()
    /// The number of events pushed.
    public internal(set) var sentEvents: UInt64 = 0
    /// The number of bytes pushed.
    public internal(set) var sentBytes = 0
    /// The number of bytes pulled.
    public internal(set) var receivedBytes = 0
    /// The number of requests to the remote.
    public internal(set) var requestCount = 0
    /// The latest manifest of each store, including this one, in order of store.
    public internal(set) var manifests: [Manifest] = []
    /// The stores with invalid or unreadable data, each with a sentence.
    public internal(set) var quarantined: [ReplicaID: String] = [:]
    /// The folders of stores of other logs, each with a sentence. They are not read, and nothing is wrong with the others.
    public internal(set) var strangers: [ReplicaID: String] = [:]
    /// Whether the remote has lost objects, so that everything was pushed again.
    public internal(set) var wasEmptied = false

    /// An empty report.
    public init() {}
}
