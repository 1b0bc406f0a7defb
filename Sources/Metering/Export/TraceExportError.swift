/// Why rows of a trace could not be written. What was handed out before is no whole file.
public enum TraceExportError: Error, Hashable, Sendable {
    /// The options cannot be carried out: why.
    case option(String)
    /// No channel has this name; these are there.
    case unknownChannel(String, available: [String])
    /// The channel cannot be a column: why.
    case channel(String, reason: String)
    /// From row `row` of the trace on there are other channels, and a file of this format has one layout: the rows
    /// before it and those from it on belong into files of their own.
    case layoutChanged(row: UInt64)
    /// The value of row `row`, counted from the first that was written, does not fit: which and why.
    case value(String, row: UInt64, reason: String)
    /// The file would grow beyond what its format can hold: why.
    case tooLarge(String)
}

extension TraceExportError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .option(let reason): reason
        case .unknownChannel(let name, let available):
            "there is no channel \(name); the channels are \(available.joined(separator: ", "))"
        case .channel(let name, let reason): "the channel \(name) cannot be a column: \(reason)"
        case .layoutChanged(let row):
            "the channels change at row \(row); export the rows before it and the rows from it on to separate files"
        case .value(let name, let row, let reason): "\(name) of row \(row) cannot be written: \(reason)"
        case .tooLarge(let reason): reason
        }
    }
}
