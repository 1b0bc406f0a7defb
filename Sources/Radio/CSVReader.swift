import GroundwaveADIF

/// Cells that a spreadsheet would run as a formula: an apostrophe before them makes them text.
///
/// Source: OWASP, "CSV Injection". A number with a sign, such as the report of FT8, is no formula. A value that begins with
/// apostrophes and then so gets one more, so that taking one away always gives the value back.
package enum SpreadsheetGuard {
    private static let apostrophe = UInt8(ascii: "'")

    /// Whether a spreadsheet would run `value`.
    package static func isNeeded(by value: ArraySlice<UInt8>) -> Bool {
        let text = value.drop { $0 == apostrophe }
        switch text.first {
        case UInt8(ascii: "="), UInt8(ascii: "@"), 0x09, 0x0D: return true
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            let rest = text.dropFirst()
            return rest.isEmpty || !rest.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        default: return false
        }
    }

    /// Returns the value of a cell as it was before it was guarded.
    static func value(of cell: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        cell.first == apostrophe && isNeeded(by: cell) ? cell.dropFirst() : cell
    }
}

/// Reads contacts from a table whose first row has the names of fields: that of an export, or of a spreadsheet
/// (RFC 4180; the separator is the comma, semicolon or tab that the first row has most).
///
/// An empty cell is no value. The apostrophe that guards a cell is taken off: see ``SpreadsheetGuard``.
public struct CSVReader: Sendable {
    /// Where in a cell a byte stands: a quote means something at its start and within quotes only, so that a stray one does
    /// not swallow the rows behind it.
    private enum Place { case start, plain, quoted, behindQuote }

    private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]

    private let limits: ADIFLimits
    private var rows = LineBuffer()
    private var place = Place.start
    private var number = 0
    private var columns: (names: [FieldName], separator: UInt8)?
    /// Whether the file is no such table, so that nothing more of it is read.
    private var isRefused = false

    /// Creates a reader with these limits.
    public init(limits: ADIFLimits = ADIFLimits()) { self.limits = limits }

    /// Appends the next bytes of the file.
    public mutating func append(_ bytes: [UInt8]) { rows.append(bytes) }

    /// Ends the file.
    public mutating func finish() { rows.finish() }

    /// Returns the next record or rejected row; `nil` if more bytes are needed, or at the end.
    public mutating func next() -> ADIFItem? {
        while !isRefused, let row = nextRow() {
            place = .start
            if row.isTooLong { return rejected(.recordTooLong, row.range) }
            let cells = row.bytes.last == 0x0D ? row.bytes.dropLast() : row.bytes
            if cells.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            guard let columns else {
                guard let found = Self.columns(cells), found.names.count <= limits.fieldCount else {
                    isRefused = true
                    return .rejected(ADIFRejection(.notADIF, recordNumber: 0, byteRange: row.range))
                }
                self.columns = found
                continue
            }
            guard let fields = Self.fields(cells, columns) else { return rejected(.malformedCSV, row.range) }
            number += 1
            return .record(ADIFRecord(number: number, byteOffset: row.range.lowerBound, fields: fields))
        }
        return nil
    }

    private mutating func nextRow() -> LineBuffer.Line? {
        var place = place
        defer { self.place = place }
        let separators = columns.map { [$0.separator] } ?? Self.separators
        return rows.next(limit: limits.recordByteCount) { byte in
            switch (place, byte) {
            case (.start, UInt8(ascii: "\"")), (.behindQuote, UInt8(ascii: "\"")): place = .quoted
            case (.quoted, UInt8(ascii: "\"")): place = .behindQuote
            case (.quoted, _): break
            case (_, 0x0A): return true
            default: place = separators.contains(byte) ? .start : .plain
            }
            return false
        }
    }

    private mutating func rejected(_ code: ADIFRejection.Code, _ range: Range<UInt64>) -> ADIFItem {
        number += 1
        return .rejected(ADIFRejection(code, recordNumber: number, byteRange: range))
    }

    /// Returns the names of the columns; `nil` if they are not those of contacts.
    private static func columns(_ row: ArraySlice<UInt8>) -> (names: [FieldName], separator: UInt8)? {
        let counts = separators.map { separator in row.count { $0 == separator } }
        guard let most = separators.indices.max(by: { counts[$0] < counts[$1] }) else { return nil }
        guard let cells = cells(row, separators[most]) else { return nil }
        let names = cells.map { FieldName(bytes: ContactKey.folded($0)[...]) }
        guard names.contains(.call), names.allSatisfy({ ADIFFields.accepts($0) }), Set(names).count == names.count
        else { return nil }
        return (names, separators[most])
    }

    private static func fields(
        _ row: ArraySlice<UInt8>, _ columns: (names: [FieldName], separator: UInt8)
    ) -> ADIFFields? {
        guard let cells = cells(row, columns.separator), cells.count <= columns.names.count else { return nil }
        var fields = ADIFFields()
        for (name, cell) in zip(columns.names, cells) where !cell.isEmpty {
            fields.append(name, value: SpreadsheetGuard.value(of: cell[...]))
        }
        return fields
    }

    /// Returns the cells of a row; `nil` if a quote is within a cell that is not quoted, or does not end.
    private static func cells(_ row: ArraySlice<UInt8>, _ separator: UInt8) -> [[UInt8]]? {
        let quote = UInt8(ascii: "\"")
        var cells: [[UInt8]] = []
        var place = row.startIndex
        while true {
            var cell: [UInt8] = []
            if place < row.endIndex, row[place] == quote {
                place += 1
                while true {
                    guard place < row.endIndex else { return nil }
                    if row[place] == quote {
                        place += 1
                        guard place < row.endIndex, row[place] == quote else { break }
                    }
                    cell.append(row[place])
                    place += 1
                }
                guard place == row.endIndex || row[place] == separator else { return nil }
            } else {
                while place < row.endIndex, row[place] != separator {
                    if row[place] == quote { return nil }
                    cell.append(row[place])
                    place += 1
                }
            }
            cells.append(cell)
            if place == row.endIndex { return cells }
            place += 1
        }
    }
}
