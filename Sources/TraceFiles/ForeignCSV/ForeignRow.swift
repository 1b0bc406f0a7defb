/// One line of a file of others: its time, and what the fields of the channels contain.
struct ForeignRow {
    /// Nanoseconds, since 1970 or since the recording began; `nil` if there is no time.
    let time: Int64?
    /// What the field of each channel contains.
    let values: [LooseDecimal.Field]

    /// Whether the line is empty.
    let isEmpty: Bool

    /// Whether it has a number of any channel.
    var hasNumber: Bool { values.contains { if case .number = $0 { true } else { false } } }

    /// Whether it is a row: it has a time, if there is a column for it, and at least one number.
    var isRow: Bool { time != nil && hasNumber }

    /// Reads the fields of a line. Without a column of times, the time is 0. A comma is a decimal point where it is not the
    /// `delimiter`.
    init(
        _ fields: CSVFields, _ time: (index: Int, form: TimeColumn.Form)?,
        _ channels: [(column: ChannelColumn, index: Int)], _ delimiter: UInt8
    ) {
        isEmpty = fields.ranges.allSatisfy(\.isEmpty)
        let isCommaPoint = delimiter != UInt8(ascii: ",")
        func field(_ index: Int) -> Range<Int> { index < fields.count ? fields.ranges[index] : 0..<0 }
        self.time =
            time.map { time in
                ForeignTime.nanoseconds(fields.bytes, field(time.index), time.form, isCommaPoint: isCommaPoint)
            } ?? 0
        values = channels.map { LooseDecimal.field(fields.bytes, field($0.index), isCommaPoint: isCommaPoint) }
    }
}
