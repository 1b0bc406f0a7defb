import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension MemoryLog: RangeSource {
    func scan(
        _ range: EventRange, _ body: (_ position: Position, _ frame: Frame, _ bytes: RawSpan) throws -> Bool
    ) throws {
        guard let stream = trees[range.replica] else { return }
        var sequence = range.first
        var continues = true
        while continues, sequence <= min(range.last, stream.count) {
            let position = stream.positions[Int(sequence) - 1]
            try withEvent(at: position) { frame, bytes in continues = try body(position, frame, bytes) }
            sequence += 1
        }
    }

    /// What a range was made from; the same again gives the same, until values are erased.
    struct Making: Hashable {
        let range: EventRange
        let preferredBytes: Int
        let isOwn: Bool
        let provenTo: SequenceNumber
    }

    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        let making = Making(
            range: range, preferredBytes: min(preferredBytes, self.preferredBytes),
            isOwn: identity?.replica == range.replica, provenTo: rows.signed[range.replica]?.sequence ?? 0)
        if let known = made[making] { return known }
        let frame = try makeFrame(of: range, signedBy: identity, preferredBytes: making.preferredBytes)
        made[making] = frame
        return frame
    }

    func provenVector(signedBy identity: Identity?) throws -> VersionVector { try proven(signedBy: identity) }

    func observedHeads(before event: EventID) throws -> [ObservedHead] {
        var heads: [ReplicaID: ObservedHead] = [:]
        var next = rows.streams.predecessor(of: event)
        while let id = next, let tree = trees[id.replica] {
            var isOver = false
            try withEvent(at: tree.positions[Int(id.sequence) - 1]) { frame, bytes in
                for head in frame.observed(in: bytes)
                where (heads[head.event.replica]?.event.sequence ?? 0) < head.event.sequence {
                    heads[head.event.replica] = head
                }
                isOver = frame.observesAll
            }
            next = isOver ? nil : rows.streams.predecessor(of: id)
        }
        return heads.values.sorted { $0.event.replica < $1.event.replica }
    }
}
