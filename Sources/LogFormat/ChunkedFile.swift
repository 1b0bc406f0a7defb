import Crypto
import Foundation
import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveEvents

// The common format of snapshots and archives: compressed chunks, each verified before use.
//
// | part | |
// |---|---|
// | magic | 4 bytes: the file type |
// | chunks | the head first, the end last |
// | offset of the end chunk | 8 bytes |
// | checksum | 32 bytes: SHA-256 of everything before it |
//
// | part of a chunk | size | |
// |---|---|---|
// | type | 1 | 1 head, 4 end; the others depend on the file type |
// | length | 4 | of the content |
// | stored length | 4 | of the content as one zstd frame |
// | CRC-32C | 4 | of the nine bytes before it and of the stored content |
// | stored content | … | |
//
// Integers are little-endian.

/// The format of the chunks of a file.
package enum ChunkedFile {
    static let chunkHeaderSize = 13
    /// The maximum content size of a chunk in bytes; a larger one is refused before memory is allocated for it.
    package static let contentLimit = 16 << 20
    /// The size of the end chunk's offset and the checksum.
    static let endSize = 40
    /// A level for small files; a hundred thousand contacts still take well under a second.
    static let compressionLevel: Int32 = 6

    /// What a chunk has.
    package enum ChunkType: UInt8 {
        case head = 1
        /// Records of one kind, in a snapshot.
        case records = 2
        /// Unchanged events that could not be folded, in a snapshot.
        case residue = 3
        /// The last one.
        case end = 4
        /// Unchanged events of one replica, in an archive.
        case events = 5
        /// Blocks of series without their items, in a snapshot.
        case blocks = 6
    }

    /// What is wrong with a file of this format.
    package enum Failure: Error, Hashable {
        /// It does not begin or end as a file of this type does.
        case otherForm
        /// A checksum or a length is wrong.
        case damaged(String)
    }

    /// Returns a chunk with `content`, as it is in a file.
    package static func chunk(_ type: ChunkType, _ content: [UInt8]) -> [UInt8] {
        let stored = content.withSpan { Zstd.compress($0, level: compressionLevel) }
        var writer = ByteWriter(capacity: stored.count + chunkHeaderSize)
        writer.append(type.rawValue)
        writer.append(littleEndian: UInt32(content.count))
        writer.append(littleEndian: UInt32(stored.count))
        let checksum = writer.withSpan { CRC32C.checksum($0) }
        writer.append(littleEndian: stored.withSpan { CRC32C.checksum($0, continuing: checksum) })
        writer.append(contentsOf: stored)
        return writer.bytes
    }
}

/// Writes a chunked file piece by piece.
package struct ChunkedFileWriter {
    private let sink: ([UInt8]) throws -> Void
    private var hasher = SHA256()
    /// The number of bytes written.
    package private(set) var byteCount = 0

    /// - Parameter sink: Receives the bytes of the file, piece by piece.
    package init(magic: UInt32, sink: @escaping ([UInt8]) throws -> Void) throws {
        self.sink = sink
        var writer = ByteWriter()
        writer.append(littleEndian: magic)
        try put(writer.bytes)
    }

    /// Writes a chunk and returns its offset.
    @discardableResult
    package mutating func append(_ type: ChunkedFile.ChunkType, _ content: [UInt8]) throws -> Int {
        let offset = byteCount
        try put(ChunkedFile.chunk(type, content))
        return offset
    }

    /// Writes the end chunk and the checksum, which it returns.
    package mutating func finish(_ content: [UInt8]) throws -> Hash256 {
        let offset = try append(.end, content)
        var last = ByteWriter()
        last.append(littleEndian: UInt64(offset))
        try put(last.bytes)
        let hash = Hash256(hasher.finalize())
        last.removeAll()
        last.append(hash)
        byteCount += 32
        try sink(last.bytes)
        return hash
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        bytes.withSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
        byteCount += bytes.count
        try sink(bytes)
    }
}

