import GroundwaveEvents
import GroundwaveLMDB
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

@Suite struct `Rows that say how histories part` {
    private let store: TestLog

    init() throws {
        store = try TestLog()
        try store.append(20)
    }

    private func put(_ branches: (part: ReplicaID, parent: ReplicaID, after: UInt64)...) throws {
        var streams = Streams()
        for branch in branches { streams.add(branch.part, to: branch.parent, after: branch.after) }
        try store.log.write { transaction in
            try EventLog.put(streams, in: transaction, LogTables(in: transaction))
        }
    }

    private func expectDamage() throws {
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage.contains { $0.what == .stream })
        #expect(report.events == 20)
        #expect(throws: EventLogError.self) { try store.log.streams() }
    }

    @Test func `and lead in a circle are damage, and nobody follows them`() throws {
        let (one, other) = (ReplicaID(high: 5, low: 1), ReplicaID(high: 5, low: 2))
        try put((one, other, 1), (other, one, 1))
        try expectDamage()
    }

    @Test func `and name a stream as its own parent are damage`() throws {
        try put((store.replica, store.replica, 0))
        try expectDamage()
    }

    @Test func `and count more events than there are numbers are damage`() throws {
        let (one, other) = (ReplicaID(high: 5, low: 1), ReplicaID(high: 5, low: 2))
        try put((one, store.replica, .max), (other, one, .max))
        try expectDamage()
    }
}
