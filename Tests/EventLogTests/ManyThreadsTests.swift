import Foundation
import GroundwaveEvents
import GroundwaveMDBPages
import GroundwaveSeededNumbers
import Synchronization
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogRepair

/// Threads that do not wait for one another: short tasks of a group would run one after the other, and a sanitizer for
/// threads would see nothing.
@Suite struct `Threads at one log` {
    private static let batches = 40

    /// What the threads share beside the log.
    private final class Stage: Sendable {
        let store: TestLog
        let isOver = Atomic(false)

        init() throws { store = try TestLog() }

        var log: EventLog { store.log }

        func writer(_ number: UInt64) -> BackgroundWork {
            BackgroundWork { [self] in
                for round in 0..<UInt64(batches) {
                    let batch = DraftBatch.test(1 + Int(round % 5), sizes: .mixed, seed: number * 1000 + round)
                    _ = try log.append(
                        [batch], as: ReplicaID(high: 1, low: number), arrival: .test(Int(round)))
                    if round % 16 == 0 { try log.sealPending() }
                }
            }
        }

        func reader(_ read: @escaping @Sendable () throws -> Void) -> BackgroundWork {
            BackgroundWork { [self] in
                repeat { try read() } while !isOver.load(ordering: .acquiring)
            }
        }

        /// Whoever reads sees whole batches, in order and without holes.
        func scan() throws {
            var next: Position = 1
            var rest = 0
            var last: [ReplicaID: SequenceNumber] = [:]
            try log.scan(from: 1) { position, frame, bytes in
                #expect(position == next)
                #expect(frame.id.sequence == last[frame.id.replica, default: 0] + 1)
                let verified = try Frame(verifying: bytes)
                #expect(verified == frame)
                next += 1
                rest = frame.rest
                last[frame.id.replica] = frame.id.sequence
                return true
            }
            #expect(rest == 0)
        }

        /// What was hashed once stays so.
        func hash(_ roots: Roots) throws {
            for entry in try log.vector().entries {
                let root = try #require(try log.root(of: entry.replica, through: entry.sequence))
                let event = EventID(entry.replica, entry.sequence)
                let known = roots.known.withLock { roots in
                    defer { roots[event] = root }
                    return roots[event]
                }
                #expect(known == nil || known == root)
            }
        }

        /// The index of the runs tells where each event is.
        func find() throws {
            let runs = try log.runIndex()
            for entry in try log.vector().entries {
                let position = runs.position(of: entry.replica, entry.sequence)
                guard position > 0 else { continue }
                let event = try log.withEvent(at: position) { frame, _ in frame.id }
                #expect(event == runs.event(at: position))
            }
        }
    }

    @Test func `append, scan, hash, look up and verify at once`() throws {
        let stage = try Stage()
        let roots = Roots()
        let writers = (1...3).map { stage.writer($0) }
        let readers = [
            stage.reader { try stage.scan() },
            stage.reader { try stage.scan() },
            stage.reader { try stage.hash(roots) },
            stage.reader { try stage.find() },
            stage.reader {
                // It says so itself if the log was never still enough to be read.
                let report = try LogVerifier.verify(path: stage.store.path)
                #expect(report.missing.isEmpty || !report.isSettled)
            },
        ]
        while !writers.allSatisfy(\.isDone) { Thread.sleep(forTimeInterval: 0.01) }
        stage.isOver.store(true, ordering: .releasing)
        while !readers.allSatisfy(\.isDone) { Thread.sleep(forTimeInterval: 0.01) }
        for work in writers + readers { try work.check() }
        try stage.scan()
        let report = try LogVerifier.verify(path: stage.store.path)
        #expect(report.damage == [])
        let count: Int = (0..<Self.batches).reduce(0) { sum, round in sum + 1 + round % 5 }
        #expect(report.events == UInt64(3 * count))
    }

    @Test func `the meta pages of a file are of one moment, however many commits come between readings`() throws {
        let stage = try Stage()
        let writers = [stage.writer(1), stage.writer(2)]
        let file = try PageFile(stage.store.path)
        // More readers than cores: each is held up now and then between one page and the other.
        let readers = (0..<8).map { _ in
            stage.reader {
                let transactions = MetaPage.both(of: file).map { $0?.transaction ?? 0 }
                #expect(transactions.max()! - transactions.min()! == 1, "\(transactions)")
            }
        }
        while !writers.allSatisfy(\.isDone) { Thread.sleep(forTimeInterval: 0.01) }
        stage.isOver.store(true, ordering: .releasing)
        while !readers.allSatisfy(\.isDone) { Thread.sleep(forTimeInterval: 0.01) }
        for work in writers + readers { try work.check() }
    }

    private final class Roots: Sendable {
        let known = Mutex<[EventID: Hash256]>([:])
    }
}