/// Reads a chunked file. Verifies the checksum of everything before using it, and checks every stored size against
/// its limit.
package struct ChunkedFileReader {
    private let file: FileHandle
    /// The size of the file.
    package let byteCount: Int
    /// The content of the first chunk.
    package let head: [UInt8]
    /// The content of the last chunk.
    package let end: [UInt8]
    /// The checksum stored in the file.
    package let hash: Hash256
    private let firstChunk: Int
    private let endChunk: Int

    /// Opens the file at `path` and reads its head and end. Cost: a few small reads.
    package init(_ path: String, magic: UInt32) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw ChunkedFile.Failure.otherForm }
        self.file = file
        byteCount = Int(try file.seekToEnd())
        let least = 4 + 2 * ChunkedFile.chunkHeaderSize + ChunkedFile.endSize
        guard byteCount >= least, try Self.read(4, at: 0, of: file).withSpan({ $0.uint32(at: 0) }) == magic else {
            throw ChunkedFile.Failure.otherForm
        }
        let last = try Self.read(ChunkedFile.endSize, at: byteCount - ChunkedFile.endSize, of: file)
        let offset = last.withSpan { $0.uint64(at: 0) }
        hash = last.withSpan { Hash256(at: 8, of: $0) }
        guard offset >= 4, offset <= UInt64(byteCount - ChunkedFile.endSize) else {
            throw ChunkedFile.Failure.damaged("the offset of its end")
        }
        endChunk = Int(offset)
        let behind: Int
        (head, firstChunk) = try Self.chunk(.head, at: 4, of: file, byteCount)
        (end, behind) = try Self.chunk(.end, at: endChunk, of: file, byteCount)
        guard behind == byteCount - ChunkedFile.endSize else { throw ChunkedFile.Failure.damaged("its end") }
    }

    /// Reads the whole file and throws unless every byte is as written. Cost: about 1 GB/s.
    package func verify() throws {
        var hasher = SHA256()
        var offset = 0
        let covered = byteCount - 32
        while offset < covered {
            let part = try Self.read(min(1 << 20, covered - offset), at: offset, of: file)
            part.withSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
            offset += part.count
        }
        guard Hash256(hasher.finalize()) == hash else {
            throw ChunkedFile.Failure.damaged("the checksum of the whole file")
        }
    }

    /// Yields the contents of the chunks between head and end, in order. Throws if a chunk is not of `types`.
    package func forEachChunk(
        of types: Set<ChunkedFile.ChunkType>, _ body: (ChunkedFile.ChunkType, [UInt8]) throws -> Void
    ) throws {
        var offset = 0
        while let (type, content) = try nextChunk(at: &offset, of: types) { try body(type, content) }
    }

    /// Returns the chunk at `offset`, and advances `offset` to the next one; 0 means the first. Returns `nil` at the
    /// end.
    package func nextChunk(
        at offset: inout Int, of types: Set<ChunkedFile.ChunkType>
    ) throws -> (ChunkedFile.ChunkType, [UInt8])? {
        offset = Swift.max(offset, firstChunk)
        if offset < endChunk {
            let type = try Self.read(1, at: offset, of: file)[0]
            guard let type = ChunkedFile.ChunkType(rawValue: type), types.contains(type) else {
                throw ChunkedFile.Failure.damaged("a part of an unexpected kind")
            }
            let (content, next) = try Self.chunk(type, at: offset, of: file, byteCount)
            offset = next
            return (type, content)
        }
        guard offset == endChunk else { throw ChunkedFile.Failure.damaged("the length of a part") }
        return nil
    }

    /// Returns the content of the chunk of `type` at `offset`.
    package func chunk(_ type: ChunkedFile.ChunkType, at offset: Int) throws -> [UInt8] {
        guard offset >= firstChunk, offset < endChunk else {
            throw ChunkedFile.Failure.damaged("the offset of a part")
        }
        return try Self.chunk(type, at: offset, of: file, byteCount).content
    }

    private static func chunk(
        _ type: ChunkedFile.ChunkType, at offset: Int, of file: FileHandle, _ byteCount: Int
    ) throws -> (content: [UInt8], next: Int) {
        let header = try read(ChunkedFile.chunkHeaderSize, at: offset, of: file)
        let (length, storedLength, checksum) = header.withSpan {
            (Int($0.uint32(at: 1)), Int($0.uint32(at: 5)), $0.uint32(at: 9))
        }
        let next = offset + ChunkedFile.chunkHeaderSize + storedLength
        guard header[0] == type.rawValue, length <= ChunkedFile.contentLimit, next <= byteCount - ChunkedFile.endSize
        else { throw ChunkedFile.Failure.damaged("the length of a part") }
        let stored = try read(storedLength, at: offset + ChunkedFile.chunkHeaderSize, of: file)
        let before = header.withSpan { CRC32C.checksum($0.extracting(0..<9)) }
        guard stored.withSpan({ CRC32C.checksum($0, continuing: before) }) == checksum else {
            throw ChunkedFile.Failure.damaged("the checksum of a part")
        }
        do {
            return (try stored.withSpan { try Zstd.decompress($0, count: length) }, next)
        } catch is Zstd.Failure { throw ChunkedFile.Failure.damaged("a part that cannot be expanded") }
    }

    private static func read(_ count: Int, at offset: Int, of file: FileHandle) throws -> [UInt8] {
        if count == 0 { return [] }
        try file.seek(toOffset: UInt64(offset))
        guard let data = try file.read(upToCount: count), data.count == count else {
            throw ChunkedFile.Failure.damaged("its length")
        }
        return [UInt8](data)
    }
}
