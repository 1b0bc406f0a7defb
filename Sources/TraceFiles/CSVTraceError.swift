/// The reason why a text is not a table of rows as ``TraceWriter`` writes it.
public struct CSVTraceError: Error, Hashable, Sendable {
    /// The line number, counted from 1.
    public let line: UInt64
    /// The reason.
    public let reason: Reason

    /// The defect of a line.
    public enum Reason: Error, Hashable, Sendable {
        /// The line exceeds the limit in bytes.
        case lineTooLong(limit: Int)
        /// The last line has no line end: the file was cut.
        case lineNotEnded
        /// The first columns are not those of a trace: the column found, and the one expected.
        case missingColumn(found: String, expected: String)
        /// Two columns have this name.
        case duplicateColumn(String)
        /// The name of a column is not a valid channel name.
        case columnName(String)
        /// A column has an unknown unit.
        case unknownUnit(String)
        /// There are no channels, or more than a trace may have.
        case channelCount(Int, limit: Int)
        /// The number of fields differs from that of the first line.
        case fieldCount(Int, expected: Int)
        /// The field is not a time in the form that is written here.
        case time(String)
        /// The field is not a number in the form that is written here: a needless sign, a letter, a leading zero.
        case number(column: String, String)
        /// The number does not fit into 64 bits.
        case overflow(column: String, String)
        /// The number has other decimals than the earlier ones in its column, or more than 9.
        case decimals(column: String, found: Int, expected: Int)
        /// A gap row has values or no missing rows, or the row of its time does not follow.
        case gapRow
        /// The description of a moment is not in quotes, or is in the line of a row.
        case marker
    }
}

extension CSVTraceError: CustomStringConvertible {
    /// A message with the line and the reason.
    public var description: String { "line \(line): \(reason)" }
}

extension CSVTraceError.Reason: CustomStringConvertible {
    /// A message with the reason.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "it has more than \(limit) bytes"
        case .lineNotEnded: "it has no end; the file is cut short"
        case .missingColumn(let found, let expected): "the column \(expected) is expected, but \(found) is there"
        case .duplicateColumn(let name): "the column \(name) appears twice"
        case .columnName(let name): "\(name) is not a valid name for a channel"
        case .unknownUnit(let unit): "the unit \(unit) is not known"
        case .channelCount(let count, let limit): "there are \(count) channels, but only 1 to \(limit) are possible"
        case .fieldCount(let count, let expected): "there are \(count) fields, but \(expected) columns"
        case .time(let text): "\(text) is not a time of the form 2026-05-01T12:00:00.000Z"
        case .number(let column, let text): "\(text) in \(column) is not a number in the expected form"
        case .overflow(let column, let text): "\(text) in \(column) does not fit into 64 bits"
        case .decimals(let column, let found, let expected):
            "the number in \(column) has \(found) decimals, but \(expected) are expected"
        case .marker: "a description must be in quotes, and its line must have no values"
        case .gapRow: "an empty row must give the number of missing rows, and the row of its time must follow"
        }
    }
}
