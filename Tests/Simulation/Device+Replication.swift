import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

extension Device: ReplicatedLog {
    var id: LogID { log.id }

    func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try log.provenVector(signedBy: identity)
    }

    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        try log.root(of: replica, through: sequence)
    }

    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: preferredBytes)
    }

    func retainedFrames() throws -> [RangeFrame] { try log.retainedFrames() }

    func missingValues() throws -> EventSet { try log.missingValues() }

    func pendingFrames() throws -> [RangeFrame] { try log.pendingFrames() }

    func erased() throws -> EventSet { try log.erased() }

    func leaf(of event: EventID) throws -> Hash256? { try log.leaf(of: event) }

    func streams() throws -> Streams { try log.streams() }

    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        if mishap == .commitFailed {
            mishap = nil
            truth.met(.failedCommit)
            throw Mishap.commitFailed
        }
        let received = try log.receive(frames, arrival: arrival)
        for frame in frames {
            let range = "\(frame.range.replica.short).\(frame.range.first)-\(frame.range.last)"
            truth.tell("  device \(number) gets \(range), signed to \(frame.head.sequence)")
        }
        if let refused = received.refused.first {
            throw BrokenPromise("Device \(number) takes an honest range for made up: \(refused)")
        }
        for frame in frames { promised.formUnion(frame.leaves) }
        guard truth.mayFork.holds(received.apart) else {
            throw BrokenPromise("A replica that was neither copied nor put back has two histories.")
        }
        note(received)
        // Values came to events that were folded without them.
        if received.filledCount > 0 { (view, savedView, pinned) = (View(), nil, nil) }
        try catchUp()
        if mishap == .powerWent {
            mishap = nil
            truth.met(.crashBehindCommit)
            throw Mishap.powerWent
        }
        return received
    }

    private func note(_ received: Received) {
        if received.isOfOwn(identity.replica) {
            if !mustRenew { truth.tell("device \(number) learns that it was put back, or has a twin") }
            mustRenew = true
        }
        if received.repeatedCount > 0 { truth.met(.repeatedRange) }
        if !received.pending.isEmpty { truth.met(.reorderedRange) }
        if !received.apart.isEmpty { truth.met(.fork) }
        hasNews = hasNews || !received.replicas.isEmpty
        truth.note(UInt64(number), UInt64(received.appendedCount), received.repeatedCount)
        truth.note(UInt64(received.pending.count), UInt64(received.apart.count))
    }

    /// What it has, in one line.
    var summary: String {
        func text(_ ranges: [EventRange]) -> String {
            ranges.map { "\($0.replica.short).\($0.first)-\($0.last)" }.joined(separator: " ")
        }
        let vector = (try? log.vector())?.entries.map { "\($0.replica.short).\($0.sequence)" } ?? []
        let proven = (try? log.provenVector(signedBy: identity))?.entries.map(\.sequence) ?? []
        return """
            device \(number), \(identity.replica.short), has \(vector.joined(separator: " ")), proven \(proven), \
            keeps \(text((try? log.retainedFrames().map(\.range)) ?? []))
            """
    }

    /// All leaves that lie on this disk, wherever.
    func heldLeaves() throws -> Set<Hash256> {
        var held = Set(try log.leaves())
        for frame in try log.retainedFrames() { held.formUnion(frame.leaves) }
        return held
    }

    /// What was acknowledged is there.
    func checkPromises() throws {
        let lost = promised.subtracting(try heldLeaves())
        guard lost.isEmpty else {
            throw BrokenPromise("Device \(number) has lost \(lost.count) events that it had acknowledged.")
        }
    }
}
