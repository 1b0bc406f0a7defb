/// Cuts bytes that come in pieces of any length into lines, without their ends: LF or CR LF.
struct CSVLines {
    /// The most bytes of a line, including its end.
    static let byteLimit = 65_536

    /// One line: a range of `bytes`.
    struct Line {
        let bytes: [UInt8]
        let range: Range<Int>
    }

    /// The number of the line that ``next()`` has returned last, counted from 1; 0 before the first.
    private(set) var number: UInt64 = 0
    private var piece: [UInt8] = []
    private var start = 0
    /// The beginning of an incomplete line.
    private var rest: [UInt8] = []

    /// Whether the bytes end within a line.
    var isUnfinished: Bool { !rest.isEmpty }

    /// Appends bytes; ``next()`` has returned all lines of those before.
    mutating func append(_ bytes: [UInt8]) {
        precondition(start == piece.count, "Lines are taken before more bytes come.")
        (piece, start) = (bytes, 0)
    }

    /// Returns the next complete line; `nil` if more bytes are needed.
    ///
    /// - Throws: ``LineTooLong``; the lines cannot be used afterwards.
    mutating func next() throws(LineTooLong) -> Line? {
        guard let end = piece[start...].firstIndex(of: 0x0A) else {
            try keep(piece[start...])
            start = piece.count
            return nil
        }
        let line = start..<end
        start = end + 1
        if rest.isEmpty {
            guard line.count < Self.byteLimit else { throw LineTooLong(line: number + 1) }
            number += 1
            return Line(bytes: piece, range: line.lowerBound..<Self.end(of: piece, line))
        }
        try keep(piece[line])
        number += 1
        let whole = rest
        rest.removeAll(keepingCapacity: true)
        return Line(bytes: whole, range: 0..<Self.end(of: whole, 0..<whole.count))
    }

    /// Returns the last line if it has no end; `nil` if there is none. No bytes may follow.
    mutating func takeUnfinished() -> Line? {
        if rest.isEmpty { return nil }
        number += 1
        defer { rest = [] }
        return Line(bytes: rest, range: 0..<Self.end(of: rest, 0..<rest.count))
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) throws(LineTooLong) {
        guard rest.count + bytes.count < Self.byteLimit else { throw LineTooLong(line: number + 1) }
        rest += bytes
    }

    private static func end(of bytes: [UInt8], _ range: Range<Int>) -> Int {
        let hasReturn = !range.isEmpty && bytes[range.upperBound - 1] == 0x0D
        return hasReturn ? range.upperBound - 1 : range.upperBound
    }
}

/// A line that exceeds ``CSVLines/byteLimit``.
struct LineTooLong: Error {
    /// The number of the line, counted from 1.
    let line: UInt64
}
