import GroundwaveByteCoding

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

    /// Returns the number of bytes that ``append(_:to:)`` writes, but for some at the beginning.
    static func byteCount(of dictionary: [Int64]) -> Int {
        let (_, excesses) = gaps(of: dictionary)
        return excesses.reduce(0) { $0 + max(1, (bitLength($1) + 2) / 3) } / 2
    }

    /// Returns the least gap between two entries, 0 if there is but one, and what each gap exceeds it by.
    private static func gaps(of dictionary: [Int64]) -> (least: UInt64, excesses: [UInt64]) {
        let gaps = zip(dictionary, dictionary.dropFirst()).map { UInt64($1 - $0) }
        let least = gaps.min() ?? 0
        return (least, gaps.map { $0 - least })
    }

    /// Writes a dictionary: entry count (varint), first entry (zigzag varint), least gap (varint), and what each gap
    /// exceeds it by: groups of 4 bits, each with three bits of the number, the lowest first, and whether one more follows.
    static func append(_ dictionary: [Int64], to writer: inout ByteWriter) {
        let (least, excesses) = gaps(of: dictionary)
        writer.append(varint: dictionary.count)
        writer.append(varint: zigzag(dictionary[0]))
        writer.append(varint: least)
        var bits = BitWriter()
        for excess in excesses {
            var rest = excess
            repeat {
                bits.append(rest & 7 | (rest > 7 ? 8 : 0), width: 4)
                rest >>= 3
            } while rest > 0
        }
        writer.append(contentsOf: bits.finish())
    }

    /// Reads a dictionary written by ``append(_:to:)``.
    static func read(_ reader: inout ByteReader, in bytes: RawSpan) throws -> [Int64] {
        let count = try reader.count(in: bytes, limit: limit)
        guard count > 0 else { throw BlockError.malformed }
        var value = unzigzag(try reader.varint(in: bytes))
        let least = try reader.varint(in: bytes)
        var bits = BitReader(at: reader.offset)
        var dictionary = [Int64](repeating: value, count: count)
        for index in 1..<count {
            value = value &+ Int64(bitPattern: least &+ (try excess(&bits, in: bytes)))
            dictionary[index] = value
        }
        _ = try reader.skip(bits.byteOffset - reader.offset, in: bytes)
        return dictionary
    }

    private static func excess(_ bits: inout BitReader, in bytes: RawSpan) throws(BlockError) -> UInt64 {
        var excess: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 64, by: 3) {
            let group = bits.read(4, in: bytes)
            excess |= (group & 7) << shift
            if group < 8 { return excess }
        }
        throw .malformed
    }
}
