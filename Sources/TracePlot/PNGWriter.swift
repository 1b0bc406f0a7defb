import GroundwaveByteCoding
import GroundwaveCompression

/// Writes pixels as PNG (ISO/IEC 15948): 8 bits for each of red, green and blue, no transparency, not interlaced.
enum PNGWriter {
    /// Returns the file. Each row is stored as its difference from the row above (filter Up): most rows of a plot
    /// equal it.
    static func bytes(of canvas: Canvas) -> [UInt8] {
        let rowBytes = canvas.width * 3 + 1
        var rows = [UInt8](repeating: 0, count: rowBytes * canvas.height)
        for row in 0..<canvas.height {
            var offset = row * rowBytes
            rows[offset] = filterUp
            offset += 1
            for pixel in (row * canvas.width)..<((row + 1) * canvas.width) {
                let colour = canvas.pixels[pixel]
                let above = row == 0 ? 0 : canvas.pixels[pixel - canvas.width]
                rows[offset] = UInt8(truncatingIfNeeded: colour >> 16) &- UInt8(truncatingIfNeeded: above >> 16)
                rows[offset + 1] = UInt8(truncatingIfNeeded: colour >> 8) &- UInt8(truncatingIfNeeded: above >> 8)
                rows[offset + 2] = UInt8(truncatingIfNeeded: colour) &- UInt8(truncatingIfNeeded: above)
                offset += 3
            }
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // 8 bits per sample, three samples per pixel, and the only methods that the standard defines.
        append("IHDR", bigEndian(canvas.width) + bigEndian(canvas.height) + [8, 2, 0, 0, 0], to: &file)
        append("IDAT", rows.withSpan { Zlib.compress($0, level: 6) }, to: &file)
        append("IEND", [], to: &file)
        return file
    }

    private static let filterUp: UInt8 = 2

    /// Appends a chunk: its length, its type, its bytes, and the checksum of the latter two.
    private static func append(_ type: String, _ bytes: [UInt8], to file: inout [UInt8]) {
        let body = Array(type.utf8) + bytes
        file += bigEndian(bytes.count)
        file += body
        file += bigEndian(Int(body.withSpan { Zlib.checksum($0) }))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
