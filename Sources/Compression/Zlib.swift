import GroundwaveCZlib

/// Bytes made shorter by deflate in the zlib format (RFC 1950), and the checksum that goes with it in PNG.
public enum Zlib {
    /// Why bytes could not be made long again.
    public enum Failure: Error, Hashable, Sendable {
        /// They are no stream, a damaged one, or one with bytes behind it.
        case malformed
        /// They would become longer or shorter than was said.
        case otherLength
    }

    /// `bytes` as one stream. The same bytes give the same stream with the same zlib; another release may find another one.
    ///
    /// - Parameter level: 1 is fast, 9 is short.
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

    /// The `count` bytes that the stream `bytes` stands for.
    ///
    /// Memory is taken for `count` bytes, which the caller has bounded, whatever the stream says.
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
        // A stream that goes on where there is no room has bytes left; one that was cut has none.
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
