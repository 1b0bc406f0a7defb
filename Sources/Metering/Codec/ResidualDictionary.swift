import ByteCoding

/// A sorted table of a column's distinct residuals, so that each residual is an index: for meters whose values lie on
/// a lattice.
enum ResidualDictionary {

    /// The most entries of a dictionary, and the most symbols of a table.
    static let limit = 256

    /// Returns the distinct residuals in ascending order, and the index of each residual; `nil` if there are more
    /// than ``limit`` or their range overflows 64 bits.
    ///
    /// - Complexity: A few nanoseconds per residual; less if there are too many distinct ones.
    static func numbered(_ residuals: [UInt64]) -> (entries: [Int64], numbers: [UInt8])? {
        // Open addressing with four times as many slots as entries allowed. Entries are first numbered in order of
        // appearance.
        var places = [UInt64](repeating: 0, count: 1024)
        var takenBy = [UInt16](repeating: .max, count: 1024)
        var numbers = [UInt8](repeating: 0, count: residuals.count)
        var entries: [Int64] = []
        for index in residuals.indices {
            let residual = residuals[index]
            var place = Int(truncatingIfNeeded: (residual &* 0x9E37_79B9_7F4A_7C15) >> 54)
            while takenBy[place] != .max, places[place] != residual { place = (place &+ 1) & 1023 }
            if takenBy[place] == .max {
                if entries.count == limit { return nil }
                (places[place], takenBy[place]) = (residual, UInt16(entries.count))
                entries.append(unzigzag(residual))
            }
            numbers[index] = UInt8(truncatingIfNeeded: takenBy[place])
        }
        let order = entries.indices.sorted { entries[$0] < entries[$1] }
        guard let first = order.first, let last = order.last,
            !entries[last].subtractingReportingOverflow(entries[first]).overflow
        else { return nil }
        var ranks = [UInt8](repeating: 0, count: limit)
        for (rank, number) in order.enumerated() { ranks[number] = UInt8(rank) }
        for index in numbers.indices { numbers[index] = ranks[Int(numbers[index])] }
        return (order.map { entries[$0] }, numbers)
    }

    /// Returns the approximate number of bytes that ``append(_:to:)`` writes.
    static func byteCount(of dictionary: [Int64]) -> Int {
        let (_, width) = gaps(of: dictionary)
        return 8 + dictionary.count * width / 8
    }

    private static func gaps(of dictionary: [Int64]) -> (least: UInt64, width: Int) {
        var (least, most) = (UInt64.max, UInt64(0))
        for index in dictionary.indices.dropFirst() {
            let gap = UInt64(dictionary[index] - dictionary[index - 1])
            (least, most) = (Swift.min(least, gap), Swift.max(most, gap))
        }
        return dictionary.count < 2 ? (0, 0) : (least, bitLength(most - least))
    }

    /// Writes a dictionary: entry count (varint), first entry (zigzag varint), least gap (varint), bit width of the
    /// excess of each gap over the least (1 byte), and these excesses.
    static func append(_ dictionary: [Int64], to writer: inout ByteWriter) {
        let (least, width) = gaps(of: dictionary)
        writer.append(varint: dictionary.count)
        writer.append(varint: zigzag(dictionary[0]))
        writer.append(varint: least)
        writer.append(UInt8(width))
        var bits = BitWriter()
        for index in dictionary.indices.dropFirst() {
            bits.append(UInt64(dictionary[index] - dictionary[index - 1]) - least, width: width)
        }
        writer.append(contentsOf: bits.finish())
    }

    /// Reads a dictionary written by ``append(_:to:)``.
    static func read(_ reader: inout ByteReader, in bytes: RawSpan) throws -> [Int64] {
        let count = try reader.count(in: bytes, limit: limit)
        var value = unzigzag(try reader.varint(in: bytes))
        let least = try reader.varint(in: bytes)
        let width = Int(try reader.byte(in: bytes))
        guard count > 0, width <= 64 else { throw BlockError.malformed }
        let byteCount = ((count - 1) * width + 7) / 8
        let range = try reader.skip(byteCount, in: bytes)
        let words = BitReader.words(of: bytes.extracting(range))
        var bits = BitReader()
        var dictionary = [value]
        for _ in 1..<count {
            value = value &+ Int64(bitPattern: least &+ bits.read(width, in: words.span))
            dictionary.append(value)
        }
        return dictionary
    }
}
