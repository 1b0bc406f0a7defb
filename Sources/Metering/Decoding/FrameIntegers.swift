import ByteCoding

// Integers in frames that ByteCoding does not read. Each function traps past the end of the span.

extension RawSpan {
    /// Returns the big-endian 16-bit integer at `offset`.
    func bigEndianUInt16(at offset: Int) -> UInt16 { UInt16(byte(at: offset)) << 8 | UInt16(byte(at: offset + 1)) }

    /// Returns the big-endian 24-bit integer at `offset`.
    func bigEndianUInt24(at offset: Int) -> UInt32 {
        UInt32(byte(at: offset)) << 16 | UInt32(bigEndianUInt16(at: offset + 1))
    }

    /// Returns the big-endian 32-bit integer at `offset`.
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(bigEndianUInt16(at: offset)) << 16 | UInt32(bigEndianUInt16(at: offset + 2))
    }

    /// Returns the little-endian signed 16-bit integer at `offset`.
    func int16(at offset: Int) -> Int16 { Int16(bitPattern: uint16(at: offset)) }

    /// Returns the little-endian signed 32-bit integer at `offset`.
    func int32(at offset: Int) -> Int32 { Int32(bitPattern: uint32(at: offset)) }
}

/// The checks at the end of meters' frames.
enum FrameCheck {
    /// Returns the CRC-16/MODBUS: polynomial 0x8005, reflected, from 0xFFFF. The TC66C has one in each 64 bytes.
    static func modbus(_ bytes: RawSpan) -> UInt16 {
        var crc: UInt16 = 0xFFFF
        for offset in 0..<bytes.byteCount {
            crc ^= UInt16(bytes.byte(at: offset))
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
        }
        return crc
    }

    /// Returns the CRC-16/XMODEM: polynomial 0x1021, from 0. Its low byte ends the frames that FNIRSI's meters send
    /// by Bluetooth.
    static func xmodem(_ bytes: RawSpan) -> UInt16 {
        var crc: UInt16 = 0
        for offset in 0..<bytes.byteCount {
            crc ^= UInt16(bytes.byte(at: offset)) << 8
            for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
        }
        return crc
    }

    /// Returns a CRC of eight bits: polynomial 0x39, not reflected, from `start`. It ends FNIRSI's USB reports.
    static func crc8(_ bytes: RawSpan, from start: UInt8) -> UInt8 {
        var crc = start
        for offset in 0..<bytes.byteCount {
            crc ^= bytes.byte(at: offset)
            for _ in 0..<8 { crc = crc & 0x80 != 0 ? crc << 1 ^ 0x39 : crc << 1 }
        }
        return crc
    }
}
