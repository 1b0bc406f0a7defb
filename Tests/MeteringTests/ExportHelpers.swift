import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTraceFiles

/// Writes `pieces` as one file.
func exported(
    _ format: TraceExportFormat, _ pieces: [TraceRows], layout: Layout? = nil,
    _ change: (inout TraceExportOptions) -> Void = { _ in }
) throws -> [UInt8] {
    var options = TraceExportOptions()
    change(&options)
    var bytes: [UInt8] = []
    var writer = try TraceWriter(format, options: options)
    let mayLack = pieces.contains { !$0.patterns.isEmpty }
    try writer.begin(unionOf: layout.map { [$0] } ?? pieces.map(\.layout), mayLack: mayLack) { bytes += $0 }
    for piece in pieces { try writer.append(piece) { bytes += $0 } }
    _ = try writer.finish { bytes += $0 }
    return bytes
}

/// Writes `pieces` as one file with a writer that has small pages or chunks.
func written(_ writer: some RowWriter, _ pieces: [TraceRows], _ sink: ([UInt8]) -> Void) throws {
    var writer = writer
    var selection = try RowSelection(pieces[0].layout, TraceExportOptions())
    try writer.begin(pieces[0].layout, mayLack: false, to: sink)
    for piece in pieces where piece.count > 0 { try writer.append(selection.select(piece), to: sink) }
    try writer.finish(to: sink)
}

/// The file of ``exported(_:_:layout:_:)`` as text.
func exportedText(
    _ format: TraceExportFormat, _ pieces: [TraceRows], layout: Layout? = nil,
    _ change: (inout TraceExportOptions) -> Void = { _ in }
) throws -> String {
    String(decoding: try exported(format, pieces, layout: layout, change), as: UTF8.self)
}

/// The small trace that golden bytes are of: a counter, a gap, repeats, a sign, a second that two rows share.
func smallTrace() -> TraceRows {
    let layout = Layout(
        [
            Channel("voltage", .volt, decimals: 4), Channel("current", .ampere, decimals: 3),
            Channel("mode", .none, decimals: 0),
        ], tick: .init(hertz: 1000, modulus: 65_536))
    var rows = TraceRows(layout, first: 7)
    // 2026-05-01T12:00:00Z, and 86,400 s earlier.
    rows.times = [1_777_636_800_000, 1_777_636_800_040, 1_777_636_800_040, 1_777_550_400_999]
    rows.ticks = [65_530, 65_570, 65_571, 65_572]
    rows.columns = [[12_345, 50_000, -1, 0], [-5, 1_000, 999, .min], [0, 1, 2, 3]]
    rows.marks = [
        Mark(.rate, before: 0, count: 1), Mark(.gap, before: 1, count: 39), Mark(.repeats, before: 3, count: 2),
    ]
    return rows
}

/// Layouts and rows of seeded numbers, extremes among them.
struct MadeUpTrace {
    let layout: Layout
    let rows: TraceRows

