import GroundwaveCZlib

/// Decompresses a stream in the gzip or zlib format (RFC 1952, RFC 1950) piece by piece.
///
/// The members of a gzip file that follow one another give their contents one after the other. Used by one thread at a time.
public final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    /// How much of the input was read.
    private var place = 0
    /// Whether no member has begun, or the last one has ended.
    private var isBetween = true

    /// The maximum number of bytes that one read returns, however far the input expands.
    public static let byteCount = 1 << 18

    /// Creates a decompressor at the beginning of a stream.
    public init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 32 more than the window: the format follows from the first bytes (zlib.h, inflateInit2).
        let code = inflateInit2_(stream, MAX_WBITS + 32, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib has no memory.")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the next bytes, at least one; `nil` at the end.
    ///
    /// - Parameter more: Returns the next piece of the stream; `nil` at its end. What it throws passes unchanged.
    /// - Throws: ``Zlib/Failure/malformed`` if the stream is damaged, or ends too early.
    public func read(more: () throws -> [UInt8]?) throws -> [UInt8]? {
        while true {
            if place == input.count {
                guard let piece = try more() else {
                    if isBetween { return nil }
                    throw Zlib.Failure.malformed
                }
                (input, place) = (piece, 0)
                continue
            }
            if isBetween {
                inflateReset(stream)
                isBetween = false
            }
            let (output, code) = inflated()
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isBetween = true
            default: throw Zlib.Failure.malformed
            }
            if !output.isEmpty { return output }
        }
    }

    private func inflated() -> (output: [UInt8], code: Int32) {
        var code = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: Self.byteCount) { target, count in
            input.withUnsafeMutableBufferPointer { source in
                stream.pointee.next_in = source.baseAddress.map { $0 + place }
                stream.pointee.avail_in = UInt32(source.count - place)
                stream.pointee.next_out = target.baseAddress
                stream.pointee.avail_out = UInt32(target.count)
                code = inflate(stream, Z_NO_FLUSH)
                place = source.count - Int(stream.pointee.avail_in)
                count = target.count - Int(stream.pointee.avail_out)
            }
        }
        return (output, code)
    }
}
