import ByteCoding

/// The residuals of a column in order, so that each is a number: for meters whose values lie on a lattice.
enum ResidualDictionary {

    /// The most entries of a dictionary, and of symbols in a table.
    static let limit = 256

    /// The different residuals, in order; `nil` where there are more than ``limit``, or they are too far apart.
    ///
    /// - Complexity: A few nanoseconds a residual; less where there are too many.
    static func entries(of residuals: [UInt64]) -> [Int64]? {
        // Open addressing: four times as many places as there may be entries.
        var places = [UInt64](repeating: 0, count: 1024)
        var isTaken = [Bool](repeating: false, count: 1024)
        var entries: [Int64] = []
        var last: UInt64?
        for residual in residuals where residual != last {
            last = residual
            var place = Int(truncatingIfNeeded: (residual &* 0x9E37_79B9_7F4A_7C15) >> 54)
            while isTaken[place], places[place] != residual { place = (place &+ 1) & 1023 }
            if isTaken[place] { continue }
            if entries.count == limit { return nil }
            isTaken[place] = true
            places[place] = residual
            entries.append(unzigzag(residual))
        }
        entries.sort()
        guard let least = entries.first, let most = entries.last,
            !most.subtractingReportingOverflow(least).overflow
        else { return nil }
        return entries
    }

    /// The number of each of `residuals` in `dictionary`, which has them all.
    static func indexes(of residuals: [UInt64], in dictionary: [Int64]) -> [UInt16] {
        var indexes: [UInt16] = []
        indexes.reserveCapacity(residuals.count)
        // Small ranges have a place for each number; others are searched.
        let least = dictionary[0]
        let range = dictionary[dictionary.count - 1] &- least
        var places: [UInt16] = []
        if range < 1 << 15 {
            places = [UInt16](repeating: 0, count: Int(range) + 1)
            for (index, value) in dictionary.enumerated() { places[Int(value &- least)] = UInt16(index) }
        }
        for residual in residuals {
            let value = unzigzag(residual)
            if !places.isEmpty {
                indexes.append(places[Int(value &- least)])
                continue
            }
            var (low, high) = (0, dictionary.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if dictionary[middle] < value { low = middle + 1 } else { high = middle }
            }
            indexes.append(UInt16(low))
        }
        return indexes
    }

    /// Bytes that ``append(_:to:)`` writes, about.
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

    /// Writes a dictionary: how many, the first (zigzag varint), the least gap (varint), bits of what gaps are longer (1),
    /// and these.
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

    /// Reads what ``append(_:to:)`` has written.
    static func read(_ reader: inout ByteReader, in bytes: RawSpan) throws -> [Int64] {
        let count = try reader.count(in: bytes, limit: limit)
        var value = unzigzag(try reader.varint(in: bytes))
        let least = try reader.varint(in: bytes)
        let width = Int(try reader.byte(in: bytes))
        guard count > 0, width <= 64 else { throw BlockError.malformed }
        let byteCount = ((count - 1) * width + 7) / 8
        let range = try reader.skip(byteCount, in: bytes)
        var bits = BitReader(at: range.lowerBound, end: range.upperBound)
        var dictionary = [value]
        for _ in 1..<count {
            value = value &+ Int64(bitPattern: least &+ bits.read(width, in: bytes))
            dictionary.append(value)
        }
        return dictionary
    }
}
