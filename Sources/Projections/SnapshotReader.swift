import ByteCoding
import Compression
import Crypto
import EventLog
import Events
import Foundation
import Records

/// Reads a snapshot file. Nothing in it is believed before its checksum was looked at, and nothing is as large as it
/// says before that is bounded.
struct SnapshotReader {
    private let file: FileHandle
    private let byteCount: Int
    let head: SnapshotHead
    let end: SnapshotEnd
    private let hash: Hash256
    private let firstChunk: Int
    private let endChunk: Int

    /// Opens the snapshot at `path` and reads what it says of itself. Cost: two small reads.
    init(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw SnapshotError.notASnapshot }
        self.file = file
        byteCount = Int(try file.seekToEnd())
        let least = 4 + 2 * SnapshotFormat.chunkHeaderSize + SnapshotFormat.endSize
        guard byteCount >= least else { throw SnapshotError.notASnapshot }
        let magic = try Self.read(4, at: 0, of: file).withSpan { $0.uint32(at: 0) }
        guard magic == SnapshotFormat.magic else { throw SnapshotError.notASnapshot }
        let last = try Self.read(SnapshotFormat.endSize, at: byteCount - SnapshotFormat.endSize, of: file)
        let offset = last.withSpan { $0.uint64(at: 0) }
        hash = last.withSpan { Hash256(at: 8, of: $0) }
        guard offset >= 4, offset <= UInt64(byteCount - SnapshotFormat.endSize) else {
            throw SnapshotError.damaged("the offset of its end")
        }
        endChunk = Int(offset)
        let (headContent, next) = try Self.chunk(.head, at: 4, of: file, byteCount)
        firstChunk = next
        let (endContent, behind) = try Self.chunk(.end, at: endChunk, of: file, byteCount)
        guard behind == byteCount - SnapshotFormat.endSize else { throw SnapshotError.damaged("its end") }
        do {
            head = try headContent.withSpan { try SnapshotHead($0) }
            end = try endContent.withSpan { try SnapshotEnd($0) }
        } catch is ByteCodingError { throw SnapshotError.damaged("what it says of itself") }
    }

    var information: SnapshotInformation {
        SnapshotInformation(
            id: SnapshotID(high: hash.id.high, low: hash.id.low), log: head.log, vector: head.vector,
            created: head.created, byteCount: byteCount, kinds: end.kinds, residue: end.residue)
    }

    /// Reads the whole file and throws unless every byte is what was written. Cost: about 1 GB/s.
    func verify() throws {
        var hasher = SHA256()
        var offset = 0
        let covered = byteCount - 32
        while offset < covered {
            let part = try Self.read(min(1 << 20, covered - offset), at: offset, of: file)
            part.withSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
            offset += part.count
        }
        guard Hash256(hasher.finalize()) == hash else { throw SnapshotError.damaged("the checksum of the whole file") }
        try forEachChunk { _, _ in }
    }

    /// Hands out the contents of the chunks between head and end, in order.
    func forEachChunk(_ body: (SnapshotFormat.ChunkType, [UInt8]) throws -> Void) throws {
        var offset = firstChunk
        while offset < endChunk {
            let type = try Self.read(1, at: offset, of: file)[0]
            guard let type = SnapshotFormat.ChunkType(rawValue: type), type == .records || type == .residue else {
                throw SnapshotError.damaged("a part of a kind that does not belong here")
            }
            let (content, next) = try Self.chunk(type, at: offset, of: file, byteCount)
            try body(type, content)
            offset = next
        }
        guard offset == endChunk else { throw SnapshotError.damaged("the length of a part") }
    }

    private static func chunk(
        _ type: SnapshotFormat.ChunkType, at offset: Int, of file: FileHandle, _ byteCount: Int
    ) throws -> (content: [UInt8], next: Int) {
        let header = try read(SnapshotFormat.chunkHeaderSize, at: offset, of: file)
        let (length, storedLength, checksum) = header.withSpan {
            (Int($0.uint32(at: 1)), Int($0.uint32(at: 5)), $0.uint32(at: 9))
        }
        let next = offset + SnapshotFormat.chunkHeaderSize + storedLength
        guard header[0] == type.rawValue, length <= SnapshotFormat.contentLimit,
            next <= byteCount - SnapshotFormat.endSize
        else { throw SnapshotError.damaged("the length of a part") }
        let stored = try read(storedLength, at: offset + SnapshotFormat.chunkHeaderSize, of: file)
        let before = header.withSpan { CRC32C.checksum($0.extracting(0..<9)) }
        guard stored.withSpan({ CRC32C.checksum($0, continuing: before) }) == checksum else {
            throw SnapshotError.damaged("the checksum of a part")
        }
        do {
            return (try stored.withSpan { try Zstd.decompress($0, count: length) }, next)
        } catch is Zstd.Failure { throw SnapshotError.damaged("a part that cannot be expanded") }
    }

    private static func read(_ count: Int, at offset: Int, of file: FileHandle) throws -> [UInt8] {
        if count == 0 { return [] }
        try file.seek(toOffset: UInt64(offset))
        guard let data = try file.read(upToCount: count), data.count == count else {
            throw SnapshotError.damaged("its length")
        }
        return [UInt8](data)
    }
}
