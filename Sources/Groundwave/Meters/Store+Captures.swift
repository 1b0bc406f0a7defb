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
    /// How many bytes, of both sides, are not here: withheld, or lost.
    public internal(set) var withheldCount: UInt64 = 0
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
        let blocks = try captureBlocks(of: trace.id)
        guard !blocks.isEmpty else {
            throw StoreError(
                .notFound, "Of the trace \(trace.id.short) only rows were kept.",
                hint: "Record with --raw to keep what the meter sends, too.")
        }
        guard blocks.contains(where: \.isHere) else {
            throw StoreError(
                .notFound,
                "What the meter sent for the trace \(trace.id.short) is withheld: it is on another device, or old.",
                hint: "See groundwave trace set --samples synced.")
        }
        guard let meter = trace.meter, let model = trace.model else {
            throw StoreError(.usage, "The model of the trace \(trace.id.short) is not known to this version.")
        }
        let recorder = try await record(
            meter: meter, model: model, over: trace.link, name: name, source: "decoded from \(trace.id.short)",
            rate: trace.rate, started: trace.started, author: author)
        var decoded = Decoded(trace: recorder.trace)
        do {
            try await decode(blocks, as: model, trace, into: recorder, &decoded)
            try await recorder.finish()
        } catch {
            try? await recorder.stop()
            throw error
        }
        return decoded
    }

    private func decode(
        _ blocks: [CaptureBlock], as model: MeterModel, _ trace: Trace, into recorder: TraceRecorder,
        _ decoded: inout Decoded
    ) async throws {
        let link = trace.link ?? model.links[0]
        let poll = model.conversation(over: link).poll
        var decoder = model.makeDecoder(over: link)
        var times: RowTimes?
        var hasBegun = false
        for block in blocks {
            var rows = DecodedRows()
            guard let capture = try capture(of: block) else {
                // What follows is as if the meter were connected anew.
                decoded.withheldCount += block.count
                decoder.finish(into: &rows)
                continue
            }
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
                decoded.refusedByteCount += rows.refusedByteCount
                guard let rate = trace.rate else {
                    _ = try await recorder.append(rows, times: .at(piece.time))
                    continue
                }
                times = try await recorder.append(
                    rows, times: times ?? .paced(RowPacer(from: piece.time, perSecond: rate)))
            }
        }
        var rest = DecodedRows()
        decoder.finish(into: &rest)
        decoded.refusedByteCount += rest.refusedByteCount
    }
}

/// A block of a capture, as the log or the tail has it.
private struct CaptureBlock {
    let first: UInt64
    let count: UInt64
    let summary: [UInt8]
    /// Where its event stands; 0 where it is in the tail.
    let position: Position
    let isHere: Bool
    let tail: Capture?
}

extension Reading {
    /// How many bytes of what went over the line were kept beside the rows of `trace`, both ways; 0 where nothing was.
    public func captureSize(of trace: RecordID) throws -> UInt64 {
        try captureBlocks(of: trace).reduce(0) { $0 + $1.count }
    }

    fileprivate func captureBlocks(of trace: RecordID) throws -> [CaptureBlock] {
        let captures = Tails.content(of: trace, in: self).captures
        var found: [(block: StoredBlock, summary: [UInt8])] = []
        try read { view in
            try view.forEachBlock(of: Metering.capture.name, Metering.captureID(trace)) { block, summary in
                found.append((block, summary.toArray()))
                return true
            }
        }
        var blocks = try found.map { block, summary in
            let isHere =
                try block.position > 0 && log.withEvent(at: block.position) { frame, _ in !frame.isWithheld } ?? false
            return CaptureBlock(
                first: block.first, count: block.count, summary: summary, position: block.position, isHere: isHere,
                tail: nil)
        }
        let next = blocks.last.map { $0.first + $0.count } ?? 0
        for capture in captures where capture.first >= next {
            blocks.append(
                CaptureBlock(
                    first: capture.first, count: UInt64(capture.byteCount), summary: [], position: 0, isHere: true,
                    tail: capture))
        }
        return blocks
    }

    /// What was said; `nil` where it is not here.
    fileprivate func capture(of block: CaptureBlock) throws -> Capture? {
        if let tail = block.tail { return tail }
        guard block.isHere else { return nil }
        return try withBlockContent(at: block.position) { content in
            try block.summary.withSpan { try Capture(content, summary: $0, first: block.first) }
        }
    }
}
