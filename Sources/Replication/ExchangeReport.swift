import GroundwaveEventLog
import GroundwaveEvents

/// What came of a look at a place.
public struct ExchangeReport: Hashable, Sendable {
    /// What became of the ranges that were taken.
    public internal(set) var received = Received()
    /// Events that were left there.
    public internal(set) var sentEvents: UInt64 = 0
    /// Bytes that were left there.
    public internal(set) var sentBytes = 0
    /// Bytes that were taken.
    public internal(set) var receivedBytes = 0
    /// How often the place was asked something.
    public internal(set) var requestCount = 0
    /// What each store said last, this one's own included; in order of store.
    public internal(set) var statements: [Statement] = []
    /// Stores of which something could not be believed or read, with a sentence.
    public internal(set) var quarantined: [ReplicaID: String] = [:]
    /// Whether the place no longer has what it had; what is here was left there again.
    public internal(set) var wasEmptied = false

    /// Nothing yet.
    public init() {}
}
