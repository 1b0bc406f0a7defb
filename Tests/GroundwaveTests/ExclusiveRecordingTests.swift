import Everything
import Foundation
import GroundwaveMetering
import GroundwaveTesting
import Testing

/// The lease tells devices apart; this tells the recordings of one device apart.
@Suite struct `A recording that has its meter to itself` {
    private let meter = MACAddress("00:15:A5:00:11:22")!

    @Test func `keeps out a second one on this device, which begins nothing, until it has ended`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.record(
            meter: meter, model: .um25c, source: "rfcomm0", isExclusive: true)
        let before = try store.log.lastPosition()
        let error = await #expect(throws: StoreError.self) {
            try await store.record(meter: meter, model: .um25c, source: "ttyACM0", isExclusive: true)
        }
        #expect(error?.code == .busy && error?.hint != nil)
        #expect(error?.message.contains("\(meter)") == true)
        #expect(error?.message.contains("trace \(first.trace.short) from rfcomm0") == true, "\(error?.message ?? "")")
        #expect(try store.log.lastPosition() == before && store.traces().count == 1)
        try await first.append(simulatedRows(0..<10))
        try await first.finish()
        let later = try await store.record(meter: meter, model: .um25c, isExclusive: true)
        try await later.finish()
        let left = try FileManager.default.contentsOfDirectory(atPath: temporary.url.appending(path: "tails").path)
        #expect(left.isEmpty, "\(left)")
    }

    @Test func `keeps out nothing else`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let first = try await store.record(meter: meter, model: .um25c, isExclusive: true)
        let other = try await store.record(
            meter: MACAddress("02:00:00:00:00:01")!, model: .um25c, isExclusive: true)
        // What others read of the meter, and what a file has of it.
        let shared = try await store.record(meter: meter, model: .um25c)
        let filed = try await store.record(meter: meter, model: .um25c, rate: 2)
        #expect(try Set(store.recordings(of: meter).map(\.id)) == [first.trace, shared.trace])
        for recorder in [first, other, shared, filed] { try await recorder.finish() }
        #expect(try store.recordings(of: meter).isEmpty)
    }

    @Test func `lets its meter go when its process ends without a word`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        do {
            let recorder = try await store.record(meter: meter, model: .um25c, isExclusive: true)
            try await recorder.append(simulatedRows(0..<10))
            try await recorder.flush()
        }
        #expect(try store.recordings(of: meter).isEmpty, "it is interrupted")
        let next = try await store.record(meter: meter, model: .um25c, isExclusive: true)
        try await next.finish()
    }
}
