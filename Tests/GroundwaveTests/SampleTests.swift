import Everything
import Foundation
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

@Suite struct `Samples that travel, or stay` {
    @Test func `stay on the device that recorded them, and what is said of them travels`() async throws {
        let fleet = try await SyncedFleet(2)
        let trace = try await fleet[0].recorded(6_000)
        try await fleet.settle()
        #expect(try fleet[0].numbers(of: trace).0.count == 6_000)
        let (numbers, withheld) = try fleet[1].numbers(of: trace)
        #expect(numbers.isEmpty && withheld == 6_000)
        #expect(try fleet[1].summary(of: trace) == fleet[0].summary(of: trace))
        #expect(try fleet[1].digest() == fleet[0].digest())
        // Nobody wants them, so nothing is missing.
        for index in 0..<2 { #expect(try fleet[index].syncStatus().isComplete) }
    }

    @Test(arguments: [0, 1], [true, false])
    func `come when somebody says so of their trace or meter, and stay again`(asker: Int, ofMeter: Bool) async throws {
        let fleet = try await SyncedFleet(3)
        let trace = try await fleet[0].recorded(6_000)
        try await fleet.settle()
        let digest = try fleet[2].digest()
        if ofMeter {
            try await fleet[asker].edit(simulatedMeter, sharing: .synced)
        } else {
            try await fleet[asker].edit(trace: trace, sharing: .synced)
        }
        for _ in 0..<2 { try await fleet.settle() }
        for index in 1..<3 {
            #expect(try fleet[index].numbers(of: trace) == (Array(0..<6_000), 0), "device \(index)")
            #expect(try fleet[index].syncStatus().isComplete)
            #expect(try fleet[index].log.missingValues().isEmpty)
        }
        #expect(try fleet[2].digest() != digest, "the field is a change")
        // The next trace of the meter goes at once where its meter says so.
        let second = try await fleet[0].recorded(2_000)
        try await fleet.settle()
        #expect(try fleet[1].numbers(of: second).0.count == (ofMeter ? 2_000 : 0))
        // What a trace says goes before what its meter says.
        try await fleet[0].edit(trace: trace, sharing: .local)
        #expect(try !fleet[0].samples.isShared(trace))
        try await fleet.settle()
        let newcomer = try await TemporaryStore(joining: .folder(fleet.place), .full())
        #expect(try newcomer.store.syncStatus().valuesMissing == 0)
        for temporary in fleet.stores + [newcomer] {
            try temporary.store.close()
            #expect(try await Store.verify(at: temporary.url, isDeep: true, components: .all).isOK)
        }
    }

    @Test func `are not all there, for who recorded them, until who wants them has them`() async throws {
        let fleet = try await SyncedFleet(2)
        let trace = try await fleet[0].recorded(6_000)
        try await fleet.settle()
        #expect(try fleet[0].syncStatus().isComplete, "nobody wants them")
        try await fleet[0].edit(trace: trace, sharing: .synced)
        // The other one hears of the wish, and says what it lacks; these are sent.
        for index in [0, 1, 0] { try await fleet.sync(index) }
        let waiting = try fleet[0].syncStatus()
        let device = try #require(waiting.remotes.first?.devices.first)
        #expect(device.missing.isEmpty && device.has.isEmpty && !device.wanted.isEmpty && !device.hasSame)
        #expect(!waiting.isComplete && waiting.remotes.first?.isComplete == false)
        for index in [1, 0] { try await fleet.sync(index) }
        #expect(try fleet[1].numbers(of: trace) == (Array(0..<6_000), 0))
        #expect(try fleet[0].syncStatus().isComplete)
        #expect(try fleet[0].syncStatus().remotes.first?.devices.first?.wanted == [])
    }

    @Test func `come by a bundle too`() async throws {
        let fleet = try await SyncedFleet(2)
        let trace = try await fleet[0].recorded(6_000)
        try await fleet[0].edit(trace: trace, sharing: .local)
        try await fleet.settle()
        #expect(try fleet[1].numbers(of: trace).1 == 6_000)
        try await fleet[0].edit(trace: trace, sharing: .synced)
        let bundle = fleet.folder.path("samples.gwb")
        _ = try await fleet[0].createBundle(to: bundle)
        // First the wish, then what it is about.
        for _ in 0..<2 { _ = try await fleet[1].applyBundle(bundle) }
        #expect(try fleet[1].numbers(of: trace) == (Array(0..<6_000), 0))
    }

    @Test func `that came by a bundle stay when the end of the bundle is damaged`() async throws {
        let fleet = try await SyncedFleet(2)
        let trace = try await fleet[0].recorded(6_000)
        try await fleet[0].edit(trace: trace, sharing: .local)
        try await fleet.settle()
        try await fleet[0].edit(trace: trace, sharing: .synced)
        let bundle = fleet.folder.path("samples.gwb")
        _ = try await fleet[0].createBundle(to: bundle)
        #expect(try fleet[1].numbers(of: trace).1 == 6_000, "the samples are not here yet")
        try (Data(contentsOf: URL(filePath: bundle)) + Data("no segment".utf8)).write(to: URL(filePath: bundle))
        // First the wish, then what it is about.
        for _ in 0..<2 {
            await #expect {
                _ = try await fleet[1].applyBundle(bundle)
            } throws: {
                ($0 as? StoreError)?.code == .damaged
            }
        }
        #expect(try fleet[1].numbers(of: trace) == (Array(0..<6_000), 0))
    }

