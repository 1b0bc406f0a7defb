/// The reason why rows of a trace could not be written. The bytes already passed to the sink are not a complete file.
public enum TraceExportError: Error, Hashable, Sendable {
    /// The options cannot be applied, for this reason.
    case option(String)
    /// No channel has this name; the available names.
    case unknownChannel(String, available: [String])
    /// The channel cannot be a column, for this reason.
    case channel(String, reason: String)
    /// Row `row` of the trace has a channel, or a counter, that the file was not begun with. Write the rows again, to a
    /// file that is begun with all channels, or those from this row on to another file.
    case layoutChanged(row: UInt64)
    /// A value of row `row`, counted from the first row written, does not fit: the value and the reason.
    case value(String, row: UInt64, reason: String)
    /// The file would exceed the limits of its format, for this reason.
    case tooLarge(String)
}

extension TraceExportError: CustomStringConvertible {
    /// A message with the problem.
    public var description: String {
        switch self {
        case .option(let reason): reason
        case .unknownChannel(let name, let available):
            "there is no channel \(name); the channels are \(available.joined(separator: ", "))"
        case .channel(let name, let reason): "the channel \(name) cannot be a column: \(reason)"
        case .layoutChanged(let row):
            "row \(row) has a channel that the file was not begun with; export again"
        case .value(let name, let row, let reason): "\(name) of row \(row) cannot be written: \(reason)"
        case .tooLarge(let reason): reason
        }
    }
}
