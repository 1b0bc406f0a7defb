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
        try await fleet[0].setHidden(false, trace: trace)
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
