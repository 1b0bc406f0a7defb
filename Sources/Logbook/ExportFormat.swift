import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The formats for exported contacts. All list them in the order in which they came.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// ADIF's tagged text. Untouched contacts come out byte for byte.
    case adi
    /// ADIF's XML. It holds text only: a value that is not UTF-8 is read as Windows-1252.
    case adx
    /// A table for spreadsheets (RFC 4180): UTF-8, lines end with CR and LF, the first line has the field names. A
    /// value that begins with `=`, `+`, `-` or `@` is written unchanged: an export does not alter a log.
    case csv
    /// One JSON object per line, lossless: see ``NDJSON``.
    case ndjson
    /// An SQLite database with two tables, for SQL queries. It must be a file, and cannot be written piece by piece.
    case sqlite
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
    var columns: [FieldName] = [] {
        didSet { places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) }) }
    }
    private var places: [FieldName: Int] = [:]
    private(set) var remarks: [ExportReport.Remark] = []
    /// Names without a number that ADIF allows, as far as they came.
    private var allowed: Set<FieldName> = []
    private var shown = ShownFields()
    /// Which of the fields of the contact at hand stands in each column; -1 for none.
    private var cells: [Int] = []

    init(_ format: ExportFormat, created: Int64) {
        self.format = format
        self.created = created
    }

    private var header: ADIFHeader {
        ADIWriter.makeHeader(programVersion: Store.libraryVersion, createdTimestamp: created)
    }

    func appendStart(to bytes: inout [UInt8]) {
        switch format {
        case .adi: ADIWriter.append(header, to: &bytes)
        case .adx: ADXWriter.appendStart(header, to: &bytes)
        case .csv: CSV.append(columns.map { Array($0.name.utf8)[...] }, to: &bytes)
        case .ndjson, .sqlite: break
        }
    }

    mutating func append(_ id: RecordID, _ contact: borrowing ShownValues, to bytes: inout [UInt8]) {
        // Apart from this writer while it lends the fields.
        var shown = ShownFields()
        swap(&shown, &self.shown)
        shown.withFields(of: contact) { append(id, $0, to: &bytes) }
        swap(&shown, &self.shown)
    }

    private mutating func append(_ id: RecordID, _ fields: [ShownFields.Field], to bytes: inout [UInt8]) {
        switch format {
        case .adi:
            for (name, value) in fields where isAllowed(name, id) { ADIWriter.append(name, value: value, to: &bytes) }
            ADIWriter.appendEndOfRecord(to: &bytes)
        case .adx:
            var record = ADIFFields()
            for (name, value) in fields where isAllowed(name, id) { record.append(name, value: value) }
            for problem in ADXWriter.append(ADIFRecord(fields: record), to: &bytes) {
                remarks.append(.init(record: id, field: problem.field.name, message: problem.code.explanation))
            }
        case .csv:
            cells.removeAll(keepingCapacity: true)
            cells.append(contentsOf: repeatElement(-1, count: columns.count))
            for (index, field) in fields.enumerated() {
                if let place = places[field.name] { cells[place] = index }
            }
            for (column, index) in cells.enumerated() {
                if column > 0 { bytes.append(UInt8(ascii: ",")) }
                if index >= 0 { CSV.append(cell: text(fields[index], id), to: &bytes) }
            }
            CSV.appendEndOfRow(to: &bytes)
        case .ndjson: NDJSON.append(id: "\(id)", fields: fields, to: &bytes)
        case .sqlite: preconditionFailure("A database is written by ContactDatabase.")
        }
    }

    func appendEnd(to bytes: inout [UInt8]) {
        if format == .adx { ADXWriter.appendEnd(to: &bytes) }
    }

    /// The value in UTF-8.
    private mutating func text(_ field: ShownFields.Field, _ id: RecordID) -> ArraySlice<UInt8> {
        if field.value.allSatisfy({ $0 < 0x80 }) { return field.value }
        let text = ValueText(decoding: field.value)
        if text.encoding == .utf8 { return field.value }
        remarks.append(
            .init(
                record: id, field: field.name.name, message: ADXWriter.Problem.Code.convertedToUTF8.explanation))
        return Array(text.string.utf8)[...]
    }

    private mutating func isAllowed(_ name: FieldName, _ id: RecordID) -> Bool {
        if name.isKnown || allowed.contains(name) { return true }
        if ADIFFields.accepts(name) {
            allowed.insert(name)
            return true
        }
        remarks.append(
            .init(
                record: id, field: name.name,
                message: "ADIF does not allow this field name; the field was left out."))
        return false
    }
}

/// Tables as RFC 4180 defines them.
enum CSV {
    /// Appends a row of these cells.
    static func append(_ row: [ArraySlice<UInt8>], to bytes: inout [UInt8]) {
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
        let mustQuote =
            value.first == 0x20 || value.last == 0x20
            || value.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        guard mustQuote else {
            bytes.append(contentsOf: value)
            return
        }
        bytes.append(UInt8(ascii: "\""))
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
