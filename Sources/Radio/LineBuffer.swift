/// The bytes of a file that is read line by line as they arrive, in bounded memory.
package struct LineBuffer: Sendable {
    /// A line of the file.
    package struct Line {
        /// Its bytes, without the line feed, and the first one without a byte order mark; empty if it was too long.
        package let bytes: ArraySlice<UInt8>
        /// Where it is in the file, with its line feed.
        package let range: Range<UInt64>
        /// Whether it was longer than the limit, and skipped.
        package let isTooLong: Bool
    }

    private var buffer: [UInt8] = []
    /// The offset of the next line in the buffer, and in the file.
    private var start = 0
    private var offset: UInt64 = 0
    /// How far the line was looked through.
    private var scanned = 0
    private var isFinished = false
    /// The offset in the file of a line that is too long and whose rest is being skipped; `nil` if there is none.
    private var skipped: UInt64?

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Creates a reader of the first line.
    package init() {}

    /// Appends the next bytes of the file.
    package mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        scanned -= start
        start = 0
        buffer += bytes
    }

    /// Ends the file.
    package mutating func finish() { isFinished = true }

    /// Returns the next line; `nil` if more bytes are needed, or at the end.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of a line.
    ///   - isEnd: Whether a byte ends the line; it gets each byte once, in order.
    package mutating func next(limit: Int, isEnd: (UInt8) -> Bool = { $0 == 0x0A }) -> Line? {
        while scanned < buffer.count {
            let byte = buffer[scanned]
            scanned += 1
            if isEnd(byte) { return line(through: scanned - 1) }
        }
        if isFinished { return start < buffer.count ? line(through: buffer.count) : nil }
        if buffer.count - start > limit {
            skipped = skipped ?? offset
            offset += UInt64(buffer.count - start)
            buffer.removeAll()
            (start, scanned) = (0, 0)
        }
        return nil
    }

    private mutating func line(through end: Int) -> Line {
        let bytes = buffer[start..<end]
        let begin = skipped ?? offset
        offset += UInt64(scanned - start)
        start = scanned
        defer { skipped = nil }
        if skipped != nil { return Line(bytes: [], range: begin..<offset, isTooLong: true) }
        let hasMark = begin == 0 && bytes.starts(with: Self.byteOrderMark)
        return Line(
            bytes: hasMark ? bytes.dropFirst(Self.byteOrderMark.count) : bytes, range: begin..<offset, isTooLong: false)
    }
}