    init(
        _ numbers: inout SeededGenerator, rowCount: Int? = nil, hasDecimals: Bool = true,
        times: ClosedRange<Int64>? = nil
    ) {
        let words = ["voltage", "current", "d+", "d-", "power.factor", "cc1", "x", "unknown.1f", "group0.energy"]
        var channels: [Channel] = []
        for place in 0..<Int.random(in: 1...9, using: &numbers) {
            let unit = Channel.Unit.allCases.randomElement(using: &numbers) ?? .none
            let decimals = hasDecimals ? Int.random(in: 0...9, using: &numbers) : 0
            // A name may come twice, with another unit.
            let name = numbers.chance(0.2) ? "twice\(unit.rawValue.isEmpty)\(place)" : words[place]
            channels.append(Channel(name, unit, decimals: decimals))
        }
        let tick =
            numbers.chance(0.5)
            ? Layout.Tick(
                hertz: Int.random(in: 1...100_000, using: &numbers),
                modulus: 1 << Int.random(in: 0...40, using: &numbers))
            : nil
        layout = Layout(channels, tick: tick)
        let count = rowCount ?? Int.random(in: 1...300, using: &numbers)
        var rows = TraceRows(layout, first: 0)
        var time = Int64.random(in: times ?? 0...4_000_000_000_000, using: &numbers)
        for _ in 0..<count {
            switch Int.random(in: 0..<40, using: &numbers) {
            case 0 where times == nil: time = [.min, .max, 0, -1].randomElement(using: &numbers) ?? 0
            case 1: time = Int64.random(in: times ?? -90_000_000_000_000...400_000_000_000_000, using: &numbers)
            case 2...20: break
            default: time = time.addingReportingOverflow(Int64.random(in: 1...400, using: &numbers)).partialValue
            }
            rows.times.append(times.map { min(max(time, $0.lowerBound), $0.upperBound) } ?? time)
        }
        if tick != nil { rows.ticks = (0..<count).map { _ in Signal.extremes.values(1, &numbers)[0] } }
        rows.columns = layout.channels.map { _ in
            (Signal.allCases.randomElement(using: &numbers) ?? .noise).values(count, &numbers)
        }
        rows.columns[0][count / 2] = .min
        rows.columns[0][count - 1] = .max
        for row in 0..<count {
            if numbers.chance(0.1) { rows.marks.append(Mark(.gap, before: row, count: 1 + numbers.next() >> 1)) }
            if numbers.chance(0.1) {
                rows.marks.append(Mark(.repeats, before: row, count: .random(in: 1...9, using: &numbers)))
            }
        }
        self.rows = rows
    }
}

/// The rows of `pieces` in one table.
func joined(_ pieces: [TraceRows]) throws -> TraceRows {
    var rows = pieces[0]
    for piece in pieces.dropFirst() {
        let isJoined = rows.append(piece)
        try #require(isJoined)
    }
    return rows
}

extension TraceRows {
    /// The same rows in pieces of random lengths, some of them empty.
    func pieces(_ numbers: inout SeededGenerator) -> [TraceRows] {
        var pieces: [TraceRows] = []
        var start = 0
        while start < count {
            let end = min(count, start + Int.random(in: 0...max(1, count / 3), using: &numbers))
            pieces.append(self[start..<end])
            start = end
        }
        return pieces
    }

    /// The rows of `range`.
    subscript(range: Range<Int>) -> TraceRows {
        var piece = TraceRows(layout, first: first + UInt64(range.lowerBound))
        piece.times = Array(times[range])
        piece.ticks = ticks.isEmpty ? [] : Array(ticks[range])
        piece.columns = columns.map { Array($0[range]) }
        piece.patterns = patterns.isEmpty ? [] : Array(patterns[range])
        piece.marks = marks.filter { range.contains($0.row) }.map {
            Mark($0.kind, before: $0.row - range.lowerBound, count: $0.count)
        }
        return piece
    }

    /// Appends rows of the same layout that follow; returns `false` for others.
    mutating func extend(by next: TraceRows) -> Bool { next.layout == layout && append(next) }
}

/// Reads CSV that comes in pieces of at most `pieceLength` bytes: runs of rows of one layout, and all columns.
func runs(ofCSV bytes: [UInt8], pieceLength: Int = .max) throws -> (rows: [TraceRows], layout: Layout?) {
    var reader = CSVTraceReader()
    var rows: [TraceRows] = []
    var start = 0
    while start < bytes.count {
        let end = start + min(pieceLength, bytes.count - start)
        for next in try reader.append(Array(bytes[start..<end])) {
            if rows.isEmpty || !rows[rows.count - 1].extend(by: next) { rows.append(next) }
        }
        start = end
    }
    try reader.finish()
    return (rows, reader.layout)
}

/// Reads CSV whose rows all have the same columns.
func rows(ofCSV bytes: [UInt8], pieceLength: Int = .max) throws -> TraceRows? {
    let (rows, layout) = try runs(ofCSV: bytes, pieceLength: pieceLength)
    #expect(rows.count <= 1, "one layout")
    return rows.first ?? layout.map { TraceRows($0, first: 0) }
}
