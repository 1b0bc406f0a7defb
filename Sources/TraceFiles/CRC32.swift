/// The checksum of ZIP: CRC-32 of ISO 3309, polynomial 0x04C11DB7, reflected.
enum CRC32 {
    // Eight tables, to process eight bytes at once: entry 256 t + b is byte b followed by t zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
            tables[byte] = value
        }
        for place in 256..<tables.count {
            let before = tables[place - 256]
            tables[place] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// Returns the checksum of `bytes`.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let tables = tables
        let bytes = bytes.span
        var value: UInt32 = 0xFFFF_FFFF
        var place = 0
        while place + 8 <= bytes.count {
            var next: UInt32 = 0
            for index in 0..<4 {
                let low = UInt8(truncatingIfNeeded: value &>> UInt32(8 * index)) ^ bytes[place &+ index]
                next ^=
                    tables[256 &* (7 &- index) &+ Int(low)]
                    ^ tables[256 &* (3 &- index) &+ Int(bytes[place &+ 4 &+ index])]
            }
            value = next
            place += 8
        }
        while place < bytes.count {
            value = value >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: value) ^ bytes[place])]
            place += 1
        }
        return ~value
    }
}
