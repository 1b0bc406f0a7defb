import GroundwaveByteCoding

/// A format all of whose frames have one length, a beginning that can be recognised and a check.
///
/// A frame whose check is wrong is one of two things. Where another frame begins just behind it, some of its bytes are
/// wrong and none is missing: all of it is passed over, since a beginning that is found inside it would be chance. Else
/// bytes were lost or added, and the search goes on at the first beginning inside it.
///
/// A check of eight bits also holds for one in 256 frames that were cut short, whose rest is the next frame. So where
/// it holds, but another frame begins inside and none just behind, those inside are looked at too; one whose check
/// holds as well is the frame.
protocol FixedFrame: FrameFormat {
    /// The length of a frame in bytes.
    static var frameByteCount: Int { get }
    /// How many bytes must be there to recognise a beginning.
    static var beginningByteCount: Int { get }

    /// Whether the check is so short that chance may satisfy it.
    var hasWeakCheck: Bool { get }

    /// Whether a frame ended just before the window, or nothing was before it.
    var isAligned: Bool { get set }

    /// Whether a frame may begin with `window`, which has at least ``beginningByteCount`` bytes, and which is
    /// `isAligned` where a frame ended just before it.
    func begins(_ window: RawSpan, isAligned: Bool) -> Bool

    /// Whether a frame may have `byte` as its first one.
    func mayBegin(with byte: UInt8) -> Bool

    /// Whether the check of `frame` holds.
    func checkHolds(_ frame: RawSpan) -> Bool

    /// Reads a frame whose check holds: its rows, or its refusal, go into `rows`.
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

    // What stands at the beginning of `window`, whose check holds.
    private func accept(_ window: RawSpan, isLast: Bool) -> FrameVerdict {
        guard hasWeakCheck else { return .whole }
        let behind = Self.frameByteCount + Self.beginningByteCount
        // A beginning among the last bytes shows only when there is more.
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

    // What stands at the beginning of `window`, whose check is wrong.
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

    // Where behind `first` another frame may begin in `window`.
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

/// What is found where a frame may begin.
enum FrameVerdict {
    /// A frame.
    case whole
    /// No frame: so many bytes are passed over.
    case broken(Int)
    /// So many bytes must be there to tell.
    case open(Int)
}
