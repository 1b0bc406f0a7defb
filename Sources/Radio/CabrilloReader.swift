import GroundwaveADIF
import GroundwaveCabrillo

/// Reads a Cabrillo log (version 2 or 3): see ``CabrilloContact``.
///
/// Lines of the header come as headers, with their text and the program that made the log, before the contacts that follow
/// them. A line that is not understood is a rejection with the number of the line.
struct CabrilloReader: Sendable {
    private let limits: ADIFLimits
    private var lines = LineBuffer()
    private var number = 0
    private var contest = ""
    /// The lines of the header that were read since the last contact.
    private var header = CabrilloHeader()
    private var item: ADIFItem?
    private var hasEnded = false
    private var isFinished = false

    /// Creates a reader with these limits.
    init(limits: ADIFLimits = ADIFLimits()) { self.limits = limits }

    /// Appends the next bytes of the file.
    mutating func append(_ bytes: [UInt8]) { lines.append(bytes) }

    /// Ends the file.
    mutating func finish() {
        lines.finish()
        isFinished = true
    }

    /// Returns the next header, contact or rejected line; `nil` if more bytes are needed, or at the end.
    mutating func next() -> ADIFItem? {
        if let item {
            self.item = nil
            return item
        }
        while !hasEnded, let line = lines.next(limit: limits.fieldByteCount) {
            number += 1
            func rejected(_ code: ADIFRejection.Code) -> ADIFItem {
                .rejected(ADIFRejection(code, recordNumber: number, byteRange: line.range))
            }
            if line.isTooLong { return rejected(.recordTooLong) }
            switch CabrilloLine(ValueText(decoding: line.bytes).string) {
            case nil: return rejected(.malformedQSO)
            case .blank, .start: continue
            case .end: hasEnded = true
            case .header(let line):
                if header.lines.count >= limits.fieldCount { return rejected(.headerTooLong) }
                if line.tag == "CONTEST" { contest = line.text.uppercased() }
                header.append(line)
            case .contact(let words, let isIgnored):
                let fields = CabrilloContact.fields(of: words, in: contest, isIgnored: isIgnored)
                let read = fields.map {
                    ADIFItem.record(ADIFRecord(number: number, byteOffset: line.range.lowerBound, fields: $0))
                }
                return afterHeader(read ?? rejected(.malformedQSO))
            }
        }
        return hasEnded || isFinished ? afterHeader(nil) : nil
    }

    /// Returns the lines of the header that came before `item`, which is next; `item` if there are none.
    private mutating func afterHeader(_ item: ADIFItem?) -> ADIFItem? {
        guard !header.lines.isEmpty else { return item }
        self.item = item
        var fields = ADIFFields()
        if let program = header["CREATED-BY"].map(Self.program), !program.isEmpty { fields.append(.programID, program) }
        defer { header = CabrilloHeader() }
        return .header(ADIFHeader(fields: fields, text: Array(header.text.utf8)))
    }

    /// The name of a program without its version, which begins with a digit, as in `N1MM Logger+ 1.0.9450.0`.
    private static func program(_ text: String) -> String {
        text.split(separator: " ").prefix { word in
            let digits = word.first == "v" || word.first == "V" ? word.dropFirst() : word
            return !(digits.first?.isNumber ?? false) || word.contains { $0.isLetter && $0 != "v" && $0 != "V" }
        }.joined(separator: " ")
    }
}
