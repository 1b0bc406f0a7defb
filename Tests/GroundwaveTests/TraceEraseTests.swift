import Everything
import Foundation
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

@Suite struct `Erasing a trace` {
    private static let texts = ["N0GONE", "Bartholomew"]

    /// A trace with a name, and text among the captured bytes; it has ended.
    private func recorded(_ store: Store, rows: Int = 6_000) async throws -> RecordID {
        let recorder = try await store.record(
            meter: simulatedMeter, model: .um25c, name: "Bartholomew's bank", rate: 10,
            isKeepingCapture: true)
        let piece = CapturedBytes(.received, at: 1_700_000_000_000, Array("N0GONE was here".utf8))
        let reception = Reception(ReadMoment(1_700_000_000_000))
        try await recorder.append(simulatedRows(0..<rows), by: reception, of: [piece])
        try await recorder.finish()
        _ = try await store.mark(recorder.trace, at: 1_700_000_000_000, "N0GONE unplugged it")
        return recorder.trace
    }

    private func search(_ store: Store) throws -> [String] {
        try StoreSearch.files(below: store.url, holding: Self.texts)
    }

    @Test func `from one moment up to another removes rows and captured bytes there from every device, and no others`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        let trace = try await recorded(fleet[0])
        try await fleet[0].edit(trace: trace, sharing: .synced)
        for _ in 0..<3 { try await fleet.settle() }
        let all = try fleet[1].numbers(of: trace).0
        let times = try fleet[0].summary(of: trace)
        let start = try #require(times.firstTime)
        // Ten rows a second: the first 600.
        let erased = try await fleet[1].erase(trace: trace, from: start - 1, to: start + 60_000)
        #expect(erased.withheldCount > 1)
        for _ in 0..<3 { try await fleet.settle() }
        for index in 0..<2 {
            #expect(try fleet[index].numbers(of: trace).0 == Array(all.dropFirst(600)))
            #expect(try fleet[index].summary(of: trace).hiddenCount == 600)
            #expect(try fleet[index].markers(of: trace).isEmpty)
            #expect(try StoreSearch.files(below: fleet[index].url, holding: ["N0GONE"]).isEmpty)
            let found = try #require(try fleet[index].traces().first)
            #expect(found.name == "Bartholomew's bank")
            #expect(try fleet[index].verify(found).damage.isEmpty)
        }
    }

    @Test func `from one moment up to another on two devices at once shows each other row once`() async throws {
        let fleet = try await SyncedFleet(2)
        let trace = try await recorded(fleet[0])
        try await fleet[0].edit(trace: trace, sharing: .synced)
        for _ in 0..<3 { try await fleet.settle() }
        let start = try #require(try fleet[0].summary(of: trace).firstTime)
        // Ten rows a second; both stretches lie in the first block.
        try await fleet[0].erase(trace: trace, from: start + 10_000, to: start + 20_000)
        try await fleet[1].erase(trace: trace, from: start + 30_000, to: start + 40_000)
        for _ in 0..<4 { try await fleet.settle() }
        let rest = Array(0..<100) + Array(200..<300) + Array(400..<6_000)
        let charge = zip(rest, rest.dropFirst()).filter { $0.0 + 1 == $0.1 }.reduce(Int128(0)) {
            $0 + Int128(2_000 + $1.0 % 100 + $1.1 % 100) * 100
        }
        for round in 0..<2 {
            for index in 0..<2 {
                #expect(try fleet[index].numbers(of: trace).0 == rest)
                let summary = try fleet[index].summary(of: trace)
                #expect(summary.rowCount == 5_800 && summary.hiddenCount == 200)
                #expect(summary.parts.reduce(into: Totals()) { $0.append($1.totals) }.charge == charge)
                let damage = try fleet[index].verify(try #require(try fleet[index].traces().first)).damage
                #expect(damage == [])
            }
            if round > 0 { break }
            // Each had kept what the other erased: once more takes that too, and then nothing is left of it.
            for from in [start + 10_000, start + 30_000] {
                let again = try await fleet[0].erase(trace: trace, from: from, to: from + 10_000)
                #expect(again.withheldCount == 1)
                #expect(try await fleet[0].erase(trace: trace, from: from, to: from + 10_000).withheldCount == 0)
            }
            for _ in 0..<4 { try await fleet.settle() }
        }
    }

    @Test func `removes its rows, name and captured bytes from every device, and no sum of another trace`() async throws
    {
        let fleet = try await SyncedFleet(2)
        let trace = try await recorded(fleet[0])
        let other = try await fleet[0].recorded(500, name: "stays")
        try await fleet[0].edit(trace: trace, sharing: .synced)
        for _ in 0..<3 { try await fleet.settle() }
        #expect(try fleet[1].numbers(of: trace).0.count == 6_000)
        #expect(try fleet[1].markers(of: trace).map(\.text) == ["N0GONE unplugged it"])
        for index in 0..<2 { #expect(try !search(fleet[index]).isEmpty) }
        let erased = try await fleet[1].erase(trace: trace)
        #expect(erased.records == [trace] && erased.withheldCount > 3)
        for _ in 0..<3 { try await fleet.settle() }
        for index in 0..<2 {
            let store = fleet[index]
            #expect(try store.traces().map(\.id) == [other])
            #expect(try store.numbers(of: trace).0.isEmpty)
            #expect(try store.captureSize(of: trace) == 0 || store.captures(of: trace).tail.isEmpty)
            let (numbers, withheld) = try store.numbers(of: other)
            #expect(numbers.count + Int(withheld) == 500 && withheld == (index == 0 ? 0 : 500))
            #expect(try search(store) == [], "device \(index)")
            #expect(try store.syncStatus().isComplete)
        }
        #expect(try fleet[0].digest() == fleet[1].digest())
        // Once more is nothing, and what was erased does not come back.
        #expect(try await fleet[0].erase(trace: trace).withheldCount == 0)
        let refused = await #expect(throws: StoreError.self) { try await fleet[0].setHidden(false, trace: trace) }
        #expect(refused?.code == .usage)
        #expect(try fleet[0].numbers(of: trace).0.isEmpty)
        for temporary in fleet.stores {
            try temporary.store.close()
            #expect(try await Store.verify(at: temporary.url, isDeep: true, components: .all).isOK)
        }
    }

    @Test func `removes hidden markers too`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let trace = try await store.recorded(10)
        let marker = try await store.mark(trace, at: 1, "N0GONE unplugged it")
        try await store.write { try $0.remove(Metering.marker.name, marker.id) }
        #expect(try store.markers(of: trace).isEmpty && !search(store).isEmpty)
        try await store.erase(trace: trace)
        #expect(try search(store) == [])
    }

    @Test func `is refused while it is recorded, and where there is none`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let recorder = try await store.record(meter: simulatedMeter, model: .um25c, rate: 10)
        try await recorder.append(simulatedRows(0..<10), by: Reception(ReadMoment(1_700_000_000_000)))
        try await recorder.flush()
        var error = await #expect(throws: StoreError.self) { try await store.erase(trace: recorder.trace) }
        #expect(error?.code == .busy)
        error = await #expect(throws: StoreError.self) { try await store.setHidden(true, trace: recorder.trace) }
        #expect(error?.code == .busy)
        #expect(try store.numbers(of: recorder.trace).0.count == 10)
        try await recorder.finish()
        let nobody = RecordID(high: 1, low: 2)
        error = await #expect(throws: StoreError.self) { try await store.erase(trace: nobody) }
        #expect(error?.code == .notFound)
        error = await #expect(throws: StoreError.self) { try await store.setHidden(false, trace: nobody) }
        #expect(error?.code == .notFound)
    }

    @Test func `is more than hiding it, which keeps everything`() async throws {
        let temporary = try await TemporaryStore(.full())
        defer { withExtendedLifetime(temporary) {} }
        let store = temporary.store
        let trace = try await recorded(store, rows: 100)
        #expect(try await store.setHidden(true, trace: trace).value)
        #expect(try await !store.setHidden(true, trace: trace).value)
        #expect(try store.traces().isEmpty && store.traces(hidden: true).map(\.id) == [trace])
        #expect(try store.numbers(of: trace).0.count == 100)
        #expect(try await store.setHidden(false, trace: trace).value)
        #expect(try await !store.setHidden(false, trace: trace).value)
        #expect(try store.traces().map(\.name) == ["Bartholomew's bank"] && store.traces(hidden: true).isEmpty)
    }
}
