import ADIF

/// The formats that a log comes in.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// ADIF's tagged text, `.adi`.
    case adi
    /// ADIF's XML, `.adx`.
    case adx
    /// One JSON object a line, as `export --format ndjson` writes it.
    case ndjson
}

/// Reads a log piece by piece, whatever its format, and hands out its headers, records and damaged parts.
public struct LogReader {
    private enum Reader {
        case undecided([UInt8])
        case adi(ADIReader)
    }

    private var reader: Reader

    /// A reader of this format; where none is given it is found out from the first bytes.
    public init(format: LogFormat?) {
        switch format {
        case .adi: reader = .adi(ADIReader())
        default: reader = .undecided([])
        }
    }

    /// Takes the next bytes of the file. Call ``next()`` until it returns `nil` before the next piece.
    public mutating func append(_ bytes: [UInt8]) throws {
        switch reader {
        case .undecided(let start):
            let known = start + bytes
            if known.count >= ADIFFormat.prefixByteCount { decide(known) } else { reader = .undecided(known) }
        case .adi(var adi):
            reader = .undecided([])
            adi.append(bytes)
            reader = .adi(adi)
        }
    }

    /// Says that the file ends here.
    public mutating func finish() throws {
        if case .undecided(let start) = reader { decide(start) }
        if case .adi(var adi) = reader {
            reader = .undecided([])
            adi.finish()
            reader = .adi(adi)
        }
    }

    private mutating func decide(_ start: [UInt8]) {
        var adi = ADIReader()
        adi.append(start)
        reader = .adi(adi)
    }

    /// The next header, record or damaged part; `nil` where more bytes are needed, or at the end.
    public mutating func next() throws -> ADIFItem? {
        guard case .adi(var adi) = reader else { return nil }
        reader = .undecided([])
        defer { reader = .adi(adi) }
        return adi.next()
    }
}
