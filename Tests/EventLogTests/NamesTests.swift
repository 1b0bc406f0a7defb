import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog

@Suite struct `Renaming events` {
    private let replica = ReplicaID(high: 0, low: 1)
    private let branch = ReplicaID(high: 0, low: 2)
    private let later = ReplicaID(high: 0, low: 3)

    /// The replica's history forked behind its event 7, and the branch behind its event 3.
    private var renamings: [EventRenaming] {
        [
            EventRenaming(stream: replica, after: 7, branch: branch),
            EventRenaming(stream: branch, after: 3, branch: later),
        ]
    }

    /// The name of an event by the rule itself: event `after + n` of the stream is event `n` of the branch.
    private func renamed(_ event: EventID) -> EventID {
        renamings.reduce(event) { event, renaming in
            event.replica == renaming.stream && event.sequence > renaming.after
                ? EventID(renaming.branch, event.sequence - renaming.after) : event
        }
    }

    @Test(arguments: UInt64(0)...14) func `a vector has the same events under other names`(last: UInt64) {
        var (vector, wanted) = (VersionVector(), VersionVector())
        vector[replica] = last
        for sequence in 0..<last {
            let event = renamed(EventID(replica, sequence + 1))
            wanted[event.replica] = max(wanted[event.replica], event.sequence)
        }
        #expect(vector.renamed(by: renamings) == wanted)
    }

    @Test(arguments: UInt64(1)...50) func `a set has the same events under other names`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let other = ReplicaID(high: 0, low: 9)
        let events = (0..<12).map { _ in
            EventID(Bool.random(using: &numbers) ? replica : other, .random(in: 1...16, using: &numbers))
        }
        var (set, wanted) = (EventSet(), EventSet())
        for event in events {
            set.insert(event)
            wanted.insert(renamed(event))
        }
        #expect(set.renamed(by: renamings) == wanted)
    }
}
