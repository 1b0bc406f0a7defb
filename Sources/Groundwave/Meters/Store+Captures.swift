import EventLog
import Events
import Foundation
import Metering
import Projections
import Records

/// What was made of a capture.
public struct Decoded: Sendable {
    /// The new trace.
    public let trace: RecordID
    /// How many bytes of the meter there were.
    public internal(set) var byteCount = 0
    /// How many of them gave no row, those left out that no meter means as one.
    public internal(set) var refusedByteCount = 0
    /// How many bytes, of both sides, are withheld.
    public internal(set) var withheldCount: UInt64 = 0
    /// How many bytes, of both sides, should be here and cannot be read: damaged, lost, or of a later version.
    public internal(set) var unreadableCount: UInt64 = 0
}

extension Store {
    /// Makes a new trace of what went over the line while `trace` was recorded, with the decoder of this version.
    ///
    /// The rows have the times at which their bytes came; where the input did not say when, they are as far apart as the
    /// recording had them. The old trace stays.
    ///
    /// - Parameter name: What people call the new one.
    /// - Throws: ``StoreError`` with code `notFound` where nothing was kept of `trace`, or all of it is withheld; with code
    ///   `usage` where its model is not known.
    public func decode(_ trace: Trace, name: String = "", author: String? = nil) async throws -> Decoded {
        let captures = try captures(of: trace.id)
        guard captures.byteCount > 0 else {
            throw StoreError(
                .notFound, "The trace \(trace.id.short) has only rows, not the bytes that the meter sent.",
                hint: "Record with --raw to keep the bytes that the meter sends.")
        }
        guard
            try !captures.tail.isEmpty || captures.blocks.contains(where: { try byteCount(of: $0.block).items != nil })
        else {
            throw StoreError(
                .notFound,
                "The meter's bytes of the trace \(trace.id.short) are withheld: on another device, or removed as old.",
                hint: "To share samples: groundwave trace set ID --samples synced")
        }
        guard let meter = trace.meter, let model = trace.model else {
            throw StoreError(.usage, "The model of the trace \(trace.id.short) is not known to this version.")
        }
        let recorder = try await record(
            meter: meter, model: model, over: trace.link, name: name, source: "decoded from \(trace.id.short)",
            rate: trace.rate, started: trace.started, author: author)
        var replay = CaptureReplay(trace, model, into: recorder)
        do {
            for (block, summary) in captures.blocks {
                switch try capture(of: block, summary) {
                case .here(let capture):
                    try await replay.add(capture)
                    continue
                case .withheld: replay.decoded.withheldCount += block.count
                default: replay.decoded.unreadableCount += block.count
                }
                try await replay.breakOff()
            }
            for capture in captures.tail { try await replay.add(capture) }
            try await replay.breakOff()
            try await recorder.finish()
        } catch {
            try? await recorder.stop()
            throw error
        }
        return replay.decoded
    }
}

/// Bytes that went over the line once, given to a decoder again.
private struct CaptureReplay {
    let recorder: TraceRecorder
    private let rate: Double?
    private let poll: MeterConversation.Repeated?
    private var decoder: MeterDecoder
    private var times: RowTimes?
    private var hasBegun = false
    private var lastTime: Int64 = 0
    var decoded: Decoded

    init(_ trace: Trace, _ model: MeterModel, into recorder: TraceRecorder) {
        let link = trace.link ?? model.links[0]
        (self.recorder, rate, decoded) = (recorder, trace.rate, Decoded(trace: recorder.trace))
        poll = model.conversation(over: link).poll
        decoder = model.makeDecoder(over: link)
    }

    mutating func add(_ capture: Capture) async throws {
        var rows = DecodedRows()
        for piece in capture.pieces {
            rows.removeAll()
            switch piece.way {
            case .sent:
                if !hasBegun { decoder.begin(into: &rows) }
                hasBegun = true
                let number = poll?.transactionOffset.flatMap { piece.bytes.indices.contains($0) ? $0 : nil }
                let isPoll = number.map { poll?.bytes(transaction: piece.bytes[$0]) == piece.bytes } ?? false
                decoder.asked(transaction: isPoll ? number.map { piece.bytes[$0] } : nil)
            case .received:
                decoded.byteCount += piece.bytes.count
                decoder.take(piece.bytes.span.bytes, into: &rows)
            }
            lastTime = piece.time
            try await append(rows)
        }
    }

    private mutating func append(_ rows: DecodedRows) async throws {
        decoded.refusedByteCount += rows.refusedByteCount
        guard let rate else {
            _ = try await recorder.append(rows, times: .at(lastTime))
            return
        }
        times = try await recorder.append(rows, times: times ?? .paced(RowPacer(from: lastTime, perSecond: rate)))
    }

    /// What comes next does not follow what came: as where the meter was connected anew.
    mutating func breakOff() async throws {
        var rest = DecodedRows()
        decoder.finish(into: &rest)
        // A frame that waited for what follows it counts when nothing does.
        try await append(rest)
    }
}

/// What was kept of what went over the line while a trace was recorded.
struct KeptCaptures {
    /// Blocks in the log, in order, and what is said of them.
    var blocks: [(block: StoredBlock, summary: [UInt8])] = []
    /// What comes behind them, of a recording that goes on here.
    var tail: [Capture] = []

    /// How many bytes that is, both ways.
    var byteCount: UInt64 {
        blocks.reduce(0) { $0 + $1.block.count } + tail.reduce(0) { $0 + UInt64($1.byteCount) }
    }
}

extension Reading {
    /// How many bytes of what went over the line were kept beside the rows of `trace`, both ways; 0 where nothing was.
    public func captureSize(of trace: RecordID) throws -> UInt64 { try captures(of: trace).byteCount }

    func captures(of trace: RecordID) throws -> KeptCaptures {
        // Before the blocks: what goes into the log meanwhile is met twice then, and not never.
        let tail = Tails.content(of: trace, in: self).captures
        var captures = try read { view in
            var captures = KeptCaptures()
            try view.forEachBlock(of: Metering.capture.name, Metering.captureID(trace)) { block, summary in
                captures.blocks.append((block, summary.toArray()))
                return true
            }
            return captures
        }
        let next = captures.blocks.last.map { $0.block.first + $0.block.count } ?? 0
        captures.tail = tail.filter { $0.first >= next }
        return captures
    }

    /// What was said over the line, of `block`.
    func capture(of block: StoredBlock, _ summary: [UInt8]) throws -> BlockContent<Capture> {
        try content(of: block) {
            $0.elementsEqual(summary.span.bytes)
        } _: { content in
            let capture = try summary.withSpan { try Capture(content, summary: $0, first: block.first) }
            guard capture.byteCount == block.count else { throw SummaryError.malformed }
            return capture
        }
    }
}
