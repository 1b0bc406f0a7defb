import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The formats for exported contacts. All but ``cabrillo`` list them in the order in which they came.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// ADIF's tagged text. Untouched contacts come out byte for byte.
    case adi
    /// ADIF's XML. It holds text only: a value that is not UTF-8 is read as Windows-1252.
    case adx
    /// A table for spreadsheets (RFC 4180): UTF-8, lines end with CR and LF, the first line has the field names. A
    /// value that a spreadsheet would run as a formula has an apostrophe before it, which an import takes off again.
    case csv
    /// One JSON object per line, lossless.
    case ndjson
    /// An SQLite database with two tables, for SQL queries. It must be a file, and cannot be written piece by piece.
    case sqlite
    /// The log of one contest, as its sponsor wants it: see ``CabrilloOptions``. Contacts are in order of their times.
    case cabrillo
}

/// The result of an export.
public struct ExportReport: Hashable, Sendable {
    /// A field that could not be written unchanged.
    public struct Remark: Hashable, Sendable {
        /// The contact.
        public let record: RecordID
        /// The field.
        public let field: String
        /// What happened to it.
        public let message: String

        package init(record: RecordID, field: String, message: String) {
            (self.record, self.field, self.message) = (record, field, message)
        }
    }

    /// The number of contacts written.
    public internal(set) var records = 0
    /// The number of bytes written.
    public internal(set) var bytes = 0
    /// The fields that could not be written unchanged.
    public internal(set) var remarks: [Remark] = []
    /// The token of the exported state: later changes come after it.
    public internal(set) var token: ChangeToken
}

/// Writes contacts in one format, piece by piece.
struct ContactWriter: ~Copyable {
    let format: ExportFormat
    let created: Int64
    /// The columns of a table, in order.
    let columns: [FieldName]
    private(set) var remarks: [ExportReport.Remark] = []
    private var shown = ShownFields()
    /// For each column of a table the place of its field in a layout; -1 for none.
    private var cells = LayoutMemo()
    /// The places of a layout whose names ADIF allows.
    private var allowed = LayoutMemo()

    init(_ format: ExportFormat, _ columns: [FieldName], created: Int64) {
        (self.format, self.columns, self.created) = (format, columns, created)
    }

    private var header: ADIFHeader {
        ADIWriter.makeHeader(programVersion: Store.libraryVersion, createdTimestamp: created)
    }

    func appendStart(to bytes: inout [UInt8]) {
        switch format {
        case .adi: ADIWriter.append(header, to: &bytes)
        case .adx: ADXWriter.appendStart(header, to: &bytes)
        case .csv: CSV.append(columns.map { Array($0.name.utf8)[...] }, to: &bytes)
        case .ndjson, .sqlite, .cabrillo: break
        }
    }

    mutating func append(_ id: RecordID, _ contact: borrowing ShownValues, to bytes: inout [UInt8]) {
        shown.read(contact)
        let values = shown.bytes(of: contact)
        let names = shown.layout.names
        switch format {
        case .adi:
            for place in allowedPlaces(id) {
                ADIWriter.append(names[place], value: values[shown.range(at: place)], to: &bytes)
            }
            ADIWriter.appendEndOfRecord(to: &bytes)
        case .adx:
            var record = ADIFFields()
            for place in allowedPlaces(id) { record.append(names[place], value: values[shown.range(at: place)]) }
            for problem in ADXWriter.append(ADIFRecord(fields: record), to: &bytes) {
                remarks.append(.init(record: id, field: problem.field.name, message: problem.code.explanation))
            }
        case .csv:
            let places = cells.of(shown.layout) { layout in
                columns.map { layout.names.firstIndex(of: $0) ?? -1 }
            }
            for (column, place) in places.enumerated() {
                if column > 0 { bytes.append(UInt8(ascii: ",")) }
                if place < 0 { continue }
                CSV.append(cell: text(values[shown.range(at: place)], of: names[place], id), to: &bytes)
            }
            CSV.appendEndOfRow(to: &bytes)
        case .ndjson:
            NDJSON.appendStart(id: "\(id)", to: &bytes)
            for place in names.indices {
                NDJSON.append(names[place], values[shown.range(at: place)], isFirst: place == 0, to: &bytes)
            }
            NDJSON.appendEnd(to: &bytes)
        case .sqlite: preconditionFailure("A database is written by ContactDatabase.")
        case .cabrillo: preconditionFailure("The log of a contest is written by CabrilloLog.")
        }
    }

    func appendEnd(to bytes: inout [UInt8]) {
        if format == .adx { ADXWriter.appendEnd(to: &bytes) }
    }

    /// The value in UTF-8.
    private mutating func text(_ value: ArraySlice<UInt8>, of name: FieldName, _ id: RecordID) -> ArraySlice<UInt8> {
        if value.allSatisfy({ $0 < 0x80 }) { return value }
        let text = ValueText(decoding: value)
        if text.encoding == .utf8 { return value }
        remarks.append(
            .init(
                record: id, field: name.name, message: ADXWriter.Problem.Code.convertedToUTF8.explanation))
        return Array(text.string.utf8)[...]
    }

    /// The places of the fields at hand whose names ADIF allows; a remark is made of each other one.
    private mutating func allowedPlaces(_ id: RecordID) -> [Int] {
        let places = allowed.of(shown.layout) { layout in
            layout.names.indices.filter { layout.names[$0].isKnown || ADIFFields.accepts(layout.names[$0]) }
        }
        if places.count < shown.layout.names.count {
            for (place, name) in shown.layout.names.enumerated() where !places.contains(place) {
                remarks.append(
                    .init(
                        record: id, field: name.name,
                        message: "ADIF does not allow this field name; the field was left out."))
            }
        }
        return places
    }
}

/// Tables as RFC 4180 defines them.
package enum CSV {
    /// Appends a row of these cells.
    package static func append(_ row: [ArraySlice<UInt8>], to bytes: inout [UInt8]) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(cell: value, to: &bytes)
        }
        appendEndOfRow(to: &bytes)
    }

    static func appendEndOfRow(to bytes: inout [UInt8]) {
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    /// Appends a cell; a value with a comma, a quote, a line end, or a blank at an end is quoted.
    static func append(cell value: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        let isGuarded = SpreadsheetGuard.isNeeded(by: value)
        let mustQuote =
            value.first == 0x20 || value.last == 0x20
            || value.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        guard mustQuote else {
            if isGuarded { bytes.append(UInt8(ascii: "'")) }
            bytes.append(contentsOf: value)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        if isGuarded { bytes.append(UInt8(ascii: "'")) }
        for byte in value {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the columns for contacts with these fields: the common ones first, then the others by name.
    static func columns(_ names: Set<FieldName>) -> [FieldName] {
        let first: [FieldName] = [
            .qsoDate, .timeOn, .call, .freq, .band, .mode, .submode, .rstSent, .rstRcvd, .name, .qth, .gridsquare,
            .stationCallsign, .operator, .myGridsquare, .comment, .notes,
        ]
        let always: Set<FieldName> = [.qsoDate, .timeOn, .call]
        let rest = names.subtracting(first).sorted { $0.name < $1.name }
        return first.filter { names.contains($0) || always.contains($0) } + rest
    }
}

extension ADXWriter.Problem.Code {
    /// What happened to the field.
    var explanation: String {
        switch self {
        case .forbiddenCharacter: "The value has a control character that XML does not allow; it was left out."
        case .convertedToUTF8: "The value is not UTF-8; it was read as Windows-1252 and written as UTF-8."
        case .unsuitableName: "XML does not allow this field name; the field was left out."
        }
    }
}
