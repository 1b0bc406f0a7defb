import CZlib

/// Deflate compression in the zlib format (RFC 1950), and the CRC-32 that PNG uses with it.
public enum Zlib {
    /// Why bytes could not be decompressed.
    public enum Failure: Error, Hashable, Sendable {
        /// They are not a stream, are damaged, or are followed by other bytes.
        case malformed
        /// The decompressed bytes are more or fewer than expected.
        case otherLength
    }

    /// Compresses `bytes` to one stream. The same zlib release gives the same stream for the same bytes; another
    /// release may give a different one.
    ///
    /// - Parameter level: From 1, the fastest, to 9, the shortest.
    public static func compress(_ bytes: RawSpan, level: Int32) -> [UInt8] {
        precondition((1...9).contains(level), "The levels of zlib go from 1 to 9.")
        return bytes.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: Int(compressBound(uLong(source.count)))) { target, count in
                var length = uLong(target.count)
                let code = compress2(
                    target.baseAddress, &length,
                    source.bindMemory(to: Bytef.self).baseAddress, uLong(source.count), level)
                precondition(code == Z_OK, "A buffer of the bound that zlib gives is large enough.")
                count = Int(length)
            }
        }
    }

    /// Decompresses the stream `bytes`, which must give `count` bytes.
    ///
    /// Allocates `count` bytes, which the caller has bounded, whatever the stream contains.
    public static func decompress(_ bytes: RawSpan, count: Int) throws(Failure) -> [UInt8] {
        var code = Z_OK
        var used = uLong(bytes.byteCount)
        let result = bytes.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: count) { target, filled in
                var length = uLong(count)
                code = uncompress2(
                    target.baseAddress, &length, source.bindMemory(to: Bytef.self).baseAddress, &used)
                filled = code == Z_OK ? Int(length) : 0
            }
        }
        // A stream that is longer than the buffer leaves input unread; a truncated stream leaves none.
        let isUsedUp = used == uLong(bytes.byteCount)
        guard code != Z_BUF_ERROR || isUsedUp else { throw .otherLength }
        guard code == Z_OK, isUsedUp else { throw .malformed }
        guard result.count == count else { throw .otherLength }
        return result
    }

    /// The CRC-32 of `bytes` that PNG, gzip and zip use (ISO 3309): 0 for none.
    public static func checksum(_ bytes: RawSpan) -> UInt32 {
        bytes.withUnsafeBytes { source in
            UInt32(truncatingIfNeeded: crc32_z(0, source.bindMemory(to: Bytef.self).baseAddress, source.count))
        }
    }
}
