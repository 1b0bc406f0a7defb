import CChecksum

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): the checksum of frames, view rows and files.
///
/// About 11 ns for 200 bytes with the processor's instruction.
public enum CRC32C {
    /// The checksum of `bytes`, continued from `crc` (0 starts a new one).
    @inlinable
    public static func checksum(_ bytes: RawSpan, continuing crc: UInt32 = 0) -> UInt32 {
        // The pointer does not leave the closure, and the C function reads exactly `count` bytes.
        bytes.withUnsafeBytes { buffer in groundwave_crc32c(crc, buffer.baseAddress, buffer.count) }
    }

    /// The same checksum from tables alone, on every processor: slower, and used to test the other.
    public static func portableChecksum(_ bytes: RawSpan, continuing crc: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { buffer in groundwave_crc32c_portable(crc, buffer.baseAddress, buffer.count) }
    }
}
