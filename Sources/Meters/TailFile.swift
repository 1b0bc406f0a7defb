import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveRecovery
import GroundwaveStore

/// The data of a running recording that is not in the log yet.
struct TailContent {
    /// Rows, in order; consecutive rows are joined if one layout can hold them.
    var rows: [TraceRows] = []
    /// Captured line traffic, in order, if it is kept.
    var captures: [Capture] = []
}

/// The file with the rows and the line traffic of a running recording that are not in the log yet. It is on the disk
/// of this device, beside the log and not part of it.
///
/// | part | form |
/// |---|---|
/// | head | `GWT1` (4), log (16), trace (16), CRC-32C of these (4) |
/// | pieces | each: length of what follows the checksum (4), CRC-32C of that (4), 0 for rows or 1 for a capture (1), number of the first item (varint), the summary of a block of them (length as varint, bytes), its content (length as varint, bytes) |
///
/// Pieces are only appended, and flushed; if a crash cut one off, those before it count. When a block goes into the
/// log, a new file with the remaining items replaces the old one. So items may be in both for a moment: their numbers
/// show it.
struct TailFile: ~Copyable {
    static let magic: UInt32 = 0x3154_5747
    /// The suffix of the name of a file that is not complete yet.
    static let unfinished = ".new"
    private static let headSize = 40
    /// The maximum number of bytes that are read of a tail: it has at most one block and what came while that was
    /// written.
    private static let byteLimit = 64 << 20

    private let path: String
    private let descriptor: Int32
    private var byteCount: Int

    /// Creates the file at `path` or replaces it, with `rows` and `capture` if given.
    init(_ path: String, log: LogID, trace: RecordID, rows: TraceRows? = nil, capture: Capture? = nil) throws {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.magic)
        writer.append(log)
        writer.append(trace)
        writer.appendChecksum(from: 0)
        writer.append(contentsOf: Self.pieces(rows, capture))
        let aside = "\(path)\(Self.unfinished)"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        do throws(FileFailure) {
            guard descriptor >= 0 else { throw FileFailure("make", aside) }
            try DurableFile.append(writer.bytes, to: descriptor, path: aside)
            try DurableFile.flush(descriptor, path: aside)
            try DurableFile.rename(aside, to: path)
        } catch {
            if descriptor >= 0 { close(descriptor) }
            unlink(aside)
            throw StoreError(file: error)
        }
        (self.path, self.descriptor, byteCount) = (path, descriptor, writer.count)
    }

    deinit { close(descriptor) }

    /// Appends `rows` and `capture`, which follow those before; they are on disk when this returns.
    ///
    /// If this throws, the file is unchanged.
    mutating func append(_ rows: TraceRows?, _ capture: Capture?) throws {
        let pieces = Self.pieces(rows, capture)
        if pieces.isEmpty { return }
        do throws(FileFailure) {
            try DurableFile.append(pieces, to: descriptor, path: path)
            try DurableFile.flush(descriptor, path: path)
            byteCount += pieces.count
        } catch {
            _ = ftruncate(descriptor, off_t(byteCount))
            lseek(descriptor, off_t(byteCount), SEEK_SET)
            throw StoreError(file: error)
        }
    }

    private static func pieces(_ rows: TraceRows?, _ capture: Capture?) -> [UInt8] {
        var writer = ByteWriter()
        if let rows, rows.count > 0 { append(SealedBlock(rows, after: nil).block, kind: 0, to: &writer) }
        if let capture, !capture.pieces.isEmpty { append(capture.block, kind: 1, to: &writer) }
        return writer.bytes
    }

    private static func append(_ block: SeriesBlock, kind: UInt8, to writer: inout ByteWriter) {
        var content = ByteWriter(capacity: block.content.count + block.summary.count + 16)
        content.append(kind)
        content.append(varint: block.first)
        content.append(lengthPrefixed: block.summary)
        content.append(lengthPrefixed: block.content)
        writer.append(littleEndian: UInt32(content.count))
        writer.append(littleEndian: content.withSpan { CRC32C.checksum($0) })
        writer.append(contentsOf: content.bytes)
    }

    /// Returns the content of the file at `path`; `nil` if it is not a tail of `log`, or cannot be read.
    static func read(_ path: String, log: LogID) -> (trace: RecordID, content: TailContent)? {
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.read(upToCount: byteLimit) else {
            return nil
        }
        try? handle.close()
        let bytes = [UInt8](data)
        guard bytes.count >= headSize else { return nil }
        return bytes.withSpan { bytes in
            guard bytes.uint32(at: 0) == magic, LogID(at: 4, of: bytes) == log,
                CRC32C.checksum(bytes.extracting(0..<36)) == bytes.uint32(at: 36)
            else { return nil }
            var content = TailContent()
            var offset = headSize
            while offset + 8 <= bytes.byteCount {
                let length = Int(bytes.uint32(at: offset))
                guard length <= bytes.byteCount - offset - 8 else { break }
                let piece = bytes.extracting(offset + 8..<offset + 8 + length)
                guard CRC32C.checksum(piece) == bytes.uint32(at: offset + 4),
                    (try? content.append(piece)) != nil
                else { break }
                offset += 8 + length
            }
            return (RecordID(at: 20, of: bytes), content)
        }
    }
}

extension TailContent {
    fileprivate mutating func append(_ piece: RawSpan) throws {
        var reader = ByteReader()
        let (kind, first) = (try reader.byte(in: piece), try reader.varint(in: piece))
        let summary = piece.extracting(try reader.lengthPrefixed(in: piece))
        let content = piece.extracting(try reader.lengthPrefixed(in: piece))
        if kind == 1 { return captures.append(try Capture(content, summary: summary, first: first)) }
        let next = try TraceRows(content, of: BlockSummary(summary))
        if rows.isEmpty || !rows[rows.count - 1].append(next) { rows.append(next) }
    }
}
