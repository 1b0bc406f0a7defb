import GroundwaveADIF

/// The formats of log files.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// ADIF's tagged text, `.adi`.
    case adi
    /// ADIF's XML, `.adx`.
    case adx
    /// One JSON object per line, as `export --format ndjson` writes it.
    case ndjson
    /// A table whose first row has the names of fields, as `export --format csv` and spreadsheets write it.
    case csv
    /// Lines in the manner of Fast Log Entry. Never detected.
    case fle
    /// The log of a contest, as its sponsor wants it: Cabrillo.
    case cabrillo

    /// Returns the format of a file that begins with `start`; ADI if nothing indicates another format.
    public static func detect(_ start: [UInt8]) -> LogFormat {
        var text = start[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        let first = text.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        if first == UInt8(ascii: "{") { return .ndjson }
        if text.prefix(cabrilloStart.count).map({ $0 & 0xDF }) == cabrilloStart.map({ $0 & 0xDF }) { return .cabrillo }
        if ADIFFormat.detect(start) == .adx { return .adx }
        return isTable(text) ? .csv : .adi
    }

    /// How a Cabrillo log begins.
    private static let cabrilloStart = [UInt8]("START-OF-LOG:".utf8)

    /// Whether a file begins with a row of names, CALL among them, and no tag.
    private static func isTable(_ text: ArraySlice<UInt8>) -> Bool {
        let row = text.prefix { $0 != 0x0A && $0 != 0x0D }
        if row.contains(UInt8(ascii: "<")) { return false }
        let names = row.split { [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].contains($0) }
        return names.count > 1
            && names.contains { FieldName(bytes: $0.filter { $0 != UInt8(ascii: "\"") && $0 != 0x20 }[...]) == .call }
    }
}

/// Reads a log of any format piece by piece, and returns its headers, records and damaged parts.
///
/// ADI, JSON and tables are parsed as the bytes arrive; ADX, being XML, when the file is complete.
public struct LogReader {
    private enum Reader {
        case undecided([UInt8])
        case adi(ADIReader)
        case adx([UInt8])
        case ndjson(NDJSONReader)
        case csv(CSVReader)
        case fle(FastLogReader)
        case cabrillo(CabrilloReader)
        /// The remaining items of a parsed document, in reverse order.
        case items([ADIFItem])
    }

    private var reader: Reader
    private let limits = ADIFLimits()

    /// Creates a reader of `format`; if `nil`, the format is detected from the first bytes.
    public init(format: LogFormat?) {
        reader = format.map { Self.reader(of: $0) } ?? .undecided([])
    }

    private static func reader(of format: LogFormat) -> Reader {
        switch format {
        case .adi: .adi(ADIReader())
        case .adx: .adx([])
        case .ndjson: .ndjson(NDJSONReader())
        case .csv: .csv(CSVReader())
        case .fle: .fle(FastLogReader())
        case .cabrillo: .cabrillo(CabrilloReader())
        }
    }

    /// Whether the file is a Cabrillo log, whose header says who entered the contest in which category.
    package var isCabrillo: Bool { if case .cabrillo = reader { true } else { false } }

    /// Appends the next bytes of the file. Call ``next()`` until it returns `nil` before appending more.
    public mutating func append(_ bytes: [UInt8]) {
        switch reader {
        case .undecided(var start):
            reader = .items([])
            start += bytes
            if start.count >= ADIFFormat.prefixByteCount { decide(start) } else { reader = .undecided(start) }
        case .adi(var adi):
            reader = .items([])
            adi.append(bytes)
            reader = .adi(adi)
        case .adx(var document):
            reader = .items([])
            // One byte over the limit is enough for the reader to refuse the document.
            if document.count <= limits.documentByteCount { document += bytes }
            reader = .adx(document)
        case .ndjson(var lines):
            reader = .items([])
            lines.append(bytes)
            reader = .ndjson(lines)
        case .csv(var rows):
            reader = .items([])
            rows.append(bytes)
            reader = .csv(rows)
        case .fle(var lines):
            reader = .items([])
            lines.append(bytes)
            reader = .fle(lines)
        case .cabrillo(var lines):
            reader = .items([])
            lines.append(bytes)
            reader = .cabrillo(lines)
        case .items: preconditionFailure("Nothing follows the end of a file.")
        }
    }

    /// Ends the file.
    public mutating func finish() {
        if case .undecided(let start) = reader { decide(start) }
        switch reader {
        case .adi(var adi):
            reader = .items([])
            adi.finish()
            reader = .adi(adi)
        case .adx(let document): reader = .items(ADXReader.items(in: document).reversed())
        case .ndjson(var lines):
            reader = .items([])
            lines.finish()
            reader = .ndjson(lines)
        case .csv(var rows):
            reader = .items([])
            rows.finish()
            reader = .csv(rows)
        case .fle(var lines):
            reader = .items([])
            lines.finish()
            reader = .fle(lines)
        case .cabrillo(var lines):
            reader = .items([])
            lines.finish()
            reader = .cabrillo(lines)
        case .undecided, .items: break
        }
    }

    private mutating func decide(_ start: [UInt8]) {
        reader = Self.reader(of: LogFormat.detect(start))
        append(start)
    }

    /// Returns the next header, record or damaged part; `nil` if more bytes are needed, or at the end.
    public mutating func next() -> ADIFItem? {
        switch reader {
        case .undecided, .adx: return nil
        case .adi(var adi):
            reader = .items([])
            defer { reader = .adi(adi) }
            return adi.next()
        case .ndjson(var lines):
            reader = .items([])
            defer { reader = .ndjson(lines) }
            return lines.next()
        case .csv(var rows):
            reader = .items([])
            defer { reader = .csv(rows) }
            return rows.next()
        case .fle(var lines):
            reader = .items([])
            defer { reader = .fle(lines) }
            return lines.next()
        case .cabrillo(var lines):
            reader = .items([])
            defer { reader = .cabrillo(lines) }
            return lines.next()
        case .items(var items):
            reader = .items([])
            defer { reader = .items(items) }
            return items.popLast()
        }
    }
}