    @Test func `a bundle that is missing is told from one that cannot be opened`() async throws {
        let folder = try TemporaryFolder()
        let temporary = try await TemporaryStore(.full())
        try Data().write(to: URL(filePath: folder.path("file")))
        let words = [
            "none": "There is no file", "": "is not a file", "file/none": "a part of the path is a file",
            "file": "is not a bundle",
        ]
        for (name, reason) in words {
            await #expect {
                _ = try await temporary.store.applyBundle(folder.path(name))
            } throws: {
                ($0 as? StoreError)?.message.contains(reason) == true
            }
        }
    }

    @Test func `of a trace that is not there cannot be asked for`() async throws {
        let temporary = try await TemporaryStore(.full())
        await #expect(throws: StoreError.self) {
            try await temporary.store.edit(trace: RecordID(high: 1, low: 2), sharing: .synced)
        }
    }
}

@Suite struct `Samples that are old` {
    private func store(_ clock: VirtualClock) async throws -> TemporaryStore {
        try await TemporaryStore(Configuration.full(deviceName: "bench", surroundings: .virtual(clock, seed: 1)))
    }

    /// What a user sees of a trace.
    private struct Seen: Equatable {
        let summary: TraceSummary
        let gaps: [TraceGap]
        let picture: String
        let digest: StoreDigest

        /// - Parameter start: Where the plot begins: so early that each block lies in one of its columns.
        init(_ store: Store, _ trace: RecordID, from start: Int64) throws {
            summary = try store.summary(of: trace)
            gaps = try store.gaps(of: trace)
            digest = try store.digest()
            let found = try #require(try store.traces().first { $0.id == trace })
            picture = try store.plot(found, from: start).svg()
        }
    }

