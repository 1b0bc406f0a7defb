import GroundwaveMetering

/// Which columns of a CSV file of others are the time and the channels of a trace.
///
/// ```swift
/// var mapping = TraceMapping()
/// mapping.time = try TimeColumn("Time (s)")
/// mapping.channels = [try ChannelColumn("current=I:mA")]
/// ```
package struct TraceMapping: Hashable, Sendable {
    /// A column by its name in the header, or by its number, counted from 1.
    enum Column: Hashable {
        case name(String)
        case number(Int)

        /// The name or the number.
        var text: String {
            switch self {
            case .name(let name): name
            case .number(let number): "\(number)"
            }
        }
    }

    /// The columns that may have the time, the first that is there; rows follow one another at ``rate`` if empty.
    package var times: [TimeColumn] = []
    /// The channels, in the order of the trace.
    package var channels: [ChannelColumn] = []
    /// The number of rows per second of a file without a time.
    package var rate: Double?
    /// Whether channels may be missing in the file, as long as one is there.
    var mayLackChannels = false

    /// Creates a mapping without columns.
    package init() {}
}

/// The column with the time, and how it is written.
package struct TimeColumn: Hashable, Sendable {
    /// How times are written.
    package enum Form: String, Hashable, Sendable, CaseIterable {
        /// Seconds since the recording began, or a part or multiple of them.
        case seconds = "s"
        case milliseconds = "ms"
        case microseconds = "us"
        case nanoseconds = "ns"
        case minutes = "min"
        case hours = "h"
        /// Seconds since 1970, UTC.
        case unix
        /// Milliseconds since 1970, UTC.
        case unixMilliseconds = "unix-ms"
        /// A date and a time of day, `2026-05-01 12:00:00.5`, with an offset or `Z`; else in UTC.
        case date

        /// Whether the times say when the recording was.
        package var isAbsolute: Bool { self == .unix || self == .unixMilliseconds || self == .date }
    }

    let column: TraceMapping.Column
    /// How its times are written.
    package let form: Form

    /// Parses `COLUMN` or `COLUMN:FORM`; without a form, times are in seconds.
    ///
    /// - Throws: ``MappingError/empty(_:)``.
    package init(_ text: String) throws(MappingError) {
        let (column, form) = TraceMapping.split(text) { Form(rawValue: $0) }
        self.column = try TraceMapping.column(column, of: text)
        self.form = form ?? .seconds
    }

    init(_ column: TraceMapping.Column, _ form: Form) { (self.column, self.form) = (column, form) }
}

/// The column of a channel, and its unit.
package struct ChannelColumn: Hashable, Sendable {
    /// The name of the channel.
    package let name: String
    let column: TraceMapping.Column
    let unit: ForeignUnit

    /// Parses `NAME=COLUMN` or `NAME=COLUMN:UNIT`; without a unit it is the one that the quantity usually has.
    ///
    /// - Throws: ``MappingError``.
    package init(_ text: String) throws(MappingError) {
        guard let equals = text.firstIndex(of: "=") else { throw .noColumn(text) }
        let name = String(text[..<equals])
        guard ColumnNames.isName(name) else { throw .name(name) }
        let (column, unit) = TraceMapping.split(String(text[text.index(after: equals)...])) { ForeignUnit.named($0) }
        self.init(name, try TraceMapping.column(column, of: text), unit ?? .usual(of: name))
    }

    init(_ name: String, _ column: TraceMapping.Column, _ unit: ForeignUnit) {
        (self.name, self.column, self.unit) = (name, column, unit)
    }
}

extension TraceMapping {
    /// Splits what stands behind the last colon from `text`, if `known` knows it.
    static func split<Suffix>(_ text: String, _ known: (String) -> Suffix?) -> (String, Suffix?) {
        guard let colon = text.lastIndex(of: ":"), let suffix = known(String(text[text.index(after: colon)...])) else {
            return (text, nil)
        }
        return (String(text[..<colon]), suffix)
    }

    static func column(_ text: String, of option: String) throws(MappingError) -> Column {
        if text.isEmpty { throw .empty(option) }
        return Int(text).flatMap { (1...CSVFields.limit).contains($0) ? .number($0) : nil } ?? .name(text)
    }
}

/// The reason why a text names no column.
package enum MappingError: Error, Hashable, Sendable {
    /// No column is named.
    case empty(String)
    /// There is no `=` between the channel and its column.
    case noColumn(String)
    /// The channel has no valid name.
    case name(String)
}

extension MappingError: CustomStringConvertible {
    /// A message with the reason.
    package var description: String {
        switch self {
        case .empty(let text): "“\(text)” names no column"
        case .noColumn(let text): "“\(text)” does not say which column it is"
        case .name(let name):
            "“\(name)” is not a name for a channel: 1 to \(ColumnNames.nameByteLimit) letters without blanks and _"
        }
    }
}
