import Everything
import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveStore

/// What another program does to a store while this one makes an archive of it.
@Suite(.serialized) struct `An archive beside another program` {
    private static let texts = ["Bartholomew", "Mislaid Valley"]

    private static func store() async throws -> (temporary: TemporaryStore, point: Point, old: RecordID) {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let store = temporary.store
        try await store.importText(generatedLog(100))
        let old = try await store.write { batch in
            try batch.add("qso", [Assignment("CALL", text: "N0OLD"), Assignment("NAME", text: "Bartholomew")])
        }.value
        try await store.write(note: "He lives in Mislaid Valley") {
            try $0.set("qso", old, [Assignment("QTH", text: "Mislaid Valley")])
        }
        let point = Point.position(try store.log.lastPosition())
        try await store.write { try $0.set("qso", old, [Assignment("NAME", text: "Bart")]) }
        return (temporary, point, old)
    }

    @Test(arguments: 1...3) func `has nothing of what that one erases meanwhile, and nothing comes back`(
        moment: Int
    ) async throws {
        let (temporary, point, old) = try await Self.store()
        let folder = try TemporaryFolder()
        let file = folder.path("old.gwa")
        let meanwhile = Meanwhile(at: moment) { try await temporary.store.erase([old]) }
        let archiving = try await temporary.reopened(Configuration.full(surroundings: meanwhile.surroundings))
        meanwhile.arm(archiving)
        try await archiving.archive(before: point, to: file)
        #expect(meanwhile.hasRun)
        #expect(try archiving.record("qso", old)?.fields.allSatisfy(\.shown.isWithheld) != false)
        try archiving.close()
        try temporary.store.close()
        #expect(try StoreSearch.files(below: temporary.url, holding: Self.texts) == [])
        #expect(try StoreSearch.files(below: folder.url, holding: Self.texts) == [])
        let verification = try await Store.verify(at: temporary.url, isDeep: true, archives: [file], components: .all)
        #expect(verification.damage == [])
    }

    @Test(arguments: 1...3) func `does not take the place of a later one that is made meanwhile`(
        moment: Int
    ) async throws {
        let (temporary, point, old) = try await Self.store()
        let folder = try TemporaryFolder()
        let (file, later) = (folder.path("old.gwa"), folder.path("later.gwa"))
        let last = Point.position(try temporary.store.log.lastPosition())
        let meanwhile = Meanwhile(at: moment) { try await temporary.store.archive(before: last, to: later) }
        let archiving = try await temporary.reopened(Configuration.full(surroundings: meanwhile.surroundings))
        let content = try archiving.digest().content
        meanwhile.arm(archiving)
        let error = await #expect(throws: StoreError.self) { try await archiving.archive(before: point, to: file) }
        #expect(meanwhile.hasRun)
        #expect(error?.code == .usage && error?.message == "The log is already archived beyond that point.")
        #expect(!FileManager.default.fileExists(atPath: file), "a file that no log leads to is not left")
        #expect(try archiving.digest().content == content)
        #expect(try archiving.record("qso", old) != nil)
        try archiving.close()
        try temporary.store.close()
        #expect(
            try await Store.verify(at: temporary.url, isDeep: true, archives: [later], components: .all).damage == [])
    }
}

/// Surroundings whose clock, when it is asked for the given time once armed, first has something else happen.
private final class Meanwhile: Sendable {
    private let moment: Int
    private let body: @Sendable () async throws -> Void
    private let asked = Mutex<Int?>(nil)

    init<Value>(at moment: Int, _ body: @escaping @Sendable () async throws -> Value) {
        self.moment = moment
        self.body = { _ = try await body() }
    }

    /// Counts from now on how often `store`, which has these surroundings, asks for the time.
    ///
    /// Maintenance asks too, on a thread of its own, so it is stopped first: then only what the test calls asks.
    func arm(_ store: Store) {
        store.maintenanceSchedule.stop()
        asked.withLock { $0 = 0 }
    }

    var hasRun: Bool { asked.withLock { ($0 ?? 0) >= moment } }

    var surroundings: Surroundings {
        Surroundings(
            now: { [self] in
                let isDue = asked.withLock { asked in
                    guard let count = asked else { return false }
                    asked = count + 1
                    return count + 1 == moment
                }
                if isDue { wait() }
                return .now()
            }, randomNumber: Surroundings.system.randomNumber)
    }

    private func wait() {
        let done = DispatchSemaphore(value: 0)
        Task.detached { [body] in
            do { try await body() } catch { Issue.record(error) }
            done.signal()
        }
        done.wait()
    }
}
