import GroundwaveByteCoding

/// The result of one step of a format.
enum FrameStep {
    /// More bytes are needed: this many in total, more than there are.
    case wait(for: Int)
    /// This many bytes were consumed: they gave rows, or a refusal.
    case pass(Int)
}

/// The rules by which the frames of one family of meters are recognised and read.
///
/// The result of a step may depend only on the bytes of the window and on the steps before it, never on how many
/// bytes happen to be available. So the rows do not depend on how the bytes were cut in transit.
protocol FrameFormat: Sendable {
    /// The most bytes that a step may wait for: a frame, and the bytes after it that are needed to judge it.
    static var longestWait: Int { get }

    /// Consumes the beginning of `window`, which is not empty.
    ///
    /// - Parameters:
    ///   - isLast: Whether no byte follows those of `window`, so that waiting is useless.
    ///   - fence: Decides whether a frame of measurements gives its rows.
    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep

    /// Discards the state from earlier frames: a new connection begins, perhaps with another meter.
    mutating func restart()
}

/// Cuts a stream of bytes into the frames of a format.
///
/// The bytes arrive in pieces of any size. An incomplete frame is kept for the next call; that is never more than
/// `Format.longestWait` bytes, whatever arrives.
struct FrameReader<Format: FrameFormat>: Sendable {
    var format: Format
    var fence: Fence
    // The beginning of an incomplete frame, fewer than `needed` bytes.
    private(set) var kept: [UInt8] = []
    // The number of bytes that the next step needs.
    private var needed = 1

    init(_ format: Format, fence: Fence = Fence()) {
        self.format = format
        self.fence = fence
    }

    /// Consumes `bytes`, which follow those of the previous call.
    ///
    /// - Complexity: O(*n*) steps for *n* bytes, as each passes at least one byte or waits.
    mutating func consume(_ bytes: RawSpan, into rows: inout DecodedRows) {
        var offset = 0
        while offset < bytes.byteCount {
            if kept.isEmpty {
                let rest = bytes.extracting(offset..<bytes.byteCount)
                let passed = run(rest, into: &rows)
                keep(rest.extracting(passed..<rest.byteCount))
                return
            }
            let count = min(needed - kept.count, bytes.byteCount - offset)
            keep(bytes.extracting(offset..<offset + count))
            offset += count
            if kept.count < needed { return }
            let passed = kept.withSpan { run($0, into: &rows) }
            kept.removeFirst(passed)
            // If all kept bytes came with this call, step back to the first of them and read on in place.
            if kept.count <= offset {
                offset -= kept.count
                kept.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Consumes the kept bytes as the end of the input: complete frames in them are read, the rest is refused. The
    /// fence stays as it is.
    mutating func finish(into rows: inout DecodedRows) {
        let rest = kept
        kept.removeAll(keepingCapacity: true)
        rest.withSpan { bytes in
            var offset = 0
            while offset < bytes.byteCount {
                let window = bytes.extracting(offset..<bytes.byteCount)
                switch format.step(window, isLast: true, fence: &fence, into: &rows) {
                case .pass(let count): offset += count
                case .wait:
                    rows.refuse(.noFrame, 1)
                    offset += 1
                }
            }
        }
        needed = 1
        format.restart()
    }

    /// Starts again for a new connection: refuses the kept bytes, which are from before it, and closes the fence.
    mutating func begin(into rows: inout DecodedRows) {
        if !kept.isEmpty { rows.refuse(.stale, kept.count) }
        kept.removeAll(keepingCapacity: true)
        needed = 1
        format.restart()
        fence.close()
    }

    private mutating func run(_ window: RawSpan, into rows: inout DecodedRows) -> Int {
        var passed = 0
        needed = 1
        while window.byteCount - passed >= needed {
            let rest = window.extracting(passed..<window.byteCount)
            switch format.step(rest, isLast: false, fence: &fence, into: &rows) {
            case .pass(let count):
                precondition(count > 0 && count <= rest.byteCount, "A step passes bytes that are there.")
                passed += count
                needed = 1
            case .wait(let count):
                precondition(count > rest.byteCount, "A step waits for more than there is.")
                precondition(count <= Format.longestWait, "A step waits for a bounded number of bytes.")
                needed = count
            }
        }
        return passed
    }

    private mutating func keep(_ bytes: RawSpan) {
        for offset in 0..<bytes.byteCount { kept.append(bytes.byte(at: offset)) }
    }
}
