import Everything
import Foundation
import Groundwave
import GroundwaveMetering
import SimulatedMeters

/// Records the rows of a simulated meter, each with its number as a value, and keeps the bytes that the meter sends.
///
/// `trace FOLDER SEED ARRIVALS`: creates or opens the store, and records one trace of this number of arrivals of one
/// to 40 rows, some milliseconds apart. A row is promised one second after the call that brought it, or when a flush
/// or the end has returned.
struct TraceSession {
    let folder: String
    var generator: SeededGenerator
    private var sent: [(time: ContinuousClock.Instant, count: Int)] = []
    private var said = 0

    init(_ folder: String, _ generator: SeededGenerator) { (self.folder, self.generator) = (folder, generator) }

    mutating func run(arrivals: Int) async {
        do {
            let url = URL(filePath: StoreSession.path(in: folder))
            let configuration = StoreSession.configuration(in: folder)
            let isNew = !FileManager.default.fileExists(atPath: url.path)
            let store =
                isNew
                ? try await Store.create(at: url, configuration) : try await Store.open(at: url, configuration).whole
            Witness.write(line: "a create")
            let address = MACAddress("02:00:00:00:00:01")!
            let recorder = try await store.record(meter: address, model: .um25c, isKeepingCapture: true)
            var (decoder, count) = (MeterModel.um25c.makeDecoder(), 0)
            for arrival in 0..<arrivals {
                var (rows, bytes) = (DecodedRows(), [UInt8]())
                for _ in 0..<Int.random(in: 1...40, using: &generator) {
                    bytes += Self.frame(count)
                    count += 1
                }
                decoder.consume(bytes.span.bytes, into: &rows)
                let piece = CapturedBytes(.received, at: Int64(Date().timeIntervalSince1970 * 1000), bytes)
                try await recorder.append(rows, by: Reception(ReadMoment(piece.time)), of: [piece])
                sent.append((.now, count))
                if arrival % 40 == 39 {
                    try await recorder.flush()
                    say(recorder, count)
                } else {
                    let due = sent.last { $0.time <= .now - .seconds(1) }
                    if let due { say(recorder, due.count) }
                }
                try await Task.sleep(for: .milliseconds(.random(in: 0...20, using: &generator)))
            }
            try await recorder.finish()
            say(recorder, count)
            Witness.write(line: "a finish \(recorder.trace)")
            try store.close()
        } catch {
            let isRecovering = (error as? StoreError)?.code == .recovering
            Witness.write(line: "\(isRecovering ? "w" : "x") trace \(StoreSession.words(error))")
        }
    }

    private mutating func say(_ recorder: TraceRecorder, _ count: Int) {
        guard count > said else { return }
        said = count
        Witness.write(line: "t \(recorder.trace) \(count)")
    }

    /// The response of a UM25C that has `number` as the charge of its first group, and a varying voltage.
    static func frame(_ number: Int) -> [UInt8] {
        answerOfUM25C(number, voltage: 5_000 + number % 97, current: 1_000 + number % 13)
    }
}

/// Checks what must hold for recordings after any fault.
struct TraceCheck {
    let folder: String
    let promises: Promises

    init(_ folder: String) throws {
        self.folder = folder
        promises = try Promises(readingFrom: "\(folder)/promises")
    }

    func run() async throws {
        let url = URL(filePath: StoreSession.path(in: folder))
        guard let store = try await Check(folder).opened() else { return }
        let traces = try store.traces()
        for (name, count) in promises.traces.sorted(by: { $0.key < $1.key }) {
            guard let trace = traces.first(where: { "\($0.id)" == name }) else {
                wrong("the trace \(name) is not there")
                continue
            }
            let found = try check(trace, in: store, count)
            // The kept bytes are those of all these rows, and perhaps of later ones.
            let decoded = try await store.decode(trace)
            guard let again = try store.traces().first(where: { $0.id == decoded.trace }) else { continue }
            if try check(again, in: store, found) < found { wrong("the bytes have fewer rows") }
        }
        let kept = (try? FileManager.default.contentsOfDirectory(atPath: url.appending(path: "tails").path)) ?? []
        if !kept.isEmpty { wrong("tails are left: \(kept.joined(separator: ", "))") }
        try store.close()
        let verification = try await Store.verify(at: url, isDeep: true, archives: [], components: .all)
        for damage in verification.damage.prefix(5) { wrong("verify --deep: \(damage.what) \(damage.detail)") }
    }

    /// - Returns: The number of rows found.
    private func check(_ trace: Trace, in store: Store, _ promised: Int) throws -> Int {
        var (next, last) = (0, Int64(0))
        try store.forEachPiece(of: trace.id) { piece in
            guard case .rows(let rows) = piece,
                let column = rows.layout.channels.firstIndex(where: { $0.name == "group0.charge" })
            else {
                wrong("a piece of the trace \(trace.id) is not there")
                return true
            }
            if rows.first != UInt64(next) { wrong("row \(rows.first) follows row \(next - 1)") }
            for value in rows.columns[column] {
                if value != Int64(next) { wrong("row \(next) says \(value)") }
                next += 1
            }
            last = rows.times.last ?? last
            return true
        }
        if next < promised { Witness.write(line: "l \(promised - next)") }
        if trace.end == nil { wrong("the trace \(trace.id) does not say how it ended") }
        if promises.finished.contains("\(trace.id)"), trace.end != .finished {
            wrong("the trace \(trace.id) was finished and says \(trace.end?.rawValue ?? "nothing")")
        }
        if next > 0, trace.ended != last { wrong("the trace \(trace.id) does not say when it ended") }
        return next
    }

    private func wrong(_ words: String) { Witness.write(line: "w \(words)") }
}
