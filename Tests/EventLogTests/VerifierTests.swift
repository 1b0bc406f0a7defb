import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair
import GroundwaveSeededNumbers
import Testing

@Suite struct `Verifying a whole log` {
    @Test(arguments: [0, 1, 255, 256, 257, 5_000], [Sizes.small, .mixed])
    func `a log of any length is whole, and the report counts what the log has`(count: Int, sizes: Sizes) throws {
        let store = try TestLog()
        try store.append(count, sizes: sizes)
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage == [])
        #expect(report.events == UInt64(count))
        #expect(report.replicas.map(\.events) == (count == 0 ? [] : [UInt64(count)]))
        #expect(report.replicas.first?.root == (try store.log.root(of: store.replica)))
        #expect(report.log == LogID(high: 1, low: 2))
        #expect(report.epoch == 3)
        #expect(report.ok)
        #expect(report.missing.isEmpty)
    }

    @Test(arguments: [1, 255, 256, 257, 1_000])
    func `a log is whole after its tree was hashed, and after it was closed`(count: Int) throws {
        let store = try TestLog()
        try store.append(count / 2)
        try store.log.sealPending()
        try store.append(count - count / 2)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
        try store.log.sealPending()
        let root = try store.log.root(of: store.replica)
        try store.log.close()
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage == [])
        #expect(report.replicas.map(\.root) == [root])
    }

    @Test func `a log that was emptied is whole, before and after something is written`() throws {
        let store = try TestLog()
        try store.append(100)
        try store.log.clear()
        #expect(try LogVerifier.verify(path: store.path).damage == [])
        // What came with an older stamp does not move the clock.
        let other = try TestLog()
        try other.append(1, as: ReplicaID(high: 9, low: 9))
        _ = try store.log.append(copying: try Contents(of: other.log).frames, arrival: .test(0))
        #expect(try LogVerifier.verify(path: store.path).damage == [])
        try store.append(10, as: ReplicaID(high: 8, low: 8))
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test(arguments: UInt64(1)...5)
    func `a log of several replicas, in whatever order they came, is whole`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let peers = try (1...3).map { number in
            let peer = try TestLog()
            try peer.append(200 + 30 * number, batchCount: 1, as: ReplicaID(high: UInt64(number), low: seed))
            return try Contents(of: peer.log).frames
        }
        let store = try TestLog()
        var copied = [0, 0, 0]
        while copied != peers.map(\.count) {
            let peer = Int.random(in: 0..<3, using: &numbers)
            let end = min(copied[peer] + Int.random(in: 0...40, using: &numbers), peers[peer].count)
            _ = try store.log.append(copying: Array(peers[peer][copied[peer]..<end]), arrival: .test(end))
            copied[peer] = end
            if Bool.random(using: &numbers) { try store.append(Int.random(in: 1...30, using: &numbers)) }
            if Bool.random(using: &numbers) { try store.log.sealPending() }
        }
        let contents = try Contents(of: store.log)
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage == [])
        #expect(report.events == UInt64(contents.ids.count))
        #expect(report.replicas.map(\.replica) == Set(contents.ids.map(\.replica)).sorted())
        for replica in report.replicas {
            #expect(replica.root == (try contents.root(of: replica.replica)))
            #expect(replica.events == UInt64(contents.ids.count { $0.replica == replica.replica }))
        }
    }

    @Test func `a batch of which only a part was copied is no damage`() throws {
        let peer = try TestLog()
        try peer.append(7, as: ReplicaID(high: 1, low: 1))
        let frames = try Contents(of: peer.log).frames
        let store = try TestLog()
        for (index, frame) in frames.prefix(5).enumerated() {
            _ = try store.log.append(copying: [frame], arrival: .test(index))
            try store.append(1)
        }
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `a log of a hundred replicas is whole`() throws {
        let store = try TestLog()
        for round in 0..<3 {
            for replica in 0..<100 {
                try store.append(1 + (replica + round) % 5, as: ReplicaID(high: UInt64(replica), low: 1))
            }
        }
        let report = try LogVerifier.verify(path: store.path)
        #expect(report.damage == [])
        #expect(report.replicas.count == 100)
    }

    @Test func `a log is whole at every moment while others append to it`() throws {
        let store = try TestLog()
        try store.append(1_000)
        let writer = BackgroundWork {
            for round in 0..<300 {
                try store.append(3, as: ReplicaID(high: UInt64(round % 5), low: 1))
                if round % 50 == 0 { try store.log.sealPending() }
            }
        }
        var events: UInt64 = 1_000
        repeat {
            let report = try LogVerifier.verify(path: store.path)
            #expect(report.damage == [])
            #expect(report.events >= events)
            events = report.events
        } while !writer.isDone
        try writer.check()
        #expect(try LogVerifier.verify(path: store.path).events == 1_000 + 900)
    }

    @Test func `the words for damage are part of the output and stay`() {
        #expect(
            LogDamage.What.allCases.map(\.rawValue) == [
                "page", "frame", "chain", "position", "hole", "sequence", "stamp", "batch", "head", "signature",
                "range",
                "stream", "run",
                "arrival",
                "withheld", "late", "base", "tree", "meta", "file",
            ])
    }

    @Test func `verifying changes nothing, and makes no lock file`() throws {
        let store = try TestLog()
        try store.append(300)
        try store.log.close()
        let copy = store.folder.appending(path: "copy.mdb")
        try FileManager.default.copyItem(at: URL(filePath: store.path), to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: copy.path)
        let before = try Data(contentsOf: copy)
        #expect(try LogVerifier.verify(path: copy.path).ok)
        #expect(try Data(contentsOf: copy) == before)
        #expect(!FileManager.default.fileExists(atPath: copy.path + "-lock"))
    }
}
