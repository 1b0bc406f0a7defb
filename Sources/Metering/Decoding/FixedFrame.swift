import ByteCoding

/// A format whose frames all have one length, a recognisable beginning and a check.
///
/// A wrong check has one of two causes. If another frame begins directly after this one, some bytes are wrong and
/// none is missing: the whole frame is skipped, since a beginning found inside it would be chance. Otherwise bytes
/// were lost or added, and the search resumes at the first beginning inside the frame.
///
/// A check of eight bits also holds for one in 256 frames that were cut short and completed by the next frame. So if
/// it holds, but another frame begins inside and none directly after, the frames inside are examined too; the first
/// whose check also holds is the frame.
protocol FixedFrame: FrameFormat {
    /// The length of a frame in bytes.
    static var frameByteCount: Int { get }
    /// The number of bytes needed to recognise a beginning.
    static var beginningByteCount: Int { get }

    /// Whether the check is so short that chance may satisfy it.
    var hasWeakCheck: Bool { get }

    /// Whether a frame ended just before the window, or the window starts the input.
    var isAligned: Bool { get set }

    /// Whether a frame may begin at the start of `window`, which has at least ``beginningByteCount`` bytes.
    /// `isAligned` is true if a frame ended just before it.
    func begins(_ window: RawSpan, isAligned: Bool) -> Bool

    /// Whether `byte` may be the first byte of a frame.
    func mayBegin(with byte: UInt8) -> Bool

    /// Whether the check of `frame` holds.
    func checkHolds(_ frame: RawSpan) -> Bool

    /// Reads a frame whose check holds, and appends its rows or its refusal to `rows`.
    func read(_ frame: RawSpan, fence: inout Fence, into rows: inout DecodedRows)
}

extension FixedFrame {
    static var longestWait: Int { 2 * frameByteCount }

    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep {
        guard window.byteCount >= Self.beginningByteCount else { return .wait(for: Self.beginningByteCount) }
        guard begins(window, isAligned: isAligned) else {
            isAligned = false
            let count = firstBeginning(in: window) ?? window.byteCount - Self.beginningByteCount + 1
            rows.refuse(.noFrame, count)
            return .pass(count)
        }
        guard window.byteCount >= Self.frameByteCount else { return .wait(for: Self.frameByteCount) }
        let frame = window.extracting(0..<Self.frameByteCount)
        let verdict = checkHolds(frame) ? accept(window, isLast: isLast) : reject(window, isLast: isLast)
        switch verdict {
        case .whole:
            isAligned = true
            read(frame, fence: &fence, into: &rows)
            return .pass(frame.byteCount)
        case .broken(let count):
            isAligned = count == frame.byteCount
            rows.refuse(.check, count)
            return .pass(count)
        case .open(let needed): return .wait(for: needed)
        }
    }

    // Judges the frame at the start of `window`, whose check holds.
    private func accept(_ window: RawSpan, isLast: Bool) -> FrameVerdict {
        guard hasWeakCheck else { return .whole }
        let behind = Self.frameByteCount + Self.beginningByteCount
        // A beginning among the last bytes is only recognisable with more bytes.
        let unseen = Self.frameByteCount - Self.beginningByteCount + 1..<Self.frameByteCount
        if !isLast, window.byteCount < behind, unseen.contains(where: { mayBegin(with: window.byte(at: $0)) }) {
            return .open(behind)
        }
        var beginning = firstBeginning(in: window)
        while let inner = beginning, inner < Self.frameByteCount {
            guard window.byteCount >= behind else { return isLast ? .whole : .open(behind) }
            if begins(window.extracting(Self.frameByteCount..<window.byteCount), isAligned: false) { return .whole }
            let end = inner + Self.frameByteCount
            guard window.byteCount >= end else { return isLast ? .whole : .open(end) }
            if checkHolds(window.extracting(inner..<end)) { return .broken(inner) }
            beginning = firstBeginning(in: window, after: inner)
        }
        return .whole
    }

    // Judges the frame at the start of `window`, whose check is wrong.
    private func reject(_ window: RawSpan, isLast: Bool) -> FrameVerdict {
        let needed = Self.frameByteCount + Self.beginningByteCount
        guard isLast || window.byteCount >= needed else { return .open(needed) }
        if window.byteCount >= needed,
            begins(window.extracting(Self.frameByteCount..<window.byteCount), isAligned: false)
        {
            return .broken(Self.frameByteCount)
        }
        return .broken(min(firstBeginning(in: window) ?? Self.frameByteCount, Self.frameByteCount))
    }

    // Returns the offset after `first` at which another frame may begin in `window`.
    private func firstBeginning(in window: RawSpan, after first: Int = 0) -> Int? {
        var offset = first + 1
        while offset + Self.beginningByteCount <= window.byteCount {
            if begins(window.extracting(offset..<window.byteCount), isAligned: false) { return offset }
            offset += 1
        }
        return nil
    }

    mutating func restart() { isAligned = true }
}

/// The verdict on the bytes where a frame may begin.
enum FrameVerdict {
    /// A valid frame.
    case whole
    /// No frame: skip this many bytes.
    case broken(Int)
    /// This many bytes are needed to decide.
    case open(Int)
}
