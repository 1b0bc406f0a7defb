import GroundwaveByteCoding

/// What a format makes of the bytes in front of it.
enum FrameStep {
    /// Nothing can be said before there are this many bytes, more than there are.
    case wait(for: Int)
    /// So many bytes are dealt with: they gave rows, or a refusal says why not.
    case pass(Int)
}

/// How the frames of one family of meters are told apart and read.
///
/// What a step says may depend on nothing but the bytes from its first one on and on the steps before it, never on how
/// many bytes happen to be there: so the same rows come out however the bytes were cut on their way.
protocol FrameFormat: Sendable {
    /// The most bytes that a step may wait for: a frame, and what must be seen behind it.
    static var longestWait: Int { get }

    /// Deals with the beginning of `window`, which is not empty.
    ///
    /// - Parameters:
    ///   - isLast: No byte follows those of `window`, so that nothing is gained by waiting.
    ///   - fence: Is asked before a frame of measurements gives its rows.
    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep

    /// Forgets what frames before these have told: another connection, perhaps another meter, begins.
    mutating func restart()
}

/// Cuts a stream of bytes into the frames of a format.
///
/// The bytes arrive in any pieces. What is not yet a frame is kept for the next call, and that is never more than
/// `Format.longestWait` bytes, whatever arrives.
struct FrameReader<Format: FrameFormat>: Sendable {
    var format: Format
    var fence: Fence
    // The beginning of a frame whose end is not there, fewer than `needed` bytes.
    private(set) var kept: [UInt8] = []
    private var needed = 1

    init(_ format: Format, fence: Fence = Fence()) {
        self.format = format
        self.fence = fence
    }

    /// Deals with `bytes`, which follow those of the call before.
    ///
    /// - Complexity: O(*n*) steps for *n* bytes, as each passes at least one byte or waits.
    mutating func take(_ bytes: RawSpan, into rows: inout DecodedRows) {
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
            // What is left belongs to this call's bytes alone: they are read where they stand.
            if kept.count <= offset {
                offset -= kept.count
                kept.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Deals with what is kept, as nothing follows it: it is refused, but for frames that are whole in it.
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

    /// Begins anew behind a connection that was made just now: what is kept is from before it.
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
