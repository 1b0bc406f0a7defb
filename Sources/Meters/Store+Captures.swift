import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The result of decoding a capture.
public struct Decoded: Sendable {
    /// The new trace.
    public let trace: RecordID
    /// The number of bytes from the meter.
    public internal(set) var byteCount = 0
    /// The number of these that gave no row, not counting frames that carry no measurement.
    public internal(set) var refusedByteCount = 0
    /// The number of bytes, in both directions, that are withheld.
    public internal(set) var withheldCount: UInt64 = 0
    /// The number of bytes, in both directions, that should be here and cannot be read: damaged, lost, or of a later
    /// version.
    public internal(set) var unreadableCount: UInt64 = 0
}

extension Store {
    /// Decodes the line traffic that was captured while `trace` was recorded into a new trace, with the decoder of
    /// this version.
    ///
    /// The rows have the times at which their bytes came; if the input had no times, they are as far apart as in the
    /// recording. The old trace stays.
    ///
    /// - Parameters:
    ///   - trace: The recorded trace.
    ///   - name: The name of the new trace.
    ///   - author: The author, if other than that of the store.
    /// - Throws: ``StoreError`` with code `notFound` if nothing was captured for `trace`, or all of it is withheld;
    ///   with code `usage` if its model is not known.
    public func decode(_ trace: Trace, name: String = "", author: String? = nil) async throws -> Decoded {
        let captures = try captures(of: trace.id)
        guard captures.byteCount > 0 else {
            throw StoreError(
                .notFound, "The trace \(trace.id.short) has only rows, not the bytes that the meter sent.",
                hint: "To keep the bytes that the meter sends: \(.recordBytes)")
        }
        guard
            try !captures.tail.isEmpty || captures.blocks.contains(where: { try byteCount(of: $0.block).items != nil })
        else {
            throw StoreError(
                .notFound,
                "The meter's bytes of the trace \(trace.id.short) are withheld: on another device, or removed as old.",
                hint: "To share samples: \(.shareSamples(trace: trace.id.short))")
        }
        guard let meter = trace.meter, let model = trace.model else {
            throw StoreError(.usage, "The model of the trace \(trace.id.short) is not known to this version.")
        }
        let recorder = try await record(
            meter: meter, model: model, over: trace.link, name: name, source: "decoded from \(trace.id.short)",
            rate: trace.rate, started: trace.started, author: author)
        let hidden = HiddenRows(try hiddenStretches(of: trace.id))
        var replay = CaptureReplay(trace, model, without: hidden, into: recorder)
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

/// A replay of captured bytes through a decoder.
private struct CaptureReplay {
    let recorder: TraceRecorder
    private let hidden: HiddenRows
    private let poll: MeterConversation.Repeated?
    private var decoder: MeterDecoder
    // The bytes that came before the first request, if there was one: they are of an earlier connection.
    private var unasked: [CapturedBytes]? = []
    private var requestCount = 0
    private var lastTime: Int64 = 0
    /// A piece from the meter whose successor is not known yet.
    private var held: CapturedBytes?
    var decoded: Decoded

    init(_ trace: Trace, _ model: MeterModel, without hidden: HiddenRows, into recorder: TraceRecorder) {
        let link = trace.link ?? model.links[0]
        self.hidden = hidden
        (self.recorder, decoded) = (recorder, Decoded(trace: recorder.trace))
        poll = model.conversation(over: link).poll
        decoder = model.makeDecoder(over: link)
    }

    mutating func add(_ capture: Capture) async throws {
        for piece in capture.pieces {
            if hidden.contains(piece.time) {
                try await breakOff()
                continue
            }
            if piece.direction == .received, mayPrecedeRequests(piece) {
                unasked?.append(piece)
            } else {
                try await playUnasked(isStale: piece.direction == .sent)
                try await play(piece)
            }
        }
    }

    // Whether the first request may follow this piece. A feed sends it after a second, or never; a second more is for
    // a machine that is busy, and the limit of bytes for an input that is read at once.
    private func mayPrecedeRequests(_ piece: CapturedBytes) -> Bool {
        guard let unasked else { return false }
        let duration = piece.time - (unasked.first ?? piece).time
        return duration <= 2 * MeterFeed.longestDrainMilliseconds
            && unasked.reduce(0) { $0 + $1.bytes.count } < Self.longestDrainByteCount
    }

    private static let longestDrainByteCount = 1 << 20

    private mutating func playUnasked(isStale: Bool) async throws {
        guard let pieces = unasked else { return }
        unasked = nil
        if isStale { begin() }
        for piece in pieces { try await play(piece) }
        try await playHeld()
        if isStale { begin() }
    }

    // Reports a new connection, which gives no rows.
    private mutating func begin() {
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoded.refusedByteCount += rows.refusedByteCount
    }

    // Holds bytes from the meter until it is known how soon others followed.
    private mutating func play(_ piece: CapturedBytes) async throws {
        try await playHeld(before: piece)
        guard piece.direction == .sent else { return held = piece }
        let number = poll?.transactionOffset.flatMap { piece.bytes.indices.contains($0) ? $0 : nil }
        let isPoll = poll?.bytes(transaction: number.map { piece.bytes[$0] } ?? 0) == piece.bytes
        if isPoll { requestCount += 1 }
        decoder.asked(transaction: isPoll ? number.map { piece.bytes[$0] } : nil)
        lastTime = piece.time
        try await append(DecodedRows())
    }

    // A read of all that a terminal or a pipe gives at once, and another one so soon after it: the host was behind.
    private static let (fullByteCounts, waitingMilliseconds) = ([4_095, 65_536], Int64(20))

    private mutating func playHeld(before next: CapturedBytes? = nil) async throws {
        guard let piece = held else { return }
        held = nil
        var rows = DecodedRows()
        decoded.byteCount += piece.bytes.count
        decoder.consume(piece.bytes.span.bytes, into: &rows)
        lastTime = piece.time
        let isFollowed = next.map { $0.direction == .received && $0.time - piece.time <= Self.waitingMilliseconds }
        try await append(rows, hasMore: isFollowed == true && Self.fullByteCounts.contains(piece.bytes.count))
    }

    private mutating func append(_ rows: DecodedRows, hasMore: Bool = false) async throws {
        decoded.refusedByteCount += rows.refusedByteCount
        let reception = Reception(ReadMoment(lastTime), requestCount: requestCount, hasMore: hasMore)
        try await recorder.append(rows, by: reception)
        requestCount = 0
    }

    /// Ends a contiguous part: the next bytes do not follow these, as after a reconnection of the meter.
    mutating func breakOff() async throws {
        try await playUnasked(isStale: false)
        try await playHeld()
        var rest = DecodedRows()
        decoder.finish(into: &rest)
        // A frame that was held back because more of it might follow is complete if nothing follows.
        try await append(rest)
    }
}

/// The captured line traffic of a trace.
struct KeptCaptures {
    /// The blocks in the log, in order, with their summaries.
    var blocks: [(block: StoredBlock, summary: [UInt8])] = []
    /// The captures after these blocks, of a recording that is running on this device.
    var tail: [Capture] = []

    /// The number of captured bytes, in both directions.
    var byteCount: UInt64 {
        blocks.reduce(0) { $0 + $1.block.count } + tail.reduce(0) { $0 + UInt64($1.byteCount) }
    }
}

extension Reading {
    /// Returns the number of captured bytes of `trace`, in both directions; 0 if nothing was captured.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A look-up, and about 0.2 us for each block.
    public func captureSize(of trace: RecordID) throws -> UInt64 { try captures(of: trace).byteCount }

    func captures(of trace: RecordID) throws -> KeptCaptures {
        // Read the tail before the blocks: what moves into the log meanwhile is then seen twice instead of never.
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

    /// Returns the captured bytes of `block`.
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
