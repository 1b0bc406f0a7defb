import Foundation
import GroundwaveTesting
import Testing

@Suite struct `Killing an import` {
    /// What an import that nobody disturbs ends with, and how long it takes; found out once.
    private struct Undisturbed {
        let log: GeneratedLog
        let export: [Data]
        let seconds: Double

        static let result = Result { try Undisturbed() }

        init() throws {
            // 4096 events at most are one batch: there is something between none and all.
            log = try GeneratedLog(count: 9000)
            let folder = try TemporaryFolder()
            let store = folder.url.appending(path: "store")
            #expect(try Program.groundwave("init", "--store", store.path).ended(0))
            let start = ContinuousClock.now
            #expect(try Program.groundwave("import", log.path, "--store", store.path).ended(0))
            seconds = (ContinuousClock.now - start) / .seconds(1)
            export = try Inspection.exported(store)
            #expect(Inspection.numbers(in: export) == Array(0..<log.count))
        }
    }

    @Test(arguments: trials)
    func `leaves whole batches, and the same import completes it`(moment: UInt64) async throws {
        let undisturbed = try Undisturbed.result.get()
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))

        // Two of three moments lie in the last third of the time, when batches are being committed.
        var generator = SeededGenerator(seed: moment)
        let share = (Double(moment) + .random(in: 0..<1, using: &generator)) / Double(trials.upperBound + 1)
        let part = moment.isMultiple(of: 3) ? share : 0.66 + share / 3
        let child = try Child(Program.path("groundwave"), ["import", undisturbed.log.path, "--store", store.path])
        usleep(UInt32(part * undisturbed.seconds * 1_000_000))
        child.killNow()
        _ = child.wait()

        let left = try Inspection.log(of: store)
        #expect(left.events <= 9000 + 4, "the contacts, the end of each of three batches, and the replica")
        if moment.isMultiple(of: 4) {
            let numbers = Inspection.numbers(in: try Inspection.exported(store))
            #expect(numbers == Array(0..<numbers.count), "what came in is the beginning of the file")
        }
        #expect(try Program.groundwave("import", undisturbed.log.path, "--store", store.path).ended(0))
        _ = try Inspection.log(of: store)
        #expect(try Inspection.exported(store) == undisturbed.export)
        if moment.isMultiple(of: 6) {
            let again = try Program.groundwave("import", undisturbed.log.path, "--store", store.path)
            #expect(again.output.contains("imported: 0, updated: 0, unchanged: 9000"), "\(again.output)")
            let digests = try await Inspection.digests(of: store)
            #expect(digests.shown == digests.folded)
            // However often it was begun, it is one import.
            #expect(try Program.groundwave("revert", "--import", "last", "--yes", "--store", store.path).ended(0))
            #expect(Inspection.numbers(in: try Inspection.exported(store)) == [])
        }
    }

    @Test(arguments: trials)
    func `single writes that were acknowledged are there, and at most one more`(moment: UInt64) async throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let child = try Child(Program.path("fault-writer"), [store.path, "100000", "one"])
        #expect(child.waitUntilSaid("saved 1\n"))
        var generator = SeededGenerator(seed: moment)
        usleep(UInt32.random(in: 1000...400_000, using: &generator))
        child.killNow()
        let acknowledged = child.wait().output.split(separator: "\n").count
        // The first event introduces the replica.
        let events = try Inspection.log(of: store).events - 1
        #expect(events == acknowledged || events == acknowledged + 1)
    }
}
