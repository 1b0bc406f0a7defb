import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTesting
import SimulatedMeters
import Testing

/// One recording of a simulated meter, in the time of a virtual clock.
struct Run {
    let trace: RecordID
    /// The meter after it.
    let meter: MeterScript
    let recorded: Recorded

    private let store: Store
    private let start: Arrival
    private let reads: [(time: Int64, byteCount: Int)]

    /// Records everything that `meter` sends.
    init(_ meter: MeterScript, _ clock: VirtualClock, in store: Store) async throws {
        self.store = store
        start = clock.now
        let (model, link) = meter.family.model
        let port = ScriptedPort(meter, clock)
        let recorder = try await store.record(
            meter: MACAddress("02:00:00:00:00:01")!, model: model, over: link,
            rate: port.isFile ? model.usualRowsPerSecond(over: link) : nil, isKeepingCapture: true)
        var feed = MeterFeed(model, over: link, from: port, now: { clock.now })
        while true {
            let step = try feed.next()
            try await recorder.append(step.rows, by: step.reception, of: step.pieces)
            if step.isAtEnd { break }
        }
        try await recorder.finish()
        (trace, self.meter, reads) = (recorder.trace, port.meter, port.reads)
        recorded = try store.recorded(trace, meter.family)
    }

    /// Compares what was recorded with what the meter did.
    func judged() throws -> Judge {
        var judge = Judge(meter, recorded) { byteCount in
            let place = reads.partitioningIndex { $0.byteCount >= byteCount }
            return place < reads.count ? reads[place].time : reads.last?.time ?? 0
        }
        judge.judgeTimes(start: start.wallMilliseconds, slack: 5)
        return judge
    }

    /// Whether the trace is found to be whole.
    func isVerified() throws -> Bool { try store.verify(found()).isOK }

    private func found() throws -> Trace { try #require(try store.traces().first { $0.id == trace }) }

    /// The rows that are decoded from the captured bytes.
    func decoded() async throws -> [Recorded.Row] {
        let trace = try found()
        return try store.recorded(try await store.decode(trace).trace, meter.family).rows
    }
}

extension Array {
    /// The first place of an element for which `isBehind` is true: it is for all behind that, too.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Family {
    /// The model of which it is, and the link over which it sends.
    var model: (MeterModel, MeterModel.Link) {
        switch self {
        case .um24c: (.um24c, .bluetooth)
        case .um25c: (.um25c, .bluetooth)
        case .um34c: (.um34c, .bluetooth)
        case .tc66c: (.tc66c, .usb)
        case .fnirsiUSB: (.fnb58, .usb)
        case .fnirsiBluetooth: (.fnb58, .bluetooth)
        case .km003cQueue, .km003cReadings: (.km003c, .usb)
        case .atorch: (.atorch, .bluetooth)
        }
    }
}

extension Store {
    /// What is recorded of a trace of this family.
    func recorded(_ trace: RecordID, _ family: Family) throws -> Recorded {
        var (bytes, steps) = ([UInt8](), [Int64]())
        let found = try #require(try traces().first { $0.id == trace })
        _ = try export(found, as: .csv) { bytes += $0 }
        var recorded = try Recorded(csv: String(decoding: bytes, as: UTF8.self), of: family)
        for gap in try gaps(of: trace) {
            let telling: Recorded.Telling =
                switch gap.kind {
                case .unanswered: .unanswered
                case .estimated: .estimated
                default: .counted
                }
            recorded.gaps[Int(gap.row), default: [:]][telling, default: 0] += Int(gap.count)
        }
        try forEachPiece(of: trace) { piece in
            if case .rows(let rows) = piece { steps += rows.marks.filter { $0.kind == .clock }.map(\.clockStep) }
            return true
        }
        recorded.wallSteps = steps
        let parts = try summary(of: trace).parts
        recorded.charge = parts.compactMap { $0.layout.ampereHours($0.totals) }.reduce(0, +)
        recorded.energy = parts.compactMap { $0.layout.wattHours($0.totals) }.reduce(0, +)
        return recorded
    }
}
