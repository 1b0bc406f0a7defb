import GroundwaveMetering

/// The columns of a trace as CSV: time, counter if there is one, `missing`, `repeats`, channels. Parses its fields.
struct CSVColumns {
    /// The names of all columns in the order of the file.
    let names: [String]
    /// The index of the first channel's column. `missing` and `repeats` are the two columns before it.
    let firstChannel: Int
    /// The channels and the counter.
    private(set) var layout: Layout
    /// Whether a column with descriptions of moments follows the channels. It is none of ``names``.
    let hasMarkers: Bool
    // Whether the decimals of each channel are known.
    private var isKnown: [Bool]

    /// Whether the decimals of all channels are known.
    private(set) var hasDecimals = false

    /// Parses the first line. Channels have no decimals yet: see ``withDecimals(of:_:)``.
    init(_ line: String) throws(CSVTraceError.Reason) {
        var fields = line.split(separator: ",", omittingEmptySubsequences: false)
        guard fields[0] == ColumnNames.time else {
            throw .missingColumn(found: Self.shown(fields[0]), expected: ColumnNames.time)
        }
        hasMarkers = fields.last.map { $0 == ColumnNames.marker } ?? false
        if hasMarkers { fields.removeLast() }
        let tick = fields.count > 1 ? ColumnNames.tick(fields[1]) : nil
        firstChannel = tick == nil ? 3 : 4
        for (place, name) in [(firstChannel - 2, ColumnNames.missing), (firstChannel - 1, ColumnNames.repeats)] {
            let found = place < fields.count ? Self.shown(fields[place]) : "nothing"
            guard found == name else { throw .missingColumn(found: found, expected: name) }
        }
        let limit = Layout.channelLimit
        let count = fields.count - firstChannel
        guard (1...limit).contains(count) else { throw .channelCount(count, limit: limit) }
        var channels: [Channel] = []
        var taken = Set(fields[..<firstChannel])
        for field in fields[firstChannel...] {
            guard taken.insert(field).inserted else { throw .duplicateColumn(Self.shown(field)) }
            switch ColumnNames.channel(field) {
            case .success(let channel): channels.append(channel)
            case .failure(.name(let name)): throw .columnName(Self.shown(name[...]))
            case .failure(.unit(let unit)): throw .unknownUnit(Self.shown(unit[...]))
            }
        }
        names = fields.map(String.init)
        layout = Layout(channels, tick: tick)
        isKnown = Array(repeating: false, count: count)
    }

    /// Returns the same columns, with the number of decimals of each channel that has its first value in `fields`, one
    /// row of `bytes`.
    func withDecimals(of bytes: [UInt8], _ fields: [Range<Int>]) throws(CSVTraceError.Reason) -> CSVColumns {
        var columns = self
        var channels = layout.channels
        for (place, channel) in channels.enumerated() where !isKnown[place] {
            let field = bytes[fields[firstChannel + place]]
            if field.isEmpty { continue }
            let point = field.firstIndex(of: UInt8(ascii: "."))
            let decimals = point.map { field.endIndex - $0 - 1 } ?? 0
            guard decimals <= 9 else {
                throw .decimals(column: names[firstChannel + place], found: decimals, expected: 9)
            }
            channels[place] = Channel(channel.name, channel.unit, decimals: decimals)
            columns.isKnown[place] = true
        }
        columns.hasDecimals = columns.isKnown.allSatisfy(\.self)
        columns.layout = Layout(channels, tick: layout.tick)
        return columns
    }

    /// Parses `column` as a count: an integer without sign.
    func count(_ bytes: [UInt8], _ fields: [Range<Int>], _ column: Int) throws(CSVTraceError.Reason) -> UInt64 {
        let field = fields[column]
        guard field.isEmpty || bytes[field.lowerBound] != UInt8(ascii: "-") else {
            throw .number(column: names[column], Self.text(bytes, field))
        }
        return try magnitude(bytes, field, field, column, decimals: 0)
    }

    /// Parses `column` as a number with exactly `decimals` decimals. Returns it times ten to the `decimals`.
    ///
    /// A negative zero and leading zeros are refused, since no writer of this format produces them.
    func integer(
        _ bytes: [UInt8], _ fields: [Range<Int>], _ column: Int, decimals: Int
    ) throws(CSVTraceError.Reason) -> Int64 {
        let field = fields[column]
        let isNegative = !field.isEmpty && bytes[field.lowerBound] == UInt8(ascii: "-")
        let digits = isNegative ? field.lowerBound + 1..<field.upperBound : field
        let magnitude = try magnitude(bytes, field, digits, column, decimals: decimals)
        if isNegative {
            guard magnitude > 0 else { throw .number(column: names[column], Self.text(bytes, field)) }
            guard magnitude <= Int64.min.magnitude else {
                throw .overflow(column: names[column], Self.text(bytes, field))
            }
            return Int64(truncatingIfNeeded: 0 &- magnitude)
        }
        guard magnitude <= Int64.max.magnitude else { throw .overflow(column: names[column], Self.text(bytes, field)) }
        return Int64(magnitude)
    }

    /// Parses the number at `digits`, which is all of `field` except the sign. Returns it times ten to the `decimals`.
    private func magnitude(
        _ bytes: [UInt8], _ field: Range<Int>, _ digits: Range<Int>, _ column: Int, decimals: Int
    ) throws(CSVTraceError.Reason) -> UInt64 {
        var value: UInt64 = 0
        var point: Int?
        var hasOverflow = false
        for place in digits {
            let digit = bytes[place] &- UInt8(ascii: "0")
            if digit < 10 {
                let (tens, first) = value.multipliedReportingOverflow(by: 10)
                let (sum, second) = tens.addingReportingOverflow(UInt64(digit))
                hasOverflow = hasOverflow || first || second
                value = sum
            } else if bytes[place] == UInt8(ascii: "."), point == nil {
                point = place
            } else {
                throw .number(column: names[column], Self.text(bytes, field))
            }
        }
        let whole = digits.lowerBound..<(point ?? digits.upperBound)
        let found = point.map { digits.upperBound - $0 - 1 } ?? 0
        let hasZeroInFront = whole.count > 1 && bytes[whole.lowerBound] == UInt8(ascii: "0")
        if whole.isEmpty || hasZeroInFront || (point != nil && found == 0) {
            throw .number(column: names[column], Self.text(bytes, field))
        }
        guard found == decimals else { throw .decimals(column: names[column], found: found, expected: decimals) }
        if hasOverflow { throw .overflow(column: names[column], Self.text(bytes, field)) }
        return value
    }

    /// Returns the text of a field for a message: at most 40 characters, with `?` for all that are not printable ASCII.
    static func text(_ bytes: [UInt8], _ field: Range<Int>) -> String {
        shown(String(decoding: bytes[field].prefix(50), as: UTF8.self)[...])
    }

    private static func shown(_ text: Substring) -> String {
        if text.isEmpty { return "nothing" }
        let scalars = text.unicodeScalars.prefix(40).map { $0.value > 0x1F && $0.value < 0x7F ? Character($0) : "?" }
        return String(scalars) + (text.unicodeScalars.count > 40 ? "…" : "")
    }
}
