import EventLog
import Events
import Replication

/// The log of a store, for replication: whatever comes in shows in the views and wakes whoever observes.
struct StoreLog: ReplicatedLog {
    let store: Store

    var id: LogID { store.log.id }

    func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try store.log.provenVector(signedBy: identity)
    }

    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        try store.log.root(of: replica, through: sequence)
    }

    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try store.log.frame(
            of: range, signedBy: identity, preferredBytes: preferredBytes, withholding: store.samples.staysHere)
    }

    func keptFrames() throws -> [RangeFrame] { try store.log.keptFrames() }

    func waitingFrames() throws -> [RangeFrame] { try store.log.waitingFrames() }

    func streams() throws -> Streams { try store.log.streams() }

    func lackingValues() throws -> EventSet { try store.wantedValues() }

    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        let readings = try store.log.readingsCount()
        let received = try store.log.receive(frames, arrival: arrival, filling: store.wantedValues)
        if try received.filledCount > 0 || store.log.readingsCount() != readings { try store.views.rebuild() }
        if received.appendedCount > 0 || received.filledCount > 0 { store.eventsCame() }
        // Each statement tells the root of every tree: what came has to be hashed once, and not for each of them.
        store.writer?.sealBehind(received.appendedCount)
        return received
    }
}
