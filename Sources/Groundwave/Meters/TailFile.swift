import ByteCoding
import Events
import Foundation
import Metering
import Records
import Recovery

/// The rows of a running recording that are not in the log yet, on the disk of this device: beside the log, and no part of
/// it.
///
/// | part | form |
/// |---|---|
/// | head | `GWT1` (4), log (16), trace (16), CRC-32C of these (4) |
/// | pieces | each: length of what follows the checksum (4), CRC-32C of that (4), what is said of some rows (length as varint, bytes), the rows (length as varint, bytes) |
///
/// Pieces are only appended, each flushed; where one was cut off by a crash, those before it count. When a block goes
/// into the log, a new file with what is left takes the place of the old one. So rows may be in both for a moment: their
/// numbers say so.
struct TailFile: ~Copyable {
    static let magic: UInt32 = 0x3154_5747
    /// What the name of a file ends with that is not whole yet.
    static let unfinished = ".new"
    private static let headSize = 40
    /// The most bytes that are read of a tail: it has at most one block and what came while that was written.
    private static let byteLimit = 64 << 20

    private let path: String
    private let descriptor: Int32
    private var byteCount: Int

    /// Makes the file at `path` anew, with `rows` where there are any.
    init(_ path: String, log: LogID, trace: RecordID, rows: TraceRows?) throws {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.magic)
        writer.append(log)
        writer.append(trace)
        writer.appendChecksum(from: 0)
        if let rows, rows.count > 0 { writer.append(contentsOf: Self.piece(rows)) }
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

    /// Adds `rows`, which follow those before; when this returns they are on the disk.
    ///
    /// Where it throws, the file is as it was.
    mutating func append(_ rows: TraceRows) throws {
        let piece = Self.piece(rows)
        do throws(FileFailure) {
            try DurableFile.append(piece, to: descriptor, path: path)
            try DurableFile.flush(descriptor, path: path)
            byteCount += piece.count
        } catch {
            _ = ftruncate(descriptor, off_t(byteCount))
            lseek(descriptor, off_t(byteCount), SEEK_SET)
            throw StoreError(file: error)
        }
    }

    private static func piece(_ rows: TraceRows) -> [UInt8] {
        let block = SealedBlock(rows, after: nil)
        var content = ByteWriter()
        content.append(lengthPrefixed: block.summary.bytes)
        content.append(lengthPrefixed: block.content)
        var writer = ByteWriter(capacity: content.count + 8)
        writer.append(littleEndian: UInt32(content.count))
        writer.append(littleEndian: content.withSpan { CRC32C.checksum($0) })
        writer.append(contentsOf: content.bytes)
        return writer.bytes
    }

    /// The rows that the file at `path` has, in order; `nil` where it is no tail of `log`, or cannot be read.
    ///
    /// Runs of one layout are joined.
    static func read(_ path: String, log: LogID) -> (trace: RecordID, rows: [TraceRows])? {
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
            var rows: [TraceRows] = []
            var offset = headSize
            while offset + 8 <= bytes.byteCount {
                let length = Int(bytes.uint32(at: offset))
                guard length <= bytes.byteCount - offset - 8 else { break }
                let piece = bytes.extracting(offset + 8..<offset + 8 + length)
                guard CRC32C.checksum(piece) == bytes.uint32(at: offset + 4), let next = try? Self.rows(in: piece)
                else {
                    break
                }
                if let last = rows.last, last.isFollowed(by: next) {
                    rows[rows.count - 1].append(next)
                } else {
                    rows.append(next)
                }
                offset += 8 + length
            }
            return (RecordID(at: 20, of: bytes), rows)
        }
    }

    private static func rows(in piece: RawSpan) throws -> TraceRows {
        var reader = ByteReader()
        let summary = try reader.lengthPrefixed(in: piece)
        let content = try reader.lengthPrefixed(in: piece)
        return try TraceRows(piece.extracting(content), of: BlockSummary(piece.extracting(summary)))
    }
}
