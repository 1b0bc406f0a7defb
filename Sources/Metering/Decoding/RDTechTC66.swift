import ByteCoding
import CryptoExtras

/// The answers of RDTech's TC66C to `getva`: 192 bytes, twelve blocks of AES-256 in ECB mode. The key is public and
/// the same in every meter.
///
/// The plain text has three parts of 64 bytes, little-endian. Each begins with its name and ends with the
/// CRC-16/MODBUS of its first 60 bytes, as 32 bits.
///
/// | part | at | meaning, 4 bytes each |
/// | --- | --- | --- |
/// | `pac1` | 4, 8, 12, 44 | product, version, serial number, power-on count: not kept |
/// | | 48, 52, 56 | voltage 0.1 mV, current 0.01 mA, power 0.1 mW |
/// | `pac2` | 4 | resistance, 0.1 Ohm |
/// | | 8, 12, 16, 20 | charge in mAh and energy in mWh of group 0, then of group 1 |
/// | | 24, 28 | temperature: 1 if it is below zero, and degrees Celsius |
/// | | 32, 36 | D+ and D-, 10 mV |
/// | `pac3` | | unknown |
///
/// Sources: libsigrok (`src/hardware/rdtech-tc/protocol.c`), which also has the key, and kolinger/rd-usb
/// (`interfaces/tc.py`), which has the sign of the temperature.
struct RDTechTC66: FixedFrame {
    static let frameByteCount = 192
    static let beginningByteCount = 16

    var isAligned = true

    // The name of the first part is readable only after decrypting the first block.
    func begins(_ window: RawSpan, isAligned: Bool) -> Bool {
        Self.deciphered(window.extracting(0..<16)).withSpan { $0.uint32(at: 0) == Self.name(of: 0) }
    }

    // The first block is encrypted, so any byte may begin a frame.
    func mayBegin(with byte: UInt8) -> Bool { true }

    let hasWeakCheck = false

    func checkHolds(_ frame: RawSpan) -> Bool { Self.deciphered(frame).withSpan(Self.checksHold) }

    func read(_ frame: RawSpan, fence: inout Fence, into rows: inout DecodedRows) {
        guard fence.letsThrough() else { return rows.refuse(.stale, frame.byteCount) }
        rows.append(Self.deciphered(frame).withSpan(Self.values), of: Self.layout)
    }

    private static let key = SymmetricKey(
        data: [
            0x58, 0x21, 0xFA, 0x56, 0x01, 0xB2, 0xF0, 0x26, 0x87, 0xFF, 0x12, 0x04, 0x62, 0x2A, 0x4F, 0xB0,
            0x86, 0xF4, 0x02, 0x60, 0x81, 0x6F, 0x9A, 0x0B, 0xA7, 0xF1, 0x06, 0x61, 0x9A, 0xB8, 0x72, 0x88,
        ] as [UInt8])

    // "pac1", "pac2", "pac3".
    private static func name(of part: Int) -> UInt32 { 0x3163_6170 + UInt32(part) << 24 }

    /// Decrypts `blocks` of 16 bytes, each independently.
    static func deciphered(_ blocks: RawSpan) -> [UInt8] {
        mapped(blocks) { block throws in try AES.inversePermute(&block, key: key) }
    }

    /// Encrypts `blocks` of 16 bytes, each independently, as a meter does. For synthetic frames.
    static func enciphered(_ blocks: RawSpan) -> [UInt8] {
        mapped(blocks) { block throws in try AES.permute(&block, key: key) }
    }

    private static func mapped(_ blocks: RawSpan, _ body: (inout ArraySlice<UInt8>) throws -> Void) -> [UInt8] {
        var bytes = blocks.toArray()
        for start in stride(from: 0, to: bytes.count, by: 16) {
            do {
                try body(&bytes[start..<start + 16])
            } catch {
                preconditionFailure("A block has 16 bytes and the key 32, which is all that the cipher asks for.")
            }
        }
        return bytes
    }

    private static func checksHold(_ plain: RawSpan) -> Bool {
        for part in 0..<3 {
            let bytes = plain.extracting(64 * part..<64 * part + 64)
            guard bytes.uint32(at: 0) == name(of: part),
                bytes.uint32(at: 60) == UInt32(FrameCheck.modbus(bytes.extracting(0..<60)))
            else { return false }
        }
        return true
    }

    private static func values(of plain: RawSpan) -> InlineArray<11, Int64> {
        func long(_ offset: Int) -> Int64 { Int64(plain.uint32(at: offset)) }
        let temperature = long(64 + 24) == 1 ? -long(64 + 28) : long(64 + 28)
        return [
            long(48), long(52), long(56), long(64 + 4), temperature, long(64 + 32), long(64 + 36),
            long(64 + 8), long(64 + 12), long(64 + 16), long(64 + 20),
        ]
    }

    static let layout = Layout([
        Channel("voltage", .volt, decimals: 4), Channel("current", .ampere, decimals: 5),
        Channel("power", .watt, decimals: 4), Channel("resistance", .ohm, decimals: 1),
        Channel("temperature", .celsius, decimals: 0),
        Channel("d+", .volt, decimals: 2), Channel("d-", .volt, decimals: 2),
        Channel("group0.charge", .ampereHour, decimals: 3), Channel("group0.energy", .wattHour, decimals: 3),
        Channel("group1.charge", .ampereHour, decimals: 3), Channel("group1.energy", .wattHour, decimals: 3),
    ])
}
