import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveStore

/// The log of a store, for replication: received events show in the views and wake observers.
package struct StoreLog: ReplicatedLog {
    let store: Store
    private let pending = PendingValues()

    package init(store: Store) { self.store = store }

    package var id: LogID { store.log.id }

    package func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try store.log.provenVector(signedBy: identity)
    }

    package func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        try store.log.root(of: replica, through: sequence)
    }

    package func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try store.log.frame(
            of: range, signedBy: identity, preferredBytes: preferredBytes, withholding: store.staysHere)
    }

    package func retainedFrames() throws -> [RangeFrame] { try store.log.retainedFrames() }

    package func pendingFrames() throws -> [RangeFrame] { try store.log.pendingFrames() }

    package func erased() throws -> EventSet { try store.log.erased() }

    package func leaf(of event: EventID) throws -> Hash256? { try store.log.leaf(of: event) }

    package func streams() throws -> Streams { try store.log.streams() }

    package func missingValues() throws -> EventSet {
        let wanted = try store.wantedValues()
        return wanted.isEmpty ? wanted : wanted.subtracting(pending.events)
    }

    package func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        let content = try store.log.content()
        var received = try store.log.receive(frames, arrival: arrival, isFilling: false)
        if received.repeatedCount > 0 {
            let found = try store.log.values(of: missingValues(), in: frames)
            received.filledCount = found.count
            pending.add(found)
        }
        let isOther = try store.log.content() != content
        if received.newCount > 0 || isOther { store.eventsCame(received.appendedCount) }
        if received.returnedCount > 0 { try store.noteReturned() }
        if pending.isFull { try fill() }
        return received
    }

    /// Stores the buffered values of events that were here without values. The owner of this log calls it at the end,
    /// and when nothing was received for a while.
    package func fill() throws {
        let values = pending.take()
        if !values.isEmpty, try store.log.fill(values) > 0 { store.eventsCame() }
    }

    /// As ``fill()``, unless values are still being received.
    package func fillIfIdle() throws { if pending.isIdle() { try fill() } }
}
