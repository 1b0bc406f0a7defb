import GroundwaveCompression
import GroundwaveStore

/// The bytes of a log file as its readers expect them: a file that is compressed with gzip is decompressed, and UTF-16 with
/// a byte order mark becomes UTF-8.
///
/// Memory: a few pieces, however far a file expands.
struct UnpackedFile {
    private enum Encoding {
        case bytes
        case utf16(isBigEndian: Bool)
    }

    private let name: String
    private let chunks: () throws -> [UInt8]?
    /// A piece that was read to see what the file is.
    private var first: [UInt8]?
    private var inflater: Inflater?
    private var encoding: Encoding?
    /// A byte of a unit, or a unit of a pair, whose other half is in the next piece.
    private var rest: [UInt8] = []

    /// - Parameter chunks: The bytes of the file piece by piece, and `nil` at its end.
    init(_ name: String, _ chunks: @escaping () throws -> [UInt8]?) throws {
        (self.name, self.chunks) = (name, chunks)
        first = try Self.beginning(chunks)
        if first?.starts(with: [0x1F, 0x8B]) == true { inflater = Inflater() }
    }

    /// Returns the next bytes; `nil` at the end.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if the file is compressed and damaged; what `chunks` throws.
    mutating func next() throws -> [UInt8]? {
        if encoding == nil {
            var start: [UInt8] = []
            while start.count < 2, let piece = try nextBytes() { start += piece }
            switch (start.first, start.dropFirst().first) {
            case (0xFF, 0xFE): encoding = .utf16(isBigEndian: false)
            case (0xFE, 0xFF): encoding = .utf16(isBigEndian: true)
            default: encoding = .bytes
            }
            if start.isEmpty { return nil }
            guard case .utf16(let isBigEndian) = encoding else { return start }
            return utf8(start.dropFirst(2), isBigEndian)
        }
        guard case .utf16(let isBigEndian) = encoding else { return try nextBytes() }
        guard let piece = try nextBytes() else {
            if rest.isEmpty { return nil }
            // The file ends within a character.
            rest = []
            return Array("\u{FFFD}".utf8)
        }
        return utf8(piece[...], isBigEndian)
    }

    private mutating func nextBytes() throws -> [UInt8]? {
        func more() throws -> [UInt8]? {
            defer { first = nil }
            return try first ?? chunks()
        }
        guard let inflater else { return try more() }
        do { return try inflater.read(more: more) } catch is Zlib.Failure {
            throw StoreError(
                .damaged, "\(name) is compressed, and damaged or not complete.",
                hint: "Check that it was downloaded completely, and import it again: that completes the import.")
        }
    }

    /// Returns so many bytes that the format of the file shows.
    private static func beginning(_ chunks: () throws -> [UInt8]?) throws -> [UInt8]? {
        var start: [UInt8]?
        while start?.count ?? 0 < 2, let piece = try chunks() { start = (start ?? []) + piece }
        return start
    }

    /// Converts a piece of UTF-16, and keeps what is not complete. A half of a pair alone becomes U+FFFD.
    private mutating func utf8(_ piece: ArraySlice<UInt8>, _ isBigEndian: Bool) -> [UInt8] {
        let bytes = rest + piece
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for place in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (high, low) = isBigEndian ? (bytes[place], bytes[place + 1]) : (bytes[place + 1], bytes[place])
            units.append(UInt16(high) << 8 | UInt16(low))
        }
        let isPairCut = units.last.map { UTF16.isLeadSurrogate($0) } ?? false
        if isPairCut { units.removeLast() }
        rest = Array(bytes.suffix(bytes.count % 2 + (isPairCut ? 2 : 0)))
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
