import CZstd

/// Zstandard compression (RFC 8878), one frame at a time.
public enum Zstd {
    /// Why bytes could not be decompressed.
    public enum Failure: Error, Hashable, Sendable {
        /// They are not a frame, or a damaged one.
        case malformed
        /// The decompressed bytes are more or fewer than expected.
        case otherLength
    }

    /// Compresses `bytes` to one frame.
    ///
    /// - Parameter level: From 1, the fastest, to 19, the shortest.
    public static func compress(_ bytes: RawSpan, level: Int32) -> [UInt8] {
        bytes.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(source.count)) { target, count in
                count = Contexts.compressing.withContext {
                    ZSTD_compressCCtx($0, target.baseAddress, target.count, source.baseAddress, source.count, level)
                }
                precondition(ZSTD_isError(count) == 0, "A buffer of the bound that zstd gives is large enough.")
            }
        }
    }

    /// Decompresses the frame `bytes`, which must give `count` bytes.
    ///
    /// Allocates `count` bytes, which the caller has bounded, whatever the frame contains.
    public static func decompress(_ bytes: RawSpan, count: Int) throws(Failure) -> [UInt8] {
        var code = 0
        let result = bytes.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: count) { target, filled in
                code = Contexts.decompressing.withContext {
                    ZSTD_decompressDCtx($0, target.baseAddress, target.count, source.baseAddress, source.count)
                }
                filled = ZSTD_isError(code) == 0 ? code : 0
            }
        }
        guard ZSTD_isError(code) == 0 else { throw .malformed }
        guard result.count == count else { throw .otherLength }
        return result
    }
}
