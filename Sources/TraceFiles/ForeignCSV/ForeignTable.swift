/// A CSV file of others whose columns were found: where its rows begin, and what is in them.
struct ForeignTable {
    /// The number of the first line that may be a row, counted from 1.
    let firstLine: UInt64
    /// The separator of its fields.
    let delimiter: UInt8
    /// The column of the time, and how it is written; `nil` if there is none.
    let time: (index: Int, form: TimeColumn.Form)?
    /// The channels that are there, and the index of the column of each.
    let channels: [(column: ChannelColumn, index: Int)]
    /// The names of the columns that become no channel; empty without a header.
    let unused: [String]

    /// Finds the columns of `mapping` in the first lines of a file; `nil` if no line has them.
    ///
    /// Where columns have names, the first line that has them all is the header. Where all are numbers, the first line
    /// is a row that has a time and a number of a channel in them.
    init?(_ mapping: TraceMapping, in lines: [CSVLines.Line]) {
        let hasNames =
            mapping.times.contains { !$0.column.isNumber } || mapping.channels.contains { !$0.column.isNumber }
        var fields = CSVFields()
        for (number, line) in lines.enumerated() {
            for delimiter in CSVFields.delimiters {
                fields.split(line, by: delimiter)
                let names = hasNames ? fields.ranges.indices.map(fields.text) : []
                guard let found = ForeignTable.columns(mapping, names, fields.count) else { continue }
                if !hasNames {
                    guard ForeignRow(fields, found.time, found.channels, delimiter).isRow else { continue }
                }
                firstLine = UInt64(number) + (hasNames ? 2 : 1)
                self.delimiter = delimiter
                (time, channels) = found
                let used = Set(channels.map(\.index) + [time?.index].compactMap(\.self))
                unused = names.indices.filter { !used.contains($0) && !names[$0].isEmpty }.map { names[$0] }
                return
            }
        }
        return nil
    }

    private typealias Columns = (
        time: (index: Int, form: TimeColumn.Form)?, channels: [(column: ChannelColumn, index: Int)]
    )

    /// Returns the columns of `mapping` in a line of `count` fields; `nil` if it lacks one that must be there.
    private static func columns(_ mapping: TraceMapping, _ names: [String], _ count: Int) -> Columns? {
        var taken: Set<Int> = []
        func index(_ column: TraceMapping.Column) -> Int? {
            let index: Int? =
                switch column {
                // A name that is a number is one, if the header has it.
                case .number(let number):
                    names.firstIndex(of: "\(number)") ?? (number <= count ? number - 1 : nil)
                case .name(let name): names.indices.first { names[$0] == name && !taken.contains($0) }
                }
            if let index { taken.insert(index) }
            return index
        }
        var time: (index: Int, form: TimeColumn.Form)?
        for column in mapping.times where time == nil { time = index(column.column).map { ($0, column.form) } }
        if time == nil, !mapping.times.isEmpty { return nil }
        let channels = mapping.channels.compactMap { channel in index(channel.column).map { (channel, $0) } }
        guard mapping.mayLackChannels ? !channels.isEmpty : channels.count == mapping.channels.count else { return nil }
        return (time, channels)
    }
}

extension TraceMapping.Column {
    /// Whether it is named by its number.
    var isNumber: Bool {
        if case .number = self { true } else { false }
    }
}

extension TraceMapping {
    /// The columns that must be there, by name or number.
    var names: [String] { times.prefix(1).map(\.column.text) + channels.map(\.column.text) }
}

extension ForeignTable {
    /// Returns the first lines of a file without the byte order mark in front of them.
    static func withoutMark(_ lines: [CSVLines.Line]) -> [CSVLines.Line] {
        guard let first = lines.first, first.bytes[first.range].starts(with: [0xEF, 0xBB, 0xBF]) else { return lines }
        let range = first.range.lowerBound + 3..<first.range.upperBound
        return [CSVLines.Line(bytes: first.bytes, range: range)] + lines.dropFirst()
    }

    /// Returns the names of the columns as far as they can be guessed: the fields of the line with most of them.
    static func names(in lines: [CSVLines.Line]) -> [String] {
        var best: [String] = []
        var fields = CSVFields()
        for line in lines {
            for delimiter in CSVFields.delimiters {
                fields.split(line, by: delimiter)
                if fields.count > best.count { best = fields.ranges.indices.map(fields.text) }
            }
        }
        return best
    }

    /// Returns a name for a message: at most 40 characters, with `?` for those that do not show.
    static func shown(_ name: String) -> String {
        let characters = name.unicodeScalars.prefix(40).map { scalar in
            scalar.properties.generalCategory == .control ? "?" : Character(scalar)
        }
        return String(characters) + (name.unicodeScalars.count > 40 ? "…" : "")
    }
}
