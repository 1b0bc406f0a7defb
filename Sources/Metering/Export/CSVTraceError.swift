/// Why a text is not a table of rows that ``TraceWriter`` has written.
public struct CSVTraceError: Error, Hashable, Sendable {
    /// The line, from 1.
    public let line: UInt64
    /// What is wrong with it.
    public let reason: Reason

    /// What may be wrong with a line.
    public enum Reason: Error, Hashable, Sendable {
        /// The line has more bytes than the limit says.
        case lineTooLong(limit: Int)
        /// The last line has no end: the file was cut.
        case lineNotEnded
        /// The first columns are not those of a trace: what stands there, and what should.
        case missingColumn(found: String, expected: String)
        /// Two columns have this name.
        case duplicateColumn(String)
        /// The name of a column is none that a channel has.
        case columnName(String)
        /// A column has a unit that is not known.
        case unknownUnit(String)
        /// There are more channels than a trace has, or none.
        case channelCount(Int, limit: Int)
        /// The row has another number of fields than the first line.
        case fieldCount(Int, expected: Int)
        /// The field is no moment as they are written here.
        case time(String)
        /// The field is no number as they are written here: a sign that is not needed, a letter, a zero too many.
        case number(column: String, String)
        /// The number does not fit into 64 bits.
        case overflow(column: String, String)
        /// The number has other decimals than those before it in its column, or more than 9.
        case decimals(column: String, found: Int, expected: Int)
        /// A row that stands in a gap has values, no missing rows, or not the row of its time behind it.
        case gapRow
    }
}

extension CSVTraceError: CustomStringConvertible {
    /// The line and what is wrong with it, in words.
    public var description: String { "line \(line): \(reason)" }
}

extension CSVTraceError.Reason: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "it has more than \(limit) bytes"
        case .lineNotEnded: "it has no end; the file is cut short"
        case .missingColumn(let found, let expected): "the column \(expected) is expected, but \(found) is there"
        case .duplicateColumn(let name): "the column \(name) is there twice"
        case .columnName(let name): "\(name) is not a valid name for a channel"
        case .unknownUnit(let unit): "the unit \(unit) is not known"
        case .channelCount(let count, let limit): "there are \(count) channels, but only 1 to \(limit) are possible"
        case .fieldCount(let count, let expected): "there are \(count) fields, but \(expected) columns"
        case .time(let text): "\(text) is not a time of the form 2026-05-01T12:00:00.000Z"
        case .number(let column, let text): "\(text) in \(column) is not a number in the expected form"
        case .overflow(let column, let text): "\(text) in \(column) does not fit into 64 bits"
        case .decimals(let column, let found, let expected):
            "the number in \(column) has \(found) decimals, but \(expected) are expected"
        case .gapRow: "an empty row must give the number of missing rows, and the row of its time must follow"
        }
    }
}
