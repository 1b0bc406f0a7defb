import GroundwaveMetering

/// Finds out what a CSV file of others contains, before anything is imported from it: see ``ForeignPlan``.
///
/// ```swift
/// var survey = ForeignSurvey()
/// while let bytes = try file.next() { try survey.append(bytes) }
/// let plan = try survey.finish()
/// ```
package struct ForeignSurvey {
    /// The number of lines in which the columns must be found.
    private static let headLimit = 256

    private let mappings: [(mapping: TraceMapping, recipe: TraceRecipe?)]
    private var lines = CSVLines()
    private var head: [CSVLines.Line] = []
    private var table: ForeignTable?
    private var recipe: TraceRecipe?
    private var rate: Double?
    private var rows = ForeignRows()
    private var fields = CSVFields()
    private var decimals: [Int] = []
    private var times: (first: Int64, last: Int64)?
    private var least = Int64.max
    private var grain: Int64 = 1_000_000_000

    /// Creates a survey of a file with the columns of `mapping`.
    package init(_ mapping: TraceMapping) { mappings = [(mapping, nil)] }

    /// Creates a survey of a file that one of the recipes fits.
    package init(_ recipes: [TraceRecipe] = TraceRecipe.all) { mappings = recipes.map { ($0.mapping, $0) } }

    /// Surveys `bytes`, which follow those before.
    ///
    /// - Throws: ``ForeignCSVError``; the survey cannot be used afterwards.
    package mutating func append(_ bytes: [UInt8]) throws(ForeignCSVError) {
        if bytes.contains(0) { throw .noText }
        lines.append(bytes)
        while let line = try lines.nextOfOthers() { try append(line) }
    }

    /// Ends the input.
    ///
    /// - Throws: ``ForeignCSVError`` if the columns, or rows with values, are not there.
    package mutating func finish() throws(ForeignCSVError) -> ForeignPlan {
        if let line = lines.takeUnfinished() { try append(line) }
        if table == nil { try findTable() }
        guard let table, let times else { throw .noRows }
        // Rows that are closer than the milliseconds of a trace keep their distance as a counter.
        let isFine = grain < 1_000_000 && least < 10_000_000
        let hertz = grain < 1000 ? 1_000_000_000 : 1_000_000
        let channels = zip(table.channels, decimals).map { Channel($0.column.name, $0.column.unit.unit, decimals: $1) }
        return ForeignPlan(
            recipe: recipe, columns: table.channels.map(\.column.column.text), unusedColumns: table.unused,
            layout: Layout(channels, tick: isFine ? Layout.Tick(hertz: hertz, modulus: 1 << 32) : nil),
            isDated: table.time?.form.isAbsolute ?? false, firstNanoseconds: times.first, lastNanoseconds: times.last,
            rowCount: rows.count, leftOut: rows.leftOut, table: table, rate: rate)
    }

    private mutating func append(_ line: CSVLines.Line) throws(ForeignCSVError) {
        if let table { return try survey(line, table) }
        head.append(line)
        if head.count == Self.headLimit { try findTable() }
    }

    private mutating func findTable() throws(ForeignCSVError) {
        head = ForeignTable.withoutMark(head)
        for (mapping, recipe) in mappings {
            guard let found = ForeignTable(mapping, in: head) else { continue }
            guard mapping.rate != nil || found.time != nil else { continue }
            (table, self.recipe, rate) = (found, recipe, mapping.rate)
            decimals = Array(repeating: 0, count: found.channels.count)
            rows = ForeignRows(found, rate: mapping.rate)
            for (index, line) in head.enumerated() where UInt64(index) + 1 >= found.firstLine {
                try survey(line, found)
            }
            head = []
            return
        }
        throw .columns(
            wanted: mappings.count == 1 ? mappings[0].mapping.names : [], found: ForeignTable.names(in: head))
    }

    private mutating func survey(_ line: CSVLines.Line, _ table: ForeignTable) throws(ForeignCSVError) {
        fields.split(line, by: table.delimiter)
        guard let row = rows.next(ForeignRow(fields, table.time, table.channels, table.delimiter)) else { return }
        let time = row.time
        if let last = times?.last, time > last { least = min(least, time - last) }
        while time % grain != 0 { grain /= 10 }
        times = (times?.first ?? time, time)
        for (index, value) in row.values.enumerated() {
            guard case .number(let number) = value else { continue }
            let unit = table.channels[index].column.unit
            decimals[index] = max(decimals[index], min(ForeignUnit.decimalLimit, unit.decimals(of: number)))
        }
    }
}

/// What a CSV file of others contains, and how it becomes a trace.
package struct ForeignPlan {
    /// The recipe that fits; `nil` if the columns were named.
    package let recipe: TraceRecipe?
    /// The column of each channel, by its name or number.
    package let columns: [String]
    /// The names of the columns that become no channel.
    package let unusedColumns: [String]
    /// The channels, with as many decimals as the finest value has, at most 9; and a counter if rows are closer to one
    /// another than milliseconds can tell.
    package let layout: Layout
    /// Whether the times say when the recording was; else they count from its beginning.
    package let isDated: Bool
    /// The time of the first row: since 1970, or since the recording began.
    package let firstNanoseconds: Int64
    /// The time of the last row.
    package let lastNanoseconds: Int64
    /// The number of rows.
    package let rowCount: UInt64

    /// What is left out, except values that do not fit.
    let leftOut: ForeignLeftOut
    let table: ForeignTable
    let rate: Double?

    /// The time from the first row to the last, in milliseconds.
    package var durationMilliseconds: Int64 { (lastNanoseconds &- firstNanoseconds) / 1_000_000 }
}

/// The reason why a file of others cannot be imported.
package enum ForeignCSVError: Error, Hashable, Sendable {
    /// A line exceeds the limit in bytes.
    case lineTooLong(line: UInt64, limit: Int)
    /// It contains zero bytes: UTF-16, or no text.
    case noText
    /// The wanted columns are not in its first lines, or no recipe fits; and those that are there.
    case columns(wanted: [String], found: [String])
    /// The columns are there, but no line has a time and a value.
    case noRows
    /// It is not the file that was surveyed.
    case changed
}

extension ForeignCSVError: CustomStringConvertible {
    /// A message with the reason.
    package var description: String {
        switch self {
        case .lineTooLong(let line, let limit): "line \(line) has more than \(limit) bytes"
        case .noText: "it is not text in UTF-8"
        case .columns(let wanted, let found):
            (wanted.isEmpty ? "no recipe fits its columns" : "it does not have the columns \(Self.list(wanted))")
                + (found.isEmpty ? "" : "; its columns are \(Self.list(found))")
        case .noRows: "none of its lines has a time and a value"
        case .changed: "it was changed meanwhile"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(12).map { "“\(ForeignTable.shown($0))”" }.joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    }
}

extension CSVLines {
    /// Returns the next complete line of a file of others.
    mutating func nextOfOthers() throws(ForeignCSVError) -> Line? {
        do throws(LineTooLong) { return try next() } catch {
            throw .lineTooLong(line: error.line, limit: Self.byteLimit)
        }
    }
}