    @Test func `go, and nothing that is said of them does`() async throws {
        let clock = VirtualClock()
        let temporary = try await store(clock)
        let store = temporary.store
        let old = try await store.recorded(60_000)
        clock.advance(by: .seconds(40 * 86_400))
        let new = try await store.recorded(3_000)
        // Blocks of some minutes in columns of hours, but for one that may lie across an edge.
        let start: Int64 = 1_700_000_000_000 - 400 * 86_400_000
        let before = try Seen(store, old, from: start)
        let root = try store.log.root(of: try #require(store.replica))
        #expect(try store.oldSamples().days == nil && store.removeOldSamples().blockCount == 0)
        try store.keepSamples(forDays: 30)
        let found = try store.oldSamples()
        #expect(found.days == 30 && found.traces == [old] && found.rowCount == 60_000 && found.heldBackCount == 0)
        #expect(found.byteCount > 1_000)
        let size = try store.logBytes()
        #expect(try store.removeOldSamples() == found)
        #expect(try store.logBytes() < size)
        #expect(try store.numbers(of: old) == ([], 60_000))
        #expect(try store.numbers(of: new) == (Array(0..<3_000), 0))
        #expect(try Seen(store, old, from: start) == before)
        #expect(try store.log.root(of: try #require(store.replica)) == root)
        try FileManager.default.removeItem(at: store.url.appending(path: "views.mdb"))
        #expect(try Seen(store, old, from: start) == before)
        #expect(try store.oldSamples().blockCount == 0 && store.wantedValues().isEmpty)
        try store.close()
        #expect(try await Store.verify(at: temporary.url, isDeep: true, components: .all).isOK)
    }

    @Test func `that travel stay until every other device has shown that it has them`() async throws {
        let clock = VirtualClock()
        let surroundings = Surroundings.virtual(clock, seed: 3)
        let fleet = try await SyncedFleet([
            Configuration.full(deviceName: "bench", surroundings: surroundings),
            Configuration.full(deviceName: "laptop", surroundings: .virtual(clock, seed: 4)),
        ])
        try await fleet.settle()
        let trace = try await fleet[0].recorded(6_000)
        try await fleet[0].edit(trace: trace, sharing: .synced)
        clock.advance(by: .seconds(40 * 86_400))
        try fleet[0].keepSamples(forDays: 30)
        let held = try fleet[0].removeOldSamples()
        let laptop = try #require(fleet[1].replica)
        #expect(held.blockCount == 0 && held.heldBackCount > 0 && held.waitingFor == [laptop])
        #expect(try fleet[0].oldSamples(retired: [laptop]).blockCount == held.heldBackCount)
        try await fleet.settle()
        #expect(try fleet[0].removeOldSamples().blockCount == held.heldBackCount)
        #expect(try fleet[0].numbers(of: trace).1 == 6_000)
        #expect(try fleet[1].numbers(of: trace) == (Array(0..<6_000), 0), "the other one keeps them for ever")
        // They do not come back, neither by asking nor by reading everything anew.
        for index in [1, 0, 1, 0] { try await fleet.sync(index, isFull: true) }
        #expect(try fleet[0].numbers(of: trace).1 == 6_000)
        try fleet[0].keepSamples(forDays: nil)
        try await fleet.settle()
        #expect(try fleet[0].numbers(of: trace).1 == 6_000)
        #expect(try fleet[0].syncStatus().isComplete && fleet[1].syncStatus().isComplete)
        #expect(try fleet[0].digest() == fleet[1].digest())
    }

    /// Two devices with one clock that have met.
    private func pair(_ clock: VirtualClock) async throws -> SyncedFleet {
        let fleet = try await SyncedFleet([
            Configuration.full(deviceName: "bench", surroundings: .virtual(clock, seed: 3)),
            Configuration.full(deviceName: "laptop", surroundings: .virtual(clock, seed: 4)),
        ])
        try await fleet.settle()
        return fleet
    }

    @Test func `that another device has asked for stay until it has them`() async throws {
        let clock = VirtualClock()
        let fleet = try await pair(clock)
        let trace = try await fleet[0].recorded(6_000)
        try await fleet.settle()
        try await fleet[0].edit(trace: trace, sharing: .synced)
        clock.advance(by: .seconds(40 * 86_400))
        try fleet[0].keepSamples(forDays: 30)
        // The laptop has all events, and says which of them it lacks the samples of.
        for index in [0, 1, 0] { try await fleet.sync(index) }
        let held = try fleet[0].removeOldSamples()
        #expect(held.blockCount == 0 && held.heldBackCount > 0 && held.waitingFor.isEmpty)
        try await fleet.settle()
        #expect(try fleet[0].removeOldSamples().blockCount == held.heldBackCount)
        #expect(try fleet[1].numbers(of: trace) == (Array(0..<6_000), 0))
    }

    @Test func `stay where another device has all but the last of them`() async throws {
        let clock = VirtualClock()
        let fleet = try await pair(clock)
        let recorder = try await fleet[0].record(meter: simulatedMeter, model: .um25c, rate: 10)
        try await fleet[0].edit(trace: recorder.trace, sharing: .synced)
        try await fleet.settle()
        // The one event that the laptop lacks.
        try await recorder.append(simulatedRows(0..<500), by: Reception(ReadMoment(1_700_000_000_000)))
        try await recorder.finish()
        clock.advance(by: .seconds(40 * 86_400))
        let old = try fleet[0].oldSamples(keptForDays: 30)
        #expect(old.blockCount == 0 && old.heldBackCount == 1)
        #expect(old.waitingFor == [try #require(fleet[1].replica)])
    }

    @Test func `are kept from one day to a hundred years`() async throws {
        let temporary = try await TemporaryStore(.full())
        for days in [0, -1, 36_501] {
            #expect(throws: StoreError.self) { try temporary.store.keepSamples(forDays: days) }
        }
        try temporary.store.keepSamples(forDays: 1)
        #expect(try temporary.store.sampleDays() == 1)
        #expect(try temporary.store.removeOldSamplesIfDue() == nil, "not for a few bytes")
    }
}
